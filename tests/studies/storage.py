"""Faults of storage for tests and ``benchmarks/hardening_storage.py``: a billed model, damaged files, full disks."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import resource
import shutil
import signal
import socket
import sqlite3
import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import zstandard

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Usage
from otherminds.core.record import SCHEMA
from otherminds.core.segments import lines_in, segments_in
from otherminds.models.registry import models
from tests.cli.running import otherminds

MODEL = "test_storage"
EPISODES, ROUNDS = 4, 4
STUDY = f"""
name = "storage"
episodes = {EPISODES}
rounds = {ROUNDS}
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@{MODEL}"]
"""
LONGEST = 60
"""Seconds after which a command hangs."""
NOBODY = 65534


class Service:
    """A model that counts how often it answers each call; ``fault`` is called before every answer."""

    spec = MODEL
    context = 10_000
    concurrency = 2

    def __init__(self) -> None:
        self.asked: Counter[int] = Counter()
        self.fault: Callable[[], None] = lambda: None

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        await asyncio.sleep(0)
        self.fault()
        self.asked[decoding.seed] += 1
        return Completion(f"A: Option {'JF'[decoding.seed % 2]}", usage=Usage(20, 4, 5))

    def count(self, text: str) -> int:
        return len(text)

    @property
    def again(self) -> int:
        """Calls that were answered once more."""
        return self.asked.total() - len(self.asked)


@contextmanager
def served(service: Service | None = None) -> Iterator[Service]:
    """The model, under the name :data:`MODEL`."""
    service = service or Service()
    models._known[MODEL] = lambda rest: service
    try:
        yield service
    finally:
        del models._known[MODEL]


@dataclass
class Ran:
    """What is left of a command. ``code`` is -1 where it hung; ``said`` are the lines that begin with its name."""

    code: object
    said: list[str]
    shown: str

    @property
    def one_line(self) -> bool:
        """Whether it ended as a wrong file should: exit code 2, one line, no traceback."""
        return self.code == 2 and len(self.said) == 1 and "Traceback" not in self.shown

    @property
    def stopped(self) -> bool:
        """Whether it ended as a run should that its folder or disk failed: exit code 1, one line, no traceback."""
        return self.code == 1 and len(self.said) == 1 and "Traceback" not in self.shown


def command(*words: object) -> Ran:
    """One command in this process, ended after :data:`LONGEST` seconds. A traceback is an error of the caller."""

    def hung(*_: object) -> None:
        raise TimeoutError(f"{words} hangs")

    signal.signal(signal.SIGALRM, hung)
    signal.alarm(LONGEST)
    try:
        done = otherminds(*words)
    except TimeoutError:
        return Ran(-1, [], "hangs")
    finally:
        signal.alarm(0)
    shown = f"{done.stdout}{done.stderr}"
    said = [line for line in done.stderr.splitlines() if line.startswith("otherminds: ")]
    return Ran(done.returncode, said, shown)


def recorded(out: Path) -> dict[str, str]:
    """The hash of each recorded episode."""
    return {line.episode: line.hash for line in lines_in(segments_in(out / "records"))}


def recorded_run(folder: Path) -> tuple[Path, Path]:
    """A study file and the output folder of its finished run."""
    folder.mkdir(parents=True, exist_ok=True)
    study, out = folder / "storage.toml", folder / "out"
    study.write_text(STUDY, encoding="utf-8")
    done = command("run", study, "--out", out)
    assert done.code == 0, done.shown
    return study, out


# Damage of sealed segments


def packed(plain: bytes) -> bytes:
    """A sealed segment."""
    return zstandard.ZstdCompressor(level=6, write_checksum=True).compress(plain)


def flipped(content: bytes, at: int) -> bytes:
    """``content`` with one bit of byte ``at`` flipped."""
    changed = bytearray(content)
    changed[at] ^= 1
    return bytes(changed)


def flipped_in_body(plain: bytes) -> bytes:
    """``plain`` with one bit flipped in the body of its first record, which its hash covers."""
    return flipped(plain, plain.index(b',"timing":') - 100)


@cache
def bomb(piece: bytes, mebibytes: int) -> bytes:
    """A frame of ``piece`` over and over, made without ever holding its content."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    block = piece * (2**20 // len(piece))
    parts = [compressor.compress(block) for _ in range(mebibytes)]
    return b"".join([*parts, compressor.flush()])


def flushed(plain: bytes) -> bytes:
    """The frame up to the end of its first line: what was decompressed so far looks whole."""
    compressor = zstandard.ZstdCompressor().compressobj()
    first = plain[: plain.index(b"\n") + 1]
    return compressor.compress(first) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)


def in_body(plain: bytes, old: bytes, new: bytes) -> bytes:
    """The first line of ``plain`` with another body, and the hash of that body."""
    first, _, rest = plain.partition(b"\n")
    line = msgspec.json.decode(first, type=dict[str, msgspec.Raw])
    body = bytes(line["body"]).replace(old, new, 1)
    digest = sha256(body).hexdigest()
    start = b'{"episode":%b,"hash":"%b","body":' % (bytes(line["episode"]), digest.encode())
    return start + body + b',"timing":' + bytes(line["timing"]) + b"}\n" + rest


DELETED = object()
DEEP = b"[" * 100_000 + b"]" * 100_000
FACTS = b'"facts":{%b}'
SEGMENTS: dict[str, Callable[[bytes], bytes]] = {
    "a flipped byte": lambda plain: flipped(packed(plain), -60),
    "a truncated frame": lambda plain: packed(plain)[:-20],
    "a frame without its end": lambda plain: packed(plain)[:-4],
    "a frame cut at a line": flushed,
    "no bytes": lambda plain: b"",
    "zeros": lambda plain: bytes(4096),
    "text": lambda plain: plain,
    "a frame of nothing": lambda plain: packed(b""),
    "a frame of blank lines": lambda plain: packed(b"\n \n\n"),
    "a bomb of zeros": lambda plain: bomb(b"\0", 512),
    "a bomb of line breaks": lambda plain: bomb(b"\n", 512),
    "a bomb of one line": lambda plain: bomb(b'{"episode":"', 512),
    "two frames": lambda plain: packed(plain) + packed(plain),
    "rubbish after the frame": lambda plain: packed(plain) + b"rubbish",
    "faulty UTF-8": lambda plain: packed(b"\xff\xfe" + plain),
    "faulty JSON": lambda plain: packed(plain.replace(b":", b";", 3)),
    "deep nesting": lambda plain: packed(DEEP + b"\n" + plain),
    "deep nesting in a body": lambda plain: packed(in_body(plain, FACTS % b"", FACTS % (b'"x":' + DEEP))),
    "a key twice": lambda plain: packed(plain.replace(b'"hash"', b'"episode":"x","hash"', 1)),
    "a key twice in the end": lambda plain: packed(plain.replace(b'"timing"', b'"timing":{},"timing"', 1)),
    "NaN": lambda plain: packed(plain.replace(b'"seed":', b'"seed":NaN,"x":', 1)),
    "NaN under its hash": lambda plain: packed(in_body(plain, FACTS % b"", FACTS % b'"x":NaN')),
    "faulty UTF-8 under its hash": lambda plain: packed(in_body(plain, FACTS % b"", FACTS % b'"\xff":1')),
    "another name": lambda plain: packed(plain.replace(b'"episode":"', b'"episode":"0', 1)),
    "another schema": lambda plain: packed(in_body(plain, b'"schema":%d' % SCHEMA, b'"schema":3')),
}
"""What can be wrong with a sealed segment, and how to make it from the segment's lines."""
SCHEMAS: dict[str, bytes] = {
    "schema 3": b'"schema":3',
    "schema 5": b'"schema":5',
    "schema 4.0": b'"schema":4.0',
    "schema null": b'"schema":null',
    'schema "4"': b'"schema":"4"',
    "schema true": b'"schema":true',
    "schema [4]": b'"schema":[4]',
    "no schema": b'"former":4',
}
"""Versions that this one does not read: what a message calls them, and how they are written."""


def mutated(content: bytes, rng: random.Random) -> bytes:
    """``content`` with one random change."""
    at = rng.randrange(len(content))
    length = rng.choice((1, 1, 2, 8, 200))
    inside = content[at : at + length]
    new = rng.choice(
        (
            b"",
            bytes(rng.randrange(256) for _ in inside),
            inside * 2,
            inside[::-1] + b"\0",
            bytes([content[at] ^ 1 << rng.randrange(8)]),
            rng.choice(
                (b"NaN", b"1e999", b"null", b"\xff", b"[[[[", b'"', b"}", b"\n", b"\n\n", b"-1", b"\\u0000")
            ),
        )
    )
    return content[:at] + new + content[at + length :]


def forged(plain: bytes, rng: random.Random) -> bytes:
    """``plain`` with one random change of the values in its first record, under the hash of what came of it."""
    body = bytes(msgspec.json.decode(plain.partition(b"\n")[0], type=dict[str, msgspec.Raw])["body"])
    record = msgspec.json.decode(body)
    at: Any = {part: value for part, value in record.items() if part not in {"spec", "schema"}}
    key = rng.choice([*at])
    at = record
    while isinstance(at[key], dict | list) and at[key] and rng.random() < 0.8:
        at = at[key]
        key = rng.choice([*at]) if isinstance(at, dict) else rng.randrange(len(at))
    new = rng.choice((DELETED, None, -1, 46, 10**30, 1e300, "x\n", [], {}))
    if new is DELETED:
        del at[key]
    else:
        at[key] = new
    return in_body(plain, body, msgspec.json.encode(record))


# Files of a wrong kind, locks, full disks


def put_folder(path: Path) -> None:
    path.mkdir()


def put_pipe(path: Path) -> None:
    os.mkfifo(path)


def put_socket(path: Path) -> None:
    held = os.getcwd()
    os.chdir(path.parent)  # the address of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(held)


def put_dangling(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def put_loop(path: Path) -> None:
    path.symlink_to(path)


def put_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS: dict[str, Callable[[Path], None]] = {
    "a folder": put_folder,
    "a named pipe": put_pipe,
    "a socket": put_socket,
    "a dangling link": put_dangling,
    "a loop of links": put_loop,
    "a device": put_device,
}


def in_place_of(path: Path, put: Callable[[Path], None]) -> None:
    """Puts something where a run has a file or folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    put(path)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the write lock of a database, as another process would."""
    held = sqlite3.connect(path, isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        held.close()


@contextmanager
def file_limit(size: int) -> Iterator[None]:
    """No file can grow beyond ``size`` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def failing_sync(n: int) -> Iterator[None]:
    """The n-th ``fsync`` finds the disk full."""
    sync, left = os.fsync, n

    def full(file: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    with patch.object(os, "fsync", full):
        yield


@contextmanager
def without_permission(out: Path, name: str, mode: int) -> Iterator[None]:
    """``out / name`` with ``mode``; root, whom no mode stops, gives up its rights meanwhile."""
    path = out / name
    before = stat.S_IMODE(path.stat().st_mode)
    root = os.geteuid() == 0
    if root:
        for part in (out, *out.rglob("*")):
            os.chown(part, NOBODY, -1)
    path.chmod(mode)
    try:
        if root:
            os.seteuid(NOBODY)
        yield
    finally:
        if root:
            os.seteuid(0)
        path.chmod(before)
