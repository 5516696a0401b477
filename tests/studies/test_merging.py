"""Merging runs of one study: equal to a single run, idempotent, and never over a contradiction."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import pytest
from msgspec import structs

from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock
from otherminds.core.record import Outcome
from otherminds.models.wrappers import BudgetSpentError
from otherminds.studies.access import CALLS, Limits, SpentTokens
from otherminds.studies.merging import ContradictionError, merge
from otherminds.studies.plan import StudyPlan, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import digest_of, results
from otherminds.studies.sharding import Shard
from otherminds.studies.store import Store, line_of
from tests.studies.conftest import SMALL, Heard
from tests.studies.storage import STUDY, Service, served

EPISODES = 24
JOURNAL = "records/00000.jsonl"


def ignore(text: str) -> None:
    pass


@pytest.fixture
def plan(small: Path) -> StudyPlan:
    return plan_file(small)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study played whole, and in halves by two hosts."""
    folder = tmp_path_factory.mktemp("finished")
    (folder / "small.toml").write_text(SMALL)
    plan = plan_file(folder / "small.toml")
    run(plan, folder / "whole", Heard())
    for index in (1, 2):
        run(plan, folder / f"host{index}", Heard(), shard=Shard(index, 2))
    return folder


@pytest.fixture
def again(finished: Path, tmp_path: Path) -> Callable[[str, str], Path]:
    """Copies one of the runs to a folder of that name."""
    return lambda name, to: Path(shutil.copytree(finished / name, tmp_path / to))


@pytest.fixture
def hosts(again: Callable[[str, str], Path]) -> list[Path]:
    """Two folders, as hosts without a common disk have them, with half of the study each."""
    return [again("host1", "host1"), again("host2", "host2")]


@pytest.fixture
def service() -> Iterator[Service]:
    with served() as made:
        yield made


def change(folder: Path, outcome: Outcome, count: int = 1) -> None:
    """Gives the first ``count`` records another outcome; they are whole, with the right hash."""
    path = folder / JOURNAL
    kept = path.read_bytes().splitlines()[count:]
    changed = [
        line_of(structs.replace(line.record(), outcome=outcome), line.timing)
        for line in islice(Store(folder).lines(), count)
    ]
    path.write_bytes(b"".join(line + b"\n" for line in (*changed, *kept)))


OTHER = Outcome("invalid", "another")
FAILED = Outcome("failed", "gone", "provider")


def test_shards_of_hosts_are_merged_into_the_whole_run(
    plan: StudyPlan, hosts: list[Path], finished: Path, tmp_path: Path, heard: Heard
) -> None:
    merged = merge(hosts, tmp_path / "out", ignore)
    assert (merged.added, merged.recorded, merged.planned) == (EPISODES, EPISODES, EPISODES)
    assert merged.digest == digest_of(finished / "whole") == digest_of(tmp_path / "out")
    held, records = results(tmp_path / "out")
    assert structs.replace(held, command=plan.command) == plan, "it was planned from another place"
    assert len({record.spec.hash for record in records}) == EPISODES
    run(plan, tmp_path / "out", heard)
    assert heard.done == heard.planned == EPISODES, "a merged run is a run like any other"


def test_a_second_call_adds_nothing(hosts: list[Path], tmp_path: Path) -> None:
    first = merge(hosts, tmp_path / "out", ignore)
    before = (tmp_path / "out" / JOURNAL).read_bytes()
    again = merge([*hosts, *hosts], tmp_path / "out", ignore)
    assert (again.added, again.recorded, again.digest) == (0, EPISODES, first.digest)
    assert (tmp_path / "out" / JOURNAL).read_bytes() == before


def test_hosts_may_come_one_after_the_other_and_in_any_order(hosts: list[Path], tmp_path: Path) -> None:
    together = merge(hosts, tmp_path / "together", ignore)
    first, last = (merge([host], tmp_path / "apart", ignore) for host in reversed(hosts))
    assert first.digest != last.digest == together.digest


def test_a_line_that_was_torn_by_a_kill_is_not_merged(hosts: list[Path], tmp_path: Path) -> None:
    path = hosts[0] / "shards/1-of-2" / JOURNAL
    path.write_bytes(path.read_bytes()[:-50])
    assert merge(hosts, tmp_path / "out", ignore).recorded == EPISODES - 1


@pytest.mark.parametrize("count", [1, 7])
def test_contradictions_are_named_and_nothing_is_written(
    count: int, again: Callable[[str, str], Path], tmp_path: Path
) -> None:
    for name in "ab":
        again("whole", name)
    change(tmp_path / "b", OTHER, count)
    with pytest.raises(ContradictionError) as caught:
        merge([tmp_path / "a", tmp_path / "b"], tmp_path / "out", ignore)
    text = str(caught.value)
    assert f"{count} episodes have two records that differ, and nothing was merged" in text
    assert f"{tmp_path / 'a' / JOURNAL}: line " in text
    assert f"{tmp_path / 'b' / JOURNAL}: line 1" in text
    assert text.count("\n") == min(count, 6)
    assert not (tmp_path / "out").exists()


def test_a_record_that_is_there_is_never_overwritten(
    again: Callable[[str, str], Path], tmp_path: Path
) -> None:
    for name in ("out", "b"):
        again("whole", name)
    change(tmp_path / "b", OTHER)
    before = (tmp_path / "out" / JOURNAL).read_bytes()
    with pytest.raises(ContradictionError, match="1 episodes have two records that differ"):
        merge([tmp_path / "b"], tmp_path / "out", ignore)
    assert (tmp_path / "out" / JOURNAL).read_bytes() == before


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_failed_episode_gives_way_to_one_that_was_played(
    order: str, again: Callable[[str, str], Path], tmp_path: Path
) -> None:
    for name in "ab":
        again("whole", name)
    change(tmp_path / "b", FAILED, 3)
    merged = merge([tmp_path / name for name in order], tmp_path / "out", ignore)
    assert merged.digest == digest_of(tmp_path / "a")
    assert len(list(Store(tmp_path / "out").lines())) == EPISODES
    alone = merge([tmp_path / "b"], tmp_path / "later", ignore)
    assert alone.recorded == EPISODES
    assert alone.digest != merged.digest
    assert merge([tmp_path / "a"], tmp_path / "later", ignore).digest == merged.digest


def test_runs_of_other_studies_are_refused(
    small: Path, hosts: list[Path], tmp_path: Path, heard: Heard
) -> None:
    small.write_text(small.read_text().replace("rounds = 8", "rounds = 9"))
    run(plan_file(small), tmp_path / "other", heard)
    with pytest.raises(StudyError, match=r"other: belongs to another study(.|\n)*rounds"):
        merge([*hosts, tmp_path / "other"], tmp_path / "out", ignore)
    with pytest.raises(StudyError, match="belongs to another study"):
        merge(hosts, tmp_path / "other", ignore)
    assert not (tmp_path / "out").exists()


def test_studies_that_differ_in_their_episodes_only_are_merged(
    small: Path, hosts: list[Path], tmp_path: Path, heard: Heard
) -> None:
    small.write_text(small.read_text().replace("episodes = 6", "episodes = 8"))
    more = plan_file(small)
    run(more, tmp_path / "more", heard)
    merged = merge([*hosts, tmp_path / "more"], tmp_path / "out", ignore)
    assert merged.recorded == merged.planned == 32
    assert merged.digest == digest_of(tmp_path / "more")


def test_a_run_that_is_being_played_is_refused(hosts: list[Path], tmp_path: Path) -> None:
    held = Lock(hosts[0] / "shards/1-of-2")
    with pytest.raises(StudyError, match="1-of-2: is being played"):
        merge(hosts, tmp_path / "out", ignore)
    held.release()
    shutil.copytree(hosts[0], tmp_path / "out")
    held = Lock(tmp_path / "out")
    with pytest.raises(StudyError, match="another run is writing here"):
        merge(hosts, tmp_path / "out", ignore)
    held.release()


def test_folders_that_hold_no_study_are_refused(hosts: list[Path], tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="holds no study"):
        merge([*hosts, tmp_path / "nothing"], tmp_path / "out", ignore)
    with pytest.raises(StudyError, match="is one of the folders to merge"):
        merge(hosts, hosts[0], ignore)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter").touch()
    with pytest.raises(StudyError, match="is not empty and holds no study"):
        merge(hosts, tmp_path / "full", ignore)


def test_replies_of_unfinished_episodes_and_expenses_come_along(
    service: Service, tmp_path: Path, heard: Heard
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    plan = plan_file(path)
    run(plan, tmp_path / "whole", heard)
    calls, cost = service.asked.total(), service.asked.total() * 24
    service.asked.clear()
    for index in (1, 2):
        with suppress(BudgetSpentError):
            run(
                plan,
                tmp_path / f"host{index}",
                heard,
                limits=Limits(max_tokens=2 * 120),
                shard=Shard(index, 2),
            )
    assert 0 < service.asked.total() < calls
    hosts = [tmp_path / "host1", tmp_path / "host2"]
    for _ in range(2):
        merge(hosts, tmp_path / "out", ignore)
    spent = SpentTokens(tmp_path / "out" / CALLS)
    assert sum(one.prompt + one.completion for _, one in spent.totals()) == service.asked.total() * 24
    spent.close()
    with pytest.raises(BudgetSpentError):
        run(plan, tmp_path / "out", heard, limits=Limits(max_tokens=service.asked.total() * 24))
    run(plan, tmp_path / "out", heard, limits=Limits(max_tokens=cost + 1))
    assert service.asked.total() == calls
    assert service.again == 0
    assert digest_of(tmp_path / "out") == digest_of(tmp_path / "whole")
