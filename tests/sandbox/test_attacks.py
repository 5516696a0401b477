"""What a command tries against the sandbox gains nothing, tells nothing, and leaves nothing behind."""

import asyncio
import ctypes
import gc
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from otherminds.sandbox.kinds import Bubblewrap, Sandbox
from otherminds.sandbox.supervised import Supervised
from tests.sandbox.attacks import ATTACKS, Attack
from tests.sandbox.conftest import LIMITS
from tests.sandbox.host import MARK, SECRET, filled, secrets_of

PR_SET_CHILD_SUBREAPER = 36
SHARED = [
    Path(place)
    for place in ("/", "/usr", "/usr/bin", "/etc", "/tmp", "/var/tmp", "/dev", "/dev/shm", "/mnt", "/run")
]


@pytest.fixture
def host(tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, object]]:
    monkeypatch.setenv("OTHERMINDS_API_KEY", SECRET)
    with secrets_of(tmp_path) as names:
        yield names


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Processes without a parent become ours, so that each is seen; there is none more, nor a mount, afterwards."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    processes, mounts = children(), Path("/proc/self/mountinfo").read_text()
    yield
    left = children() - processes
    for _ in range(1000):
        if not left:
            break
        for process in left:
            with suppress(ChildProcessError):
                os.waitpid(process, os.WNOHANG)
        threading.Event().wait(0.01)
        left = children() - processes
    libc.prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    assert not left
    assert Path("/proc/self/mountinfo").read_text() == mounts
    assert not [place for place in SHARED if (place / MARK).exists()]


def children() -> set[int]:
    while True:
        tasks = Path("/proc/self/task").glob("*/children")
        # A thread that ends while it is looked at leaves its children to another one.
        with suppress(FileNotFoundError, ProcessLookupError):
            return {int(number) for task in tasks for number in task.read_text().split()}


def stamps(folder: Path) -> dict[str, int]:
    """When each thing beside the workspace was changed."""
    return {path.name: path.lstat().st_mtime_ns for path in folder.iterdir() if path.name != "workspace"}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
@pytest.mark.usefixtures("nothing_left")
def test_an_attack_gains_nothing(
    attack: Attack, sandbox: Sandbox, host: dict[str, object], tmp_path: Path, workspace: Path
) -> None:
    beside = stamps(tmp_path)
    limits = msgspec.structs.replace(LIMITS, seconds=attack.seconds)
    inside = Supervised(Bubblewrap(), limits)
    for text in filter(None, (attack.command, attack.then)):
        result = asyncio.run(inside.run(filled(text, host), workspace))
        shown = f"{result.code}|{result.stdout}|{result.stderr}"
        assert SECRET not in shown
    assert re.fullmatch(attack.happens, shown, re.DOTALL), shown
    assert result.timed_out == (result.code == 124)
    assert stamps(tmp_path) == beside
    left = sorted(workspace.rglob("*"))
    assert [str(path.relative_to(workspace)) for path in left] == sorted(attack.left)
    assert all(path.is_dir() or path.is_file() for path in left)
    assert not any(path.is_symlink() for path in left)
    assert not any(path.is_file() and path.lstat().st_nlink > 1 for path in left)


@pytest.mark.usefixtures("nothing_left", "sandbox")
def test_a_process_that_computes_is_ended(workspace: Path) -> None:
    limits = msgspec.structs.replace(LIMITS, cpu_seconds=1)
    ran = asyncio.run(Supervised(Bubblewrap(), limits).run("trap '' XCPU; while :; do :; done", workspace))
    assert (ran.code, ran.timed_out) == (137, False)


@pytest.mark.usefixtures("nothing_left", "sandbox")
def test_a_cancelled_command_leaves_nothing_and_the_workspace_as_it_was(workspace: Path) -> None:
    async def cancelled() -> None:
        running = asyncio.create_task(Supervised(Bubblewrap(), LIMITS).run("touch new; sleep 60", workspace))
        await asyncio.sleep(0.3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    gc.collect()  # what is left open warns, which fails the test
    assert not list(workspace.iterdir())


KILLED = """
import asyncio, sys
from pathlib import Path
from otherminds.sandbox.kinds import CommandLimits
from otherminds.sandbox.kinds import Bubblewrap
from otherminds.sandbox.supervised import Supervised
command = "trap '' TERM HUP INT; (setsid sleep 50 &) ; sleep 50"
asyncio.run(Supervised(Bubblewrap(), CommandLimits(seconds=60)).run(command, Path(sys.argv[1])))
"""


@pytest.mark.usefixtures("nothing_left", "sandbox")
def test_nothing_is_left_when_our_process_is_killed(workspace: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(workspace)])
    for _ in range(6000):
        if below(process.pid) >= 4:  # bwrap, the supervisor, bash, sleep
            break
        threading.Event().wait(0.01)
    assert below(process.pid) >= 4
    process.kill()
    process.wait()
    assert not list(workspace.iterdir())


def below(process: int) -> int:
    """How many processes descend from ``process``."""
    try:
        tasks = [task.read_text().split() for task in Path(f"/proc/{process}/task").glob("*/children")]
    except OSError:
        return 0
    return sum(1 + below(int(number)) for numbers in tasks for number in numbers)
