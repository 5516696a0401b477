import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from otherminds import StudyError
from otherminds.sandbox.kinds import CommandLimits, Ran, Sandbox, open_sandbox

LIMITS = CommandLimits(
    seconds=60,
    cpu_seconds=60,
    memory_bytes=128 << 20,
    file_bytes=4 << 20,
    files=300,
    processes=24,
    output_bytes=20_000,
)


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return open_sandbox("auto", LIMITS)
    except StudyError as error:
        pytest.skip(str(error))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def ran(sandbox: Sandbox, workspace: Path) -> Callable[..., Ran]:
    """Runs a command in the sandbox, in the workspace of this test."""

    def run(command: str, stdin: bytes = b"") -> Ran:
        return asyncio.run(sandbox.run(command, workspace, stdin))

    return run
