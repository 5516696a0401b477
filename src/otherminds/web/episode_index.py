"""An index of the recorded episodes of a run, so that a page of a million of them opens at once.

It holds what the records state (names, outcome, reward, and where the line is), and no measure: one that was kept from another
version of the software would be a wrong number. It lies in the user's cache, never in the folder of the run, follows a run
that goes on, and is made anew when it is damaged or the run is another one. Whoever opens an episode reads its line, with
every check there is.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from secrets import token_hex
from time import monotonic
from typing import NamedTuple

import msgspec
from msgspec import Struct, structs

from otherminds.core.disk import (
    DATABASE_ERRORS,
    DiskError,
    check_tables,
    database_faults,
    is_damaged,
    open_database,
    read_file,
    resolve_path,
)
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.core.segments import StoredLine, read_line, segment_lines, segments_in
from otherminds.studies.plan import PlannedEpisodes, StudyPlan, ego
from otherminds.studies.run_dir import CARD, plan_in
from otherminds.studies.sharding import homes
from otherminds.studies.store import RECORDS

FORM = "1"
"""The version of the tables."""
TABLES = """
CREATE TABLE about (what TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE names (name INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE faults (text TEXT PRIMARY KEY) STRICT;
CREATE TABLE segments (
    segment INTEGER PRIMARY KEY, home TEXT NOT NULL, number TEXT NOT NULL, stamp TEXT NOT NULL, past INTEGER NOT NULL,
    UNIQUE (home, number)
) STRICT;
CREATE TABLE episodes (
    place INTEGER PRIMARY KEY, episode INTEGER NOT NULL UNIQUE, scenario INTEGER NOT NULL, mind INTEGER NOT NULL,
    partner INTEGER NOT NULL, outcome INTEGER NOT NULL, seed INTEGER NOT NULL, reward REAL, segment INTEGER NOT NULL,
    start INTEGER NOT NULL
) STRICT;
CREATE INDEX by_group ON episodes (scenario, mind, partner, outcome, reward);
CREATE INDEX by_reward ON episodes (reward);
"""
KEEP = """
INSERT INTO episodes (episode, scenario, mind, partner, outcome, seed, reward, segment, start) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (episode) DO UPDATE SET place = (SELECT max(place) + 1 FROM episodes), partner = excluded.partner,
    outcome = excluded.outcome, reward = excluded.reward, segment = excluded.segment, start = excluded.start
WHERE excluded.outcome <> ?10 OR episodes.outcome = ?10
"""
PATIENCE = 5.0
"""Seconds to wait for another process that has the index open."""
BATCH, PAUSE = 5_000, 0.5
"""Episodes and seconds after which what was read can be seen by readers."""
MOST_FAULTS = 20
"""Damaged lines that are named; the others are not counted either."""
SEALED, FAILED = ".zst", "failed"
OFFSET = 2**63
"""Hashes are unsigned, numbers in SQLite are signed."""


class _Name(Struct):
    name: str


class _Body(Struct):
    spec: EpisodeSpec
    seats: tuple[str, ...]
    partners: dict[str, _Name]
    rewards: list[tuple[float, ...]]
    outcome: Outcome


class _Line(Struct):
    episode: str
    body: _Body


_LINE = msgspec.json.Decoder(_Line)


class LinePlace(NamedTuple):
    """Where the line of an episode is: the folder of its records ("" for that of the run), its segment, its first byte."""

    home: str
    segment: str
    start: int


class IndexState(NamedTuple):
    """When the index was ``emptied`` last (a random word), the last place of an episode, and the bytes that were read."""

    emptied: str
    last: int
    past: int


class Segment(NamedTuple):
    """A segment by the folder of its records ("" for that of the run) and its number."""

    home: str
    number: str


class Batch(NamedTuple):
    """Rows, each a hash, names, a seed, a reward and the first byte of a line, and what is wrong with other lines."""

    rows: list[tuple[int, tuple[str, ...], int, float, int]]
    faults: list[str]


class EpisodeIndex:
    """The index of the run in ``folder``, kept in the folder ``cache``.

    Raises:
        DiskError: the index cannot be written or is locked; this holds for every method.
    """

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        name = hashlib.sha256(os.fsencode(resolve_path(folder))).hexdigest()[:24]
        self.path = cache / f"{name}.sqlite"
        try:
            cache.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DiskError(
                f"{cache}: cannot be written ({error.strerror}); name another folder in OTHERMINDS_CACHE"
            ) from None
        self._card = b""
        self._planned: dict[bytes, frozenset[int]] = {}
        self._stale = False
        with self.faults():
            try:
                self._prepare()
            except DATABASE_ERRORS as error:
                if not is_damaged(error):
                    raise
                for old in cache.glob(f"{self.path.name}*"):
                    old.unlink()
                self._prepare()

    def faults(self) -> AbstractContextManager[None]:
        """Turns faults of the database into :class:`DiskError`."""
        return database_faults(self.path, "delete it: it is made anew from the records")

    @contextmanager
    def open(self) -> Generator[sqlite3.Connection]:
        """A connection of its own, for one thread."""
        with self.faults(), closing(open_database(self.path, PATIENCE)) as database:
            database.execute("PRAGMA synchronous = OFF")  # a cache: what a power cut damages is made anew
            yield database

    def follow(self) -> Iterator[int]:
        """Reads what has been recorded since, and yields the number of episodes that it read, a batch at a time.

        Raises:
            StudyError: the card of the run cannot be read, or a folder of records.
        """
        plan = self._check_card()
        for home in homes(self.folder):
            paths = segments_in(home / RECORDS)
            for path in paths:
                try:
                    status = path.stat()
                except FileNotFoundError:
                    return  # sealed or moved since it was listed: the next call reads it
                segment = Segment("" if home == self.folder else home.name, _number(path))
                with self.open() as database:
                    last_stamp, past = database.execute(
                        "SELECT stamp, past FROM segments WHERE home = ? AND number = ?", segment
                    ).fetchone() or ("", 0)
                stamp = f"{path.suffix} {status.st_size} {status.st_mtime_ns}"
                if last_stamp == stamp:
                    continue
                if last_stamp.startswith(SEALED) or (path.suffix != SEALED and status.st_size < past):
                    self._stale = True  # what never changes has changed
                    return
                if not self._planned:
                    self._planned = list_seeds((plan or plan_in(self.folder)).episodes)
                yield from self._read_segment(path, segment, stamp, past, is_open=path == paths[-1])

    @contextmanager
    def snapshot(self) -> Generator[sqlite3.Connection]:
        """A connection in which all queries see the index at one moment, whatever is indexed meanwhile."""
        with self.open() as database:
            database.execute("BEGIN")
            yield database

    def read_state(self) -> IndexState:
        """The state of the index now."""
        with self.open() as database:
            return read_state(database)

    def list_faults(self) -> list[str]:
        """The damaged lines and segments, :data:`MOST_FAULTS` at most, each with what to do."""
        with self.open() as database:
            return [text for (text,) in database.execute("SELECT text FROM faults LIMIT ?", (MOST_FAULTS,))]

    def find_place(self, episode: str) -> tuple[str, LinePlace] | None:
        """The whole hash and the line of the episode whose hash begins with ``episode``, hexadecimal; ``None`` if none or several do."""
        ends = (int(episode.ljust(16, digit), 16) - OFFSET for digit in "0f")
        with self.open() as database:
            rows = database.execute(
                "SELECT episode, home, number, start FROM episodes JOIN segments USING (segment) "
                "WHERE episode BETWEEN ? AND ? LIMIT 2",
                (*ends,),
            ).fetchall()
        return (show_hash(rows[0][0]), LinePlace(*rows[0][1:])) if len(rows) == 1 else None

    def find_neighbours(self, episode: str) -> tuple[str, str]:
        """The hashes of the episodes stored before and after one; empty where there is none."""
        query = "SELECT episode FROM episodes WHERE place {} (SELECT place FROM episodes WHERE episode = ?) ORDER BY place {} LIMIT 1"
        key = (int(episode, 16) - OFFSET,)
        with self.open() as database:
            before = database.execute(query.format("<", "DESC"), key).fetchone()
            after = database.execute(query.format(">", "ASC"), key).fetchone()
        return (show_hash(before[0]) if before else ""), (show_hash(after[0]) if after else "")

    def read_episode(self, place: LinePlace, episode: str) -> StoredLine:
        """The stored line of an episode, with all checks.

        Raises:
            StudyError: it is damaged, or is not there any more.
        """
        path = self._segment(place)
        for entry in segment_lines(path, is_open=True):
            if entry.offset == place.start:
                line = read_line(entry.raw, f"{path}: line {entry.number}")
                if line.episode == episode:
                    return line
            if entry.offset >= place.start:
                break
        raise self._changed()

    def walk_lines(self, first: int) -> Iterator[tuple[int, str, bytes]]:
        """The place, the hash and the unchecked line of each episode from place ``first`` on, in the order of storage.

        Raises:
            StudyError: a segment is damaged or has changed.
        """
        lines, opened = iter(()), None
        while True:
            with self.open() as database:
                rows = database.execute(
                    "SELECT place, episode, home, number, start FROM episodes JOIN segments USING (segment) "
                    "WHERE place >= ? ORDER BY place LIMIT ?",
                    (first, BATCH),
                ).fetchall()
            if not rows:
                return
            for place, episode, home, number, start in rows:
                if opened != (home, number):
                    opened = home, number
                    lines = segment_lines(self._segment(LinePlace(home, number, start)), is_open=True)
                entry = next((entry for entry in lines if entry.offset >= start), None)
                if entry is None or entry.offset != start:
                    raise self._changed()
                yield place, show_hash(episode), entry.raw
            first = rows[-1][0] + 1

    def _changed(self) -> StudyError:
        self._stale = True
        return StudyError(
            f"{self.folder}: its records have changed since they were indexed; look again in a moment"
        )

    def _segment(self, place: LinePlace) -> Path:
        home = next(
            (home for home in homes(self.folder) if place.home == ("" if home == self.folder else home.name)),
            self.folder,
        )
        plain = home / RECORDS / f"{place.segment}.jsonl"
        sealed = plain.with_name(plain.name + ".zst")
        return sealed if sealed.exists() else plain

    def _prepare(self) -> None:
        """Makes the tables where there are none."""
        with closing(open_database(self.path, PATIENCE)) as database:
            check_tables(database)
            database.execute("PRAGMA journal_mode = WAL")
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'about'").fetchone():
                database.executescript(TABLES)

    def _check_card(self) -> StudyPlan | None:
        """Empties the index if the run is another one than before; the plan, if the card was read for it."""
        card = read_file(self.folder / CARD)
        if card == self._card and not self._stale:
            return None
        plan = plan_in(self.folder)
        key = f"{FORM} {hashlib.sha256(card).hexdigest()}"
        with self.open() as database, database:
            database.execute("BEGIN IMMEDIATE")
            row = database.execute("SELECT text FROM about WHERE what = 'card'").fetchone()
            if row != (key,) or self._stale:
                for table in ("about", "names", "faults", "segments", "episodes"):
                    database.execute(f"DELETE FROM {table}")
                database.execute("INSERT INTO about VALUES ('card', ?), ('emptied', ?)", (key, token_hex(8)))
        self._card, self._planned, self._stale = card, {}, False
        return plan

    def _read_segment(
        self, path: Path, segment: Segment, stamp: str, past: int, *, is_open: bool
    ) -> Iterator[int]:
        """Reads a segment from byte ``past`` on; ``stamp`` says how its file looked before."""
        batch = Batch([], [])
        began = monotonic()
        try:
            for entry in segment_lines(path, is_open=is_open):
                if entry.offset < past:
                    continue
                past = entry.offset + len(entry.raw)
                try:
                    line = _LINE.decode(entry.raw)
                    if line.body.spec.seed in self._planned.get(_variant(line.body.spec), ()):
                        batch.rows.append((*describe_line(line), entry.offset))
                except (ValueError, RecursionError) as error:
                    place = f"{path}: line {entry.number}"
                    batch.faults.append(describe_damage(entry.raw, place, error))
                if len(batch.rows) >= BATCH or monotonic() - began > PAUSE:
                    self._keep(batch, segment, "", past)
                    yield len(batch.rows)
                    batch, began = Batch([], []), monotonic()
        except StudyError as error:
            if not path.exists():
                return  # it has been sealed since
            batch.faults.append(str(error))
        self._keep(batch, segment, stamp, past)
        yield len(batch.rows)

    def _keep(self, batch: Batch, segment: Segment, stamp: str, past: int) -> None:
        """Writes a batch. Another process may fill the same index: numbers are those of the database."""
        with self.open() as database, database:
            database.execute("BEGIN IMMEDIATE")
            texts = {text for row in batch.rows for text in row[1]} | {FAILED}
            database.executemany(
                "INSERT INTO names (text) VALUES (?) ON CONFLICT DO NOTHING", ((text,) for text in texts)
            )
            names = dict(database.execute("SELECT text, name FROM names").fetchall())
            (number,) = database.execute(
                "INSERT INTO segments (home, number, stamp, past) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE "
                "SET stamp = excluded.stamp, past = excluded.past RETURNING segment",
                (*segment, stamp, past),
            ).fetchone()
            database.executemany(
                KEEP,
                (
                    (episode, *(names[text] for text in texts), seed, reward, number, start, names[FAILED])
                    for episode, texts, seed, reward, start in batch.rows
                ),
            )
            database.executemany(
                "INSERT INTO faults VALUES (?) ON CONFLICT DO NOTHING", ((text,) for text in batch.faults)
            )


def read_state(database: sqlite3.Connection) -> IndexState:
    """The state of an index: what was read from it before, with the same state, still holds."""
    return IndexState(
        *database.execute(
            "SELECT (SELECT coalesce(max(text), '') FROM about WHERE what = 'emptied'), "
            "(SELECT coalesce(max(place), 0) FROM episodes), (SELECT coalesce(sum(past), 0) FROM segments)"
        ).fetchone()
    )


def list_seeds(episodes: PlannedEpisodes) -> dict[bytes, frozenset[int]]:
    """The planned seeds by the canonical JSON of the episode with the seed 0."""
    stored = episodes.stored()
    seeds: list[set[int]] = [set() for _ in stored.variants]
    for variant, seed in zip(stored.variant, stored.seeds, strict=True):
        seeds[variant].add(seed)
    return {_variant(variant): frozenset(own) for variant, own in zip(stored.variants, seeds, strict=True)}


def describe_line(line: _Line) -> tuple[int, tuple[str, ...], int, float]:
    """The columns of a recorded episode: its hash as a number, its names, its seed and its reward.

    Raises:
        ValueError: its parts do not fit together.
    """
    body = line.body
    mine = [n for n, seat in enumerate(body.seats) if seat not in body.partners]
    if not mine or any(len(row) != len(body.seats) for row in body.rewards):
        raise ValueError("its seats do not fit its partners or its rewards")
    partners = ", ".join(body.partners[seat].name for seat in sorted(body.partners))
    names = (body.spec.title, ego(body.spec).title, partners, body.outcome.status)
    return int(line.episode, 16) - OFFSET, names, body.spec.seed, sum(row[mine[0]] for row in body.rewards)


def describe_damage(raw: bytes, place: str, error: Exception) -> str:
    """What is wrong with a line that cannot be indexed, with what to do."""
    try:
        read_line(raw, place).record()
    except StudyError as damage:
        return str(damage)
    return f"{place} cannot be indexed ({error})"


def show_hash(number: int) -> str:
    """The hash of an episode, 16 hexadecimal digits.

    >>> show_hash(-(2**63) + 255)
    '00000000000000ff'
    """
    return f"{number + OFFSET:016x}"


def _variant(spec: EpisodeSpec) -> bytes:
    return encode(structs.replace(spec, seed=0))


def _number(path: Path) -> str:
    return path.name.split(".")[0]
