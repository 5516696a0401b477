"""Study files: TOML, validated before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from otherminds.core.errors import StudyError
from otherminds.core.user_files import is_file, read_toml

P = TypeVar("P", bound=BaseModel)


class Strict(BaseModel):
    """A part of a study file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class SeatEntry(Strict):
    """A mind with its parameters: ``{mind = "qa", model = "smollm2", params = {tries = 20}}``.

    The model ``MODEL`` is replaced by that of ``--model``.
    """

    mind: str
    model: str = ""
    params: dict[str, Any] = {}


class MindEntry(SeatEntry):
    """The mind under test. In a team it fills every seat, except those that ``seats`` names."""

    label: str = ""
    seats: dict[str, str | SeatEntry] = {}


class GameEntry(Strict):
    """A bimatrix game of the study's own; ``payoffs[i][j]`` is the pair (you, partner)."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    behaviours: list[str] | tuple[list[str], list[str]]
    payoffs: list[list[tuple[float, float]]]


class CellEntry(Strict):
    """Every scenario and every household task of the lists with every mind of the list.

    ``tasks`` are task files or folders of them, relative to the study file.
    ``options`` are further options of the scenarios, by name.
    """

    scenarios: list[str] = []
    tasks: list[str] = []
    minds: Annotated[list[str | MindEntry], Field(min_length=1)]
    episodes: Annotated[int, Field(ge=1)] | None = None
    rounds: Annotated[int, Field(ge=1)] | None = None
    names: str | list[str] | None = None
    literal: Literal["after", "before"] | None = None
    options: dict[str, Any] = {}
    ask: bool = True

    @model_validator(mode="after")
    def _somewhere(self) -> CellEntry:
        if not self.scenarios and not self.tasks:
            raise ValueError("a cell needs scenarios or tasks: name at least one")
        return self


class StudyFile(Strict):
    """A whole study. ``episodes`` and ``rounds`` are the defaults of its cells."""

    name: Annotated[str, Field(min_length=1)]
    seed: Annotated[int, Field(ge=0)] = 0
    episodes: Annotated[int, Field(ge=1)] = 30
    rounds: Annotated[int, Field(ge=1)] = 100
    plugins: list[str] = []
    games: list[GameEntry] = []
    cells: Annotated[list[CellEntry], Field(min_length=1)]


def load(path: Path) -> StudyFile:
    """Reads and checks a study file.

    Raises:
        StudyError: it cannot be read or is not a study; the text names the file, the place and the remedy.
    """
    if not is_file(path):
        raise StudyError(f"{path}: no such study file; `otherminds list studies` has those that are shipped")
    raw = read_toml(path)
    try:
        return checked(raw)
    except StudyError as error:
        raise StudyError(f"{path}: {error}") from error


def checked(raw: Mapping[str, Any]) -> StudyFile:
    """Checks a study given as plain data with the keys of a study file.

    Raises:
        StudyError: it is not a study; the text names the place and the remedy.
    """
    return validated(StudyFile, raw)


def validated(kind: type[P], raw: Mapping[str, Any]) -> P:
    """Plain data as a ``kind``; see :func:`checked`."""
    try:
        return kind.model_validate(dict(raw))
    except ValidationError as error:
        raise StudyError(_first(error)) from error


def _first(error: ValidationError) -> str:
    """The first error with its place, and the number of further ones."""
    faults = error.errors()
    fault = faults[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
    shown = repr(fault["input"])
    given = f", not {shown}" if fault["type"] != "missing" and len(shown) < 60 else ""
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{place}: {fault['msg'][0].lower()}{fault['msg'][1:]}{given}{more}"
