"""The output folder of a study, and the state of each planned episode in it, in SQLite."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec
import numpy as np
from msgspec import Struct

from otherminds.core.disk import (
    BESIDE,
    DATABASE_ERRORS,
    check_tables,
    check_writable,
    database_faults,
    is_damaged,
    open_database,
    read_file,
    replace_file,
)
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.locks import LOCK
from otherminds.core.record import OUTCOMES, EpisodeSpec, Record, Timing
from otherminds.core.segments import StoredLine
from otherminds.models.registry import shown
from otherminds.studies.access import CALLS
from otherminds.studies.access import KEPT as PRICES
from otherminds.studies.plan import PlannedEpisodes, StoredEpisodes, StudyPlan, ego
from otherminds.studies.sharding import SHARDS, homes
from otherminds.studies.store import RECORDS, Store

PATIENCE = 5.0
"""Seconds to wait for a process that reads or writes the ledger."""
LEDGER = "ledger.sqlite"
STATES = ("planned", "leased", *OUTCOMES)
TABLE = f"""
CREATE TABLE episodes (
    episode TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    mind TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN {STATES})
) STRICT
"""


class Ledger:
    """One row per episode, to be read while a study runs. It is rebuilt at each start.

    A damaged file is made anew; one that another process has locked is left alone.

    Raises:
        DiskError: the file cannot be written or is locked; this holds for every method.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LEDGER
        with self._faults():
            try:
                self._open()
            except DATABASE_ERRORS as error:
                if not is_damaged(error):
                    raise
                for old in folder.glob(f"{self._path.name}*"):
                    old.unlink()
                self._open()

    def _open(self) -> None:
        self._db = open_database(self._path, PATIENCE)
        try:
            check_tables(self._db)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            check_writable(self._db)
        except DATABASE_ERRORS:
            self._db.close()
            raise

    def _faults(self) -> AbstractContextManager[None]:
        return database_faults(self._path, "delete it: it is made anew from the records")

    def fill(self, planned: Iterable[tuple[int, EpisodeSpec]], done: Mapping[str, str]) -> None:
        """Writes a row for each of the ``planned`` episodes, with its place in the study.

        ``done`` maps recorded episodes to their outcomes.
        """
        rows = [
            (spec.hash, place, spec.title, ego(spec).title, done.get(spec.hash, "planned"))
            for place, spec in planned
        ]
        with self._faults(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("DROP TABLE IF EXISTS episodes")
            self._db.execute(TABLE)
            self._db.executemany("INSERT INTO episodes VALUES (?, ?, ?, ?, ?)", rows)

    def mark(self, states: Iterable[tuple[str, str]]) -> None:
        """Sets the state of episodes: pairs of (episode, state)."""
        with self._faults(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("UPDATE episodes SET state = ?2 WHERE episode = ?1", states)

    def release(self) -> None:
        """Marks episodes that were started and not finished as planned."""
        with self._faults():
            self._db.execute("UPDATE episodes SET state = 'planned' WHERE state = 'leased'")

    def counts(self) -> dict[str, int]:
        """The number of episodes in each state."""
        with self._faults():
            return dict(self._db.execute("SELECT state, COUNT(*) FROM episodes GROUP BY state").fetchall())

    def close(self) -> None:
        """Closes the file."""
        self._db.close()


CARD, STATUS = "study.json", "status.json"
WEIGHTS = "weights.json"
"""In a run's folder: the SHA-256 of each model's file, by the model's name."""
MOST_CHANGES = 20
"""Changes that are listed; the others are counted."""
LONGEST_CHANGE = 60
"""Characters of a value that are shown."""
WRITTEN = {
    name + ending
    for name in (CARD, STATUS, LOCK, LEDGER, CALLS, PRICES, WEIGHTS, RECORDS, SHARDS)
    for ending in (*BESIDE, ".part")
}
"""All that a run writes into its folder."""


class Card(Struct, frozen=True):
    """The stored form of a :class:`~otherminds.studies.plan.StudyPlan`; before version 0.2, episodes were a list."""

    name: str
    identity: str
    plugins: tuple[str, ...]
    episodes: StoredEpisodes | tuple[EpisodeSpec, ...]
    access: dict[str, str] = {}
    study: dict[str, Any] = {}
    command: tuple[str, ...] = ()


def holds_run(folder: Path) -> bool:
    """Whether ``folder`` is the output folder of a study."""
    return (folder / CARD).is_file()


def is_owned(folder: Path, plan: StudyPlan) -> bool:
    """Whether ``folder`` is the output folder of ``plan``; false for a new or empty folder, and for one that lacks its card.

    Raises:
        StudyError: it belongs to another study, holds something else, or has records of another version.
    """
    card = folder / CARD
    if card.is_file():
        card_plan = _card(card)
        if card_plan.identity != plan.identity:
            raise StudyError(f"{folder}: {difference(card_plan, plan)}")
        for home in homes(folder):
            Store(home).check()
    elif folder.exists() and not (folder.is_dir() and _lacks_only_card(folder, plan)):
        raise StudyError(f"{folder}: is not empty and holds no study; choose another --out")
    return card.is_file()


def is_card_of(folder: Path, plan: StudyPlan) -> bool:
    """Whether the card of ``folder`` is that of the study of ``plan``; false if there is none that can be read."""
    try:
        return plan_in(folder).identity == plan.identity
    except StudyError:
        return False


def claim(folder: Path, plan: StudyPlan) -> None:
    """Makes ``folder`` the output folder of ``plan``; see :func:`is_owned`. Tokens in addresses are left out of its card.

    The caller holds the lock of the folder.
    """
    is_owned(folder, plan)
    card = Card(
        plan.name,
        plan.identity,
        plan.plugins,
        plan.episodes.stored(),
        {name: shown(spec) for name, spec in plan.access.items()},
        plan.study,
        plan.command,
    )
    content = msgspec.json.encode(card)
    if not holds_run(folder) or read_file(folder / CARD) != content:
        replace_file(folder / CARD, content, durable=True)


def make_folder(folder: Path) -> None:
    """Makes a folder and those that it is in.

    Raises:
        StudyError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StudyError(f"{folder}: cannot be written ({error.strerror}); choose another --out") from error


def plan_in(folder: Path) -> StudyPlan:
    """The plan of a folder.

    Raises:
        StudyError: the folder holds no study.
    """
    if not holds_run(folder):
        raise StudyError(f"{folder}: holds no study ({CARD} is missing); give the --out of a run")
    return _card(folder / CARD)


def results(folder: Path) -> tuple[StudyPlan, Iterator[Record]]:
    """The plan of a folder and its records; see :func:`played`."""
    plan, episodes = played(folder)
    return plan, (episode.record for episode in episodes)


class RecordedEpisode(NamedTuple):
    """A recorded episode: its place in the plan, its record, and its wall-clock figures."""

    number: int
    record: Record
    timing: Timing


def played(folder: Path) -> tuple[StudyPlan, Iterator[RecordedEpisode]]:
    """The plan of a folder and its recorded episodes, those of shards too; see :func:`recorded`.

    Raises:
        StudyError: the folder holds no study.
    """
    plan = plan_in(folder)
    lines = recorded(folder, plan)
    return plan, (RecordedEpisode(number, line.record(), line.timing) for number, line in lines)


def recorded(folder: Path, plan: StudyPlan) -> Iterator[tuple[int, StoredLine]]:
    """The stored line of each planned and recorded episode, with its place in the plan, in the order of storage.

    Of several lines of an episode, one that did not fail is taken, and the newest of these. Needs about 50 bytes
    of memory an episode.

    Raises:
        StudyError: a line is damaged or cannot be read.
    """
    hashes = np.fromiter((int(spec.hash, 16) for spec in plan.episodes), np.uint64, len(plan.episodes))
    order = np.argsort(hashes)
    hashes = hashes[order]
    chosen = np.full(len(hashes), -1, np.int64)
    sound = np.zeros(len(hashes), np.bool_)
    places, lengths = array("q"), array("q")
    for home in homes(folder):
        before = len(places)
        for episode, status in Store(home).outcomes():
            place = int(np.searchsorted(hashes, np.uint64(episode)))
            planned = place < len(hashes) and int(hashes[place]) == episode
            if planned and (status != "failed" or not sound[place]):
                chosen[place] = len(places)
                sound[place] = status != "failed"
            places.append(place if planned else -1)
        lengths.append(len(places) - before)
    n = 0
    for home, length in zip(homes(folder), lengths, strict=False):
        for line in islice(Store(home).lines(), length):
            place = places[n]
            if place >= 0 and chosen[place] == n:
                yield int(order[place]), line
            n += 1


def digest_of(folder: Path) -> str:
    """A digest of all recorded episodes that did not fail: equal for runs with equal records, in whatever order.

    Of each episode, its hash and that of its record go in; wall-clock figures do not.
    """
    plan = plan_in(folder)
    lines = (line for _, line in recorded(folder, plan) if line.outcome().status != "failed")
    pairs = sorted(f"{line.episode} {line.hash}\n" for line in lines)
    return hashlib.sha256("".join(pairs).encode()).hexdigest()[:16]


def timings(folder: Path) -> dict[str, Timing]:
    """The wall-clock figures of recorded episodes by their hash; the newest of each."""
    return {line.episode: line.timing for home in homes(folder) for line in Store(home).lines()}


def difference(earlier: StudyPlan, plan: StudyPlan) -> str:
    """How the study of a folder differs from ``plan``, in the words of an error message."""
    changed = changes(earlier.study, plan.study) if earlier.study else []
    if not changed:
        other = f"this one is {plan.name!r}, {plan.identity}"
        return (
            f"belongs to another study ({earlier.name!r}, {earlier.identity}; {other}); choose another --out"
        )
    listed = "".join(f"\n  {change}" for change in changed)
    return f"belongs to another study; choose another --out, or undo what changed:{listed}"


def _lacks_only_card(folder: Path, plan: StudyPlan) -> bool:
    """Whether a run of ``plan`` left a folder without a card: its records are of planned episodes.

    Without a record, it has the ledger of a run, or nothing else than what a run writes.
    """
    recorded = {episode for home in homes(folder) for episode, _ in Store(home).outcomes()}
    if not recorded:
        return (folder / LEDGER).is_file() or all(path.name in WRITTEN for path in folder.iterdir())
    return recorded <= {int(spec.hash, 16) for spec in plan.episodes}


def _card(path: Path) -> StudyPlan:
    try:
        document = msgspec.json.decode(read_file(path), type=Card)
        stored = document.episodes
        compact = isinstance(stored, StoredEpisodes)
        if not all(spec.seats for spec in (stored.variants if compact else stored)):
            raise ValueError("an episode has no seat")
        episodes = PlannedEpisodes.of(stored) if compact else PlannedEpisodes(stored)
    except (ValueError, RecursionError, StudyError) as error:
        raise StudyError(f"{path}: cannot be read ({error}); restore it, or choose another --out") from error
    return StudyPlan(
        document.name,
        document.identity,
        document.plugins,
        episodes,
        document.access,
        document.study,
        document.command,
    )


def kept_weights(folder: Path) -> dict[str, str]:
    """The digests in ``folder``, by model; none if no model of its run is a file.

    Raises:
        StudyError: the file of digests is damaged.
    """
    path = folder / WEIGHTS
    if not path.is_file():
        return {}
    try:
        return msgspec.json.decode(read_file(path), type=dict[str, str])
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{path}: is damaged ({error}); restore it, or choose another --out") from error


def keep_weights(folder: Path, digests: Mapping[str, str]) -> None:
    """Adds ``digests`` (by model) to those of the run in ``folder``, so that a resumed run has one model under one name.

    The caller holds the lock of the folder.

    Raises:
        StudyError: a model of the run had another file.
    """
    earlier = kept_weights(folder)
    for model, digest in digests.items():
        if earlier.get(model, digest) != digest:
            raise StudyError(
                f"{folder}: its episodes of {model} were played with the file of SHA-256 {earlier[model]}, and the file "
                f"there now has {digest}; put the first file back, or choose another --out"
            )
    if any(model not in earlier for model in digests):
        replace_file(folder / WEIGHTS, msgspec.json.encode({**earlier, **digests}), durable=True)


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """A line for each difference: its place in the study, the old and the new value.

    >>> changes({"rounds": 3, "cells": [{"minds": ["rmax"]}]}, {"rounds": 4, "cells": [{"minds": ["rmax", "qa"]}]})
    ['rounds: was 3, is 4', "cells[0].minds[1]: 'qa' is new"]
    """
    differences = list(_differing("", old, new))
    ending = [f"and {len(differences) - MOST_CHANGES} more"] if len(differences) > MOST_CHANGES else []
    return differences[:MOST_CHANGES] + ending


def _differing(place: str, old: object, new: object) -> Iterator[str]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        before, after = cast("Mapping[str, object]", old), cast("Mapping[str, object]", new)
        for key in dict.fromkeys((*before, *after)):
            where = f"{place}.{key}" if place else key
            if key not in after:
                yield f"{where}: {_shorten(before[key])} was removed"
            elif key not in before:
                yield f"{where}: {_shorten(after[key])} is new"
            else:
                yield from _differing(where, before[key], after[key])
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        yield from _in_lists(place, cast("Sequence[object]", old), cast("Sequence[object]", new))
    elif old != new:
        yield f"{place}: was {_shorten(old)}, is {_shorten(new)}"


def _in_lists(place: str, old: Sequence[object], new: Sequence[object]) -> Iterator[str]:
    """Equal elements are matched, so that an inserted one does not change the others."""
    matched = SequenceMatcher(
        None, [encode(element) for element in old], [encode(element) for element in new], autojunk=False
    )
    for kind, a, b, c, d in matched.get_opcodes():
        if kind == "equal":
            continue
        both = min(b - a, d - c)
        for k in range(both):
            yield from _differing(f"{place}[{c + k}]", old[a + k], new[c + k])
        for k in range(a + both, b):
            yield f"{place}: {_shorten(old[k])} was removed"
        for k in range(c + both, d):
            yield f"{place}[{k}]: {_shorten(new[k])} is new"


def _shorten(value: object) -> str:
    """A value, cut; a table without its empty keys."""
    if isinstance(value, Mapping):
        table = cast("Mapping[str, object]", value)
        value = {key: element for key, element in table.items() if element not in (None, "", [], {})}
    text = ascii(value)
    return text if len(text) <= LONGEST_CHANGE else f"{text[:LONGEST_CHANGE]}..."
