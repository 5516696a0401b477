"""The whole faithful pipeline with the embedded SmolLM2, one episode of RWS repeated 6, as it is.

A model of 135 million parameters cannot do what is asked of it; this shows what happens
then. First of all stands the share of replies that were of no use.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from time import perf_counter

import msgspec
from common import arguments, finish, show

from otherminds.core.data import FALLBACK, UNUSABLE
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Participant, Setup, scenario
from otherminds.minds.registry import make_mind
from otherminds.models.registry import open_model
from otherminds.play.loop import play


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--scenario", default="rws-repeated-6-v1")
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--max-tokens", type=int, default=192, help="the longest reply (default 192)")
    parser.add_argument("--steps", type=int, help="end the episode at this step at the latest")
    parser.add_argument("--out", type=Path, help="write the record here, as JSON")
    options = parser.parse_args()
    started = perf_counter()
    record = asyncio.run(
        one(options.scenario, options.model, options.seed, options.max_tokens, options.steps)
    )
    seconds = perf_counter() - started
    if options.out is not None:
        options.out.write_bytes(msgspec.json.encode(record))
    report(record, seconds)
    calls = len(record.calls)
    unusable = sum(note.kind == UNUSABLE for note in record.notes)
    figures = {
        "unusable_share": unusable / max(calls, 1),
        "fallbacks": sum(note.kind == FALLBACK for note in record.notes),
        "calls": calls,
        "prompt_tokens": sum(call.prompt_tokens for call in record.calls),
        "completion_tokens": sum(call.completion_tokens for call in record.calls),
        "seconds": seconds,
        "return": sum(row[0] for row in record.rewards),
        "encounters": len(record.met["ego"]),
        "steps": len(record.actions),
    }
    finish(options, figures)


async def one(name: str, model: str, seed: int, max_tokens: int, steps: int | None) -> Record:
    """The record of one episode."""
    built = scenario(name, {} if steps is None else {"steps": steps})
    mind = make_mind(SeatSpec("hm", {"max_tokens": max_tokens}, model))
    record, _ = await play(Setup(built, {"ego": Participant(mind, open_model(model))}, seed))
    return record


def report(record: Record, seconds: float) -> None:
    """Prints what was usable, by step of the pipeline, and then the score."""
    calls = Counter(call.purpose.partition(":")[0] for call in record.calls)
    unusable = Counter(
        note.data["purpose"].partition(":")[0] for note in record.notes if note.kind == UNUSABLE
    )
    fallen = Counter(note.data["purpose"].partition(":")[0] for note in record.notes if note.kind == FALLBACK)
    rows = [
        (step, n, unusable[step], f"{unusable[step] / n:.0%}", fallen[step])
        for step, n in sorted(calls.items())
    ]
    total = sum(calls.values())
    rows.append(
        (
            "all",
            total,
            sum(unusable.values()),
            f"{sum(unusable.values()) / max(total, 1):.0%}",
            sum(fallen.values()),
        )
    )
    show("Replies", ("step", "calls", "unusable", "share", "fallbacks"), rows)
    show(
        "The episode",
        ("steps", "duels", "return", "prompt tokens", "written tokens", "minutes"),
        [
            (
                len(record.actions),
                len(record.met["ego"]),
                round(sum(row[0] for row in record.rewards), 1),
                sum(call.prompt_tokens for call in record.calls),
                sum(call.completion_tokens for call in record.calls),
                round(seconds / 60, 1),
            )
        ],
    )


if __name__ == "__main__":
    main()
