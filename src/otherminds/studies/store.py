"""The records of a study on disk: append-only JSON lines, one episode per line.

The last segment is open until it is full; then it is sealed, that is compressed. A line of the open segment
that a crash has torn (:mod:`otherminds.core.disk`) is dropped by :meth:`Store.repair`; nothing else is ever dropped.
The form of lines and segments is that of :mod:`otherminds.core.segments`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import zstandard

from otherminds.core.disk import LONGEST, DiskError, Log, check_file, replace_file, sync_folder
from otherminds.core.errors import InternalError
from otherminds.core.locks import Lock
from otherminds.core.record import EpisodeSpec, Outcome, Record, Timing
from otherminds.core.segments import (
    SEGMENT,
    START,
    StoredLine,
    hashed_line,
    lines_in,
    outcomes_in,
    read_line,
    segment_lines,
    segments_in,
)

T = TypeVar("T")
RECORDS = "records"
WITHDRAWN = "withdrawn"
"""What is to blame for the loss of an episode whose record was deleted."""
AGAIN = "run the study again once it can"


def line_of(record: Record, timing: Timing) -> bytes:
    """The stored form of a record, without the line break; of a failed episode if it is longer than a line can be."""
    line = hashed_line(record.spec.hash, record, timing)
    if len(line) < LONGEST:
        return line
    return failed_line(record.spec, InternalError(f"its record has more than {LONGEST // 2**20} MiB"))


def failed_line(spec: EpisodeSpec, error: BaseException) -> bytes:
    """The stored form of an episode that failed with an unexpected error."""
    outcome = Outcome("failed", InternalError.blame, f"{type(error).__name__}: {error}")
    record = Record(spec, tuple(spec.seats), {}, None, {}, None, [], [], {}, outcome=outcome)
    return hashed_line(spec.hash, record, Timing())


def withdrawn_line(line: StoredLine, reason: str) -> bytes:
    """The stored form of the episode of ``line`` without what happened in it."""
    spec = line.record().spec
    outcome = Outcome("failed", WITHDRAWN, reason)
    return hashed_line(
        spec.hash, Record(spec, tuple(spec.seats), {}, None, {}, None, [], [], {}, outcome=outcome), Timing()
    )


def last_statuses(recorded: Iterable[tuple[T, str]]) -> dict[T, str]:
    """By episode, the status of its last record; a failure only if it has no other one. ``recorded``: pairs of both.

    >>> last_statuses([("a", "scored"), ("b", "failed"), ("a", "failed"), ("b", "cut")])
    {'a': 'scored', 'b': 'cut'}
    """
    statuses: dict[T, str] = {}
    for episode, status in recorded:
        if status != "failed" or episode not in statuses:
            statuses[episode] = status
    return statuses


class Store:
    """The records of one output folder, in ``folder/records``.

    A run, which holds the ``lock`` of the folder, writes only while all that it knows is still there.
    """

    def __init__(self, folder: Path, lock: Lock | None = None) -> None:
        self.folder = folder / RECORDS
        self._lock = lock

    def repair(self) -> str:
        """Drops a torn last line of the open segment. Returns a message about it, or an empty text.

        From here on, the lock watches all segments.

        Raises:
            StudyError: the segment cannot be read or written.
        """
        message = self._repair()
        if self._lock is not None and self.folder.exists():
            self._lock.watch([self.folder])
            self._lock.watch(segments_in(self.folder), sized=True)
        return message

    def _repair(self) -> str:
        path = self._open_segment()
        if path is None:
            return ""
        dropped = _log(path).repair()  # also a check that a run can write here
        if not dropped:
            return ""
        return f"{path.name}: dropped an incomplete last line of {dropped} bytes; its episode will be played again"

    def check(self) -> None:
        """Checks the first record, before a run spends anything; :meth:`lines` checks all of them.

        Raises:
            StudyError: another version of the software wrote it, or it cannot be read.
        """
        next(self.lines(), None)

    def append(self, lines: Sequence[bytes]) -> None:
        """Adds finished episodes; they are on disk when this returns. Full segments are sealed.

        Raises:
            DiskError: they cannot be written. Records that were there before are kept, and no part of a line is left.
            RunStoppedError: the folder or a segment is not the one that was held.
        """
        unwritten = [line + b"\n" for line in lines]
        if self._lock is not None:
            self._lock.check()
        try:
            self.folder.mkdir(parents=self._lock is None, exist_ok=True)
            while unwritten:
                path = self._open_segment() or self.folder / f"{self._next():05}.jsonl"
                check_file(path)
                size = path.stat().st_size if path.exists() else 0
                now: list[bytes] = []
                while unwritten and (not now or size <= SEGMENT):
                    now.append(unwritten.pop(0))
                    size += len(now[-1])
                _log(path).append(now)
                if size > SEGMENT:
                    path = seal(path)
                self._watch(path)
        except OSError as error:
            raise DiskError(f"{self.folder}: cannot be written ({error.strerror}); {AGAIN}") from error

    def withdraw(self, episodes: Collection[str], reason: str) -> int:
        """Replaces the records of ``episodes``, by hash, by failed ones that hold nothing but their specs. Returns how many there were.

        The caller holds the lock of the folder. Each segment is replaced whole, so that after a crash the same call does the rest.

        Raises:
            StudyError: a segment cannot be read or written.
        """
        self._repair()
        withdrawn = 0
        for path in segments_in(self.folder):
            if path.suffix == ".zst":
                path.with_suffix("").unlink(missing_ok=True)  # a crash amid sealing left it
            for part in self.folder.glob("*.part"):
                part.unlink()
            stored = [read_line(entry.raw, f"{path}, line {entry.number}") for entry in segment_lines(path)]
            lines = [
                withdrawn_line(line, reason)
                if line.episode in episodes and line.outcome().blame != WITHDRAWN
                else line.raw()
                for line in stored
            ]
            changed = sum(line != before.raw() for line, before in zip(lines, stored, strict=True))
            if changed:
                content = b"".join(line + b"\n" for line in lines)
                if path.suffix == ".zst":
                    content = zstandard.ZstdCompressor(level=6, write_checksum=True).compress(content)
                replace_file(path, content, durable=True)
            withdrawn += changed
        return withdrawn

    def lines(self) -> Iterator[StoredLine]:
        """Every stored episode, oldest first, without a torn last line.

        Raises:
            StudyError: a segment or a line is damaged or cannot be read, or another version of the software wrote it.
        """
        return lines_in(segments_in(self.folder))

    def outcomes(self) -> Iterator[tuple[int, str]]:
        """The hash, as a number, and the status of every stored episode, in the order of :meth:`lines`.

        Lines are not checked as :meth:`lines` checks them.

        Raises:
            StudyError: a segment or a line cannot be read.
        """
        return outcomes_in(segments_in(self.folder))

    def _watch(self, path: Path) -> None:
        """Watches the segment that was just written; a sealed one in place of its plain file."""
        if self._lock is not None:
            self._lock.watch([self.folder])
            self._lock.watch([path], sized=True)
            if path.suffix == ".zst":
                self._lock.forget(path.with_suffix(""))

    def _open_segment(self) -> Path | None:
        segments = segments_in(self.folder)
        return segments[-1] if segments and segments[-1].suffix == ".jsonl" else None

    def _next(self) -> int:
        """The number of a new segment; those before it may have been moved away."""
        names = [path.name.split(".")[0] for path in segments_in(self.folder)]
        return max((int(name) + 1 for name in names if name.isdecimal()), default=0)


def seal(path: Path) -> Path:
    """Compresses a segment, then deletes the plain file.

    Raises:
        OSError: it cannot be written; the plain file is kept.
    """
    sealed = path.with_name(path.name + ".zst")
    part = sealed.with_name(sealed.name + ".part")
    part.unlink(missing_ok=True)
    try:
        with path.open("rb") as source, part.open("xb") as target:
            zstandard.ZstdCompressor(level=6, write_checksum=True).copy_stream(source, target)
            target.flush()
            os.fsync(target.fileno())
        part.replace(sealed)
    except OSError:
        part.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
    path.unlink()
    return sealed


def _log(path: Path) -> Log:
    return Log(path, START, AGAIN)
