"""The records of a study on disk: append-only JSON lines, one episode per line.

A line is ``{"episode", "hash", "body", "timing"}``; the hash is that of the body's bytes. Full
shards are compressed. An incomplete last line, as after a crash, is dropped by
:meth:`Store.repair`; nothing else is.
"""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import zstandard

from otherminds.core.encoding import encode
from otherminds.core.errors import InternalError, StudyError
from otherminds.core.record import SCHEMA, EpisodeSpec, Outcome, Record, Timing

SHARD = 64 * 2**20
"""A shard of more bytes than this is compressed."""


class StoredLine(msgspec.Struct, frozen=True):
    """One stored episode; ``body`` is the record's JSON as it was hashed."""

    episode: str
    hash: str
    body: msgspec.Raw
    timing: Timing

    def record(self) -> Record:
        """The record itself."""
        return _RECORD.decode(self.body)

    def outcome(self) -> Outcome:
        """The outcome, without decoding the rest."""
        return _HEAD.decode(self.body).outcome


class _Head(msgspec.Struct):
    outcome: Outcome


class _Schema(msgspec.Struct):
    schema: int = SCHEMA


class _Written(msgspec.Struct):
    body: _Schema


_WRITTEN = msgspec.json.Decoder(_Written)
_LINE = msgspec.json.Decoder(StoredLine)
_RECORD = msgspec.json.Decoder(Record)
_HEAD = msgspec.json.Decoder(_Head)


def line_of(record: Record, timing: Timing) -> bytes:
    """The stored form of a record, without the line break."""
    return hashed_line(record.spec.hash, record, timing)


def hashed_line(name: str, body: Any, timing: Timing) -> bytes:
    """The stored form of ``body`` under ``name``, with the hash of its canonical JSON."""
    encoded = encode(body)
    return msgspec.json.encode(
        StoredLine(name, hashlib.sha256(encoded).hexdigest(), msgspec.Raw(encoded), timing)
    )


def failed_line(spec: EpisodeSpec, error: BaseException) -> bytes:
    """The stored form of an episode that failed with an unexpected error."""
    outcome = Outcome("failed", InternalError.blame, f"{type(error).__name__}: {error}")
    record = Record(spec, tuple(spec.seats), {}, None, {}, None, [], [], {}, outcome=outcome)
    return line_of(record, Timing())


def read_line(raw: bytes, place: object = "a stored line") -> StoredLine | None:
    """A stored line; ``None`` if it is incomplete or does not match its hash. ``place`` is used in messages.

    Raises:
        StudyError: another version of the software wrote it.
    """
    try:
        schema = _WRITTEN.decode(raw).body.schema
        if schema != SCHEMA:
            raise StudyError(
                f"{place}: another version of otherminds wrote it (schema {schema}; this version reads schema {SCHEMA}); "
                "read it with that version, or play the study again in a new folder"
            )
        line = _LINE.decode(raw)
    except msgspec.DecodeError:
        return None
    return line if hashlib.sha256(line.body).hexdigest() == line.hash else None


class Store:
    """The records of one output folder, in ``folder/records``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "records"

    def repair(self) -> str:
        """Drops an incomplete last line of the open shard. Returns a message about it, or an empty text.

        Raises:
            StudyError: another version of the software wrote the line; nothing is dropped.
        """
        path = self._open_shard()
        if path is None:
            return ""
        raw = path.read_bytes()
        start = raw.rstrip(b"\n").rfind(b"\n") + 1
        last = raw[start:]
        if not last or (last.endswith(b"\n") and read_line(last, path) is not None):
            return ""
        with path.open("r+b") as file:
            file.truncate(start)
        return f"{path.name}: dropped an incomplete last line of {len(last)} bytes; its episode will be played again"

    def check(self) -> None:
        """Checks the version of the records by the first one: records of two versions are never mixed.

        Raises:
            StudyError: another version of the software wrote it.
        """
        for path in self._shards()[:1]:
            read_line(next(_rows(path), b""), path)

    def append(self, lines: Sequence[bytes]) -> None:
        """Adds finished episodes; they are on disk when this returns.

        Raises:
            StudyError: they cannot be written. Records that were there before are kept.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            path = self._open_shard() or self.folder / f"{len(self._shards()):05}.jsonl"
            with path.open("ab") as file:
                file.write(b"".join(line + b"\n" for line in lines))
                file.flush()
                os.fsync(file.fileno())
                full = file.tell() > SHARD
        except OSError as error:
            raise StudyError(
                f"{self.folder}: cannot be written ({error.strerror}); run the study again once it can"
            ) from error
        if full:
            seal(path)

    def lines(self) -> Iterator[StoredLine]:
        """Every stored episode, oldest first, without an incomplete last line.

        Raises:
            StudyError: a line before the last is damaged, or another version of the software wrote it.
        """
        for path in self._shards():
            rows = enumerate(_rows(path), 1)
            for n, raw in rows:
                line = read_line(raw, path) if raw.endswith(b"\n") else None
                if line is not None:
                    yield line
                elif next(rows, None) or path != self._open_shard():
                    raise StudyError(
                        f"{path}: line {n} is damaged (it does not match its hash); "
                        "restore the file, or delete that line to play its episode again"
                    )
                # Else it is incomplete after a crash; repair() drops it.

    def _shards(self) -> list[Path]:
        """Shards in order; a compressed one in place of its plain file."""
        paths = [*self.folder.glob("*.jsonl"), *self.folder.glob("*.jsonl.zst")]
        by_number = {path.name.split(".")[0]: path for path in paths}
        return [by_number[number] for number in sorted(by_number)]

    def _open_shard(self) -> Path | None:
        shards = self._shards()
        return shards[-1] if shards and shards[-1].suffix == ".jsonl" else None


def seal(path: Path) -> Path:
    """Compresses a shard, then deletes the plain file."""
    sealed = path.with_name(path.name + ".zst")
    part = sealed.with_name(sealed.name + ".part")
    with path.open("rb") as source, part.open("wb") as target:
        zstandard.ZstdCompressor(level=6).copy_stream(source, target)
        target.flush()
        os.fsync(target.fileno())
    part.replace(sealed)
    path.unlink()
    return sealed


def _rows(path: Path) -> Iterator[bytes]:
    """The lines of a shard with their line breaks.

    Raises:
        StudyError: the shard cannot be read.
    """
    try:
        with path.open("rb") as file:
            if path.suffix == ".zst":
                with zstandard.ZstdDecompressor().stream_reader(file) as stream:
                    yield from io.BufferedReader(stream)
            else:
                yield from file
    except (OSError, zstandard.ZstdError) as error:
        raise StudyError(f"{path}: cannot be read ({error}); restore the file") from error
