"""Kernels are compiled by one process of several that need them at the same time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from threading import Thread
from typing import Any

import numba
import pytest

HOLD = "import fcntl, sys; file = open(sys.argv[1], 'ab'); fcntl.lockf(file, fcntl.LOCK_EX); print(flush=True); input()"


def doubled(number):
    return 2 * number


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], Any]:
    """``made(folder)``: a kernel that is compiled into ``folder``."""
    from otherminds.gridworlds.grid._kernel import compile_kernel

    def make(folder: Path) -> Any:
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder))
        return compile_kernel(doubled)

    return make


def test_what_another_process_compiles_is_waited_for_and_loaded(
    made: Callable[[Path], Any], tmp_path: Path
) -> None:
    pytest.importorskip("fcntl")
    compiled, loaded = made(tmp_path / "other"), made(tmp_path / "own")
    assert compiled(2) == 4
    assert (sum(compiled.stats.cache_hits.values()), sum(compiled.stats.cache_misses.values())) == (0, 1)
    lock = Path(loaded.stats.cache_path, f"{__name__}.doubled.lock")
    other = subprocess.Popen(
        [sys.executable, "-S", "-c", HOLD, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout is not None
        other.stdout.readline()
        waiting = Thread(target=loaded, args=(3,))
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
        copytree(compiled.stats.cache_path, loaded.stats.cache_path, dirs_exist_ok=True)
        other.communicate("\n")
    waiting.join()
    assert (sum(loaded.stats.cache_hits.values()), sum(loaded.stats.cache_misses.values())) == (1, 0)
    assert loaded(3) == 6


def test_without_locks_of_files_each_process_compiles_alone(
    made: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    kernel = made(tmp_path)
    assert kernel(2) == 4
    assert not list(tmp_path.rglob("*.lock"))
