"""Append-only files of JSON lines, and the one rule for a last line that a crash has torn.

A killed process may leave the beginning of a line, and a power cut blocks of zeros in its place. Such a line was never
finished: readers pass over it, and the next writer removes it. Anything else that cannot be read is damage.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from otherminds.core.disk import DiskError, append_file, check_file

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
