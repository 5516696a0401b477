"""The state of studies and their shards, while they play and afterwards."""

from __future__ import annotations

import re
import subprocess
import sys
from contextlib import ExitStack
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from otherminds.core.errors import StudyError
from otherminds.core.locks import LOCK, Lock
from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.core.segments import segments_in
from otherminds.studies import status
from otherminds.studies.plan import StudyPlan, plan_file
from otherminds.studies.run import run
from otherminds.studies.sharding import Shard
from otherminds.studies.status import FILE, RunStatus, StudyStatus, status_of
from otherminds.studies.store import RECORDS
from tests.cli.running import otherminds
from tests.studies.storage import STUDY

if TYPE_CHECKING:
    from conftest import Heard

EPISODES = 24
MANY = 40
"""Enough that every shard has some."""
ROOT = Path(__file__).parents[2]


class Looks:
    """Receives the progress of a run, and looks at its state at each episode."""

    def __init__(self, folder: Path) -> None:
        self.seen: list[StudyStatus] = []
        self._folder = folder

    def start(self, planned: int, done: int, asked: int) -> None:
        self.seen.append(status_of(self._folder))

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        self.seen.append(status_of(self._folder))

    def say(self, text: str) -> None:
        pass


@pytest.fixture
def plan(small: Path) -> StudyPlan:
    return plan_file(small)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def test_it_follows_a_run_while_it_plays(
    plan: StudyPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(status, "EVERY", 0.0)
    looks = Looks(tmp_path / "out")
    run(plan, tmp_path / "out", looks)
    first, last = looks.seen[0], looks.seen[-1]
    assert first.states["planned"] == EPISODES
    assert first.seconds_left == inf
    assert last.states == {"scored": EPISODES, "planned": 0}
    assert all(one.parts[0].running for one in looks.seen)
    assert any(one.states.get("leased") for one in looks.seen)
    assert all(sum(one.states.values()) == EPISODES for one in looks.seen)
    assert last.rate > 0
    after = status_of(tmp_path / "out")
    assert not after.parts[0].running
    assert after.rate == 0
    assert after.seconds_left == 0


def test_it_counts_over_all_shards_and_those_that_have_not_begun(
    plan: StudyPlan, out: Path, heard: Heard
) -> None:
    run(plan, out, heard, shard=Shard(2, 3))
    held = Lock(out / "shards/2-of-3")
    found = status_of(out)
    held.release()
    assert [(part.shard, part.running, part.status is None) for part in found.parts] == [
        (Shard(1, 3), False, True),
        (Shard(2, 3), True, False),
        (Shard(3, 3), False, True),
    ]
    assert found.states == {"scored": heard.planned, "planned": EPISODES - heard.planned}
    assert found.seconds_left == inf, "two shards are not being played"
    for index in (1, 3):
        run(plan, out, heard, shard=Shard(index, 3))
    assert status_of(out).states == {"scored": EPISODES, "planned": 0}
    assert status_of(out).seconds_left == 0


def test_the_partition_that_was_played_last_is_shown(plan: StudyPlan, out: Path, heard: Heard) -> None:
    for shard in (Shard(1, 2), Shard(1, 3)):
        run(plan, out, heard, shard=shard)
        assert [part.shard for part in status_of(out).parts] == [
            Shard(i, shard.count) for i in range(1, shard.count + 1)
        ]
    run(plan, out, heard)
    (part,) = status_of(out).parts
    assert part.shard is None
    assert part.status is not None
    assert part.status.states == {"scored": EPISODES}


def test_a_run_that_was_killed_is_not_running(plan: StudyPlan, out: Path, heard: Heard) -> None:
    run(plan, out, heard)
    dead = RunStatus("host", 1, 100.0, 110.0, 4, {"planned": 10, "leased": 4, "scored": 10}, 70, 0.5)
    (out / FILE).write_bytes(msgspec.json.encode(dead))
    found = status_of(out)
    assert found.seconds_left == 0, "its records are complete"
    assert found.rate == 0
    assert (found.tokens, found.dollars) == (70, 0.5)
    held = Lock(out)
    found = status_of(out)
    held.release()
    assert found.rate == pytest.approx(0.6)
    assert found.seconds_left == pytest.approx(14 / 0.6)


@pytest.mark.parametrize("shard", [None, Shard(1, 2)], ids=["whole", "shard"])
@pytest.mark.parametrize("left", ["old", "too hopeful", "none"])
def test_the_records_of_a_part_that_is_not_playing_are_believed(
    shard: Shard | None, left: str, plan: StudyPlan, out: Path, heard: Heard
) -> None:
    """Whatever its last state says, and also where the last line is torn."""
    run(plan, out, heard, shard=shard)
    home = shard.home(out) if shard else out
    mine = sum(shard is None or shard.holds(spec) for spec in plan.episodes)
    (segment,) = segments_in(home / RECORDS)
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[:5]) + lines[5][:-20])
    states = {"old": {"planned": mine - 1, "leased": 1}, "too hopeful": {"scored": mine}}
    if left == "none":
        (home / FILE).unlink()
    else:
        dead = RunStatus("host", 1, 100.0, 101.0, 0, states[left], 70)
        (home / FILE).write_bytes(msgspec.json.encode(dead))
    found = status_of(out)
    part = found.parts[0]
    assert part.status is not None
    assert part.status.states == {"planned": mine - 5, "scored": 5}
    assert found.states == {"planned": EPISODES - 5, "scored": 5}
    assert (found.rate, found.seconds_left) == (0, inf)
    told = otherminds("status", out)
    assert told.returncode == 1
    assert f"5 of {EPISODES} episodes recorded" in told.stdout
    assert "stopped" in told.stdout
    run(plan, out, heard, shard=shard)
    again = status_of(out).parts[0].status
    assert again is not None
    assert again.states == {"scored": mine}


def test_episodes_that_another_part_has_recorded_count_for_each(
    plan: StudyPlan, out: Path, heard: Heard
) -> None:
    run(plan, out, heard, shard=Shard(1, 2))
    run(plan, out, heard)
    (out / FILE).unlink()
    assert status_of(out).states == {"scored": EPISODES, "planned": 0}
    (out / "shards/1-of-2" / FILE).unlink()
    assert status_of(out).states == {"scored": EPISODES, "planned": 0}


KILLED = """
import asyncio
from otherminds.cli.main import main
from otherminds.models.registry import models
from otherminds.studies import status
from tests.studies.storage import MODEL, Service

class Silent(Service):
    async def generate(self, messages, decoding):
        print("asked", flush=True)
        await asyncio.sleep(3600)

status.EVERY = 0.0
models._known[MODEL] = lambda rest: Silent()
main()
"""
"""A run that writes its state at once, and is then silent amid its first calls."""


@pytest.mark.parametrize("shards", [(), ("1/2", "2/2"), pytest.param(("1/2",), marks=pytest.mark.slow)])
def test_no_episode_is_played_after_a_kill(shards: tuple[str, ...], tmp_path: Path) -> None:
    """Neither of a whole run, nor of its shards, of which one may still play; also where the file of a lock is gone."""
    study, out = tmp_path / "study.toml", tmp_path / "out"
    study.write_text(re.sub(r"episodes = \d+", f"episodes = {MANY}", STUDY))
    with ExitStack() as held:
        playing: list[subprocess.Popen[str]] = []
        for shard in shards or ("",):
            words = ["run", str(study), "--out", str(out), *(["--shard", shard] if shard else [])]
            process = subprocess.Popen(
                [sys.executable, "-c", KILLED, *words], stdout=subprocess.PIPE, text=True, cwd=ROOT
            )
            playing.append(held.enter_context(process))
            held.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline() == "asked\n"
        leased = [part.status.leased for part in status_of(out).parts if part.status]
        assert [part.running for part in status_of(out).parts][: len(playing)] == [True] * len(playing)
        assert all(leased)
        first, *others = playing
        first.kill()
        first.wait()
        (out / (f"shards/{shards[0].replace('/', '-of-')}" if shards else "") / LOCK).unlink()
        assert [part.running for part in status_of(out).parts if part.status] == [
            False,
            *(True for _ in others),
        ]
        assert status_of(out).states.get("leased", 0) == sum(leased[1:])
        assert sum(status_of(out).states.values()) == MANY
        told = otherminds("status", out)
        assert told.stdout.count("stopped") == 1
        assert told.stdout.count("playing") == 1 + len(others), "the heading of a column, and those that play"


def test_a_run_of_an_earlier_version_is_counted_from_its_records(
    plan: StudyPlan, out: Path, heard: Heard
) -> None:
    run(plan, out, heard)
    (out / FILE).unlink()
    assert status_of(out).states == {"scored": EPISODES, "planned": 0}


def test_looking_does_not_keep_a_run_from_starting(plan: StudyPlan, out: Path, heard: Heard) -> None:
    run(plan, out, heard)
    status_of(out)
    Lock(out).release()


def test_a_file_that_cannot_be_read_is_named(plan: StudyPlan, out: Path, heard: Heard) -> None:
    run(plan, out, heard)
    (out / FILE).write_text("{")
    with pytest.raises(StudyError, match=r"status\.json: cannot be read .*delete it"):
        status_of(out)
    with pytest.raises(StudyError, match="holds no study"):
        status_of(out / "elsewhere")
