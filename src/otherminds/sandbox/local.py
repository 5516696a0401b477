"""No sandbox: commands run on this machine with our rights. Only where the name ``unsafe-local`` is given."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
from asyncio.subprocess import PIPE
from contextlib import suppress
from pathlib import Path

from otherminds.core.errors import StudyError
from otherminds.sandbox.limits import CommandLimits, Ran
from otherminds.sandbox.supervised import end

CHUNK = 1 << 16


class UnsafeLocal:
    """Runs commands as they are. Time and output are limited, the environment is empty; nothing else is kept apart."""

    name = "unsafe-local"

    def __init__(self, limits: CommandLimits) -> None:
        self.limits = limits

    async def run(self, command: str, folder: Path, stdin: bytes = b"") -> Ran:
        """Runs ``command`` in ``folder``; what leaves its group is not ended with it.

        Raises:
            StudyError: bash cannot be started.
        """
        try:
            process = await asyncio.create_subprocess_exec(
                *("/bin/bash", "-c", command),
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                cwd=folder,
                env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8", "TERM": "dumb"},
                start_new_session=True,
            )
        except OSError as error:
            raise StudyError(f"{folder}: bash cannot be started there ({error.strerror})") from None
        assert process.stdin
        assert process.stdout
        assert process.stderr
        output = {"stdout": bytearray(), "stderr": bytearray()}
        cut: set[str] = set()

        async def take(name: str, stream: asyncio.StreamReader) -> None:
            while chunk := await stream.read(CHUNK):
                room = self.limits.output_bytes - len(output[name])
                output[name] += chunk[:room]
                if len(chunk) > room:
                    cut.add(name)

        async def give(stream: asyncio.StreamWriter) -> None:
            stream.write(stdin)
            with suppress(BrokenPipeError, ConnectionResetError):
                await stream.drain()
            stream.close()

        timed_out = False
        try:
            async with asyncio.timeout(self.limits.seconds):
                await asyncio.gather(
                    take("stdout", process.stdout),
                    take("stderr", process.stderr),
                    give(process.stdin),
                    process.wait(),
                )
        except TimeoutError:
            timed_out = True
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await end(process)
            restore_access(folder)
        code = process.returncode or 0
        return Ran(
            code=124 if timed_out else 128 - code if code < 0 else code,
            stdout=output["stdout"].decode(errors="replace"),
            stderr=output["stderr"].decode(errors="replace"),
            timed_out=timed_out,
            cut=tuple(sorted(cut)),
        )


def restore_access(folder: Path) -> None:
    """Lets us read and write ``folder`` and what is in it again, where a command has taken that permission away."""
    waiting = [str(folder)]
    while waiting:
        place = waiting.pop()
        with suppress(OSError):
            mode = os.lstat(place).st_mode
            access = 0o700 if stat.S_ISDIR(mode) else 0o600 if stat.S_ISREG(mode) else 0
            if mode & access != access:
                os.chmod(place, stat.S_IMODE(mode) | access)
            if stat.S_ISDIR(mode):
                waiting += [entry.path for entry in os.scandir(place)]
