"""Options of the household's commands whose values are names, from where these are defined."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from typer.models import OptionInfo

from otherminds.cli.shared import known_name
from otherminds.core.errors import TaskError

if TYPE_CHECKING:
    from otherminds.household.authoring.results import Gates


def _categories() -> tuple[str, ...]:
    from otherminds.household.task import Category

    return get_args(Category)


def _patterns() -> tuple[str, ...]:
    from otherminds.household.pool.store import Pattern

    return get_args(Pattern)


def _splits() -> tuple[str, ...]:
    from otherminds.household.pool.store import shipped_splits

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


class GateName(StrEnum):
    """What a task passes, and what its author is shown, that can be left out."""

    VERIFIER = "verifier"
    SECRETS = "secrets"
    COUNCIL = "council"
    CALIBRATION = "calibration"
    EXAMPLES = "examples"


Judges = Annotated[
    str, typer.Option(help="The models of the council, with commas; scripted_judge needs no model.")
]
Without = Annotated[
    list[GateName] | None,
    typer.Option(help="Leave out this gate, or the examples (the paper's appendix M); repeatable."),
]


def gates_without(left_out: Collection[GateName]) -> Gates:
    """All gates but those left out."""
    from otherminds.household.authoring.results import Gates

    return Gates(**{gate.value: gate not in left_out for gate in GateName})


def refuse_existing(file: Path) -> None:
    """Refuses to write over a file.

    Raises:
        TaskError: there is such a file.
    """
    if file.exists():
        raise TaskError(f"{file}: there is such a file already; name another, or take it away")
