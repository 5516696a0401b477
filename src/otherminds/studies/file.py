"""Study files: TOML, validated before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from otherminds.core.errors import StudyError
from otherminds.core.near import near
from otherminds.core.user_files import check_kind, is_file, read_toml
from otherminds.measures.seats import MOST_ROUNDS
from otherminds.studies.faults import FaultyStudyError, StudyFaults, faults_of, without

P = TypeVar("P", bound=BaseModel)
MOST = 100_000
"""Episodes of a cell. More would be planned for hours, and are taken for a mistake."""
Count: TypeAlias = Annotated[int, Field(ge=1, le=MOST)]
Rounds: TypeAlias = Annotated[int, Field(ge=1, le=MOST_ROUNDS)]


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
    """Every scenario and every task of the lists with every mind of the list.

    ``tasks`` are what study sources read, such as task files or folders of them, relative to the study file.
    ``options`` are further options of the scenarios, by name.
    """

    scenarios: list[str] = []
    tasks: list[str] = []
    minds: Annotated[list[str | MindEntry], Field(min_length=1)]
    episodes: Count | None = None
    rounds: Rounds | None = None
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
    episodes: Count = 30
    rounds: Rounds = 100
    plugins: list[str] = []
    games: list[GameEntry] = []
    cells: Annotated[list[CellEntry], Field(min_length=1)]


def load(path: Path) -> StudyFile:
    """Reads and checks a study file.

    Raises:
        StudyError: it cannot be read or is not a study; the text names the file, and all errors with their places.
    """
    study, faults = read_study(path)
    faults.check(str(path))
    assert study is not None, "a study without faults is whole"
    return study


def read_study(path: Path) -> tuple[StudyFile | None, StudyFaults]:
    """A study file as far as its form is valid, and the errors of its form.

    The study is without the keys that are wrong, so that the rest can be planned and its errors be found too; ``None`` if
    there is no study without them.

    Raises:
        StudyError: there is no such file, or it is not TOML.
    """
    if not is_file(path):
        check_kind(path, StudyError)
        suggestion = near(path.stem, shipped_names())
        raise StudyError(
            f"{path}: no such study file{suggestion}; `otherminds list studies` has those that are shipped"
        )
    raw = read_toml(path)
    try:
        return StudyFile.model_validate(raw), StudyFaults()
    except ValidationError as error:
        faults, valid = StudyFaults(faults_of(error, raw, _keys())), without(error, raw)
    try:
        return (None if valid is None else StudyFile.model_validate(valid)), faults
    except ValidationError:
        return None, faults


def check_study(raw: Mapping[str, Any]) -> StudyFile:
    """Checks a study given as plain data with the keys of a study file.

    Raises:
        StudyError: it is not a study; the text lists all errors with their places.
    """
    return validate_data(StudyFile, raw)


def validate_data(kind: type[P], raw: Mapping[str, Any]) -> P:
    """Plain data as a ``kind``; see :func:`check_study`."""
    try:
        return kind.model_validate(dict(raw))
    except ValidationError as error:
        raise FaultyStudyError(faults_of(error, raw, _keys())) from error


def shipped_names() -> list[str]:
    """The names of the shipped studies."""
    return sorted(file.stem for file in (Path(__file__).parent / "shipped").glob("*.toml"))


def _keys() -> list[str]:
    """All keys of study files."""
    kinds = (StudyFile, CellEntry, MindEntry, GameEntry)
    return list(dict.fromkeys(key for kind in kinds for key in kind.model_fields))
