"""Shards of a study: each episode in one, together as one run, and no episode by two runs at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock
from otherminds.core.model import Price
from otherminds.studies import sharding
from otherminds.studies.access import Limits
from otherminds.studies.plan import StudyPlan, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import digest_of, played, results
from otherminds.studies.sharding import Shard, limits_for, shard_of, shards_of

if TYPE_CHECKING:
    from conftest import Heard

EPISODES = 24


@pytest.fixture
def plan(small: Path) -> StudyPlan:
    return plan_file(small)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.mark.parametrize("text", ["", "2", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/2/3", "1 / 2", "1/9999999"])
def test_names_of_no_shard_are_refused(text: str) -> None:
    with pytest.raises(StudyError, match="give I/N with I from 1 to N, such as 2/4"):
        shard_of(text)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 40])
def test_each_episode_belongs_to_one_shard(plan: StudyPlan, count: int) -> None:
    for spec in plan.episodes:
        holders = [i for i in range(1, count + 1) if Shard(i, count).holds(spec)]
        assert len(holders) == 1


def test_shards_together_are_the_whole_run(plan: StudyPlan, out: Path, heard: Heard) -> None:
    for index in (2, 3, 1):
        counts = run(plan, out / "shards", heard, shard=Shard(index, 3))
        assert counts == {"scored": heard.planned}
    run(plan, out / "whole", heard)
    assert digest_of(out / "shards") == digest_of(out / "whole")
    held, records = results(out / "shards")
    assert held == plan
    assert sorted(record.spec.hash for record in records) == sorted(spec.hash for spec in plan.episodes)
    assert [one.index for one in shards_of(out / "shards")] == [1, 2, 3]


def test_the_digest_depends_on_every_record(plan: StudyPlan, tmp_path: Path, heard: Heard) -> None:
    digests: set[str] = set()
    for index in (1, 2, 3):
        run(plan, tmp_path / "out", heard, shard=Shard(index, 3))
        digests.add(digest_of(tmp_path / "out"))
    assert len(digests) == 3


def test_a_shard_that_is_resumed_plays_what_is_missing(plan: StudyPlan, out: Path, heard: Heard) -> None:
    run(plan, out, heard, shard=Shard(1, 2))
    path = out / "shards/1-of-2/records/00000.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4]) + lines[4][:50])
    heard.outcomes.clear()
    run(plan, out, heard, shard=Shard(1, 2))
    assert heard.done == 4
    assert len(heard.outcomes) == heard.planned - 4


def test_a_shard_without_episodes_is_done(plan: StudyPlan, out: Path, heard: Heard) -> None:
    empty = next(shard for i in range(1, 1000) if not any(map((shard := Shard(i, 999)).holds, plan.episodes)))
    assert run(plan, out, heard, shard=empty) == {}
    assert list(played(out)[1]) == []


def test_another_partition_plays_what_is_missing(plan: StudyPlan, out: Path, heard: Heard) -> None:
    run(plan, out, heard, shard=Shard(1, 2))
    first = heard.planned
    for index in (1, 2, 3):
        run(plan, out, heard, shard=Shard(index, 3))
    assert len(heard.outcomes) == EPISODES, "none was played twice"
    run(plan, out, heard)
    assert (heard.planned, heard.done) == (EPISODES, EPISODES)
    assert 0 < first < EPISODES


def test_two_runs_of_one_shard_are_refused(plan: StudyPlan, out: Path, heard: Heard) -> None:
    run(plan, out, heard, shard=Shard(1, 2))
    held = Lock(out / "shards/1-of-2")
    with pytest.raises(StudyError, match="1-of-2: another run is writing here"):
        run(plan, out, heard, shard=Shard(1, 2))
    run(plan, out, heard, shard=Shard(2, 2))
    held.release()
    run(plan, out, heard, shard=Shard(1, 2))


@pytest.mark.parametrize("shard", [None, Shard(1, 3), Shard(3, 3)])
def test_runs_that_share_episodes_are_refused(
    shard: Shard | None, plan: StudyPlan, out: Path, heard: Heard
) -> None:
    run(plan, out, heard, shard=Shard(1, 2))
    held = Lock(out / "shards/1-of-2")
    with pytest.raises(StudyError, match="shard 1/2 is being played, which has some of the same episodes"):
        run(plan, out, heard, shard=shard)
    held.release()
    run(plan, out, heard, shard=shard)


def test_a_shard_waits_for_those_that_start_and_not_for_a_whole_run(
    plan: StudyPlan, out: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherminds.studies.run.PATIENCE", 0.6)
    run(plan, out, heard, shard=Shard(1, 2))
    held = Lock(out)
    with pytest.raises(StudyError, match=r"another run is writing here after 0\.6 s"):
        run(plan, out, heard, shard=Shard(2, 2))
    held.release()


def test_a_shard_of_another_study_is_refused(
    small: Path, plan: StudyPlan, tmp_path: Path, heard: Heard
) -> None:
    run(plan, tmp_path / "out", heard, shard=Shard(1, 2))
    small.write_text(small.read_text().replace('"small"', '"other"'))
    with pytest.raises(StudyError, match="belongs to another study"):
        run(plan_file(small), tmp_path / "out", heard, shard=Shard(2, 2))


def test_each_shard_has_an_equal_share_of_the_limits(out: Path) -> None:
    prices = {"m": Price(1.0, 1.0)}
    share = limits_for(out, Shard(2, 4), Limits(10.0, 1001, prices, 60.0))
    assert share == Limits(2.5, 250, prices, 60.0)
    assert limits_for(out, Shard(2, 4), Limits()) == Limits()
    assert limits_for(out, None, Limits(10.0)) == Limits(10.0)


def test_other_folders_beside_the_shards_are_passed_over(tmp_path: Path) -> None:
    for name in ("1-of-2", "old", "2-of-2.bak", "x-of-2"):
        (tmp_path / sharding.SHARDS / name).mkdir(parents=True)
    (tmp_path / sharding.SHARDS / "2-of-2").touch()
    assert list(shards_of(tmp_path)) == [Shard(1, 2)]
