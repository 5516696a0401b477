"""Options that several commands have: the output folder, what a run may spend, and who judges authored tasks."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from otherminds.authoring.results import Gates


class GateName(StrEnum):
    """What a task passes, and what its author is shown, that can be left out."""

    VERIFIER = "verifier"
    SECRETS = "secrets"
    COUNCIL = "council"
    CALIBRATION = "calibration"
    EXAMPLES = "examples"


Out = Annotated[
    Path,
    typer.Option("--out", "-o", help="Output folder. A run that was stopped resumes in the same folder."),
]
MaxCost = Annotated[
    float | None,
    typer.Option(min=0, help="Stop when the study has cost this many US dollars; requires --prices."),
]
MaxTokens = Annotated[int | None, typer.Option(min=0, help="Stop when the study has used this many tokens.")]
Prices = Annotated[Path | None, typer.Option(help="Price file (TOML): US dollars per million tokens.")]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="HOST",
        help="A server that models may be asked at, with their API key: HOST, HOST:PORT, or HOST=VARIABLE for the key in "
        "another environment variable than usual; http://HOST also without encryption. Repeatable. A study names servers, and cannot allow them.",
    ),
]
Judges = Annotated[
    str, typer.Option(help="The models of the council, with commas; scripted_judge needs no model.")
]
Without = Annotated[
    list[GateName] | None,
    typer.Option(help="Leave out this gate, or the examples (the paper's appendix M); repeatable."),
]


def listed(names: str) -> tuple[str, ...]:
    """The names in a list with commas.

    >>> listed("smollm2, scripted_judge,")
    ('smollm2', 'scripted_judge')
    """
    return tuple(filter(None, map(str.strip, names.split(","))))


def gates_without(left_out: Collection[GateName]) -> Gates:
    """All gates but those left out."""
    from otherminds.authoring.results import Gates

    return Gates(**{gate.value: gate not in left_out for gate in GateName})
