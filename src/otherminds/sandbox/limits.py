"""What one command in a sandbox may use, and what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

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
