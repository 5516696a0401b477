"""A test without an end fails, and nothing else does; the cost of a run is its last line."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

HANGING = """
import asyncio, threading, time

def held():
    lock = threading.Lock()
    lock.acquire()
    return lock.acquire

def test_waits():
    held()()

def test_awaits_nothing():
    asyncio.run(asyncio.Event().wait())

def test_awaits_a_call_in_c():
    asyncio.run(asyncio.to_thread(time.sleep, 3))

def test_catches_its_time_out():
    try:
        asyncio.run(asyncio.Event().wait())
    except BaseException:
        held()()

def test_passes():
    pass
"""

DEAF = """
import signal

def test_handles_no_signal():
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    signal.pause()

def test_passes():
    pass
"""

COSTLY = """
import subprocess, sys, time

def test_is_busy():
    while time.process_time() < 1.5:
        pass

def test_has_a_busy_child():
    subprocess.run([sys.executable, "-c", "import time\\nwhile time.process_time() < 1: pass"])
"""

RUNNING = """
import subprocess, sys

BUSY = "import time\\nwhile time.process_time() < 1: pass\\nprint(1, flush=True)\\ninput()"

def test_leaves_a_child():
    global child
    child = subprocess.Popen([sys.executable, "-c", BUSY], stdin=-1, stdout=-1)
    child.stdout.readline()
"""


def pytest_run(folder: Path, *options: str, **files: str) -> str:
    """What pytest says of these files, with the plugin and xdist alone."""
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-pxdist.plugin",
            "-ptests.timing",
            "-pno:cacheprovider",
            "-o",
            "addopts=",
            *options,
            ".",
        ],
        check=False,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    return run.stdout + run.stderr


def test_a_hang_fails_one_test(tmp_path: Path) -> None:
    limits = "faulthandler_timeout = 2\nfaulthandler_exit_on_timeout = true\n"
    (tmp_path / "pytest.ini").write_text(f"[pytest]\n{limits}")
    said = pytest_run(tmp_path, "-n2", "--dist=worksteal", "-rA", hanging=HANGING, deaf=DEAF)
    named = re.sub(r"worker 'gw\d+'", "worker", said)
    outcomes = re.findall(r"^(PASSED|FAILED) test_(\w+).py::test_(\w+)(?: - (.*))?", named, re.M)
    late = "Failed: no end after 1 s"
    assert sorted(outcomes) == [
        (
            "FAILED",
            "deaf",
            "handles_no_signal",
            "worker crashed while running 'test_deaf.py::test_handles_no_signal'",
        ),
        ("FAILED", "hanging", "awaits_a_call_in_c", late),
        ("FAILED", "hanging", "awaits_nothing", late),
        ("FAILED", "hanging", "catches_its_time_out", late),
        ("FAILED", "hanging", "waits", late),
        ("PASSED", "deaf", "passes", ""),
        ("PASSED", "hanging", "passes", ""),
    ], said


def test_the_cost_of_all_workers_is_the_last_line(tmp_path: Path) -> None:
    said = pytest_run(tmp_path, "-n2", "--dist=worksteal", costly=COSTLY, running=RUNNING)
    line = re.search(
        r"^processor time: (\d+) s \(pytest (\d+) s, children (\d+) s\), slowest files: (.*)$", said, re.M
    )
    assert line, said
    total, own, children = map(int, line.groups()[:3])
    assert abs(total - own - children) <= 1
    assert own >= 2
    assert (2 if Path("/proc/self/stat").exists() else 1) <= children < 4, "those of xdist are counted once"
    files = dict(re.findall(r"test_(\w+)\.py (\d+) s", line[4]))
    assert int(files["costly"]) >= 2
    if Path("/proc/self/stat").exists():
        assert int(files["running"]) >= 1
