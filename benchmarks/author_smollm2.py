"""The embedded SmolLM2 as author of household tasks, as it is: how many of its turns are of no use, and why.

A model of 135 million parameters cannot write such a task; this shows what happens then. No judges are asked. Seed tasks are
those of the split dev, as if targets had failed every second one. Turns are few and replies short: the model is slow.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from common import arguments, finish, show

from otherminds.core.model import Model
from otherminds.household.authoring.attempt import ROLE, AttemptOptions, attempt
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.journal import AttemptRecord
from otherminds.household.authoring.results import Assignment, Gates, SampledTask
from otherminds.household.authoring.tools import Services
from otherminds.household.pool.store import pool_called
from otherminds.models.registry import open_model
from otherminds.studies.outside import CallSession

SEEDS = 2
"""Seed tasks that an author is shown."""


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--model", default="smollm2")
    options = parser.parse_args()
    model = open_model(options.model)
    records = made(options, [model] * options.attempts)
    finish(options, report(records))


def options_of(about: str | None) -> argparse.ArgumentParser:
    """The options of a benchmark of attempts."""
    parser = arguments(about)
    parser.add_argument("--attempts", type=int, default=5, help="attempts (default 5)")
    parser.add_argument("--depth", type=int, default=1, help="depth of the goals (default 1)")
    parser.add_argument("--turns", type=int, default=10, help="turns of an attempt (default 10)")
    parser.add_argument(
        "--unusable", type=int, default=10, help="turns in a row without an action that end it (default 10)"
    )
    parser.add_argument("--max-tokens", type=int, default=400, help="the longest reply (default 400)")
    return parser


def made(options: argparse.Namespace, models: Sequence[Model]) -> list[AttemptRecord]:
    """An attempt by each model."""
    shown = [SampledTask(one.task, number % 2 == 0) for number, one in enumerate(pool_called("dev")[:SEEDS])]

    async def one(number: int, model: Model, folder: Path, pool: AuthoredPool) -> AttemptRecord:
        asked = Assignment("mixed" if number % 2 else "cooperative", options.depth, options.seed + number)
        limits = AttemptOptions(
            f"attempt_{number}",
            max_turns=options.turns,
            max_unusable=options.unusable,
            reply_tokens=options.max_tokens,
        )
        session = CallSession(ROLE, model, asked.seed)
        services = Services(Gates(council=False), None, pool)
        return await attempt(asked, session, services, folder / str(number), shown, limits)

    with TemporaryDirectory() as folder:
        pool = AuthoredPool.create(Path(folder) / "pool")
        return [asyncio.run(one(number, model, Path(folder), pool)) for number, model in enumerate(models)]


def report(records: Sequence[AttemptRecord]) -> dict[str, float]:
    """Prints where attempts ended and what their turns did; the figures."""
    steps = [step for record in records for step in record.steps]
    ends = Counter(record.stage for record in records)
    uses = Counter(step.tool or "no action" for step in steps)
    why = Counter(step.unusable.partition(";")[0] for step in steps if step.unusable)
    rejected = Counter(step.result.stage for step in steps if step.result and step.result.stage)
    share = uses["no action"] / max(1, len(steps))
    show("where attempts ended", ("stage", "attempts"), ends.most_common())
    show(f"{len(steps)} turns", ("action", "turns"), uses.most_common())
    show(f"turns without an action: {share:.1%}", ("why", "turns"), why.most_common())
    show("what tools found", ("stage", "results"), rejected.most_common())
    return {
        "attempts": len(records),
        "kept": ends["kept"],
        "turns": len(steps),
        "unusable_share": share,
        "completion_tokens": sum(record.spending.completion for record in records),
        **{f"unusable:{reason}": count for reason, count in why.items()},
        **{f"rejected:{stage}": count for stage, count in rejected.items()},
    }


if __name__ == "__main__":
    main()
