"""Options that several commands have: the output folder, what a run may spend, and names that a registry knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

import typer

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


def listed(names: str) -> tuple[str, ...]:
    """The names in a list with commas.

    >>> listed("smollm2, scripted_judge,")
    ('smollm2', 'scripted_judge')
    """
    return tuple(filter(None, map(str.strip, names.split(","))))


def known_name(names: Callable[[], Iterable[str]]) -> Callable[[str], str]:
    """What reads an option whose value is one of ``names``, which are looked up when the option is given."""

    def check_name(value: str) -> str:
        choices = tuple(names())
        if value not in choices:
            raise typer.BadParameter(f"{value!r} is none of {', '.join(choices)}")
        return value

    return check_name
