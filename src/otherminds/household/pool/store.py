"""Pools of proved tasks: a folder to which tasks are added, one packed file, or a shipped split.

A folder has ``ledger.jsonl``, a line per kept task with what was proved about it (Juneja et al. 2026, sections 4 and 5), which
is the commit point; ``tasks/ID.json`` and ``certificates/ID.json.gz``; ``rejected.jsonl``, a line per rejected seed;
``seconds.jsonl``, the processor time of each seed; and ``pool.json``, the settings. All but the seconds are the same bytes for
the same settings. A packed pool is one file ``NAME.jsonl.gz``, a line per task with its entry, without certificates. The
shipped splits are packed pools, read when a name of one is first looked up."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import Struct

from otherminds.core.disk import Log, read_file, replace_file
from otherminds.core.errors import StudyError, TaskError
from otherminds.core.text import hint, near, quote_name
from otherminds.core.user_files import check_kind, is_file, is_folder
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.task import Task

Pattern: TypeAlias = Literal["delegation", "sequencing", "relay", "gated", "mixed"]
"""The functional patterns of the generator.

``gated`` is an action that needs a piece of information, and ``mixed`` cooperation with private goals.
"""
PATTERNS: tuple[Pattern, ...] = get_args(Pattern)


class PoolEntry(Struct, frozen=True):
    """What a pool knows of one task.

    ``task_id`` is made of the pattern and the seed (``relay_1042``), ``structure`` is a digest that is equal for tasks
    that are equal up to names, ``sha256`` and ``certificate`` are the digests of :func:`task_json` and of the
    certificate's JSON. ``levels`` has the runs, of 3, that each reference team solves, and ``cheap`` the cheap teams that
    solve the task, each with the multiples of T* after which the goal holds; ``None`` if they were not tried.
    """

    task_id: str
    pattern: Pattern
    seed: int
    structure: str
    sha256: str
    verdicts: tuple[ProofVerdict, ...]
    levels: dict[str, int]
    certificate: str
    cheap: dict[str, tuple[int, ...]] | None = None


class PooledTask(Struct, frozen=True):
    """A task of a pool with its entry."""

    entry: PoolEntry
    task: Task


def canonical(task: Task) -> Task:
    """The task whose fields are their defaults where they equal them: equal tasks are then written as equal bytes.

    ``omit_defaults`` compares texts by identity, which they lose on their way to another process.
    """
    data: dict[str, Any] = msgspec.to_builtins(task)
    defaults = {field.name: field.default for field in msgspec.structs.fields(Task)}
    return msgspec.convert({name: value for name, value in data.items() if value != defaults[name]}, Task)


def task_json(task: Task) -> bytes:
    """The canonical JSON of a task: equal bytes for equal tasks."""
    return msgspec.json.encode(canonical(task), order="deterministic")


def digest_bytes(content: bytes) -> str:
    """The SHA-256 of ``content`` as 64 hexadecimal digits."""
    return sha256(content).hexdigest()


S = TypeVar("S", bound=Struct)
LEDGER, REJECTED, SECONDS, CARD = "ledger.jsonl", "rejected.jsonl", "seconds.jsonl", "pool.json"
PACKED = ".jsonl.gz"
LARGEST = 256 * 2**20
"""Bytes of a packed pool, unpacked."""
RESTORE = "restore the file, or generate the pool again"


class Rejection(Struct, frozen=True):
    """A rejected seed with the verdict or check that rejects it."""

    seed: int
    verdict: str


class SeedSeconds(Struct, frozen=True):
    """The processor time of one seed by step, in seconds."""

    seed: int
    seconds: dict[str, float]


def is_pool(path: Path) -> bool:
    """Whether ``path`` is the folder of a pool or the file of a packed one."""
    return (path.name.endswith(PACKED) and is_file(path)) or (is_folder(path) and is_file(path / CARD))


def read_pool(path: Path) -> tuple[PooledTask, ...]:
    """The tasks of a pool, a folder or a packed file, in the order in which they were kept.

    A last line of the ledger that is being written or was torn is not read.

    Raises:
        TaskError: there is no pool, a line is damaged, or a task is missing or is not the one of its entry; the text
            names the file and the line.
    """
    if is_folder(path):
        if not is_file(path / CARD):
            raise TaskError(f"{path}: no pool: it has no {CARD}; make one with `otherminds pools generate`")
        tasks = [
            (place, PooledTask(entry, _task(path, entry, place)))
            for place, entry in _placed_values(path / LEDGER, PoolEntry)
        ]
    else:
        if not path.name.endswith(PACKED):
            raise TaskError(f"{path}: no pool: a pool is a folder with {CARD}, or a packed file NAME{PACKED}")
        tasks = list(_decode_lines(path, enumerate(BytesIO(_unpack(path)), 1), PooledTask))
    first_places: dict[str, str] = {}
    for place, pooled in tasks:
        entry = pooled.entry
        if digest_bytes(task_json(pooled.task)) != entry.sha256:
            raise TaskError(
                f"{place}: task {entry.task_id!r} is not the task of its entry (sha256); {RESTORE}"
            )
        if first := first_places.get(entry.task_id):
            raise TaskError(f"{place}: task {entry.task_id!r} is there twice, first in {first}; {RESTORE}")
        first_places[entry.task_id] = place
    return tuple(pooled for _, pooled in tasks)


def pack(tasks: Sequence[PooledTask], path: Path) -> None:
    """Writes ``tasks`` as a packed pool: equal bytes for equal tasks.

    Raises:
        StudyError: the file cannot be written, or its name does not end with ``.jsonl.gz``.
    """
    if not path.name.endswith(PACKED):
        raise StudyError(f"{path}: a packed pool is a file NAME{PACKED}; choose such a name")
    raw = b"".join(line_of(PooledTask(pooled.entry, canonical(pooled.task))) for pooled in tasks)
    replace_file(path, gzip.compress(raw, mtime=0))


def read_certificate(folder: Path, entry: PoolEntry) -> bytes:
    """The JSON of the certificate of a task.

    Raises:
        TaskError: it is missing, damaged, or not the one of the entry.
    """
    path = certificate_path(folder, entry.task_id)
    raw = _unpack(path)
    if digest_bytes(raw) != entry.certificate:
        raise TaskError(f"{path}: not the certificate of the entry of {entry.task_id!r} (sha256); {RESTORE}")
    return raw


def task_path(folder: Path, task_id: str) -> Path:
    """The file of a task in a pool's folder."""
    return folder / "tasks" / f"{task_id}.json"


def certificate_path(folder: Path, task_id: str) -> Path:
    """The file of a certificate in a pool's folder."""
    return folder / "certificates" / f"{task_id}.json.gz"


def line_of(value: Struct) -> bytes:
    """A line of a pool's file: JSON with sorted keys, and a line break."""
    return msgspec.json.encode(value, order="deterministic") + b"\n"


def read_log(path: Path, kind: type[S]) -> tuple[S, ...]:
    """The values in the file ``path`` of a pool's folder, without a torn last line; none if there is no file.

    Raises:
        TaskError: a line is damaged, or the file cannot be read.
    """
    return tuple(value for _, value in _placed_values(path, kind))


def _placed_values(path: Path, kind: type[S]) -> Iterator[tuple[str, S]]:
    """The values of :func:`read_log`, each with its place."""
    try:
        lines = [(line.number, line.raw) for line in Log(path).lines()] if path.exists() else []
    except StudyError as error:
        raise TaskError(str(error)) from None
    return _decode_lines(path, lines, kind)


def _decode_lines(path: Path, lines: Iterable[tuple[int, bytes]], kind: type[S]) -> Iterator[tuple[str, S]]:
    """The values in numbered lines of the file ``path``, each with its place."""
    decoder = msgspec.json.Decoder(kind)
    for number, line in lines:
        place = f"{path}, line {number}"
        try:
            yield place, decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise TaskError(f"{place}: damaged ({error}); {RESTORE}") from None


def _task(folder: Path, entry: PoolEntry, place: str) -> Task:
    if not re.fullmatch(r"\w+", entry.task_id):
        raise TaskError(f"{place}: {quote_name(entry.task_id)} is no name of a task; {RESTORE}")
    path = task_path(folder, entry.task_id)
    if not is_file(path):
        raise TaskError(f"{place}: there is no file {path}; {RESTORE}")
    try:
        return msgspec.json.decode(_bytes(path), type=Task)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TaskError(f"{place}: {path} is damaged ({error}); {RESTORE}") from None


def _bytes(path: Path) -> bytes:
    try:
        return read_file(path)
    except StudyError as error:
        raise TaskError(str(error)) from None


def _unpack(path: Path) -> bytes:
    raw = _bytes(path)
    try:
        with gzip.open(BytesIO(raw)) as file:
            content = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TaskError(f"{path}: a damaged gzip file ({error}); {RESTORE}") from None
    if len(content) > LARGEST:
        raise TaskError(f"{path}: larger than {LARGEST // 2**20} MiB, unpacked; divide the pool")
    return content


SHIPPED = Path(__file__).with_name("shipped")


def shipped_splits() -> tuple[str, ...]:
    """The names of the shipped splits, sorted."""
    return tuple(sorted(path.name.removesuffix(PACKED) for path in SHIPPED.glob(f"*{PACKED}")))


def load_split(name: str) -> dict[str, PooledTask]:
    """The tasks of a shipped split by their id, in its order. Nothing in them is changed.

    Raises:
        TaskError: there is no such split, or its file is damaged.
    """
    if name not in shipped_splits():
        raise TaskError(f"there is no split {quote_name(name)}{hint(name, shipped_splits())}")
    return _tasks(SHIPPED / f"{name}{PACKED}")


def pool_called(name: str) -> tuple[PooledTask, ...]:
    """The tasks of a shipped split by its name, or of the pool at a path: a folder or a packed file.

    Raises:
        TaskError: there is no such split or pool, or it is damaged.
    """
    path = Path(name)
    if name in shipped_splits() and not is_folder(path):
        return tuple(load_split(name).values())
    if not is_file(path) and not is_folder(path):
        check_kind(path, TaskError)
        meant = near(name, shipped_splits()) or "; `otherminds pools generate` makes pools"
        raise TaskError(f"{quote_name(name)}: neither a split nor a pool{meant}")
    return read_pool(path)


@cache
def _tasks(path: Path) -> dict[str, PooledTask]:
    return {pooled.entry.task_id: pooled for pooled in read_pool(path)}
