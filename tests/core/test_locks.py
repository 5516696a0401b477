"""Locks of folders and keys: one holder, whatever becomes of names; and none that outlives its process."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from otherminds.core import locks
from otherminds.core.errors import StudyError
from otherminds.core.locks import LOCK, Lock, RunStoppedError, holding_key, is_locked

HOLDER = """
import sys, time
from pathlib import Path
from otherminds.core.locks import Lock
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""
ASKER = """
import asyncio, sys
from pathlib import Path
from otherminds.core.locks import holding_key
async def main():
    async with holding_key(Path(sys.argv[1]), b"x" * 16):
        print("held", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


@pytest.fixture
def holder(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the folder."""
    yield from started(HOLDER, folder)


def started(script: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def replaced(path: Path) -> None:
    path.unlink()
    path.touch()


def copied(path: Path) -> None:
    path.rename(path.with_name("aside"))
    shutil.copy(path.with_name("aside"), path)


def linked(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("elsewhere"))
    path.with_name("elsewhere").touch()


FILES: dict[str, Callable[[Path], None]] = {
    "as it was": lambda path: None,
    "deleted": Path.unlink,
    "renamed": lambda path: path.rename(path.with_name("aside")) and None,
    "made again": replaced,
    "copied": copied,
    "linked": linked,
}


def through_link(folder: Path) -> Path:
    link = folder.with_name("link")
    link.symlink_to(folder)
    return link


def through_proc(folder: Path) -> Path:
    """By way of another root of the file system, as a mount has."""
    return Path(f"/proc/self/root{folder}")


def mounted(folder: Path) -> Path:
    at = folder.with_name("mounted")
    at.mkdir()
    done = subprocess.run(["mount", "--bind", folder, at], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this user can mount nothing")
    return at


NAMES: dict[str, Callable[[Path], Path]] = {
    "its name": lambda folder: folder,
    "another name": lambda folder: folder.rename(folder.with_name("renamed")),
    "a link": through_link,
    "another root": through_proc,
    "a way around": lambda folder: folder / ".." / folder.name,
    "a mount": mounted,
}


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_has_one_holder_under_every_name_and_whatever_becomes_of_its_lock(
    name: str, holder: subprocess.Popen[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "LOOK", 0.05)
    reached = NAMES[name](folder)
    try:
        for file, harm in FILES.items():
            if file != "as it was":
                (reached / LOCK).touch()
            harm(reached / LOCK)
            assert is_locked(reached), file
            with pytest.raises(StudyError, match="another run is writing here"):
                Lock(reached)
        holder.kill()
        holder.wait()
        assert not is_locked(reached)
        Lock(reached).release()
    finally:
        if name == "a mount":
            subprocess.run(["umount", reached], check=True)


def test_a_lock_where_folders_cannot_be_locked_is_that_of_its_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on some network file systems."""

    def refuse(file: int, kind: int) -> None:
        raise OSError(9, "Bad file descriptor")

    monkeypatch.setattr(locks.fcntl, "flock", refuse)
    monkeypatch.setattr(locks, "LOOK", 0.05)
    held = Lock(folder)
    assert is_locked(folder)
    with pytest.raises(StudyError, match="another run is writing here"):
        Lock(folder)
    held.release()
    assert not is_locked(folder)


def test_a_lock_that_is_released_or_refused_leaves_nothing_open(folder: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    held = Lock(folder)
    with pytest.raises(StudyError):
        Lock(folder)
    held.release()
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_is_watched_may_not_be_swapped_while_it_is_written(folder: Path) -> None:
    held = Lock(folder)
    (folder / "a").write_text("1")
    held.watch([folder / "a"], sized=True)
    held.check()
    with (folder / "a").open("a") as file:
        file.write("2")
    with pytest.raises(RunStoppedError, match="was replaced"):
        held.check()
    held.watch([folder / "a"], sized=True)
    held.check()
    (folder / "b").write_text("12")
    (folder / "b").replace(folder / "a")
    with pytest.raises(RunStoppedError, match="was replaced"):
        held.watch([folder / "a"], sized=True)
    held.release()


def test_a_key_has_one_holder_and_others_do_not_wait(folder: Path) -> None:
    """In one process: calls with the same key follow each other, those with other keys do not."""
    path, log = folder / "keys", []

    async def ask(key: bytes, go: asyncio.Event) -> None:
        async with holding_key(path, key):
            log.append((key[:1], "in"))
            await go.wait()
            log.append((key[:1], "out"))

    async def main() -> None:
        first, second, other = asyncio.Event(), asyncio.Event(), asyncio.Event()
        tasks = [asyncio.create_task(ask(b"a" * 16, first))]
        await asyncio.sleep(0)
        tasks += [asyncio.create_task(ask(b"a" * 16, second)), asyncio.create_task(ask(b"b" * 16, other))]
        second.set()
        other.set()
        await tasks[2]
        assert (b"a", "out") not in log
        first.set()
        await asyncio.gather(*tasks)

    asyncio.run(main())
    assert [entry for entry in log if entry[0] == b"a"] == [(b"a", "in"), (b"a", "out")] * 2


def test_a_key_is_free_once_its_holder_is_killed(folder: Path) -> None:
    asking = started(ASKER, folder / "keys")
    process = next(asking)

    async def main() -> list[str]:
        log: list[str] = []

        async def ask() -> None:
            async with holding_key(folder / "keys", b"x" * 16):
                log.append("held")

        waiting = asyncio.create_task(ask())
        await asyncio.sleep(0.1)
        log.append("killed")
        process.send_signal(signal.SIGKILL)
        process.wait()
        await waiting
        return log

    assert asyncio.run(main()) == ["killed", "held"]
    asking.close()
