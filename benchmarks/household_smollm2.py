"""Household tasks with the embedded SmolLM2 in every seat, one episode for each strategy, as it is.

Played are two included tasks, or with ``--pool`` the first task of each pattern of a pool.

A model of 135 million parameters cannot do what is asked of it; this shows what happens then. First of
all stands the share of replies that were of no use. Turns are cut short: the model is slow.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import product
from pathlib import Path
from time import perf_counter

import msgspec
from common import arguments, finish, show

from otherminds.core.data import Invalid
from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Participant, Scenario, Setup, scenario
from otherminds.household.pool.store import pool_called
from otherminds.household.scenarios import ANY, build, named
from otherminds.household.scenes.load import load_scene
from otherminds.measures.literal import right
from otherminds.minds.registry import make_mind
from otherminds.models.registry import open_model
from otherminds.play.loop import play

TASKS = ("cabinet_confirmation", "nested_confirmation")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--tasks", nargs="+", default=TASKS, help="shipped tasks")
    parser.add_argument("--pool", default="", help="a split or pool, instead of --tasks")
    parser.add_argument("--strategies", nargs="+", default=("tool_loop",))
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--turns", type=int, default=8, help="turns of an episode (default 8)")
    parser.add_argument("--tries", type=int, default=2, help="how often a reply is drawn (default 2)")
    parser.add_argument("--max-tokens", type=int, default=96, help="the longest reply (default 96)")
    parser.add_argument("--out", type=Path, help="a folder for the records, as JSON")
    options = parser.parse_args()
    params = {"tries": options.tries, "max_tokens": options.max_tokens}
    figures: dict[str, float] = {}
    scenarios = (
        of_patterns(options.pool, options.turns)
        if options.pool
        else {task: scenario(named(task), {"turns": options.turns}) for task in options.tasks}
    )
    for strategy, task in product(options.strategies, scenarios):
        started = perf_counter()
        mind = SeatSpec(strategy, params, options.model)
        record = asyncio.run(one(scenarios[task], mind, options.seed))
        counted = figures_of(record) | {"seconds": perf_counter() - started}
        name = f"{strategy}_{task}"
        if options.out is not None:
            (options.out / f"{name}.json").write_bytes(msgspec.json.encode(record))
        report(name, record, counted)
        figures |= {f"{name}:{figure}": value for figure, value in counted.items()}
    finish(options, figures)


def of_patterns(pool: str, turns: int) -> dict[str, Scenario]:
    """The first task of each pattern of a pool, with this number of turns."""
    first = {one.entry.pattern: one.task for one in reversed(pool_called(pool))}
    return {
        task.task_id: build(ANY, task, load_scene(task.scene_id), turns) for _, task in sorted(first.items())
    }


async def one(built: Scenario, mind: SeatSpec, seed: int) -> Record:
    """The record of one episode with ``mind`` in every seat."""
    model = open_model(mind.model)
    minds = {seat: Participant(make_mind(mind), model) for seat in built.focal}
    record, _ = await play(Setup(built, minds, seed))
    return record


def figures_of(record: Record) -> dict[str, float]:
    """What is counted in a record."""
    decisions = len(record.actions) * len(record.actions[0])
    invalid = sum(isinstance(choice.made, Invalid) for choice in record.choices)
    unread = sum(asked.invalid is not None for asked in record.asked)
    answered = len(record.asked) - unread
    known = [asked for asked in record.asked if asked.truth is not None]
    return {
        "solved": float(record.facts["solved"]),
        "decisions": decisions,
        "invalid_decisions": invalid,
        "calls": len(record.calls),
        "useless_share": 1 - (decisions - invalid + answered) / len(record.calls),
        "prompt_tokens": sum(call.prompt_tokens for call in record.calls),
        "completion_tokens": sum(call.completion_tokens for call in record.calls),
        "probes": len(record.asked),
        "invalid_answers": unread,
        "probes_with_truth": len(known),
        "right_answers": sum(map(right, known)),
        "worked": sum(entry["ok"] for entry in record.facts["log"]),
    }


def report(name: str, record: Record, figures: dict[str, float]) -> None:
    """Prints the figures, and every call that was made with what came of it."""
    show(name, ("figure", "value"), [(key, f"{value:,.6g}") for key, value in figures.items()])
    calls = Counter(
        (entry["call"][:60], "worked" if entry["ok"] else "failed") for entry in record.facts["log"]
    )
    show("Calls", ("call", "outcome", "times"), [(*key, times) for key, times in calls.most_common()])


if __name__ == "__main__":
    main()
