"""The state of each planned episode, in SQLite, and the lock of a run folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from otherminds.core.errors import StudyError
from otherminds.core.record import OUTCOMES
from otherminds.studies.plan import StudyPlan, ego

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

    Raises:
        StudyError: the file cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "ledger.sqlite"
        try:
            self._open(path)
        except sqlite3.Error:
            try:
                for damaged in folder.glob(f"{path.name}*"):
                    damaged.unlink()
                self._open(path)
            except (OSError, sqlite3.Error) as error:
                raise StudyError(f"{path}: cannot be written ({error}); delete it") from error

    def _open(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("PRAGMA user_version=1")  # fails where the file cannot be written

    def fill(self, plan: StudyPlan, done: dict[str, str]) -> None:
        """Writes a row for each planned episode; ``done`` maps recorded episodes to their outcomes."""
        rows = [
            (spec.hash, i, spec.title, ego(spec).title, done.get(spec.hash, "planned"))
            for i, spec in enumerate(plan.episodes)
        ]
        with self._db:
            self._db.execute("BEGIN")
            self._db.execute("DROP TABLE IF EXISTS episodes")
            self._db.execute(TABLE)
            self._db.executemany("INSERT INTO episodes VALUES (?, ?, ?, ?, ?)", rows)

    def mark(self, states: Iterable[tuple[str, str]]) -> None:
        """Sets the state of episodes: pairs of (episode, state)."""
        with self._db:
            self._db.execute("BEGIN")
            self._db.executemany("UPDATE episodes SET state = ?2 WHERE episode = ?1", states)

    def release(self) -> None:
        """Marks episodes that were started and not finished as planned."""
        self._db.execute("UPDATE episodes SET state = 'planned' WHERE state = 'leased'")

    def counts(self) -> dict[str, int]:
        """The number of episodes in each state."""
        return dict(self._db.execute("SELECT state, COUNT(*) FROM episodes GROUP BY state").fetchall())

    def close(self) -> None:
        """Closes the file."""
        self._db.close()


class Lock:
    """Held while a run writes to a folder; the system frees it if the run dies.

    Raises:
        StudyError: another run holds it, or its file cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "lock.sqlite"
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=0)
            self._db.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                self._db.close()
                raise StudyError(f"{folder}: another run is writing here; wait for it or end it") from error
            raise StudyError(f"{path}: cannot be written ({error}); delete it") from error

    def release(self) -> None:
        """Releases the lock."""
        self._db.close()
