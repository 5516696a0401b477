"""Arrays in an ``.npz`` file, whose sizes are checked against the file's before memory is taken.

numpy allocates what the header of an array claims, and unpacks what a ZIP archive claims. Only archives without
compression are read, as :func:`numpy.savez` writes them, and never pickled objects.
"""

from __future__ import annotations

import io
import math
import zlib
from tokenize import TokenError
from typing import IO, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

UNREADABLE = (
    *(BadZipFile, NotImplementedError, zlib.error),  # the archive
    *(TokenError, SyntaxError, RecursionError, MemoryError),  # a header, which is a literal of Python
    *(EOFError, KeyError, OSError, OverflowError, TypeError),
)
"""What a damaged file makes zipfile and numpy raise, beside ValueError."""
ENCRYPTED = 1
"""The bit of a member that is encrypted."""


def arrays_of(data: bytes) -> dict[str, NDArray[Any]]:
    """The arrays in the bytes of a file, by name.

    Raises:
        ValueError: it is no such file, is damaged, compressed or encrypted, or claims more than it has.
    """
    try:
        with ZipFile(io.BytesIO(data)) as packed:
            members = packed.infolist()
            for part in members:
                if part.compress_type != ZIP_STORED or part.flag_bits & ENCRYPTED:
                    raise ValueError(f"{part.filename[:60]!r} is compressed or encrypted")
            if sum(part.file_size for part in members) > len(data):
                raise ValueError("its parts have more bytes than it")
            for part in members:
                with packed.open(part) as member:
                    _check_size(member, part.file_size, part.filename[:60])
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return {name: np.asarray(archive[name]) for name in archive.files}
    except UNREADABLE as error:
        why = " ".join(str(error).split())[:200]
        raise ValueError(f"no archive of arrays ({type(error).__name__}: {why})") from None


def _check_size(member: IO[bytes], size: int, name: str) -> None:
    """Compares the array that a header describes with the bytes that are there."""
    version = np.lib.format.read_magic(member)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"{name!r} has version {version}")
    shape, _, kind = readers[version](member)
    if kind.hasobject:
        raise ValueError(f"{name!r} has objects, which are never loaded")
    if min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize > size:
        raise ValueError(f"{name!r} claims the shape {shape} of {kind} in {size} bytes")
