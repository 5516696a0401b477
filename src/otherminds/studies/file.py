"""Study files, TOML that is validated before anything runs, and what else can stand where a study is expected.

All errors of a study are reported at once, each with its place. Shipped studies have names.

A wing or a package of others registers a :class:`StudySource`, by :data:`study_sources` or by an entry point of the
group ``otherminds.study_sources``. Three things are then asked of it: the study of a path that ``otherminds run`` is
given, the scenarios of an entry of ``tasks`` in a cell of a study file, and those of a shipped split (``--split``)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from copy import deepcopy
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, cast, runtime_checkable

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from otherminds.core.encoding import check_seed
from otherminds.core.errors import StudyError, TaskError, WorldError
from otherminds.core.registry import Registry, guarded
from otherminds.core.text import hint, near, quote_name, show_value
from otherminds.core.user_files import check_kind, is_file, read_toml
from otherminds.measures.registry import MOST_ROUNDS

MOST_LISTED = 20
"""Errors that a message lists; it counts the others."""
NAME = "name"
LONGEST = 60
"""Characters of a value that a message shows."""


class FaultyStudyError(StudyError):
    """A study with errors. ``faults`` has a line for each, which begins with its place.

    The text is one line for one fault; for several, a line that counts them, and one for each.
    """

    __module__ = "otherminds"

    def __init__(self, faults: Iterable[str], where: str = "") -> None:
        self.faults: tuple[str, ...] = tuple(faults)
        head = f"{where}: " if where else ""
        listed = [f"\n  {fault}" for fault in self.faults[:MOST_LISTED]]
        ending = [f"\n  and {len(self.faults) - MOST_LISTED} more"] if len(self.faults) > MOST_LISTED else []
        several = f"{head}{len(self.faults)} errors:{''.join(listed + ending)}"
        super().__init__(several if len(self.faults) > 1 else head + "".join(self.faults))


class StudyFaults:
    """Collects errors, each once, in the order in which they were found."""

    def __init__(self, faults: Iterable[str] = ()) -> None:
        self.found = list(faults)

    @contextmanager
    def at(self, place: str) -> Generator[None]:
        """Keeps the error of the code that it runs, and goes on after it; ``place`` begins its text."""
        lead = f"{place}: " if place else ""
        try:
            with guarded("it cannot be planned"):
                yield
        except FaultyStudyError as error:
            self.add(f"{lead}{fault}" for fault in error.faults)
        except (StudyError, TaskError, WorldError) as error:
            self.add([f"{lead}{error}"])

    def add(self, faults: Iterable[str]) -> None:
        """Adds the lines that are new."""
        self.found += [fault for fault in dict.fromkeys(faults) if fault not in self.found]

    def check(self, where: str = "") -> None:
        """Raises :class:`FaultyStudyError` if there is a fault."""
        if self.found:
            raise FaultyStudyError(self.found, where)


def faults_of(error: ValidationError, raw: Mapping[str, Any], keys: Iterable[str]) -> list[str]:
    """A line for each error in the form of ``raw``; ``keys`` are suggested for unknown ones."""
    allowed = list(keys)
    lines: list[str] = []
    for fault in error.errors():
        path = _path(fault["loc"], raw, fault["type"] == "missing")
        if path is None:
            continue
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
        input_text = show_value(fault["input"])
        hint = _hint(str(path[-1]), allowed) if fault["type"] == "extra_forbidden" and path else ""
        shows = fault["type"] not in ("missing", SEED) and len(input_text) < LONGEST
        instead = f", not {input_text}" if shows else ""
        text = fault["msg"].removeprefix("Value error, ")
        lines.append(f"{place.removeprefix('.') or 'the file'}: {text[0].lower()}{text[1:]}{instead}{hint}")
    return list(dict.fromkeys(lines))


def _hint(key: str, allowed: list[str]) -> str:
    return "; it does not belong here" if key in allowed else near(key, allowed)


def without(error: ValidationError, raw: Mapping[str, Any]) -> dict[str, Any] | None:
    """``raw`` without its faulty keys, so that the rest can be checked too.

    ``None`` if a key other than the study's name is missing, or if what is wrong is an element of a list: without it, the places of
    the other elements would be wrong.
    """
    valid = deepcopy(dict(raw))
    for fault in error.errors():
        path = _path(fault["loc"], raw, missing=False)
        if path is None:
            continue
        if fault["loc"] == (NAME,):
            valid[NAME] = "without a name"
            continue
        if fault["type"] == "missing" or not path or isinstance(path[-1], int):
            return None
        within: Any = valid
        for part in path[:-1]:
            within = within[part]
        within.pop(path[-1], None)
    return valid


def _path(loc: tuple[int | str, ...], raw: object, missing: bool) -> list[int | str] | None:
    """The keys and indices in ``loc``, without the names of types.

    The last part of the place of a missing key is not in the data. ``None`` for the error that a table is no text:
    where both are allowed, the table has errors of its own.
    """
    path: list[int | str] = []
    value = raw
    for k, part in enumerate(loc):
        if isinstance(value, Mapping) and part in value:
            value = cast("Mapping[int | str, object]", value)[part]
        elif isinstance(value, list | tuple) and isinstance(part, int) and part < len(value):
            value = cast("list[object]", value)[part]
        elif not (missing and k == len(loc) - 1):
            if part == "str" and isinstance(value, Mapping):
                return None
            continue
        path.append(part)
    return path


P = TypeVar("P", bound=BaseModel)
MOST_EPISODES = 100_000
"""Episodes of a cell. More would be planned for hours, and are taken for a mistake."""
Count: TypeAlias = Annotated[int, Field(ge=1, le=MOST_EPISODES)]
Rounds: TypeAlias = Annotated[int, Field(ge=1, le=MOST_ROUNDS)]


class Strict(BaseModel):
    """A part of a study file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


SEED = "seed"
"""The type of pydantic's error for a seed; its text says what was given."""


def read_seed_field(bits: int = 63) -> BeforeValidator:
    """Has a field refuse a seed with the sentence of :func:`~otherminds.core.encoding.check_seed`."""

    def check(value: object) -> int:
        try:
            return check_seed(value, bits)
        except StudyError as error:
            raise PydanticCustomError(SEED, "{text}", {"text": str(error)}) from error

    return BeforeValidator(check)


Seed = Annotated[int, read_seed_field()]


class SeatEntry(Strict):
    """A mind with its parameters: ``{mind = "qa", model = "smollm2", params = {tries = 20}}``.

    The model ``MODEL`` is replaced by that of ``--model``.
    """

    mind: str
    model: str = ""
    params: dict[str, Any] = {}


class MindEntry(SeatEntry):
    """The mind under test. In a team it fills every seat under test, except those that ``seats`` names.

    A table of seats alone, ``{ego = "qa@A", partner_0 = "qa@B"}``, is short for ``seats``. ``mind`` is then empty, and every
    seat under test needs a mind of its own. A seat that is not under test may have a list, whose minds play there in turn.
    ``players`` is short for an entry for each ordered pair of them, also of one with itself, in a scenario with two seats.
    """

    mind: str = ""
    label: str = ""
    seats: dict[str, str | SeatEntry | list[str | SeatEntry]] = {}
    players: list[str | SeatEntry] = []

    @model_validator(mode="before")
    @classmethod
    def _read_seats(cls, raw: object) -> object:
        if not isinstance(raw, Mapping):
            return raw
        table = cast("Mapping[str, object]", raw)
        seats = {key: value for key, value in table.items() if key != "label"}
        is_short = bool(seats) and cls.model_fields.keys().isdisjoint(seats)
        return {"label": table.get("label", ""), "seats": seats} if is_short else table

    @model_validator(mode="after")
    def _check_minds(self) -> MindEntry:
        if self.players and (self.mind or self.seats or self.label):
            raise ValueError("players stand alone: give mind, seats or label in another entry")
        if not self.mind and not self.seats and not self.players:
            raise ValueError("name a mind, or one for each seat")
        return self


class GameEntry(Strict):
    """A bimatrix game of the study's own; ``payoffs[i][j]`` is the pair (you, partner)."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    behaviours: list[str] | tuple[list[str], list[str]]
    payoffs: list[list[tuple[float, float]]]


class CellEntry(Strict):
    """Every scenario and every task of the lists with every mind of the list.

    ``tasks`` are what study sources read, such as task files or folders of them, relative to the study file.
    ``options`` are further options of the scenarios, by name. ``interventions`` are the arms of an experiment
    (:mod:`otherminds.play.interventions`); the arm ``none`` is always played too.
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
    interventions: list[str] | None = None

    @model_validator(mode="after")
    def _somewhere(self) -> CellEntry:
        if not self.scenarios and not self.tasks:
            raise ValueError("a cell needs scenarios or tasks: name at least one")
        return self


class StudyFile(Strict):
    """A whole study. ``episodes``, ``rounds`` and ``interventions`` are the defaults of its cells."""

    name: Annotated[str, Field(min_length=1)]
    seed: Seed = 0
    episodes: Count = 30
    rounds: Rounds = 100
    interventions: list[str] = []
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


def find_study(study: Path) -> Path:
    """A study file as a user names it: a path, or a shipped study's name, with or without its folder.

    >>> find_study(Path("studies/demo.toml")) == find_study(Path("demo")) == shipped("demo")
    True
    """
    bare = study.parent in (Path(), Path("studies"))
    studies = shipped_studies() if bare and not study.is_file() else {}
    return studies.get(study.name.removesuffix(".toml"), study)


def as_named(study: Path) -> str:
    """How a user names the study file at ``study``: a shipped study by its name, any other by its path, never an option.

    >>> as_named(shipped("demo")), as_named(Path("mine/demo.toml")), as_named(Path("-demo.toml"))
    ('demo', 'mine/demo.toml', './-demo.toml')
    """
    if study.parent == Path(__file__).parent / "shipped":
        return study.stem
    return f"./{study}" if str(study).startswith("-") else str(study)


def shipped(name: str) -> Path:
    """The file of the shipped study ``name``.

    Raises:
        StudyError: there is none of that name.
    """
    studies = shipped_studies()
    if name not in studies:
        raise StudyError(f"no study called {quote_name(name)} is shipped{hint(name, studies)}")
    return studies[name]


def shipped_studies() -> dict[str, Path]:
    """Every shipped study's file, by name; its first line says what it is."""
    return {file.stem: file for file in sorted((Path(__file__).parent / "shipped").glob("*.toml"))}


class SourceClaim(IntEnum):
    """How surely a name or a path belongs to a study source; the surest source reads it."""

    NONE = 0
    POSSIBLE = 1
    """By its form alone, such as any folder: what another source is sure of is that source's."""
    SURE = 2


class TaskScenario(NamedTuple):
    """A task as a study plays it: its name in reports, its registered scenario, and the scenario's options."""

    task: str
    scenario: str
    options: dict[str, Any]


@runtime_checkable
class StudySource(Protocol):
    """Gives studies and scenarios for names and paths that are no study files."""

    @property
    def splits_of(self) -> str:
        """The studies whose scenarios a split replaces, in words: "a shipped study of the household"."""
        ...

    def claim(self, name: Path, folder: Path) -> SourceClaim:
        """How surely ``name``, as the user wrote it, relative to ``folder``, belongs to this source."""
        ...

    def study_of(self, path: Path, minds: list[str]) -> StudyFile:
        """The study that plays what is at ``path`` with each of ``minds``; an entry of its ``tasks`` is ``path``'s name.

        Raises:
            StudyError: no mind is given.
        """
        ...

    def scenarios_of(self, path: Path) -> list[TaskScenario]:
        """The tasks at ``path``, in order.

        Raises:
            StudyError | TaskError: there are none, or one is invalid.
        """
        ...

    def has_scenario(self, scenario: str) -> bool:
        """Whether the registered name ``scenario`` is of this source, so that a split may replace it."""
        ...

    def split_scenarios(self, split: str) -> list[str]:
        """The registered scenarios of the shipped split ``split``, in order.

        Raises:
            StudyError | TaskError: there is no such split.
        """
        ...


study_sources: Registry[StudySource] = Registry(
    "study source", plural="study_sources", accepts=lambda component: isinstance(component, StudySource)
)


def study_of_tasks(name: Path, minds: list[str]) -> StudyFile | None:
    """The study that plays ``name`` with ``minds``, if a source claims it; ``None`` for a study file.

    Raises:
        StudyError: as :meth:`StudySource.study_of`.
    """
    key, claim = _surest(name, Path())
    if claim == SourceClaim.NONE:
        return None
    with _guard_source(key):
        return study_sources.get(key).study_of(name, minds)


def read_tasks(name: Path, folder: Path) -> list[TaskScenario]:
    """The tasks of an entry of ``tasks``, which is relative to ``folder``; the first source refuses what nobody claims.

    Raises:
        StudyError: no source is installed, or as :meth:`StudySource.scenarios_of`.
    """
    key, _ = _surest(name, folder)
    if not key:
        raise StudyError(f"{name}: no installed package has tasks; name scenarios")
    with _guard_source(key):
        return study_sources.get(key).scenarios_of(folder / name)


def replace_by_splits(study: StudyFile, splits: Iterable[str], minds: list[str]) -> StudyFile:
    """``study`` with the scenarios of shipped splits in place of its own; ``minds``, if any, replace its minds.

    Raises:
        StudyError: no source has all scenarios of the study, or as :meth:`StudySource.split_scenarios`.
    """
    key = next((key for key in study_sources if _has_all(key, study)), "")
    if not key:
        studies = (study_sources.get(key).splits_of for key in study_sources)
        raise StudyError(f"--split replaces the tasks of {' or '.join(studies) or 'a world that has splits'}")
    splits = tuple(splits)
    with _guard_source(key):
        read_split = study_sources.get(key).split_scenarios
        scenarios = [name for split in dict.fromkeys(splits) for name in read_split(split)]
    cells = [cell.model_copy(update={"scenarios": scenarios}) for cell in study.cells]
    if minds:
        cells = [CellEntry(scenarios=scenarios, minds=[*minds])]
    return study.model_copy(update={"name": f"{study.name} {' '.join(splits)}", "cells": cells})


@contextmanager
def _guard_source(key: str) -> Generator[None]:
    """Runs code of a source; whatever it raises is an error that names it, except that a file cannot be read."""
    unread: OSError | None = None
    with guarded(f"study source {key!r}"):
        try:
            yield
        except OSError as error:  # the command line names the file and the reason, as for all files of users
            unread = error
    if unread is not None:
        raise unread


def _surest(name: Path, folder: Path) -> tuple[str, SourceClaim]:
    """The source with the greatest claim, the first by name of several, and its claim; "" if none is installed."""
    surest, greatest = "", SourceClaim.NONE
    for key in study_sources:
        with _guard_source(key):
            claim = study_sources.get(key).claim(name, folder)
        if not surest or claim > greatest:
            surest, greatest = key, claim
    return surest, greatest


def _has_all(key: str, study: StudyFile) -> bool:
    """Whether every scenario of ``study`` is of the source ``key``."""
    source = study_sources.get(key)
    with _guard_source(key):
        return all(not cell.tasks and all(map(source.has_scenario, cell.scenarios)) for cell in study.cells)
