"""Adds tasks to a pool's folder, so that a kill at any moment loses nothing that was added and repeats nothing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from otherminds.household.pool.entry import PooledTask, PoolEntry
from otherminds.household.pool.folder import PoolFolder
from otherminds.household.pool.store import LEDGER, REJECTED, SECONDS, Rejection, SeedSeconds


class PoolWriter:
    """The only writer of a pool's folder, until :meth:`release`.

    ``settings`` are as in :class:`~.folder.PoolFolder`. Incomplete last lines, of a writer that was killed, are removed.

    Raises:
        StudyError: as :class:`~.folder.PoolFolder`.
        TaskError: a line is damaged.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        self._held = PoolFolder(folder, settings)
        try:
            self.entries = self._held.read(LEDGER, PoolEntry)
            self.rejections = self._held.read(REJECTED, Rejection)
            self.seconds = self._held.read(SECONDS, SeedSeconds)
        except BaseException:
            self.release()
            raise

    def keep(self, pooled: PooledTask, certificate: bytes, seconds: Mapping[str, float]) -> None:
        """Adds a task; on disk when this returns. Its line in the ledger is written last.

        Raises:
            StudyError: it cannot be written; the pool is as it was before.
        """
        self._held.store(pooled, certificate)
        self._held.add(SECONDS, [SeedSeconds(pooled.entry.seed, dict(seconds))])
        self._held.add(LEDGER, [pooled.entry])

    def reject(self, seed: int, verdict: str, seconds: Mapping[str, float]) -> None:
        """Adds a rejected seed; on disk when this returns.

        Raises:
            StudyError: it cannot be written; the pool is as it was before.
        """
        self._held.add(SECONDS, [SeedSeconds(seed, dict(seconds))])
        self._held.add(REJECTED, [Rejection(seed, verdict)])

    def release(self) -> None:
        """Lets others write to the folder."""
        self._held.release()
