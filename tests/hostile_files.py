"""Hostile copies of files that native code unpacks, made from their structure, and the functions that read them.

For the tests and ``benchmarks/hardening_native.py``: policies (safetensors), packed scenes and pools (gzip), certificates
(gzip and JSON), segments (zstd), databases of replies (SQLite) and arrays of checkpoints (npz).
"""

from __future__ import annotations

import gzip
import io
import json
import random
import sqlite3
import struct
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import zstandard

from otherminds.core.errors import StudyError
from otherminds.core.model import Completion
from otherminds.core.segments import lines_in
from otherminds.gridworlds.learning.stored_arrays import arrays_of
from otherminds.household.epistemic.certificate import EpistemicProblem
from otherminds.household.epistemic.check import RejectedError, check
from otherminds.household.pool.store import PACKED, read_pool
from otherminds.household.scenes.load import SUFFIX, decode, shipped_scenes
from otherminds.minds.learned.files import read_policy
from otherminds.minds.learned.policy import policy_of
from otherminds.models.wrappers import Replies
from tests.core.test_segments import line
from tests.household.epistemic.small import WHOLE
from tests.minds.learned.making import description, file_of, tensors
from tests.mutations import EDGES, flipped, truncated

JSON_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1.5, 1e308, 2**31, 2**53, 2**63, 2**64, 10**400, "", "x", "F64", "\0", "\ud800"),
    *([], [[]], [0], [-1], [2**40], [2**62, 2**62], [0, 2**63], [1] * 100_000, {}, {"a": 1}),
)
BOMB = 2**28
"""Bytes that small copies unpack to."""
ABOUT = description("pd-repeated", "opre")
KEPT = Completion("yes")
RECURSIVE = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, i, i FROM n"


class Door(NamedTuple):
    """A sound file and its hostile copies by name, and how it is read; ``ending`` is that of its name."""

    ending: str
    sound: Callable[[], bytes]
    copies: Callable[[random.Random], Iterator[tuple[str, bytes]]]
    read: Callable[[Path], object]


def damaged(sound: bytes, rng: random.Random, count: int = 250) -> Iterator[tuple[str, bytes]]:
    """Copies with flipped bits, cut, or with numbers at an edge in the first or last 200 bytes."""
    for number in range(count):
        yield f"bits flipped {number}", flipped(sound, rng)
        yield f"cut {number}", truncated(sound, rng)
        form = rng.choice(("<H", "<I", "<Q", ">I", ">H"))
        size = struct.calcsize(form)
        near = rng.randrange(min(200, len(sound) - size))
        place = near if number % 2 else len(sound) - size - near
        edge = rng.choice(EDGES) % 2 ** (8 * size)
        yield f"{edge} at {place}", sound[:place] + struct.pack(form, edge) + sound[place + size :]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in JSON data."""
    yield path
    entries = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, one in entries:
        yield from places(one, (*path, key))


def value_at(value: Any, path: tuple[Any, ...]) -> Any:
    """The value at ``path`` in JSON data."""
    for step in path:
        value = value[step]
    return value


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """A copy of JSON data with another value at ``path``."""
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


def policy() -> bytes:
    return file_of(tensors(ABOUT, 0, (2, 3, 3), options=2), ABOUT)


def policies(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Each field of each tensor, each key of the description, and the length of the header with other values."""
    sound = policy()
    size = int.from_bytes(sound[:8], "little")
    header, body = json.loads(sound[8 : 8 + size]), sound[8 + size :]
    about = json.loads(header["__metadata__"]["otherminds"])

    def packed(changed: Any) -> bytes:
        raw = json.dumps(changed).encode()
        return struct.pack("<Q", len(raw)) + raw + body

    for path in places(header):
        if not path or path[0] == "__metadata__":
            continue
        for other in JSON_VALUES if len(path) == 2 else rng.sample(JSON_VALUES, 6):
            yield f"{path} = {str(other)[:30]}", packed(replaced(header, path, other))
    for path in places(about):
        for other in JSON_VALUES if len(path) == 1 else rng.sample(JSON_VALUES, 2):
            text = json.dumps(replaced(about, path, other))
            yield (
                f"description {path} = {str(other)[:30]}",
                packed({**header, "__metadata__": {"otherminds": text}}),
            )
    for edge in EDGES:
        yield f"a header of {edge}", struct.pack("<Q", edge % 2**64) + sound[8:]
    for name, raw in (("nan", "<f"), ("inf", "<f")):
        values = struct.pack(raw, float(name)) * (len(body) // 4)
        yield f"weights of {name}", sound[: 8 + size] + values
    yield from damaged(sound, rng)


def scene() -> bytes:
    return (
        files("otherminds").joinpath(f"household/scenes/shipped/{shipped_scenes()[0]}{SUFFIX}").read_bytes()
    )


def scenes(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Values of the JSON inside, fields of gzip's header and trailer, and bombs."""
    sound = scene()
    data = json.loads(gzip.decompress(sound))
    for path in rng.sample(list(places(data)), 450):
        other = rng.choice(JSON_VALUES)
        yield (
            f"{path} = {str(other)[:30]}",
            _gzipped(json.dumps(replaced(data, path, other)).encode(), 1),
        )
    for key in data:
        without = {name: value for name, value in data.items() if name != key}
        yield f"no {key}", _gzipped(json.dumps(without).encode(), 1)
    for flags in range(0, 256, 5):
        yield f"flags {flags}", sound[:3] + bytes([flags]) + sound[4:]
    for method in (0, 7, 9, 255):
        yield f"method {method}", sound[:2] + bytes([method]) + sound[3:]
    zeros = _gzipped(bytes(2**24), 9)
    yield "a bomb of many members", zeros * (BOMB // 2**24)
    yield "a bomb of spaces around a value", _gzipped(b" " * BOMB + b"{}", 1)
    yield "gzip in gzip", _gzipped(zeros)
    yield "lists, a million deep", _gzipped(b"[" * 10**6)
    yield "a number of a million digits", _gzipped(b'{"scene_id": ' + b"9" * 10**6 + b"}")
    yield "bytes after it", sound + b"x"
    yield "twice", sound * 2
    yield from damaged(sound, rng, 200)


def _gzipped(data: bytes, level: int = 9) -> bytes:
    return gzip.compress(data, level, mtime=0)


def pool() -> bytes:
    """The first two tasks of a split."""
    split = files("otherminds").joinpath(f"household/pool/shipped/dev{PACKED}").read_bytes()
    return _gzipped(b"".join(gzip.decompress(split).splitlines(keepends=True)[:2]))


def pools(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Values of the entry and of the task inside, lines that are not all there, bombs, and damage."""
    sound = pool()
    first, second = map(json.loads, gzip.decompress(sound).splitlines())
    for path in rng.choices(list(places(first)), k=450):
        other = rng.choice(JSON_VALUES)
        rows = (replaced(first, path, other), second)
        yield (
            f"{path} = {str(other)[:30]}",
            _gzipped("".join(f"{json.dumps(row)}\n" for row in rows).encode(), 1),
        )
    yield "a bomb of one line", _gzipped(b'{"task":"' + b"x" * BOMB, 1)
    yield "a bomb of line breaks", _gzipped(b"\n" * BOMB, 1)
    yield "twice", sound * 2
    yield from damaged(sound, rng, 200)


def certificate() -> bytes:
    return _gzipped(msgspec.json.encode(WHOLE))


def certificates(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Values anywhere, with the digest of the changed problem where it has one; bombs, and damage."""
    whole = json.loads(msgspec.json.encode(WHOLE))
    paths = list(places(whole))
    for number, path in enumerate(rng.choices(paths, k=800)):
        other = rng.choice(JSON_VALUES) if number % 2 else value_at(whole, rng.choice(paths))
        changed = replaced(whole, path, other)
        with suppress(msgspec.ValidationError, KeyError, TypeError, OverflowError, UnicodeEncodeError):
            changed["digest"] = msgspec.convert(changed["problem"], EpistemicProblem).sha256()
        yield f"{path} = {str(other)[:30]}", _gzipped(json.dumps(changed).encode(), 1)
    yield "a bomb of spaces", _gzipped(b" " * BOMB + b"{}", 1)
    yield "lists, a million deep", _gzipped(b"[" * 10**6)
    yield "a number of a million digits", _gzipped(b'{"task": ' + b"9" * 10**6 + b"}")
    yield "twice", certificate() * 2
    yield from damaged(certificate(), rng, 100)
    yield from damaged(msgspec.json.encode(WHOLE), rng, 100)


def segment() -> bytes:
    return zstandard.ZstdCompressor(level=6, write_checksum=True).compress(
        b"".join(line(k) + b"\n" for k in range(8))
    )


def segments(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Frames that claim other sizes and windows, bombs, and lines with other values."""
    sound = segment()
    lines = [json.loads(line(k)) for k in range(3)]
    for path in places(lines[0]):
        for other in JSON_VALUES[:-2]:
            text = json.dumps(replaced(lines[0], path, other))
            yield f"{path} = {str(other)[:30]}", zstandard.compress(f"{text}\n".encode())
    for descriptor in range(256):
        yield f"descriptor {descriptor}", sound[:4] + bytes([descriptor]) + sound[5:]
    for size in (2**31, 2**40, 2**62, 2**64 - 2):
        claimed = sound[:4] + b"\xe4" + struct.pack("<Q", size) + sound[6:]
        yield f"a claim of {size} bytes", claimed
    for window in range(0, 256, 8):
        yield f"window {window}", sound[:4] + b"\x04" + bytes([window]) + sound[6:]
    for level in (1, 19):
        yield f"a bomb, level {level}", zstandard.ZstdCompressor(level=level).compress(bytes(BOMB))
    yield "a bomb of one line", zstandard.compress(b'{"episode":"' + b"x" * BOMB)
    yield "a bomb of line breaks", zstandard.compress(b"\n" * BOMB)
    yield "many frames", sound * 1_000
    yield "a skippable frame of 4 GiB", b"\x50\x2a\x4d\x18\xff\xff\xff\xff" + sound
    yield from damaged(sound, rng)


def replies() -> bytes:
    return _database("")


def _database(script: str) -> bytes:
    """A database of replies after ``script``; without it, a sound one."""
    database = sqlite3.connect(":memory:")
    database.executescript(
        "CREATE TABLE replies (owner TEXT NOT NULL, call BLOB NOT NULL, answer BLOB NOT NULL, "
        "PRIMARY KEY (owner, call)) STRICT, WITHOUT ROWID;"
    )
    rows = [("", bytes([k]) * 16, b'{"text":"yes"}') for k in range(40)]
    database.executemany("INSERT INTO replies VALUES (?, ?, ?)", rows)
    database.commit()
    database.executescript(script)
    return database.serialize()


SCHEMAS = {
    "a view without end": f"DROP TABLE replies; CREATE VIEW replies(owner, call, answer) AS {RECURSIVE};",
    "a trigger without end": f"CREATE TRIGGER t BEFORE INSERT ON replies BEGIN SELECT count(*) FROM ({RECURSIVE}); END;",
    "a trigger that deletes": "CREATE TRIGGER t AFTER INSERT ON replies BEGIN DELETE FROM replies; END;",
    "a virtual table": "DROP TABLE replies; CREATE VIRTUAL TABLE replies USING fts5(owner, call, answer);",
    "other columns": "DROP TABLE replies; CREATE TABLE replies (x);",
    "answers of another type": "DROP TABLE replies; CREATE TABLE replies (owner, call, answer, PRIMARY KEY (owner, call)); "
    "INSERT INTO replies VALUES ('', x'00000000000000000000000000000000', 7);",
    "answers that are no JSON": "UPDATE replies SET answer = x'ff';",
    "answers that are deep": f"UPDATE replies SET answer = CAST('{'[' * 5_000}' AS BLOB);",
    "a long answer": "UPDATE replies SET answer = zeroblob(200000000) WHERE call = x'00000000000000000000000000000000';",
    "a generated column": "DROP TABLE replies; CREATE TABLE replies (owner, call, answer AS (zeroblob(999999999)), PRIMARY KEY (owner, call));"
    "INSERT INTO replies VALUES ('', x'00000000000000000000000000000000');",
    "a check that is costly": "DROP TABLE replies; CREATE TABLE replies (owner, call, answer CHECK (length(randomblob(999999999)) > 0));",
    "an index that is costly": "DELETE FROM replies; CREATE INDEX i ON replies (length(hex(zeroblob(1000 + length(answer)))));",
}


def databases(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Schemas that run by themselves, fields of the file's header, and damage."""
    sound = replies()
    for name, script in SCHEMAS.items():
        yield name, _database(script)
    for place in range(100):
        for value in (0, 1, 127, 255):
            yield f"header byte {place} = {value}", sound[:place] + bytes([value]) + sound[place + 1 :]
    yield from damaged(sound, rng, 200)


def arrays() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, a=np.arange(12.0).reshape(3, 4), b=np.array(["x", "yy"]))
    return buffer.getvalue()


HEADERS = (
    "{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2147483648, 2147483648), }",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<U1000000000', 'fortran_order': False, 'shape': (4,), }",
    "{'descr': [('a', '<f8'), ('b', '|O')], 'fortran_order': False, 'shape': (1,), }",
    "{'descr': '<f8'}",
    "__import__('os').system('false')",
    "[" * 5_000,
    "{'descr': '<f8', 'fortran_order': False, 'shape': (" + "1, " * 2_000 + "), }",
)


def archives(rng: random.Random) -> Iterator[tuple[str, bytes]]:
    """Headers that claim other arrays, compressed and encrypted members, and damage."""
    sound = arrays()
    for number, header in enumerate(HEADERS):
        raw = header.encode()
        member = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(raw)) + raw + bytes(32)
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            yield f"header {number}, method {method}", _zipped({"a.npy": member}, method)
    yield "a bomb", _zipped({"a.npy": bytes(2**26)}, zipfile.ZIP_DEFLATED)
    yield "an object", _zipped({"a.npy": _pickled()}, zipfile.ZIP_STORED)
    yield "no arrays", _zipped({"a.txt": b"x"}, zipfile.ZIP_STORED)
    yield "nothing", _zipped({}, zipfile.ZIP_STORED)
    yield from damaged(sound, rng, 350)


def _zipped(members: dict[str, bytes], method: int) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as packed:
        for name, data in members.items():
            packed.writestr(zipfile.ZipInfo(name), data, method)
    return buffer.getvalue()


def _pickled() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}], object), allow_pickle=True)
    return buffer.getvalue()


def _read_replies(path: Path) -> object:
    held = Replies(path)
    try:
        found = [held.get("", bytes([k]) * 16) for k in range(40)]
        held.put("", b"new", b'{"text":"no"}')
        return [held.decoded(one, Completion) for one in found if one is not None]
    finally:
        held.close()


def _read_arrays(path: Path) -> object:
    try:
        return arrays_of(path.read_bytes())
    except ValueError as error:
        raise StudyError(f"{path}: {error}") from None


def _check(path: Path) -> object:
    try:
        return check(path.read_bytes())
    except RejectedError as error:
        raise StudyError(f"{path}: {error}") from None


DOORS = {
    "safetensors": Door(
        "safetensors", policy, policies, lambda path: policy_of(read_policy(path), "mutated", str(path))
    ),
    "packed scene": Door("json.gz", scene, scenes, lambda path: decode(path.read_bytes(), str(path))),
    "packed pool": Door(PACKED.removeprefix("."), pool, pools, read_pool),
    "certificate": Door("json", certificate, certificates, _check),
    "segment": Door("jsonl.zst", segment, segments, lambda path: [one.record() for one in lines_in([path])]),
    "SQLite": Door("sqlite", replies, databases, _read_replies),
    "npz": Door("npz", arrays, archives, _read_arrays),
}
