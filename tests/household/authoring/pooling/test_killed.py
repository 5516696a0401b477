"""Two processes write to one pool, and one is killed: nothing that they were told is lost, and nothing is there twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from otherminds.household.authoring.authored_pool import AuthoredPool
from tests.household.authoring.pooling.soundness import faults, lines_of

SOUND = {"unreadable": 0, "lost": 0, "twice": 0, "torn": 0}


def writer(pool: Path, log: Path, *numbers: int) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "tests.household.authoring.pooling.writer", pool, log, *numbers]
    return subprocess.Popen([*map(str, words)], env={**os.environ}, cwd=Path(__file__).parents[4])


def test_a_killed_writer_loses_and_repeats_nothing_beside_another(tmp_path: Path) -> None:
    pool, logs = tmp_path / "pool", [tmp_path / "first.log", tmp_path / "second.log"]
    first = writer(pool, logs[0], *range(10))
    while not logs[0].exists() or not logs[0].read_bytes():
        assert first.poll() is None
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = lines_of(pool)
    assert faults(pool, {}, logs[0].read_text().splitlines()) == SOUND
    both = [writer(pool, logs[0], *range(10)), writer(pool, logs[1], *reversed(range(10)))]
    assert [one.wait() for one in both] == [0, 0]
    told = [line for log in logs for line in log.read_text().splitlines()]
    assert faults(pool, before, told) == SOUND
    assert len(AuthoredPool(pool).tasks()) == 10
    assert len(AuthoredPool(pool).attempts()) == 20


def test_faults_of_a_pool_are_found(tmp_path: Path) -> None:
    pool, log = tmp_path / "pool", tmp_path / "first.log"
    assert writer(pool, log, 0, 1).wait() == 0
    told, before = log.read_text().splitlines(), lines_of(pool)
    assert faults(pool, before, [*told, "task authored_0"])["lost"] == 1
    results = pool / "results.jsonl"
    whole = results.read_bytes()
    results.write_bytes(whole + whole)
    assert faults(pool, before, told) == {**SOUND, "twice": 4}
    results.write_bytes(whole.splitlines(keepends=True)[0])
    assert faults(pool, before, told) == {**SOUND, "lost": 2}
    results.write_bytes(whole)
    next((pool / "certificates").iterdir()).unlink()
    assert faults(pool, before, told) == {**SOUND, "torn": 1}
    (pool / "authored.jsonl").unlink()
    assert faults(pool, {}, told)["unreadable"] == 1
