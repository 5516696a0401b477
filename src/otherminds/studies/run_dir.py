"""The output folder of a study."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, Timing
from otherminds.models.registry import shown
from otherminds.studies.changes import changes
from otherminds.studies.plan import StudyPlan
from otherminds.studies.store import Store

CARD = "study.json"
BEGUN = f"{CARD}.part"
"""All that a run leaves that was killed while it made its folder."""


def holds_run(folder: Path) -> bool:
    """Whether ``folder`` is the output folder of a study."""
    return (folder / CARD).is_file()


def owned(folder: Path, plan: StudyPlan) -> bool:
    """Whether ``folder`` is the output folder of ``plan``; false for a new or empty folder.

    Raises:
        StudyError: it belongs to another study, holds something else, or has records of another version.
    """
    card = folder / CARD
    if card.is_file():
        held = _card(card)
        if held.identity != plan.identity:
            raise StudyError(f"{folder}: {_other(held, plan)}")
        Store(folder).check()
    elif folder.exists() and (not folder.is_dir() or any(path.name != BEGUN for path in folder.iterdir())):
        raise StudyError(f"{folder}: is not empty and holds no study; choose another --out")
    return card.is_file()


def claim(folder: Path, plan: StudyPlan) -> None:
    """Makes ``folder`` the output folder of ``plan``; see :func:`owned`. Tokens in addresses are left out of its card."""
    owned(folder, plan)
    card = replace(plan, access={name: shown(spec) for name, spec in plan.access.items()})
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"{folder}: cannot be written ({error.strerror}); choose another --out") from error
    replace_file(folder / CARD, msgspec.json.encode(card), durable=True)


def results(folder: Path) -> tuple[StudyPlan, Iterator[Record]]:
    """The plan of a folder and its records: the newest one of each planned episode.

    Raises:
        StudyError: the folder holds no study.
    """
    card = folder / CARD
    if not card.is_file():
        raise StudyError(f"{folder}: holds no study ({CARD} is missing); give the --out of a run")
    plan, store = _card(card), Store(folder)

    def records() -> Iterator[Record]:
        planned = {spec.hash for spec in plan.episodes}
        newest = {line.episode: n for n, line in enumerate(store.lines())}
        for n, line in enumerate(store.lines()):
            if line.episode in planned and newest.get(line.episode) == n:
                yield line.record()

    return plan, records()


class Played(NamedTuple):
    """A recorded episode: its place in the plan, its record, and its wall-clock figures."""

    number: int
    record: Record
    timing: Timing


def played(folder: Path) -> tuple[StudyPlan, Iterator[Played]]:
    """The plan of a folder and its recorded episodes, each once."""
    plan, records = results(folder)

    def episodes() -> Iterator[Played]:
        known = timings(folder)
        numbers = {spec.hash: number for number, spec in enumerate(plan.episodes)}
        for record in records:
            yield Played(numbers[record.spec.hash], record, known.get(record.spec.hash, Timing()))

    return plan, episodes()


def timings(folder: Path) -> dict[str, Timing]:
    """The wall-clock figures of recorded episodes by their hash; the newest of each."""
    return {line.episode: line.timing for line in Store(folder).lines()}


def _other(held: StudyPlan, plan: StudyPlan) -> str:
    """How the study of a folder differs from ``plan``."""
    changed = changes(held.study, plan.study) if held.study else []
    if not changed:
        other = f"this one is {plan.name!r}, {plan.identity}"
        return f"belongs to another study ({held.name!r}, {held.identity}; {other}); choose another --out"
    listed = "".join(f"\n  {change}" for change in changed)
    return f"belongs to another study; choose another --out, or undo what changed:{listed}"


def _card(path: Path) -> StudyPlan:
    try:
        return msgspec.json.decode(read_file(path), type=StudyPlan)
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{path}: cannot be read ({error}); restore it, or choose another --out") from error
