"""The state of each planned episode, in SQLite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from otherminds.core.disk import (
    DATABASE_ERRORS,
    check_tables,
    check_writable,
    database_faults,
    is_damaged,
    open_database,
)
from otherminds.core.record import OUTCOMES, EpisodeSpec
from otherminds.studies.plan import ego

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
