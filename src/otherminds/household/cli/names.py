"""Options of the household whose values are names, from where these are defined; and the largest seed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, get_args

import typer
from typer.models import OptionInfo

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


def _name_option(flag: str, names: Callable[[], Iterable[str]], about: str) -> OptionInfo:
    return typer.Option(flag, metavar="NAME", parser=known_name(names), help=about)


CategoryOption = Annotated[
    str | None,
    _name_option("--category", _categories, "The category of tasks: cooperative or mixed."),
]
PatternOption = Annotated[
    str | None,
    _name_option(
        "--pattern",
        _patterns,
        "The functional pattern of tasks: delegation, sequencing, relay, gated or mixed.",
    ),
]
SplitOption = Annotated[
    str | None,
    _name_option(
        "--split",
        _splits,
        "Give the pool the composition of this split, task by task: dev, standard or hard.",
    ),
]
