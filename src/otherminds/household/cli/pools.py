"""The commands of pools of household tasks: ``otherminds tasks generate``, ``stats`` and ``pack``."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from otherminds.household.cli.tasks import tasks_app

TASKS = 300
"""Tasks of a pool by default."""
ATTEMPTS = 400
"""Seeds that are rejected in a row before a task is given up, by default."""
LARGEST = 2**63
"""The largest seed."""


class CategoryName(StrEnum):
    """The categories of a task."""

    COOPERATIVE = "cooperative"
    MIXED = "mixed"


class PatternName(StrEnum):
    """The functional patterns of a task."""

    DELEGATION = "delegation"
    SEQUENCING = "sequencing"
    RELAY = "relay"
    GATED = "gated"
    MIXED = "mixed"


class SplitName(StrEnum):
    """The splits."""

    STANDARD = "standard"
    HARD = "hard"
    DEV = "dev"


Pool = Annotated[
    str, typer.Argument(metavar="POOL", help="The folder of a pool, a packed pool, or the name of a split.")
]


@tasks_app.command("generate")
def generate_tasks(
    out: Annotated[
        Path,
        typer.Argument(help="The folder of the pool. A run that was stopped resumes in the same folder."),
    ],
    n: Annotated[
        int | None, typer.Option("--n", min=1, help=f"Tasks; {TASKS} by default, or those of the split.")
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=LARGEST,
            help="The seed, up to 2**63; a seed gives the same tasks. For a sealed pool, draw one and tell nobody.",
        ),
    ] = 0,
    split: Annotated[
        SplitName | None,
        typer.Option(help="Give the pool the composition of this split, task by task."),
    ] = None,
    category: Annotated[CategoryName | None, typer.Option(help="Only this category.")] = None,
    pattern: Annotated[PatternName | None, typer.Option(help="Only this functional pattern.")] = None,
    depth: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Only goals of this depth; 3 at most without this option."),
    ] = None,
    agents: Annotated[int | None, typer.Option(min=2, max=4, help="Only this number of agents.")] = None,
    mechanics: Annotated[
        str, typer.Option(help="Mechanics that every task has, with commas: remote_control,inverse_state.")
    ] = "",
    apart: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POOL", help="No task has the structure of a task of this pool or split; repeatable."
        ),
    ] = None,
    attempts: Annotated[
        int, typer.Option(min=1, help="Rejected seeds in a row after which a task is given up.")
    ] = ATTEMPTS,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one for each processor.")
    ] = None,
) -> None:
    """Generate proved tasks into a pool, without a language model.

    Each seed gives a candidate; those of which a verdict is not proved are rejected and counted, as are tasks whose
    structure is in the pool. The tasks do not depend on the number of processes. Needs the planner Fast Downward:
    pip install 'otherminds[verify]'.

    A sealed pool: an evaluator draws the seed, for example with `shuf -i 0-9223372036854775807 -n 1`, generates a pool
    and publishes neither seed nor tasks until its results are in.

    Exit codes: 0 complete; 1 stopped, or tasks were given up; 2 a wrong argument or folder.
    """
    from otherminds.household.cli.generating import generate
    from otherminds.household.generating.candidate import candidate
    from otherminds.household.generating.wanted import TaskProperties, checked

    wanted = TaskProperties(
        pattern=pattern.value if pattern else None,
        category=category.value if category else None,
        depth=depth,
        agents=agents,
        mechanics=tuple(sorted({name.strip() for name in mechanics.split(",") if name.strip()})),
    )
    generate(
        out,
        candidate,
        checked(wanted),
        split.value if split else "",
        n or (0 if split else TASKS),
        seed,
        processes or os.cpu_count() or 1,
        attempts,
        apart or (),
    )


@tasks_app.command("stats")
def show_stats(pool: Pool) -> None:
    """Count the tasks of a pool by agents, depth of the question, mechanics, category and pattern, and say who solves them.

    The counts stand beside the shares of the paper. Below are the share of runs that each reference team solves, and the
    share of tasks of the best cheap team: of teams that have no model of their partners.
    """
    from otherminds.household.cli.generating import show_composition
    from otherminds.household.pool.splits import pool_called

    show_composition(pool, pool_called(pool))


@tasks_app.command("pack")
def pack_pool(
    pool: Pool,
    out: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write, NAME.jsonl.gz.")],
) -> None:
    """Write the tasks of a pool into one file, which `otherminds run` plays and other commands read as the pool."""
    from otherminds.core.errors import TaskError
    from otherminds.household.pool.splits import pool_called
    from otherminds.household.pool.store import pack

    tasks = pool_called(pool)
    if out.exists():
        raise TaskError(f"{out}: there is such a file already; name another, or take it away")
    pack(tasks, out)
    typer.echo(f"{out}: {len(tasks)} tasks")
