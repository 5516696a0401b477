"""Adds tasks to a pool's folder, so that a kill at any moment loses nothing that was added and repeats nothing."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from otherminds.core.disk import Lock, append_file, read_file, replace_file
from otherminds.core.errors import StudyError, TaskError
from otherminds.worlds.household.pool.entry import PooledTask, PoolEntry, canonical
from otherminds.worlds.household.pool.store import (
    CARD,
    LEDGER,
    REJECTED,
    SECONDS,
    Rejection,
    SeedSeconds,
    certificate_path,
    json_lines,
    line_of,
    task_path,
    whole_lines,
)
from otherminds.worlds.household.tasks.publish import ours, written

SETTINGS = "give the same options to go on with it, or choose another folder"


BEGUN = ("lock.sqlite", "lock.sqlite-journal", f"{CARD}.part")
"""All that a writer leaves that was killed while it made the folder."""


class PoolWriter:
    """The only writer of a pool's folder, until :meth:`release`.

    ``settings`` are what the pool is made with; they are written to a new folder and must be those of an old one.
    Incomplete last lines, of a writer that was killed, are removed.

    Raises:
        StudyError: another process writes there, the folder holds something else or a pool with other settings, or it
            cannot be written.
        TaskError: a line is damaged.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        card = folder / CARD
        try:
            if (
                not card.is_file()
                and folder.exists()
                and any(one.name not in BEGUN for one in folder.iterdir())
            ):
                raise StudyError(f"{folder}: is not empty and holds no pool; choose another folder")
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StudyError(f"{folder}: cannot be used ({error.strerror}); choose another folder") from None
        self._lock = Lock(folder)
        try:
            self._claim(card, dict(settings))
            for name in (LEDGER, REJECTED, SECONDS):
                _mend(folder / name)
            self.entries = tuple(self._read(LEDGER, PoolEntry))
            self.rejections = tuple(self._read(REJECTED, Rejection))
            self.seconds = tuple(self._read(SECONDS, SeedSeconds))
        except BaseException:
            self.release()
            raise

    def keep(self, pooled: PooledTask, certificate: bytes, seconds: Mapping[str, float]) -> None:
        """Adds a task; on disk when this returns. Its line in the ledger is written last.

        Raises:
            StudyError: it cannot be written; the pool is as it was before.
        """
        task_id = pooled.entry.task_id
        text = written(ours(canonical(pooled.task))) + "\n"
        replace_file(task_path(self.folder, task_id), text, durable=True)
        packed = gzip.compress(certificate, mtime=0)
        replace_file(certificate_path(self.folder, task_id), packed, durable=True)
        self._add(SECONDS, SeedSeconds(pooled.entry.seed, dict(seconds)))
        self._add(LEDGER, pooled.entry)

    def reject(self, seed: int, verdict: str, seconds: Mapping[str, float]) -> None:
        """Adds a rejected seed; on disk when this returns.

        Raises:
            StudyError: it cannot be written; the pool is as it was before.
        """
        self._add(SECONDS, SeedSeconds(seed, dict(seconds)))
        self._add(REJECTED, Rejection(seed, verdict))

    def release(self) -> None:
        """Lets others write to the folder."""
        self._lock.release()

    def _claim(self, card: Path, settings: dict[str, Any]) -> None:
        mine = msgspec.json.encode(settings, order="deterministic")
        if not card.is_file():
            replace_file(card, mine + b"\n", durable=True)
            return
        try:
            held = msgspec.json.decode(read_file(card), type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StudyError(f"{card}: cannot be read ({error}); restore it") from None
        given = msgspec.json.decode(mine)
        different = sorted(name for name in {*held, *given} if held.get(name) != given.get(name))
        if different:
            was = ", ".join(f"{name} {_shown(held.get(name))}" for name in different)
            now = ", ".join(f"{name} {_shown(given.get(name))}" for name in different)
            raise StudyError(f"{self.folder}: holds a pool made with {was}, not with {now}; {SETTINGS}")

    def _read(self, name: str, kind: type[Any]) -> list[Any]:
        path = self.folder / name
        return [value for _, value in json_lines(path, whole_lines(path), kind)]

    def _add(self, name: str, value: msgspec.Struct) -> None:
        path = self.folder / name
        try:
            append_file(path, line_of(value))
        except OSError as error:
            why = f"cannot be written ({error.strerror}); make room, then run the command again"
            raise StudyError(f"{path}: {why}") from None


def _mend(path: Path) -> None:
    """Removes an incomplete last line."""
    try:
        whole = len(whole_lines(path))
        if path.exists() and path.stat().st_size != whole:
            with path.open("r+b") as file:
                file.truncate(whole)
                os.fsync(file.fileno())
    except OSError as error:
        raise TaskError(f"{path}: cannot be written ({error.strerror})") from None


def _shown(value: object) -> str:
    return "any" if value is None else msgspec.json.encode(value).decode().strip('"')
