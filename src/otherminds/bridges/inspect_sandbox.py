"""The sandbox of authoring as one of Inspect: ``sandbox="otherminds"``, without a container or a service.

Inspect finds this module by its entry point. A sample has one workspace. Between two commands only its regular files
and folders last, with no permission but that to execute: processes, links and files elsewhere, as in ``/tmp``, do not.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, overload

from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)

from otherminds.sandbox.base import CommandLimits, open_sandbox
from otherminds.sandbox.bubblewrap import Bubblewrap
from otherminds.sandbox.exchange import WORKSPACE
from otherminds.sandbox.limits import MIB
from otherminds.sandbox.supervised import Supervised

SECONDS = 600
"""The time limit of a command for which Inspect gives none."""
ENV = "/usr/bin/env"
NOT_EXECUTABLE = 126
"""The exit status of ``env`` for a program that it finds and cannot start."""


@sandboxenv(name="otherminds")
class WorkspaceEnvironment(SandboxEnvironment):
    """A workspace in a folder of its own, in which each command runs by bubblewrap."""

    def __init__(self) -> None:
        self._kept = TemporaryDirectory(prefix="otherminds-", ignore_cleanup_errors=True)
        self._folder = Path(self._kept.name)

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        """Shows that the sandbox works here.

        Raises:
            StudyError: it does not; the text says what to install.
        """
        open_sandbox("bubblewrap")

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        return {"default": cls()}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            environment.as_type(cls)._kept.cleanup()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Runs a command. A relative ``cwd`` is one in the workspace.

        Raises:
            TimeoutError: it took longer than ``timeout``.
            PermissionError: the program cannot be executed.
            OutputLimitExceededError: it printed more than Inspect's limit.
            SandboxUserUnsupportedError: ``user`` is given: the sandbox has one user.
        """
        if user is not None:
            raise SandboxUserUnsupportedError(f"the sandbox has one user, and not {user!r}")
        most = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        limits = CommandLimits(
            seconds=timeout or SECONDS,
            cpu_seconds=timeout or SECONDS,
            memory_bytes=1024 * MIB,
            file_bytes=256 * MIB,
            files=10_000,
            output_bytes=most,
        )
        variables = [f"{name}={value}" for name, value in (env or {}).items()]
        argv = [ENV, "-C", os.path.join(WORKSPACE, cwd or "."), "--", *variables, *cmd]
        stdin = input.encode() if isinstance(input, str) else input or b""
        ran = await Supervised(Bubblewrap(), limits).execute(argv, self._folder, stdin)
        if ran.timed_out:
            raise TimeoutError(f"the command took longer than {limits.seconds:g} s")
        if ran.cut:
            printed = ran.stdout if "stdout" in ran.cut else ran.stderr
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, printed)
        if ran.code == NOT_EXECUTABLE and ran.stderr.startswith("/usr/bin/env:"):
            raise PermissionError(ran.stderr.strip())
        return ExecResult(ran.code == 0, ran.code, ran.stdout, ran.stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Writes a file of the workspace.

        Raises:
            PermissionError: ``file`` is outside the workspace.
            IsADirectoryError: it is a folder.
        """
        path = self._place(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Reads a file of the workspace.

        Raises:
            FileNotFoundError: there is none.
            PermissionError: ``file`` is outside the workspace.
            IsADirectoryError: it is a folder.
            UnicodeDecodeError: it is no text.
            OutputLimitExceededError: it is larger than Inspect's limit.
        """
        path = self._place(file)
        if path.stat().st_size > SandboxEnvironmentLimits.MAX_READ_FILE_SIZE:
            raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR, None)
        data = path.read_bytes()
        return data.decode() if text else data

    def _place(self, file: str) -> Path:
        """Where a file of the workspace is kept. No link is there, so that the name alone decides."""
        path = Path(os.path.normpath(os.path.join(WORKSPACE, file)))
        if not path.is_relative_to(WORKSPACE):
            raise PermissionError(f"{file}: only files in {WORKSPACE} can be read and written")
        return self._folder / path.relative_to(WORKSPACE)
