"""Options of the commands of authors: who judges tasks, and what they pass."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from otherminds.household.authoring.results import Gates


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
