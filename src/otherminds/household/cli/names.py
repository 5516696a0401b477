"""Options of the household whose values are names, from where these are defined; and the largest seed."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from otherminds.cli.options import known_name

LARGEST = 2**63
"""The largest seed."""


def _categories() -> tuple[str, ...]:
    from otherminds.household.task import Category

    return get_args(Category)


def _patterns() -> tuple[str, ...]:
    from otherminds.household.pool.entry import Pattern

    return get_args(Pattern)


def _splits() -> tuple[str, ...]:
    from otherminds.household.pool.splits import shipped_splits

    return shipped_splits()


CategoryOption = Annotated[
    str | None,
    typer.Option(
        "--category",
        metavar="NAME",
        parser=known_name(_categories),
        help="The category of tasks: cooperative or mixed.",
    ),
]
PatternOption = Annotated[
    str | None,
    typer.Option(
        "--pattern",
        metavar="NAME",
        parser=known_name(_patterns),
        help="The functional pattern of tasks: delegation, sequencing, relay, gated or mixed.",
    ),
]
SplitOption = Annotated[
    str | None,
    typer.Option(
        "--split",
        metavar="NAME",
        parser=known_name(_splits),
        help="Give the pool the composition of this split, task by task: dev, standard or hard.",
    ),
]
