"""Folders and keys that one process holds, and how it notices that its folder is gone.

A folder that is held has two locks, since each has a gap. That of the folder itself belongs to its inode, so it holds under
every name, through links and mounts, and whatever becomes of the files inside. That of a file in it also holds between
machines with a common disk.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import struct
import sys
from asyncio import sleep as pause
from collections.abc import AsyncGenerator, Callable, Generator, Iterable
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from msgspec import Struct, structs

from otherminds.core.disk import (
    BESIDE,
    DiskError,
    check_file,
    database_faults,
    open_database,
    open_to_read,
    result_code,
)
from otherminds.core.errors import OtherMindsError, StudyError

LOCK = "lock.sqlite"
LOOK = 0.5
"""Seconds that a lock waits for processes that only look whether it is held."""
TICK = 0.02
"""Seconds between two tries to take the lock of a folder."""
EVERY = 1.0
"""Seconds between two looks at a folder while nothing is written to it."""
SWAPPED = "was replaced"
FIRST_WAIT, LONGEST_WAIT = 0.005, 0.25
"""Seconds between two tries to hold a key: they double up to the second number."""


class RunStoppedError(OtherMindsError):
    """The folder of a run, or its disk, failed while the run wrote to it. The same command goes on with what is kept."""

    blame = "study"


@contextmanager
def stopping() -> Generator[None]:
    """Turns faults of the disk amid a run into :class:`RunStoppedError`: its arguments were right, and it is not complete."""
    try:
        yield
    except DiskError as error:
        raise RunStoppedError(str(error)) from error


class PathState(NamedTuple):
    """What is at a path: the device and inode of the entry itself and of what it leads to, and its size if that is watched."""

    entry: tuple[int, int]
    target: tuple[int, int]
    size: int | None


class WatchedPath(Struct, frozen=True):
    """What a path was when it was watched first, and whether something else there is as good."""

    place: PathState
    sized: bool
    replaced: Callable[[], bool] | None


class Lock:
    """Held while a process writes to a folder; the system frees it if the process dies.

    ``patience`` are the seconds that it waits for another holder, but at least those that :func:`is_locked` takes.
    :meth:`check` notices when the folder or a file in it that is watched is not the same any more.

    Raises:
        StudyError: another process holds it, or its file cannot be written.
    """

    def __init__(self, folder: Path, patience: float = 0) -> None:
        self.folder = folder
        self._watched: dict[Path, WatchedPath] = {}
        path, wait = folder / LOCK, max(patience, LOOK)
        waited = f" after {patience:g} s" if patience else ""
        busy = StudyError(f"{folder}: another run is writing here{waited}; wait for it or end it")
        with ExitStack() as resources:
            directory = _open_folder(folder)
            resources.callback(os.close, directory)
            until = monotonic() + wait
            while not _locks(directory, fcntl.LOCK_EX):
                if monotonic() > until:
                    raise busy
                sleep(TICK)
            with database_faults(path, "delete it"):
                database = resources.enter_context(closing(open_database(path, wait)))
                try:
                    database.execute("BEGIN EXCLUSIVE")
                except sqlite3.Error as error:
                    if result_code(error) == sqlite3.SQLITE_BUSY:
                        raise busy from error
                    raise
            self.watch([folder, path])
            if not os.path.samestat(os.fstat(directory), folder.stat()):
                raise self._stop_error(folder, "was moved")
            self._held = resources.pop_all()

    def watch(
        self, paths: Iterable[Path], sized: bool = False, replaced: Callable[[], bool] | None = None
    ) -> None:
        """From now on, :meth:`check` compares what is at ``paths`` with what is there now.

        With ``sized`` this includes their sizes. ``replaced`` says whether something else in their place is as good.

        Raises:
            RunStoppedError: one of them is not there, or was watched before and is not the same.
        """
        for path in paths:
            place, before = self._place(path, sized), self._watched.get(path)
            if before is not None and before.place[:2] != place[:2]:
                raise self._stop_error(path, SWAPPED)
            self._watched[path] = WatchedPath(place, sized, replaced)

    def watch_database(self, path: Path) -> None:
        """The same for an open database and the files that SQLite keeps beside it."""
        beside = (path.with_name(path.name + ending) for ending in BESIDE)
        self.watch(file for file in beside if file == path or file.exists())

    def forget(self, path: Path) -> None:
        """Ends the watch of a file that this process deletes."""
        self._watched.pop(path, None)

    def check(self) -> None:
        """Checks that the folder, its lock and all that is watched are the same, and that the folder can be written.

        Raises:
            RunStoppedError: one was deleted, moved, replaced, or cannot be reached.
        """
        for path, watched in list(self._watched.items()):
            place = self._place(path, watched.sized)
            if place != watched.place:
                if watched.replaced is None or not watched.replaced():
                    raise self._stop_error(path, SWAPPED)
                self._watched[path] = structs.replace(watched, place=place)
        if not os.access(
            self.folder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids
        ):
            raise self._stop_error(self.folder, "cannot be written any more")

    def holds(self, path: Path) -> bool:
        """Whether ``path``, which is watched, leads to the same file as before."""
        watched = self._watched[path]
        try:
            return self._place(path, watched.sized) == watched.place
        except RunStoppedError:
            return False

    async def follow(self) -> None:
        """Calls :meth:`check` every :data:`EVERY` seconds, until it raises."""
        while True:
            await pause(EVERY)
            self.check()

    def release(self) -> None:
        """Releases the lock."""
        self._held.close()

    def _place(self, path: Path, sized: bool) -> PathState:
        try:
            entry, target = path.lstat(), path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise self._stop_error(path, "was deleted or moved") from None
        except OSError as error:
            raise self._stop_error(path, f"cannot be reached ({error.strerror})") from None
        size = target.st_size if sized else None
        return PathState((entry.st_dev, entry.st_ino), (target.st_dev, target.st_ino), size)

    def _stop_error(self, path: Path, event: str) -> RunStoppedError:
        where = "" if path == self.folder else f" to {self.folder}"
        return RunStoppedError(
            f"{path}: {event} while a run wrote{where or ' there'}; the run has stopped, and the same command goes on "
            "with what is kept"
        )


def is_locked(folder: Path) -> bool:
    """Whether a process holds the :class:`Lock` of a folder. Holds it back for a moment at most.

    Raises:
        DiskError: the folder or the file of the lock cannot be read.
    """
    path = folder / LOCK
    if not folder.is_dir():
        return False
    with ExitStack() as resources:
        directory = _open_folder(folder)
        resources.callback(os.close, directory)
        if not _locks(directory, fcntl.LOCK_SH):
            return True
    check_file(path)
    if not path.exists():
        return False
    with (
        database_faults(path, "delete it"),
        closing(open_to_read(path, 0)) as database,
    ):
        try:
            database.execute("SELECT * FROM sqlite_master").fetchall()
        except sqlite3.Error as error:
            if result_code(error) == sqlite3.SQLITE_BUSY:
                return True
            raise
    return False


@asynccontextmanager
async def holding_key(path: Path, key: bytes) -> AsyncGenerator[None]:
    """Waits, without blocking the event loop, until no other holder of ``key`` is left, here or in another process.

    A byte of the file ``path`` is locked for each key, by an open file of its own: the system frees it if the
    process dies. Two keys that share a byte wait for each other, and no more. Where the system has no such locks
    (they are Linux's), or the disk has none, nothing is waited for.
    """
    with ExitStack() as resources:
        if sys.platform == "linux":
            try:
                file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            except OSError as error:
                raise DiskError(f"{path}: cannot be written ({error.strerror})") from None
            resources.callback(os.close, file)
            at = int.from_bytes(key[:8], "big") >> 2
            region = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, at, 1, 0)
            wait = FIRST_WAIT
            while not _takes(lambda: fcntl.fcntl(file, fcntl.F_OFD_SETLK, region)):
                await pause(wait)
                wait = min(2 * wait, LONGEST_WAIT)
        yield


def _open_folder(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise DiskError(f"{folder}: cannot be used ({error.strerror}); choose another folder") from None


def _locks(directory: int, kind: int) -> bool:
    return _takes(lambda: fcntl.flock(directory, kind | fcntl.LOCK_NB))


def _takes(lock: Callable[[], object]) -> bool:
    """Whether ``lock`` is taken, or is of a kind that the disk does not have; false if another one holds it."""
    try:
        lock()
    except (BlockingIOError, PermissionError):
        return False
    except OSError:  # some network file systems lock no folders
        return True
    return True
