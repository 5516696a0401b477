"""What a study has paid for, over all its runs: a table beside the kept answers."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from otherminds.core.errors import StudyError
from otherminds.core.model import Usage

TABLE = """
CREATE TABLE IF NOT EXISTS spent (
    model TEXT PRIMARY KEY,
    prompt INTEGER NOT NULL,
    completion INTEGER NOT NULL,
    cached INTEGER NOT NULL
) STRICT
"""
ADD = """
INSERT INTO spent VALUES (?, ?, ?, ?) ON CONFLICT (model) DO UPDATE SET
    prompt = prompt + excluded.prompt,
    completion = completion + excluded.completion,
    cached = cached + excluded.cached
"""


class Spent:
    """Tokens by model; what was added is kept if the process is killed.

    Raises:
        StudyError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(TABLE)
        except sqlite3.Error as error:
            raise StudyError(
                f"{path}: cannot be used ({error}); delete it: what it kept is asked again, and what was spent is forgotten"
            ) from None

    def add(self, model: str, usage: Usage) -> None:
        """A call was paid for."""
        self._db.execute(ADD, (model, usage.prompt, usage.completion, usage.cached))

    def totals(self) -> Iterator[tuple[str, Usage]]:
        """What each model took in all."""
        for model, *tokens in self._db.execute("SELECT model, prompt, completion, cached FROM spent"):
            yield model, Usage(*tokens)

    def close(self) -> None:
        """Lets go of the file."""
        self._db.close()
