"""SHA-256 digests of model files, the identity of a model that is a file: a path may hold another file tomorrow.

Reading a file of several gigabytes takes seconds, so a digest is kept in the user's cache, and computed anew when
the file's size, its times (of its content and of its entry in the file system) or its inode have changed.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec
from msgspec import Struct

from otherminds.core.disk import DiskError, check_file, read_file, replace_file
from otherminds.core.errors import OtherMindsError, ProviderError


class FileStamp(Struct, frozen=True):
    """A file as it was when its digest was computed; times in nanoseconds.

    A copy that keeps size and time of modification still changes the time of its entry.
    """

    path: str
    size: int
    modified: int
    changed: int
    inode: int


class FileDigest(Struct, frozen=True):
    """A digest, and the file that it is of."""

    file: FileStamp
    sha256: str


def file_digest(path: Path) -> str:
    """The SHA-256 of the file at ``path``, as 64 hexadecimal digits.

    Raises:
        ProviderError: the file cannot be read.
    """
    try:
        check_file(path)
        with path.open("rb") as file:
            stamp = _stamp_file(path, os.fstat(file.fileno()))
            place = _place(path)
            if (cached := _load_digest(place)) is not None and cached.file == stamp:
                return cached.sha256
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            unchanged = _stamp_file(path, os.fstat(file.fileno())) == stamp
    except DiskError as error:
        raise ProviderError(f"cannot read the model: {error}") from None
    except OSError as error:
        raise ProviderError(f"cannot read the model {path}: {error.strerror}; check the path") from None
    if unchanged:
        _keep(place, FileDigest(stamp, digest))
    return digest


def _stamp_file(path: Path, stat: os.stat_result) -> FileStamp:
    return FileStamp(str(path.resolve()), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


def _place(path: Path) -> Path:
    from platformdirs import user_cache_dir

    folder = os.environ.get("OTHERMINDS_CACHE") or user_cache_dir("otherminds")
    name = hashlib.sha256(str(path.resolve()).encode(errors="surrogateescape")).hexdigest()[:32]
    return Path(folder) / "digests" / f"{name}.json"


def _load_digest(place: Path) -> FileDigest | None:
    try:
        return msgspec.json.decode(read_file(place), type=FileDigest)
    except (DiskError, ValueError):
        return None


def _keep(place: Path, digest: FileDigest) -> None:
    """Stores a digest, if the cache is writable."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        replace_file(place, msgspec.json.encode(digest))
    except (OSError, OtherMindsError, UnicodeEncodeError):
        return
