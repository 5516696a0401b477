"""The stored form of records: segments of JSON lines, read with every check there is.

A line is ``{"episode", "hash", "body", "timing"}``; the hash is that of the body's bytes. A sealed segment
(``.zst``) is one zstd frame. What a segment holds is bounded before it is parsed, so that a small damaged
file cannot fill the memory.

The parts of a record must fit together, so that a measure of a damaged one never fails in the middle. Those of a record
that this software wrote do. Those of one that was edited, or that another program wrote under the right hash, may not."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from msgspec import Raw, Struct

from otherminds.core.data import Automaton, Encounter, Game
from otherminds.core.disk import DiskError, Log, LogEntry, read_chunks, split_lines
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding
from otherminds.core.record import CAUTION, SCHEMA, Call, Outcome, Record, Timing

TOLERANCE = 1e-6
"""How far the probabilities of a distribution may be from a sum of 1."""


def inconsistency(record: Record) -> str:
    """The first part of ``record`` that does not fit the others, in words; empty if all do."""
    return next(_faults(record), "")


def _faults(record: Record) -> Iterator[str]:
    seats = set(record.seats)
    width = len(record.seats)
    if len(seats) != width or seats != set(record.spec.seats):
        yield "its seats are not those of its episode"
    if not seats - record.partners.keys():
        yield "partners fill all of its seats"
    if not isinstance(record.facts.get(CAUTION, ""), str):
        yield "its caution is no text"
    if len(record.actions) != len(record.rewards):
        yield f"it has {len(record.actions)} rows of actions and {len(record.rewards)} of rewards"
    for name, rows in (("actions", record.actions), ("rewards", record.rewards)):
        if any(len(row) != width for row in rows):
            yield f"a row of {name} does not have one entry a seat"
    yield from _of_encounters(record)
    yield from _of_answers(record)
    spoken = (*record.questions, *record.choices, *record.calls, *record.notes)
    if not {part.seat for part in spoken} <= seats or not record.partners.keys() <= seats:
        yield "it names a seat that it does not have"
    if any(part.step < 0 for part in (*record.asked, *record.choices, *record.calls, *record.notes)):
        yield "something in it is before its first step"
    yield from _of_calls(record.calls)
    if record.game is not None:
        yield from _of_game(record.game)
    yield from _of_automata(record)


def _of_encounters(record: Record) -> Iterator[str]:
    seats, steps = set(record.seats), len(record.rewards)
    if not record.met.keys() <= seats:
        yield "it has encounters of a seat that it does not have"
    if record.game is not None and record.met.keys() != seats:
        yield "it lacks the encounters of a seat"
    for seat, met in record.met.items():
        last = -1
        for encounter in met:
            did, step = encounter.did, encounter.step
            if not 0 <= step < steps:
                yield f"an encounter is at step {step} of {steps}"
            if step < last:
                yield f"the encounters of {seat!r} are not in their order"
            if not did.keys() <= seats or not all(did.values()) or seat not in did:
                yield f"the encounter at step {step} is not one of its seats"
            last = step
            if record.game is not None:
                yield from _of_behaviours(record, record.game, encounter)


def _of_behaviours(record: Record, game: Game, encounter: Encounter) -> Iterator[str]:
    """The first seat plays the rows of the game, every other one its columns."""
    for seat, behaviours in encounter.did.items():
        if not set(behaviours) <= set(game.behaviours[seat != record.seats[0]]):
            yield f"the encounter at step {encounter.step} has a behaviour that the game does not have"
    if len(record.seats) == 2 and len(encounter.did) != 2:
        yield f"the encounter at step {encounter.step} lacks a seat"


def _of_answers(record: Record) -> Iterator[str]:
    for answer in record.asked:
        if not 0 <= answer.question < len(record.questions):
            yield "it has an answer to a question that it does not have"
            continue
        if answer.answer is None and answer.invalid is None:
            yield f"a question at step {answer.step} has neither an answer nor a reason why"
        options = record.questions[answer.question].options
        if options and any(
            option is not None and option not in options for option in (answer.answer, answer.truth)
        ):
            yield f"the answer at step {answer.step} is not an option of its question"


def _of_calls(calls: tuple[Call, ...]) -> Iterator[str]:
    message_counts: list[int] = []
    for n, call in enumerate(calls):
        try:
            msgspec.convert(call.config, Decoding)
        except msgspec.ValidationError as error:
            yield f"the decoding of call {n} is not one ({error})"
        if call.scores and len(call.scores) != len(call.continuations):
            yield f"call {n} does not have one score for each continuation"
        is_full = call.base < 0
        if not is_full and (call.base >= n or not 0 <= call.keep_messages <= message_counts[call.base]):
            yield f"the prompt of call {n} goes on from one that it does not have"
            return
        if (
            call.keep_chars
            and not is_full
            and (not call.added or call.keep_messages >= message_counts[call.base])
        ):
            yield f"the prompt of call {n} goes on from a message that it does not have"
            return
        message_counts.append(len(call.added) + (0 if is_full else call.keep_messages))


def _of_game(game: Game) -> Iterator[str]:
    rows, columns = map(len, game.behaviours)
    if (
        not rows
        or not columns
        or len(game.payoffs) != rows
        or any(len(row) != columns for row in game.payoffs)
    ):
        yield "its payoffs do not fit the behaviours of its game"


def _of_automata(record: Record) -> Iterator[str]:
    """Those of partners, and those of the population, which play the columns as partners do."""
    automata = [(partner.automaton, seat) for seat, partner in record.partners.items()]
    if record.bounds:
        automata += [(member.automaton, "") for member in record.bounds.population]
    for automaton, seat in automata:
        if automaton is None:
            continue
        yield from _of_automaton(automaton)
        if record.game is not None:
            rows, columns = map(len, record.game.behaviours)
            sides = (rows, columns) if seat == record.seats[0] else (columns, rows)
            if any(len(chances) != sides[0] for chances in automaton.output) or any(
                len(by_own) != sides[0] or any(len(row) != sides[1] for row in by_own)
                for by_own in automaton.next
            ):
                yield "an automaton does not play its game"


def _of_automaton(automaton: Automaton) -> Iterator[str]:
    states = len(automaton.output)
    following = [state for by_own in automaton.next for row in by_own for state in row]
    if len(automaton.next) != states or not all(
        0 <= state < states for state in (automaton.start, *following)
    ):
        yield "an automaton names a state that it does not have"
    widths = {len(row) for row in automaton.output} | {len(by_own) for by_own in automaton.next}
    if len(widths) > 1 or len({len(row) for by_own in automaton.next for row in by_own}) > 1:
        yield "the states of an automaton differ in their behaviours"
    for chances in automaton.output:
        if (
            not all(isfinite(chance) and chance >= 0 for chance in chances)
            or abs(sum(chances) - 1) > TOLERANCE
        ):
            yield "a distribution of an automaton does not add up to 1"


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
            :data:`~otherminds.core.disk.LONGEST` bytes; a sealed one is damaged, empty, or larger than :data:`MOST`.
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
