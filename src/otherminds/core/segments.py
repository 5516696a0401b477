"""The stored form of records: segments of JSON lines, read with every check there is.

A line is ``{"episode", "hash", "body", "timing"}``; the hash is that of the body's bytes. A sealed segment
(``.zst``) is one zstd frame. What a segment holds is bounded before it is parsed, so that a small damaged
file cannot fill the memory.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from msgspec import Raw, Struct

from otherminds.core.consistency import inconsistency
from otherminds.core.disk import DiskError
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.log import Log, LogEntry, read_chunks, split_lines
from otherminds.core.record import SCHEMA, Outcome, Record, Timing

START = b'{"episode":"'
"""How every line begins."""
SEGMENT = 64 * 2**20
"""A segment of more bytes than this is sealed."""
MOST = 4 * SEGMENT
"""The maximal size of a sealed segment in bytes, uncompressed."""
WINDOW = 8 * 2**20
"""The memory in bytes that the frame of a sealed segment may ask for."""
FEED = 512
"""Compressed bytes that are decompressed at a time; one zstd byte may hold 32 KiB."""


class _Line(Struct, frozen=True):
    episode: str
    hash: str
    body: Raw
    timing: Timing


class _BodyHead(Struct):
    schema: Raw = Raw()
    spec: Raw = Raw()


class _HeadLine(Struct):
    body: _BodyHead


class _BodyOutcome(Struct):
    outcome: Outcome


class _EndedLine(Struct):
    episode: str
    body: _BodyOutcome


_HEAD_LINE = msgspec.json.Decoder(_HeadLine)
_LINE = msgspec.json.Decoder(_Line)
_RECORD = msgspec.json.Decoder(Record)
_ENDED = msgspec.json.Decoder(_BodyOutcome)
_ENDED_LINE = msgspec.json.Decoder(_EndedLine)
_UNREADABLE = (ValueError, RecursionError)
"""What decoding raises: msgspec's errors and faulty UTF-8 are ValueErrors, deep nesting is a RecursionError."""


@dataclass(frozen=True, slots=True)
class StoredLine:
    """One stored episode. ``body`` is the record's JSON as it was hashed; ``place`` is the file and line."""

    episode: str
    hash: str
    body: bytes
    timing: Timing
    place: str

    def record(self) -> Record:
        """The record itself.

        Raises:
            StudyError: the body is not a record, or its parts do not fit together.
        """
        try:
            record = _RECORD.decode(self.body)
        except _UNREADABLE as error:
            raise _damage(self.place, error) from None
        if fault := inconsistency(record):
            raise _damage(self.place, fault)
        return record

    def raw(self) -> bytes:
        """The line itself, without the line break."""
        return msgspec.json.encode(_Line(self.episode, self.hash, Raw(self.body), self.timing))

    def outcome(self) -> Outcome:
        """The outcome, without decoding the rest.

        Raises:
            StudyError: the body has none.
        """
        try:
            return _ENDED.decode(self.body).outcome
        except _UNREADABLE as error:
            raise _damage(self.place, error) from None


def hashed_line(name: str, body: Any, timing: Timing) -> bytes:
    """The stored form of ``body`` under ``name``, with the hash of its canonical JSON."""
    encoded = encode(body)
    return msgspec.json.encode(_Line(name, hashlib.sha256(encoded).hexdigest(), Raw(encoded), timing))


def read_line(raw: bytes, place: str = "a stored line") -> StoredLine:
    """A stored line. ``place`` is used in messages.

    Raises:
        StudyError: another version of the software wrote it, or it is not as it was written.
    """
    try:
        head = _HEAD_LINE.decode(raw).body
        _check_schema(bytes(head.schema), place)
        line = _LINE.decode(raw)
    except _UNREADABLE as error:
        raise _damage(place, error) from None
    if hashlib.sha256(line.body).hexdigest() != line.hash:
        raise _damage(place, "it does not match its hash")
    spec = bytes(head.spec)
    if spec and hashlib.sha256(spec).hexdigest()[:16] != line.episode:
        raise _damage(place, "its name is not that of its episode")
    if msgspec.json.encode(line) != raw.strip():
        raise _damage(place, "it has other parts than episode, hash, body and timing")
    return StoredLine(line.episode, line.hash, bytes(line.body), line.timing, place)


def segment_lines(path: Path, *, is_open: bool = False) -> Iterator[LogEntry]:
    """The lines of a segment with their line breaks. Blank lines are passed over, and a torn last one if it ``is_open``.

    Raises:
        StudyError: the segment cannot be read, is no regular file, or holds a line of more than
            :data:`~otherminds.core.log.LONGEST` bytes; a sealed one is damaged, empty, or larger than :data:`MOST`.
    """
    if path.suffix != ".zst":
        yield from Log(path, START).lines(torn=not is_open)
        return
    line = None
    for line in split_lines(path, _inflate(path)):
        yield line
    if line is None:
        raise _damage(path, "it holds no line", "it")


def segments_in(folder: Path) -> list[Path]:
    """The segments of a folder in order; a sealed one in place of its plain file. None if there is no such folder.

    Raises:
        DiskError: the folder cannot be listed, which does not mean that it is empty.
    """
    try:
        paths = sorted(folder.iterdir())
    except FileNotFoundError:
        if folder.is_symlink():
            raise DiskError(f"{folder}: is a link to a folder that does not exist; restore it") from None
        return []
    except OSError as error:
        raise DiskError(f"{folder}: cannot be read ({error.strerror}); restore the folder") from None
    plain = [path for path in paths if path.name.endswith(".jsonl")]
    sealed = [path for path in paths if path.name.endswith(".jsonl.zst")]
    by_number = {path.name.split(".")[0]: path for path in (*plain, *sealed)}
    return [by_number[number] for number in sorted(by_number)]


def lines_in(segments: Sequence[Path]) -> Iterator[StoredLine]:
    """Every stored line of ``segments``. A torn last line of the last one, if that is not sealed, is passed over.

    Raises:
        StudyError: a segment or a line is damaged or cannot be read, or another version of the software wrote it.
    """
    return (read_line(line.raw, f"{path}: line {line.number}") for path, line in _whole(segments))


def outcomes_in(segments: Sequence[Path]) -> Iterator[tuple[int, str]]:
    """The hash, as a number, and the status of every episode, in the order of :func:`lines_in` and without its checks.

    Raises:
        StudyError: a segment cannot be read, or a line has no hash or status.
    """
    for path, line in _whole(segments):
        try:
            stored = _ENDED_LINE.decode(line.raw)
            episode = int(stored.episode, 16)
        except _UNREADABLE as error:
            place = f"{path}: line {line.number}"
            read_line(line.raw, place)  # says more, if it fails
            raise _damage(place, error) from None
        yield episode, stored.body.outcome.status


def _whole(segments: Sequence[Path]) -> Iterator[tuple[Path, LogEntry]]:
    """The lines of ``segments`` but for a torn last one; of one that a run has sealed since, those of the sealed file."""
    for listed in segments:
        sealed = listed.with_name(listed.name + ".zst")
        path = sealed if listed.suffix != ".zst" and sealed.exists() else listed
        for line in segment_lines(path, is_open=path == segments[-1]):
            yield path, line


def _check_schema(schema: bytes, place: str) -> None:
    if schema == b"%d" % SCHEMA:
        return
    version = f"schema {ascii(schema[:20].decode('latin-1'))[1:-1]}" if schema else "no schema"
    raise StudyError(
        f"{place}: another version of otherminds wrote it ({version}; this version reads schema {SCHEMA}); "
        "read it with that version, or play the study again in a new folder"
    )


def _damage(place: object, why: object, part: str = "that line") -> StudyError:
    return StudyError(
        f"{place} is damaged ({why}); restore the file from a copy, or delete {part} to play its episodes again"
    )


def _inflate(path: Path) -> Iterator[bytes]:
    """The content of a sealed segment: one whole frame, and nothing after it."""
    frame = zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
    size = 0
    for chunk in read_chunks(path, FEED):
        if frame.eof:
            raise _damage(path, "it goes on after its compressed data", "it")
        try:
            inflated = frame.decompress(chunk)
        except zstandard.ZstdError as error:
            raise _damage(path, error, "it") from None
        size += len(inflated)
        if size > MOST:
            raise _damage(path, f"it holds more than {MOST // 2**20} MiB", "it")
        if frame.unused_data:
            raise _damage(path, "it goes on after its compressed data", "it")
        yield inflated
    if not frame.eof:
        raise _damage(path, "its compressed data end early", "it")
