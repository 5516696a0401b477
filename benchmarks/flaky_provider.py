"""A provider that misbehaves loses nothing: hundred-call episodes over HTTP, with faults injected.

A server in a process of its own answers as a scripted model. Of the calls, 10 %
meet HTTP 429, 5 % HTTP 5xx, 2 % a body cut short, and 1 % no answer at all. The
episodes are 50 rounds of ``ipd-tit_for_tat-v1`` under QA prompting: a call to act
and a call to predict in every round. Many are played at once on one event loop,
each call behind retries. Fails if an episode is lost, or if more than 1.25
requests are sent for each call that an episode makes.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from urllib.request import urlopen

from common import arguments, finish, show

from otherminds import SeatSpec
from otherminds.core.model import Model
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.models.registry import open_model
from otherminds.models.wrappers import Retrying
from otherminds.play.loop import play

ROOT = Path(__file__).resolve().parent.parent
SERVER = "tests.models.serving"
SCENARIO = "ipd-tit_for_tat-v1"
ROUNDS = 50
MOST = 1.25
"""Requests for each call that an episode makes."""


@contextmanager
def flaky(seed: int) -> Iterator[str]:
    """The base URL of the server, in a process that ends with this one."""
    command = [sys.executable, "-m", SERVER, "--seed", str(seed)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


async def episodes(model: Model, many: int, at_once: int, seed: int) -> tuple[int, int, list[str]]:
    """How many calls the episodes made, how many retries that took, and why episodes were lost."""
    served = Retrying(model)
    built = scenario(SCENARIO, {"rounds": ROUNDS})
    (partner,) = built.population.schedule()[0]
    ego = SeatSpec("qa", model=model.spec)
    seeds = iter(range(seed, seed + many))
    calls = 0
    lost: list[str] = []

    async def one_after_the_other() -> None:
        nonlocal calls
        for number in seeds:
            setup = Setup(built, {"ego": Participant(make_mind(ego), served)}, number, {"partner_0": partner})
            record, _ = await play(setup)
            calls += len(record.calls)
            if record.outcome.status != "scored" or len(record.calls) != 2 * ROUNDS:
                lost.append(
                    f"{record.outcome.status} after {len(record.calls)} calls: {record.outcome.reason}"
                )

    await asyncio.gather(*(one_after_the_other() for _ in range(at_once)))
    await served.close()
    return calls, served.retries, lost


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=1000, help="episodes (default 1000)")
    parser.add_argument("--at-once", type=int, default=128, help="episodes played at once (default 128)")
    parser.add_argument("--in-flight", type=int, default=32, help="calls in flight at once (default 32)")
    parser.add_argument("--timeout", type=float, default=1.5, help="seconds a call may take (default 1.5)")
    options = parser.parse_args()
    with flaky(options.seed) as url:
        model = open_model(f"openai:toy@{url}?timeout={options.timeout}&concurrency={options.in_flight}")
        started = perf_counter()
        calls, retries, lost = asyncio.run(episodes(model, options.episodes, options.at_once, options.seed))
        seconds = perf_counter() - started
        with urlopen(url.removesuffix("/v1") + "/counts", timeout=30) as counts:
            served = json.load(counts)
    ratio = served["requests"] / calls
    show(
        f"{options.episodes} episodes of {2 * ROUNDS} calls, {options.at_once} at once, {options.in_flight} calls in flight",
        ("lost", "calls", "requests", "requests/call", "retries", "seconds", "calls/s"),
        [
            (
                len(lost),
                f"{calls:,}",
                f"{served['requests']:,}",
                f"{ratio:.3f}",
                f"{retries:,}",
                f"{seconds:.0f}",
                f"{calls / seconds:.0f}",
            )
        ],
    )
    print("\n".join(lost[:5]) or "every episode was played to its end")
    figures = {
        **{"episodes": options.episodes, "lost": len(lost), "calls": calls, "requests": served["requests"]},
        **{"requests_per_call": ratio, "seconds": seconds, "calls_per_second": calls / seconds},
    }
    finish(options, figures, ("httpx",))
    sys.exit(bool(lost) or ratio > MOST)


if __name__ == "__main__":
    main()
