"""What is sent into a sandbox and what comes back: one request, one answer, which is not trusted.

A request is a line of JSON, the contents of its files in their order, and the standard input of the command. An
answer is the line ``ready`` before the command starts, a line of JSON (:class:`Answer`), the bytes of the two
streams, and the contents of its files. Only regular files and folders with plain names are named in it, so that no
link, pipe or device of a command exists outside, and their sizes are checked against the limits before one is written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.sandbox.limits import CommandLimits, FullWorkspaceError, Ran

WORKSPACE = "/workspace"
TEMPORARY = "/tmp"
READY = b"ready\n"
FULL = b"full\n"
"""The answer where the workspace does not fit into the sandbox: its file system counts blocks and folders too."""
NAMED = 20
"""How many refused names are told."""
DEEPEST = 16
"""How many names a path that is kept may have."""
LONGEST = 1024
"""The longest path that is kept, in bytes of UTF-8, so that it can be written below any folder of ours."""
LOCKS = 1000
"""How many locks on parts of files the processes of a command may hold together."""
SIGNALS = 4
"""How many signals may wait, and how many timers there may be, for each process that there may be."""


class Held(Struct, frozen=True, array_like=True):
    """A file of a workspace: its path from there, its size in bytes, and whether it can be executed."""

    path: str
    size: int
    executable: bool


class Answer(Struct, frozen=True):
    """What the first process in a sandbox tells: see :mod:`~otherminds.sandbox.supervisor`."""

    code: int
    why: str
    cut: tuple[bool, bool]
    streams: tuple[int, int]
    whole: bool
    folders: tuple[str, ...]
    files: tuple[Held, ...]
    other: tuple[str, ...]


class Contents(Struct, frozen=True):
    """The folders and files of a workspace, with the bytes of each file."""

    folders: tuple[str, ...] = ()
    files: dict[Held, bytes] = msgspec.field(default_factory=dict[Held, bytes])


def contents(folder: Path, limits: CommandLimits) -> Contents:
    """The regular files and folders in ``folder``; links are not followed, and not sent.

    Raises:
        FullWorkspaceError: they are more or larger than ``limits`` allow.
        StudyError: they cannot be read.
    """
    folders: list[str] = []
    files: dict[Held, bytes] = {}
    total = 0
    try:
        for place, inner, names in os.walk(folder, onerror=_raise_error):
            here = Path(place)
            folders += [
                str((here / name).relative_to(folder)) for name in inner if not (here / name).is_symlink()
            ]
            for name in sorted(names):
                about = (here / name).lstat()
                total += about.st_size
                if total > limits.file_bytes or len(files) + len(folders) >= limits.files:
                    raise FullWorkspaceError(
                        f"{folder}: holds more than a command may use ({limits.files} files, "
                        f"{limits.file_bytes} bytes); remove files"
                    )
                if stat.S_ISREG(about.st_mode):
                    data = (here / name).read_bytes()
                    path = str((here / name).relative_to(folder))
                    files[Held(path, len(data), bool(about.st_mode & 0o100))] = data
    except OSError as error:
        raise StudyError(f"{folder}: cannot be read ({error.strerror})") from None
    return Contents(tuple(sorted(folders)), files)


ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "HOME": TEMPORARY,
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    # glibc reserves 64 MiB of addresses for each thread otherwise: a program with six threads would reach RLIMIT_AS.
    "MALLOC_ARENA_MAX": "1",
}


def request(argv: Sequence[str], stdin: bytes, sent: Contents, limits: CommandLimits) -> bytes:
    """The bytes that the supervisor reads. ``argv`` begins with the path of a program of the sandbox."""
    most = limits.memory_bytes
    rlimits = [
        ("RLIMIT_AS", most),
        ("RLIMIT_CPU", limits.cpu_seconds),
        ("RLIMIT_FSIZE", limits.file_bytes),
        ("RLIMIT_NOFILE", 64),
        ("RLIMIT_MEMLOCK", 0),
        ("RLIMIT_MSGQUEUE", 0),
        ("RLIMIT_CORE", 1),  # 1 and not 0: a host that pipes cores to a program then starts none
        ("RLIMIT_NPROC", limits.processes),
        ("RLIMIT_SIGPENDING", SIGNALS * limits.processes),
    ]
    header = {
        "argv": argv,
        "workspace": WORKSPACE,
        "temporary": TEMPORARY,
        "environment": ENVIRONMENT,
        "rlimits": rlimits,
        "seconds": limits.seconds,
        "memory": most,
        "locks": LOCKS,
        "output": limits.output_bytes,
        "bytes": limits.file_bytes,
        "told": NAMED,
        "deepest": DEEPEST,
        "longest": LONGEST,
        "stdin": len(stdin),
        "folders": sent.folders,
        "files": list(sent.files),
    }
    return b"".join([msgspec.json.encode(header), b"\n", *sent.files.values(), stdin])


def longest_answer(limits: CommandLimits) -> int:
    """The most bytes that an answer can have."""
    return len(READY) + 4096 + limits.files * (2 * LONGEST + 64) + 2 * limits.output_bytes + limits.file_bytes


def unpack_answer(data: bytes, limits: CommandLimits) -> tuple[Ran, Contents | None]:
    """What an answer says, and the workspace that it brings; ``None`` keeps the one that there is.

    Raises:
        ValueError: it is not an answer that an unchanged supervisor gives within ``limits``.
    """
    line, _, payload = data.removeprefix(READY).partition(b"\n")
    answer = msgspec.json.decode(line, type=Answer)
    sizes = [*answer.streams, *(file.size for file in answer.files)]
    _check(answer, sizes, len(payload), limits)
    parts: list[bytes] = []
    for size in sizes:
        parts.append(payload[:size])
        payload = payload[size:]
    errors = parts[1].decode(errors="replace")
    notes = [f"not kept, as it is no file or folder with a plain name: {name}" for name in answer.other]
    if answer.why == "memory":
        notes.append(f"ended: more than {limits.memory_bytes} bytes of memory")
    if answer.why == "locks":
        notes.append(f"ended: more than {LOCKS} locks on parts of files")
    if not answer.whole:
        notes.append(f"the workspace is as it was: its files are larger than {limits.file_bytes} bytes")
    if notes:
        errors += "".join(f"\nsandbox: {note}" for note in notes) + "\n"
    ran = Ran(
        code=124 if answer.why == "time" else answer.code,
        stdout=parts[0].decode(errors="replace"),
        stderr=errors,
        timed_out=answer.why == "time",
        cut=tuple(name for name, cut in zip(("stdout", "stderr"), answer.cut, strict=True) if cut),
    )
    contents = dict(zip(answer.files, parts[2:], strict=True))
    return ran, Contents(answer.folders, contents) if answer.whole else None


def write_back(folder: Path, before: Contents, after: Contents) -> None:
    """Makes ``folder``, which holds ``before``, hold ``after``; files that did not change are not touched.

    Raises:
        StudyError: it cannot be written.
    """
    paths = {file.path for file in after.files}
    try:
        for file in before.files:
            if file.path not in paths:
                (folder / file.path).unlink()
        for name in sorted(set(before.folders) - set(after.folders), reverse=True):
            (folder / name).rmdir()
        for name in after.folders:
            (folder / name).mkdir(exist_ok=True)
        for file, data in after.files.items():
            if before.files.get(file) != data:
                path = folder / file.path
                path.unlink(missing_ok=True)
                path.write_bytes(data)
                path.chmod(0o755 if file.executable else 0o644)
    except OSError as error:
        raise StudyError(f"{folder}: cannot be written ({error.strerror}); make room") from None


def _check(answer: Answer, sizes: list[int], length: int, limits: CommandLimits) -> None:
    """Raises ``ValueError`` where an answer is not what an unchanged supervisor gives."""
    if min(sizes) < 0 or sum(sizes) != length or max(answer.streams) > limits.output_bytes:
        raise ValueError("an answer with other sizes than it says")
    names = [*answer.folders, *(file.path for file in answer.files)]
    folders = {".", *answer.folders}
    if (
        len(set(names)) != len(names)
        or len(names) > limits.files
        or sum(file.size for file in answer.files) > limits.file_bytes
        or len(answer.other) > NAMED
        or not all(name.isascii() and name.isprintable() for name in answer.other)
    ):
        raise ValueError("an answer beyond the limits")
    for name in names:
        path = PurePosixPath(name)
        if (
            not path.parts
            or str(path) != name
            or path.is_absolute()
            or {"..", "."} & set(path.parts)
            or str(path.parent) not in folders
            or len(path.parts) > DEEPEST
            or not name.isprintable()
            or len(name.encode()) > LONGEST
        ):
            raise ValueError("an answer with a path that is not plain")


def _raise_error(error: OSError) -> None:
    raise error
