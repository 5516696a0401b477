"""Study sources: what can stand where a study is expected and is no study file, such as files of tasks.

A wing or a package of others registers a :class:`StudySource`, by :data:`study_sources` or by an entry point of the
group ``otherminds.study_sources``. Three things are then asked of it: the study of a path that ``otherminds run`` is
given, the scenarios of an entry of ``tasks`` in a cell of a study file, and those of a shipped split (``--split``).
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from otherminds.core.errors import StudyError
from otherminds.core.plugins import guarded
from otherminds.core.registry import Registry
from otherminds.studies.file import CellEntry, StudyFile


class Claim(IntEnum):
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

    def claim(self, name: Path, folder: Path) -> Claim:
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
    "study source", plural="study_sources", fits=lambda component: isinstance(component, StudySource)
)


def study_of_tasks(name: Path, minds: list[str]) -> StudyFile | None:
    """The study that plays ``name`` with ``minds``, if a source claims it; ``None`` for a study file.

    Raises:
        StudyError: as :meth:`StudySource.study_of`.
    """
    key, claim = _surest(name, Path())
    if claim == Claim.NONE:
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


def _surest(name: Path, folder: Path) -> tuple[str, Claim]:
    """The source with the greatest claim, the first by name of several, and its claim; "" if none is installed."""
    surest, greatest = "", Claim.NONE
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
