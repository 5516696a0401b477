"""Files on disk: refused unless they are regular files, replaced whole, each fault in one line.

Opening a named pipe waits for ever, and a crash in the middle of a write leaves half a file. Everything
that Other Minds keeps is therefore read and replaced through this module.
"""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Collection, Generator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

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
    if path.exists():
        with closing(open_to_read(path, patience)) as database:
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
