"""What is planned, at work and done: SQLite, rebuilt from the records at every start."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from otherminds.core.errors import StudyError
from otherminds.studies.plan import StudyPlan, ego

TABLE = """
CREATE TABLE IF NOT EXISTS episodes (
    episode TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    mind TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('planned', 'leased', 'scored', 'invalid', 'failed'))
) STRICT
"""


class Ledger:
    """One row an episode, for whoever wants to look while a study runs.

    The records are the truth; deleting the ledger loses nothing.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / "ledger.sqlite"
        try:
            self._open(path)
        except sqlite3.DatabaseError:
            for damaged in folder.glob(f"{path.name}*"):
                damaged.unlink()
            self._open(path)

    def _open(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")

    def sync(self, plan: StudyPlan, done: dict[str, str]) -> None:
        """Makes the ledger say what the plan and the records say; ``done`` maps episodes to outcomes."""
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
        """Counts episodes that were begun and not finished as planned again."""
        self._db.execute("UPDATE episodes SET state = 'planned' WHERE state = 'leased'")

    def counts(self) -> dict[str, int]:
        """How many episodes are in each state."""
        return dict(self._db.execute("SELECT state, COUNT(*) FROM episodes GROUP BY state").fetchall())

    def close(self) -> None:
        """Lets go of the file."""
        self._db.close()


class Lock:
    """Held while a run writes to a folder; the system frees it if the run dies.

    Raises:
        StudyError: another run holds it.
    """

    def __init__(self, folder: Path) -> None:
        self._db = sqlite3.connect(folder / "lock.sqlite", isolation_level=None, timeout=0)
        try:
            self._db.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            self._db.close()
            raise StudyError(f"{folder}: another run is writing here; wait for it or end it") from error

    def release(self) -> None:
        """Lets other runs in."""
        self._db.close()
