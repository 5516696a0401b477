"""Files on disk: refused unless they are regular files, replaced whole or appended to line by line, each fault in one line.

Opening a named pipe waits for ever, and a crash in the middle of a write leaves half a file. Everything that Other Minds
keeps is therefore read, replaced and appended to through this module.

A killed process may leave the beginning of a line, and a power cut blocks of zeros in its place. Such a line of an
append-only file was never finished: readers pass over it, and the next writer removes it. Anything else that cannot be
read is damage."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
from collections import deque
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from otherminds.core.errors import StudyError

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
LARGEST = 2**30
"""Bytes of a file that is read whole."""
LONGEST_VALUE = 2**27
"""Bytes of a value in a database."""
BESIDE = ("", "-wal", "-shm", "-journal")
"""The endings of the files that SQLite opens for one database."""
MENDS = {
    sqlite3.SQLITE_BUSY: "wait until the other process has ended, or end it",
    sqlite3.SQLITE_LOCKED: "wait until the other process has ended, or end it",
    sqlite3.SQLITE_FULL: "make room, then run the command again",
    sqlite3.SQLITE_IOERR: "make room or check the disk, then run the command again",
    sqlite3.SQLITE_CANTOPEN: "make the file and its folder writable",
    sqlite3.SQLITE_READONLY: "make the file and its folder writable",
    sqlite3.SQLITE_PERM: "make the file and its folder writable",
}
"""What to do about a fault of a database, by its primary result code; any other code means a damaged file."""
DATABASE_ERRORS = (sqlite3.Error, UnicodeDecodeError, OverflowError)
"""What using a database raises; the second where names in a damaged file are not UTF-8, the third for numbers beyond 63 bits."""


class DiskError(StudyError):
    """A file or folder that is missing, of another kind, damaged, or cannot be read or written."""


def check_file(path: Path) -> None:
    """Checks that ``path`` is a regular file, a link to one, or nothing yet.

    Raises:
        DiskError: it is something else, such as a folder, a named pipe or a link to nothing.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise DiskError(f"{path}: is a link to a file that does not exist; remove it") from None
    except OSError as error:
        raise DiskError(
            f"{path}: cannot be used ({error.strerror}); correct the path or its permissions"
        ) from None
    else:
        if not stat.S_ISREG(mode):
            kind = KINDS.get(stat.S_IFMT(mode), "no regular file")
            raise DiskError(f"{path}: is {kind} and not a file; name another one, or move it away")


def resolve_path(path: Path) -> Path:
    """The absolute path without links. Links in a circle stay, for the open of the file to name; Path.resolve raises."""
    return Path(os.path.realpath(path))


def read_file(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        DiskError: it is not there, is no regular file, is larger than :data:`LARGEST`, or cannot be read.
    """
    check_file(path)
    try:
        size = path.stat().st_size  # read before that much memory is taken: a file may have holes
        if size > LARGEST:
            raise DiskError(f"{path}: has {size} bytes; a file that is read whole has at most {LARGEST}")
        return path.read_bytes()
    except OSError as error:
        raise DiskError(f"{path}: cannot be read ({error.strerror})") from None


def replace_file(path: Path, content: bytes | str, *, durable: bool = False) -> None:
    """Writes a file, or replaces it whole: after a fault it is the old or the new one.

    Its folder is made if necessary. With ``durable``, this also holds after a power cut.

    Raises:
        DiskError: it cannot be written, or ``path`` is something else than a file.
    """
    check_file(path)
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        try:
            with part.open("xb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
        if durable:
            sync_folder(path.parent)
    except OSError as error:
        raise DiskError(
            f"{path}: cannot be written ({error.strerror}); make room or choose another folder"
        ) from None


def append_file(path: Path, content: bytes) -> None:
    """Adds ``content`` to a file, on disk when this returns; a fault leaves the file as it was.

    Raises:
        OSError: it cannot be written.
    """
    new = not path.exists()
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        size = os.fstat(file).st_size
        try:
            unwritten = memoryview(content)
            while unwritten:
                unwritten = unwritten[os.write(file, unwritten) :]
            os.fsync(file)
        except BaseException:
            os.ftruncate(file, size)
            raise
    finally:
        os.close(file)
    if new:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Makes the creation, renaming and removal of files in ``folder`` outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def open_database(
    path: Path, patience: float, own: Mapping[str, Collection[tuple[str, ...]]] | None = None
) -> sqlite3.Connection:
    """An SQLite database in autocommit mode that waits ``patience`` seconds for other processes.

    The file may be anybody's: functions with side effects are refused in its schema, and long values. With ``own``, the
    forms of each table that it may have (:func:`check_tables`), another program's database is refused as it is.

    Raises:
        DiskError: ``path``, or a file that SQLite keeps beside it, is no regular file.
        sqlite3.Error: it cannot be opened, or has other tables.
    """
    if own is not None:
        check_database(path, patience, own)
    for ending in BESIDE:
        check_file(path.with_name(path.name + ending))
    return _bound_database(sqlite3.connect(path, isolation_level=None, timeout=patience))


def check_database(path: Path, patience: float, own: Mapping[str, Collection[tuple[str, ...]]]) -> None:
    """Checks that :func:`open_database` may use ``path``, or that nothing is there yet. The file is not changed.

    Raises:
        DiskError: it, or a file that SQLite keeps beside it, is no regular file.
        sqlite3.Error: it cannot be opened, or has other tables than ``own``.
    """
    for ending in BESIDE:
        check_file(path.with_name(path.name + ending))
    if not path.exists():
        return
    try:
        with closing(open_to_read(path, patience)) as database:
            check_tables(database, own)
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
            raise
        # A process was killed in the middle of a change. Reading the file would undo that change, so a copy is read.
        with TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            for ending in BESIDE:
                with suppress(FileNotFoundError):
                    shutil.copyfile(path.with_name(path.name + ending), f"{copy}{ending}")
            with closing(_bound_database(sqlite3.connect(copy, isolation_level=None))) as database:
                check_tables(database, own)


def open_to_read(path: Path, patience: float) -> sqlite3.Connection:
    """An SQLite database that is not changed.

    Raises:
        sqlite3.Error: it cannot be opened.
    """
    place = f"{resolve_path(path).as_uri()}?mode=ro"
    return _bound_database(sqlite3.connect(place, isolation_level=None, timeout=patience, uri=True))


def _bound_database(database: sqlite3.Connection) -> sqlite3.Connection:
    database.execute("PRAGMA trusted_schema=OFF")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    return database


def check_tables(
    database: sqlite3.Connection, own: Mapping[str, Collection[tuple[str, ...]]] | None = None
) -> None:
    """Checks that a database holds plain tables: a view, a trigger or a virtual table is a program of its author.

    With ``own``, by name the columns that each table may have, it holds no other table.

    Raises:
        sqlite3.Error: it holds something else, or cannot be read.
    """
    for kind, name, text in database.execute("SELECT type, name, sql FROM sqlite_master").fetchall():
        if kind not in ("table", "index") or " ".join(str(text).upper().split()).startswith("CREATE VIRTUAL"):
            raise sqlite3.DatabaseError(f"it has the {kind} {str(name)[:60]!r}, which runs by itself")
        if own is None or kind != "table" or str(name).startswith("sqlite_"):
            continue
        columns = database.execute("SELECT name FROM pragma_table_info(?)", (name,)).fetchall()
        if tuple(column for (column,) in columns) not in own.get(name, ()):
            raise sqlite3.DatabaseError(f"its table {str(name)[:60]!r} is another program's")


def check_writable(database: sqlite3.Connection) -> None:
    """Writes a number that nothing reads, so that a fault is seen before anything depends on the file.

    Raises:
        sqlite3.Error: the file cannot be written, or is locked.
    """
    database.execute("PRAGMA user_version=1")  # BEGIN IMMEDIATE succeeds where nothing can be written


def is_damaged(error: Exception) -> bool:
    """Whether a fault of a database means that the file itself is damaged or of another kind."""
    return result_code(error) not in MENDS


@contextmanager
def database_faults(path: Path, mend: str) -> Generator[None]:
    """Turns faults of the database ``path`` into :class:`DiskError`; ``mend`` says what to do about a damaged one."""
    try:
        yield
    except DATABASE_ERRORS as error:
        raise DiskError(f"{path}: cannot be used ({error}); {MENDS.get(result_code(error), mend)}") from None


def result_code(error: Exception) -> int:
    """The primary result code; 0 for errors of Python's module itself."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


LONGEST = 64 * 2**20
"""The maximal length of a line in bytes."""
READ = 2**20
"""Bytes of a file that are read at a time."""
_BLANK = re.compile(rb"[ \t\r\n]*\n")


class LogEntry(NamedTuple):
    """A line that is not blank: its number from 1, its offset in bytes, and its bytes with the line break."""

    number: int
    offset: int
    raw: bytes


@dataclass(frozen=True, slots=True)
class Log:
    """An append-only file of lines that all begin with ``start``; ``advice`` says what to do if it cannot be written."""

    path: Path
    start: bytes = b'{"'
    advice: str = "make room, then run the command again"

    def lines(self, *, torn: bool = False) -> Iterator[LogEntry]:
        """The lines in order, with a torn last line only if ``torn`` is set. Blank lines are passed over.

        Raises:
            DiskError: the file cannot be read, or has a line of more than :data:`LONGEST` bytes.
        """
        lines = split_lines(self.path, read_chunks(self.path, READ))
        following = next(lines, None)
        while following is not None:
            line, following = following, next(lines, None)
            if torn or following is not None or not is_torn(line, self.start):
                yield line

    def repair(self) -> int:
        """Removes a torn last line. Returns its length in bytes, 0 if there is none.

        Raises:
            DiskError: as :meth:`lines`, or the file cannot be written, whether or not a line is torn.
        """
        last = next(iter(deque(self.lines(torn=True), maxlen=1)), None)
        try:
            with self.path.open("r+b") as file:
                if last is None or not is_torn(last, self.start):
                    return 0
                file.truncate(last.offset)
                os.fsync(file.fileno())
        except OSError as error:
            raise self._unwritable(error) from error
        return len(last.raw)

    def append(self, lines: Sequence[bytes]) -> None:
        """Adds whole lines with their line breaks, after :meth:`repair`; they are on disk when this returns.

        Raises:
            DiskError: they cannot be written; the file is as it was before.
        """
        try:
            append_file(self.path, b"".join(lines))
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> DiskError:
        return DiskError(f"{self.path}: cannot be written ({error.strerror}); {self.advice}")


def is_torn(last: LogEntry, start: bytes) -> bool:
    """Whether the last line of a file was not written whole: it begins as a line does, and its end is not there.

    Blocks that a power cut kept from the disk are zeros. A file of nothing but zeros is damage.
    """
    begun = last.raw[: len(start)].rstrip(b"\0")
    begins_as_a_line = start.startswith(begun) and (begun or last.offset)
    return bool(begins_as_a_line) and (not last.raw.endswith(b"\n") or b"\0" in last.raw)


def read_chunks(path: Path, size: int) -> Iterator[bytes]:
    """The bytes of a regular file, in pieces of ``size``.

    Raises:
        DiskError: it cannot be read, or is no regular file.
    """
    check_file(path)
    try:
        with path.open("rb") as file:
            while chunk := file.read(size):
                yield chunk
    except OSError as error:
        raise DiskError(f"{path}: cannot be read ({error.strerror}); restore the file") from None


def split_lines(path: Path, chunks: Iterator[bytes]) -> Iterator[LogEntry]:
    """The lines in ``chunks`` of ``path`` that are not blank; the last one may lack its line break.

    Raises:
        DiskError: a line has more than :data:`LONGEST` bytes.
    """
    number, offset, read = 1, 0, 0
    begun: list[bytes] = []
    for chunk in chunks:
        start = 0
        while start < len(chunk):
            if not begun and (blank := _BLANK.match(chunk, start)):
                number, start = number + chunk.count(b"\n", start, blank.end()), blank.end()
                offset = read + start
                continue
            end = chunk.find(b"\n", start) + 1
            begun.append(chunk[start : end or len(chunk)])
            if read + (end or len(chunk)) - offset > LONGEST:
                raise DiskError(
                    f"{path}: line {number} is damaged (it is longer than {LONGEST // 2**20} MiB); "
                    "restore the file from a copy, or delete that line"
                )
            if not end:
                break
            raw = b"".join(begun)
            begun.clear()
            if not raw.isspace():
                yield LogEntry(number, offset, raw)
            number, offset, start = number + 1, read + end, end
        read += len(chunk)
    raw = b"".join(begun)
    if raw.strip():
        yield LogEntry(number, offset, raw)
