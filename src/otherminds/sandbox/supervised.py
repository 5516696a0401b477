"""A sandbox whose first process is the supervisor, whichever runtime sets it up."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol
from uuid import uuid4

from otherminds.core.errors import StudyError
from otherminds.sandbox.exchange import (
    FULL,
    READY,
    contents,
    longest_answer,
    request,
    unpack_answer,
    write_back,
)
from otherminds.sandbox.limits import CommandLimits, FullWorkspaceError, Ran

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
        """See :meth:`~otherminds.sandbox.limits.Sandbox.run`."""
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
