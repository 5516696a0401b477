"""The folder of a pool, changed by one process at a time, and the writer that adds tasks to it.

A kill at any moment leaves whole files, loses nothing that was added, and repeats nothing.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from otherminds.core.disk import Log, read_file, replace_file
from otherminds.core.errors import StudyError, TaskError
from otherminds.core.locks import Lock
from otherminds.household.pool.store import (
    CARD,
    LEDGER,
    REJECTED,
    SECONDS,
    PooledTask,
    PoolEntry,
    Rejection,
    SeedSeconds,
    canonical,
    certificate_path,
    line_of,
    read_log,
    task_path,
)
from otherminds.household.tasks.publish import ours, written

S = TypeVar("S", bound=Struct)
SETTINGS = "give the same options to go on with it, or choose another folder"
BEGUN = ("lock.sqlite", "lock.sqlite-journal", f"{CARD}.part")
"""All that a writer leaves that was killed while it made the folder."""


class PoolFolder:
    """A pool's folder, which no other process changes until :meth:`release` or the end of a ``with`` block.

    ``settings`` are what the pool is made with; they are written to a new folder and must be those of an old one.
    ``patience`` are the seconds to wait for another process.

    Raises:
        RunStoppedError: the folder was deleted, moved or replaced meanwhile; this holds for every method that writes.
        StudyError: another process writes there, the folder holds something else or a pool with other settings, or it
            cannot be written.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], patience: float = 0) -> None:
        self.folder = folder
        card = folder / CARD
        try:
            others = folder.exists() and any(path.name not in BEGUN for path in folder.iterdir())
            if others and not card.is_file():
                raise StudyError(f"{folder}: is not empty and holds no pool; choose another folder")
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(f"{folder}: cannot be used ({error.strerror}); choose another folder") from None
        self._lock = Lock(folder, patience)
        try:
            self._claim(card, dict(settings))
        except BaseException:
            self.release()
            raise

    def __enter__(self) -> PoolFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def release(self) -> None:
        """Lets others write to the folder."""
        self._lock.release()

    def read(self, name: str, kind: type[S]) -> tuple[S, ...]:
        """The values in the lines of a file. A torn last line, of a writer that was killed, is removed from it.

        Raises:
            TaskError: a line is damaged, or the file cannot be read or mended.
        """
        path = self.folder / name
        try:
            if path.exists():
                Log(path).repair()
        except StudyError as error:
            raise TaskError(str(error)) from None
        return read_log(path, kind)

    def add(self, name: str, values: Sequence[Struct]) -> None:
        """Adds lines to a file whose last line is complete; on disk when this returns.

        Raises:
            StudyError: it cannot be written, and is as it was before.
        """
        self._lock.check()
        Log(self.folder / name).append([line_of(value) for value in values])

    def replace(self, name: str, values: Sequence[Struct]) -> None:
        """Writes a file whole, as these lines; on disk when this returns.

        Raises:
            StudyError: it cannot be written, and is as it was before.
        """
        self._lock.check()
        replace_file(self.folder / name, b"".join(map(line_of, values)), durable=True)

    def store(self, pooled: PooledTask, certificate: bytes) -> None:
        """Writes the files of a task, which is in the pool only when its line is in the ledger.

        An empty certificate is none, as of a task from a packed pool.

        Raises:
            StudyError: one cannot be written.
        """
        self._lock.check()
        task_id = pooled.entry.task_id
        text = written(ours(canonical(pooled.task))) + "\n"
        replace_file(task_path(self.folder, task_id), text, durable=True)
        if certificate:
            packed = gzip.compress(certificate, mtime=0)
            replace_file(certificate_path(self.folder, task_id), packed, durable=True)

    def _claim(self, card: Path, settings: dict[str, Any]) -> None:
        mine = msgspec.json.encode(settings, order="deterministic")
        if not card.is_file():
            replace_file(card, mine + b"\n", durable=True)
            return
        stored = card_of(self.folder)
        requested = msgspec.json.decode(mine)
        different = sorted(name for name in {*stored, *requested} if stored.get(name) != requested.get(name))
        if different:
            was = ", ".join(f"{name} {_format_value(stored.get(name))}" for name in different)
            now = ", ".join(f"{name} {_format_value(requested.get(name))}" for name in different)
            raise StudyError(f"{self.folder}: holds a pool made with {was}, not with {now}; {SETTINGS}")


def card_of(folder: Path) -> dict[str, Any]:
    """The settings that a pool's folder was made with.

    Raises:
        StudyError: they cannot be read.
    """
    card = folder / CARD
    try:
        return msgspec.json.decode(read_file(card), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StudyError(f"{card}: cannot be read ({error}); restore it") from None


def _format_value(value: object) -> str:
    return "any" if value is None else msgspec.json.encode(value).decode().strip('"')


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
