"""Tokens evaluated over a repeated game under LM prompting, with and without prefix reuse.

Plays an episode of ``rps-single-v1`` with the embedded model: a call to act and a
call to predict in every round. Each round's prompt goes on where the one before
ended, so that a model which keeps what it evaluated reads the history once. Without
reuse every token of every prompt is evaluated: counted over the whole episode, and
confirmed by playing its first rounds on an instance that keeps nothing.
"""

from __future__ import annotations

import asyncio

from common import arguments, finish, show

from otherminds import Record, SeatSpec
from otherminds.core.record import Timing
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.models.embedded import Embedded, Engine
from otherminds.models.files import find
from otherminds.play.loop import play

SCENARIO = "rps-single-v1"


def episode(model: Embedded, rounds: int, seed: int) -> tuple[Record, Timing]:
    """One episode of the LM strategy; it and its wall-clock figures."""
    built = scenario(SCENARIO, {"rounds": rounds, "names": "neutral"})
    ego = SeatSpec("lm", model=model.spec)
    partners = dict(zip(built.others, built.population.met(0), strict=True))
    return asyncio.run(play(Setup(built, {"ego": Participant(make_mind(ego), model)}, seed, partners)))


def evaluated(played: tuple[Record, Timing]) -> int:
    """Tokens that the model had to evaluate."""
    record, timing = played
    return sum(call.prompt_tokens for call in record.calls) - timing.cached_tokens


def per_decision(played: tuple[Record, Timing]) -> float:
    """Milliseconds a call."""
    return 1000 * sum(played[1].calls) / len(played[1].calls)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=50, help="rounds of the episode (default 50)")
    parser.add_argument("--confirm", type=int, default=3, help="rounds played without reuse too (default 3)")
    options = parser.parse_args()
    path = find("smollm2")
    keeps = Embedded("smollm2", Engine(path))
    forgets = Embedded("smollm2", Engine(path, reuse=False))

    long = episode(keeps, options.rounds, options.seed)
    calls = long[0].calls
    cached, uncached = evaluated(long), sum(call.prompt_tokens for call in calls)

    with_reuse = episode(Embedded("smollm2", Engine(path)), options.confirm, options.seed)
    without = episode(forgets, options.confirm, options.seed)
    if with_reuse[0] != without[0]:
        raise SystemExit("an episode without reuse differs from the same episode with it")
    if evaluated(without) != sum(call.prompt_tokens for call in without[0].calls):
        raise SystemExit("the instance that should keep nothing has kept something")

    rows = [
        [
            options.rounds,
            len(calls),
            uncached,
            cached,
            f"{uncached / cached:.1f}",
            "counted",
            f"{per_decision(long):.0f}",
        ],
        [
            options.confirm,
            len(without[0].calls),
            evaluated(without),
            evaluated(with_reuse),
            f"{evaluated(without) / evaluated(with_reuse):.1f}",
            f"{per_decision(without):.0f}",
            f"{per_decision(with_reuse):.0f}",
        ],
    ]
    columns = [
        "rounds",
        "calls",
        "tokens without reuse",
        "tokens with reuse",
        "ratio",
        "ms/call without",
        "ms/call with",
    ]
    show(f"Prefix reuse: LM prompting with smollm2, {SCENARIO}, neutral names", columns, rows)
    print(
        f"last prompt: {calls[-1].prompt_tokens} tokens; the {options.confirm} rounds gave equal records both ways"
    )
    finish(
        options,
        {
            "rounds": {"value": options.rounds, "unit": "rounds"},
            "tokens_without_reuse": {"value": uncached, "unit": "tokens"},
            "tokens_with_reuse": {"value": cached, "unit": "tokens"},
            "ratio": {"value": uncached / cached, "unit": "times"},
            "per_call_with_reuse": {"value": per_decision(long), "unit": "ms"},
            "per_call_short_without_reuse": {"value": per_decision(without), "unit": "ms"},
            "per_call_short_with_reuse": {"value": per_decision(with_reuse), "unit": "ms"},
        },
        ["xllamacpp"],
    )
    if options.rounds >= 50 and uncached < 10 * cached:
        raise SystemExit("prefix reuse saves less than a factor of 10")


if __name__ == "__main__":
    main()
