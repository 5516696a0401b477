"""A sandbox whose first process is the supervisor, whichever runtime sets it up: its limits, and what crosses its border.

What is sent is one request, and what comes back one answer, which is not trusted.

A request is a line of JSON, the contents of its files in their order, and the standard input of the command. An
answer is the line ``ready`` before the command starts, a line of JSON (:class:`Answer`), the bytes of the two
streams, and the contents of its files. Only regular files and folders with plain names are named in it, so that no
link, pipe or device of a command exists outside, and their sizes are checked against the limits before one is written."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
from asyncio.subprocess import PIPE, Process
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Protocol
from uuid import uuid4

import msgspec
from msgspec import Struct

from otherminds.core.errors import StudyError

MIB = 1 << 20


class FullWorkspaceError(StudyError):
    """A workspace holds more than the limits of a command, so that none can be run in it."""


class CommandLimits(Struct, frozen=True):
    """What one command and every process that it starts may use.

    Attributes:
        seconds: wall-clock time.
        cpu_seconds: processor time of each process.
        memory_bytes: address space of each process, and memory of all of them together.
        file_bytes: the workspace and the folder for temporary files together.
        files: how many files and folders both may hold together.
        processes: how many processes and threads there may be at once.
        output_bytes: what is kept of standard output, and of standard error.
    """

    seconds: float = 30
    cpu_seconds: int = 30
    memory_bytes: int = 512 * MIB
    file_bytes: int = 32 * MIB
    files: int = 2000
    processes: int = 64
    output_bytes: int = 64 * 1024


class Ran(Struct, frozen=True):
    """What a command did.

    Attributes:
        code: its exit status: 128 + the number of a signal that ended it, 124 after the time limit.
        stdout: what it printed, at most ``output_bytes`` of it. What is not UTF-8 is replaced; control characters
            are kept, so that it has to be escaped before a terminal shows it.
        stderr: the same of standard error, and last a line for each thing that the sandbox refused to keep.
        timed_out: whether it was ended by the time limit.
        cut: the streams of which something is missing.
    """

    code: int
    stdout: str
    stderr: str
    timed_out: bool = False
    cut: tuple[str, ...] = ()


class Sandbox(Protocol):
    """Runs the commands of someone who is not trusted. ``name`` is recorded with what they did."""

    name: str

    async def run(self, command: str, folder: Path, stdin: bytes = b"") -> Ran:
        """Runs ``command`` by ``bash -c`` in the workspace ``folder``, and returns when all its processes have ended.

        ``folder`` afterwards holds the regular files and folders that the command left there, and nothing else.

        Raises:
            FullWorkspaceError: ``folder`` holds more than a command may use.
            StudyError: the sandbox cannot be set up, or ``folder`` cannot be read or written.
        """
        ...


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


class WorkspaceFile(Struct, frozen=True, array_like=True):
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
    files: tuple[WorkspaceFile, ...]
    other: tuple[str, ...]


class Contents(Struct, frozen=True):
    """The folders and files of a workspace, with the bytes of each file."""

    folders: tuple[str, ...] = ()
    files: dict[WorkspaceFile, bytes] = msgspec.field(default_factory=dict[WorkspaceFile, bytes])


def contents(folder: Path, limits: CommandLimits) -> Contents:
    """The regular files and folders in ``folder``; links are not followed, and not sent.

    Raises:
        FullWorkspaceError: they are more or larger than ``limits`` allow.
        StudyError: they cannot be read.
    """
    folders: list[str] = []
    files: dict[WorkspaceFile, bytes] = {}
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
                    files[WorkspaceFile(path, len(data), bool(about.st_mode & 0o100))] = data
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


GRACE = 10
"""Seconds that setting up and packing may take beyond the time limit of the command."""
CHUNK = 1 << 16
BASH = "/bin/bash"
TOLD = 500
"""How many characters of a runtime's own errors are told."""


LOADER = "import sys; exec(sys.stdin.buffer.read(int(sys.stdin.buffer.readline())))"
"""What the Python of a sandbox is started with: it runs the source that is sent, after the line with its length."""


@cache
def supervisor() -> bytes:
    """The source of the supervisor, as :data:`LOADER` reads it."""
    source = files("otherminds.sandbox").joinpath("supervisor.py").read_bytes()
    return b"%d\n%b" % (len(source), source)


class Runtime(Protocol):
    """What sets up a sandbox.

    Attributes:
        name: recorded with what ran in it.
        seccomp: a filter that the runtime reads from a file of ours; empty for none.
        user: whom the runtime runs as; ``None`` for ourselves.
    """

    name: str
    seccomp: bytes
    user: int | None

    def started(self, limits: CommandLimits, label: str, seccomp: int = -1) -> list[str]:
        """The command that sets up the sandbox ``label`` and runs the supervisor in it.

        ``seccomp`` is the number of the open file with the filter, if there is one.
        """
        ...

    def list_removal(self, label: str) -> list[str]:
        """The command that removes the sandbox ``label`` where ending the first command does not; empty for none."""
        ...


class Supervised:
    """A sandbox by ``runtime``: each command gets a copy of the workspace in memory, which is copied back."""

    def __init__(self, runtime: Runtime, limits: CommandLimits) -> None:
        self.name = runtime.name
        self.limits = limits
        self._runtime = runtime

    async def run(self, command: str, folder: Path, stdin: bytes = b"") -> Ran:
        """See :meth:`~otherminds.sandbox.supervised.Sandbox.run`."""
        return await self.execute((BASH, "-c", command), folder, stdin)

    async def execute(self, argv: Sequence[str], folder: Path, stdin: bytes = b"") -> Ran:
        """As :meth:`run`, for a program, by its path in the sandbox, and its arguments.

        ``folder`` is as it was if the sandbox ended before it answered.
        """
        before = contents(folder, self.limits)
        message = supervisor() + request(argv, stdin, before, self.limits)
        try:
            async with asyncio.timeout(self.limits.seconds + GRACE):
                data, errors = await self._exchange(message)
        except TimeoutError:
            return Ran(124, "", f"sandbox: ended after {self.limits.seconds:g} s", timed_out=True)
        if data == FULL:
            raise FullWorkspaceError(f"{folder}: does not fit into the sandbox; remove files")
        if not data.startswith(READY):
            reason = " ".join(errors.decode(errors="replace").split())[-TOLD:]
            raise StudyError(f"the sandbox {self.name} cannot be set up: {reason or 'no error was told'}")
        try:
            ran, after = unpack_answer(data, self.limits)
        except ValueError:
            return Ran(137, "", "sandbox: the command ended the sandbox; the workspace is as it was\n")
        if after is not None:
            write_back(folder, before, after)
        return ran

    async def _exchange(self, message: bytes) -> tuple[bytes, bytes]:
        """What the supervisor and the runtime answer. Nothing of the sandbox is left when this returns or raises."""
        label = f"otherminds-{uuid4().hex}"
        with _memory_file(self._runtime.seccomp) as seccomp:
            argv = self._runtime.started(self.limits, label, *seccomp)
            try:
                process = await asyncio.create_subprocess_exec(
                    *argv,
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=PIPE,
                    pass_fds=seccomp,
                    user=self._runtime.user,
                    group=self._runtime.user,
                    extra_groups=None if self._runtime.user is None else [],
                    cwd="/",
                )
            except OSError as error:
                raise StudyError(f"the sandbox {self.name} cannot be set up: {error.strerror}") from None
        assert process.stdout
        assert process.stderr
        try:
            data, errors, _ = await asyncio.gather(
                _first(process.stdout, longest_answer(self.limits)),
                _first(process.stderr, CHUNK),
                _send_request(process, message),
            )
        finally:
            await self._end(process, label)
        return data, errors

    async def _end(self, process: Process, label: str) -> None:
        await end(process)
        if removed := self._runtime.list_removal(label):
            other = await asyncio.create_subprocess_exec(*removed, stdout=PIPE, stderr=PIPE)
            await other.communicate()


async def end(process: Process) -> None:
    """Ends ``process`` if it runs, and closes its pipes, whoever else holds their other ends."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)  # Process.kill() would reap it behind the loop's back
    await process.wait()
    process._transport.close()  # pyright: ignore[reportAttributeAccessIssue] - there is no public way
    await asyncio.sleep(0)


async def _send_request(process: Process, message: bytes) -> None:
    """Sends the request, and leaves the stream open: the supervisor ends everything when it is closed."""
    assert process.stdin
    process.stdin.write(message)
    with suppress(BrokenPipeError, ConnectionResetError):
        await process.stdin.drain()


async def _first(stream: asyncio.StreamReader, most: int) -> bytes:
    """What comes from ``stream`` until its end, or until it is more than ``most`` bytes."""
    data = bytearray()
    while len(data) <= most and (chunk := await stream.read(CHUNK)):
        data += chunk
    return bytes(data)


@contextmanager
def _memory_file(data: bytes) -> Generator[tuple[int, ...]]:
    """An open file without a name that holds ``data``; none for no data."""
    if not data:
        yield ()
        return
    file = os.memfd_create("seccomp")
    try:
        os.write(file, data)
        os.lseek(file, 0, os.SEEK_SET)
        yield (file,)
    finally:
        os.close(file)
