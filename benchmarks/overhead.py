"""What a model call costs on top of the call, side by side in one run with Inspect.

Ours: a study of hundred-round episodes, two calls a round, by a model that
answers at once, in one process: the whole way through planning, the one loop,
kept replies, retries and the meter, to records on the disk. Inspect's: a plain
task with as many samples and the same prompts, asked one after the other of its
mock model, with its log on the disk. Batches alternate, in turning order; ratios
are medians of batch ratios. Separately, the same study over HTTP with a server
in a process of its own (``tests/models/serving.py``).

Needs the extra ``inspect``; without it, only ours is measured.
"""

from __future__ import annotations

import gc
import multiprocessing
import sys
import tempfile
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import TypeAlias

from common import arguments, finish, show

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Scores, Usage
from otherminds.core.record import EpisodeSpec, Outcome, prompts
from otherminds.models.registry import models
from otherminds.studies.file import StudyFile
from otherminds.studies.plan import StudyPlan, plan
from otherminds.studies.run import run
from otherminds.studies.run_dir import results

ROUNDS = 100
CALLS = 2 * ROUNDS
ROOT = Path(__file__).parents[1]
QA, LM, HTTP, THEIRS = "Other Minds, QA", "Other Minds, LM", "QA over HTTP", "Inspect, QA's prompts"
CPU, RATE = 0.3, 3_000
"""What is promised: at most so many milliseconds of CPU a call, at least so many calls a second."""

Batch: TypeAlias = tuple[float, float]
"""Milliseconds of CPU a call, and calls a second."""


class Instant:
    """Answers at once: with the prompt's last line, which is an answer that fits."""

    spec = "instant:"
    context = 2**31
    concurrency = 64
    usage = Usage(1000, 4)

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        return Completion(messages[-1].content.rpartition("\n")[2], "", self.usage)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        return Scores((-1.0,) * len(continuations), self.usage)

    def count(self, text: str) -> int:
        return len(text) // 4


@models.register("instant")
def instant(rest: str) -> Instant:
    """instant:, a model that answers at once."""
    return Instant()


class Silent:
    """A progress that says nothing."""

    def start(self, planned: int, done: int, asked: int) -> None: ...

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        if outcome.status != "scored":
            raise SystemExit(f"an episode was {outcome.status}: {outcome.reason}")

    def say(self, text: str) -> None: ...


def study(strategy: str, model: str, episodes: int, seed: int) -> StudyPlan:
    """Hundred-round RPS episodes."""
    cell = {"scenarios": ["rps-mixed-v1"], "minds": [{"mind": strategy, "model": model}]}
    return plan(
        StudyFile.model_validate(
            {"name": "overhead", "seed": seed, "rounds": ROUNDS, "episodes": episodes, "cells": [cell]}
        ),
        Path(),
    )


def ours(strategy: str, model: str, episodes: int, seed: int) -> None:
    """One batch through our runner."""
    with tempfile.TemporaryDirectory() as folder:
        run(study(strategy, model, episodes, seed), Path(folder) / "out", Silent())


def conversations(episodes: int, seed: int) -> list[list[str]]:
    """The prompts of every episode of a batch, in their order."""
    with tempfile.TemporaryDirectory() as folder:
        run(study("qa", "instant:", episodes, seed), Path(folder) / "out", Silent())
        found = [record.calls for record in results(Path(folder) / "out")[1]]
    return [[messages[-1].content for messages in prompts(calls)] for calls in found]


def inspects(asked: list[list[str]]) -> Callable[[], None]:
    """One batch through Inspect: a sample an episode, a call of its mock model a prompt."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import Generate, Solver, TaskState, solver

    usage = ModelUsage(input_tokens=1000, output_tokens=4, total_tokens=1004)

    def answer(given, tools, tool_choice, config) -> ModelOutput:
        output = ModelOutput.from_content("mock", given[-1].text.rpartition("\n")[2])
        output.usage = usage
        return output

    @solver
    def ask_all() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            model = get_model()
            for prompt in asked[int(state.sample_id)]:
                state.output = await model.generate([ChatMessageUser(content=prompt)])
            return state

        return solve

    def batch() -> None:
        task = Task(dataset=[Sample(input="go", id=i) for i in range(len(asked))], solver=ask_all())
        model = get_model("mockllm/model", custom_outputs=answer)
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (log,) = evaluate(task, model=model, log_dir=folder, display="none", score=False)
        if log.status != "success":
            raise SystemExit(f"Inspect's task ended with {log.status}")

    return batch


def serve(pipe: Connection) -> None:
    """A local server that answers at once, until the other end of ``pipe`` is closed."""
    sys.path.insert(0, str(ROOT))
    from tests.models.serving import Asked, Reply, chat, serving

    def answer(asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply({"data": [{"id": "toy", "max_model_len": 65536}]})
        last = asked.body["messages"][-1]["content"].rpartition("\n")[2]
        return Reply(chat(Completion(last, "", Instant.usage)))

    with serving(answer) as server, suppress(EOFError):
        server.asked = None
        pipe.send(server.url)
        pipe.recv()


@contextmanager
def served() -> Iterator[str]:
    """The address of a local server in a process of its own."""
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    there.close()
    try:
        yield here.recv()
    finally:
        here.close()
        server.join(30)


def measured(batch: Callable[[], None], calls: int) -> Batch:
    """Milliseconds of CPU a call, and calls a second, of one batch."""
    gc.collect()
    cpu, wall = process_time(), perf_counter()
    batch()
    return 1000 * (process_time() - cpu) / calls, calls / (perf_counter() - wall)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=20, help="episodes a batch (default 20)")
    parser.add_argument("--batches", type=int, default=5, help="batches of each (default 5)")
    options = parser.parse_args()
    episodes, seed, calls = options.episodes, options.seed, options.episodes * CALLS
    kinds: dict[str, Callable[[], None]] = {
        QA: lambda: ours("qa", "instant:", episodes, seed),
        LM: lambda: ours("lm", "instant:", episodes, seed),
    }
    if find_spec("inspect_ai") is not None:
        kinds[THEIRS] = inspects(conversations(episodes, seed))
    for batch in kinds.values():
        batch()
    found: dict[str, list[Batch]] = {name: [] for name in kinds}
    for turn in range(options.batches):
        for name in list(kinds)[:: -1 if turn % 2 else 1]:
            found[name].append(measured(kinds[name], calls))
    with served() as url:
        model = f"openai:toy@{url}?concurrency=32"
        ours("qa", model, 2, seed)
        found[HTTP] = [
            measured(lambda: ours("qa", model, episodes, seed), calls) for _ in range(options.batches)
        ]
    report(found, options)


def report(found: dict[str, list[Batch]], options: Namespace) -> None:
    """The table and the figures; exit code 1 if ours miss what is promised."""
    rows: list[tuple[str, ...]] = []
    figures: dict[str, dict[str, float]] = {}
    for name, batches in found.items():
        cpus, rates = ([batch[i] for batch in batches] for i in (0, 1))
        figures[name] = {"cpu_ms_per_call": median(cpus), "calls_per_second": median(rates)}
        row = [name, f"{median(cpus):.3f}", f"{min(cpus):.3f} to {max(cpus):.3f}", f"{median(rates):,.0f}"]
        if name in (QA, LM) and THEIRS in found:
            pairs = list(zip(found[THEIRS], batches, strict=True))
            less, faster = median(x[0] / y[0] for x, y in pairs), median(y[1] / x[1] for x, y in pairs)
            figures[name] |= {"times_less_cpu": less, "times_more_calls": faster}
            row += [f"{less:.1f} x less", f"{faster:.1f} x more"]
        rows.append((*row, *[""] * (6 - len(row))))
    columns = ("", "CPU ms a call", "range", "calls/s", "CPU", "calls/s")
    show(f"{options.batches} batches of {options.episodes} episodes of {CALLS} calls", columns, rows)
    finish(options, figures, ["inspect-ai"] if THEIRS in found else [])
    plain = [figures[name] for name in (QA, LM)]
    sys.exit(any(one["cpu_ms_per_call"] > CPU or one["calls_per_second"] < RATE for one in plain))


if __name__ == "__main__":
    main()
