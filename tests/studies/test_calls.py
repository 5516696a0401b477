"""Runs with a language model: bounded spending, and no answered call asked again."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from otherminds.core.data import Message
from otherminds.core.errors import ProviderError, StudyError
from otherminds.core.model import Completion, Decoding, Price, Usage
from otherminds.models.registry import models
from otherminds.models.wrappers import BudgetSpentError
from otherminds.studies.access import CALLS as KEPT
from otherminds.studies.access import Limits
from otherminds.studies.plan import StudyPlan, plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import digest_of, results
from otherminds.studies.sharding import Shard
from otherminds.studies.store import Store
from tests.cases import thinned

if TYPE_CHECKING:
    from conftest import Heard

STUDY = """
name = "calls"
episodes = 6
rounds = 5
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@test_calls"]
"""
CALLS = 6 * 5 * 2
TOOK = Usage(20, 4, 5)


class Killed(SystemExit):
    """Stands for SIGKILL: nothing of ours catches it."""


class Service:
    """Answers in its own time, remembers every call, and does what ``fault`` says at call n."""

    spec = "test_calls"
    context = 10_000
    concurrency = 4

    def __init__(self) -> None:
        self.asked: Counter[tuple[str, int]] = Counter()
        self.answered = 0
        self.fault: Callable[[int], None] = lambda n: None

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        self.asked[messages[-1].content, decoding.seed] += 1
        self.fault(self.asked.total())
        for _ in range(decoding.seed % 4):
            await asyncio.sleep(0)
        self.answered += 1
        return Completion(f"A: Option {'JF'[decoding.seed % 2]}", usage=TOOK)

    def count(self, text: str) -> int:
        return len(text)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    made = Service()
    monkeypatch.setitem(models._known, "test_calls", lambda rest: made)
    return made


@pytest.fixture
def plan(tmp_path: Path, service: Service) -> StudyPlan:
    path = tmp_path / "calls.toml"
    path.write_text(STUDY)
    return plan_file(path)


def hashes(folder: Path) -> dict[str, str]:
    return {line.episode: line.hash for line in Store(folder).lines()}


def raise_at(n: int, error: BaseException) -> Callable[[int], None]:
    def fault(call: int) -> None:
        if call == n:
            raise error

    return fault


@pytest.mark.parametrize("moment", thinned([1, 2, 9, 17, 33, 50, 59], 3))
def test_a_killed_run_asks_again_only_what_was_in_flight(
    moment: int, plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    run(plan, tmp_path / "whole", heard)
    assert service.answered == CALLS
    service.asked.clear()
    service.fault = raise_at(moment, Killed())
    with pytest.raises(Killed):
        run(plan, tmp_path / "out", heard)
    service.fault = lambda n: None
    run(plan, tmp_path / "out", heard)
    again = service.asked.total() - len(service.asked)
    assert len(service.asked) == CALLS
    assert again <= service.concurrency
    assert hashes(tmp_path / "out") == hashes(tmp_path / "whole")


def test_what_is_kept_is_gone_when_its_episode_is_recorded(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    import sqlite3

    run(plan, tmp_path / "out", heard)
    with sqlite3.connect(tmp_path / "out" / KEPT) as db:
        assert db.execute("SELECT COUNT(*) FROM replies").fetchone() == (0,)
    db.close()


def test_a_failed_episode_goes_on_where_its_provider_failed(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    service.fault = raise_at(30, ProviderError("gone"))
    run(plan, tmp_path / "out", heard)
    assert [outcome.status for outcome in heard.outcomes].count("failed") == 1
    service.fault = lambda n: None
    run(plan, tmp_path / "out", heard)
    before = service.asked.copy()
    assert any(record.outcome.status == "failed" for record in results(tmp_path / "out")[1])
    run(plan, tmp_path / "out", heard, retry_failed=True)
    assert all(record.outcome.status == "scored" for record in results(tmp_path / "out")[1])
    assert service.asked.total() - len(service.asked) == 1
    assert len(service.asked) == CALLS > len(before)


@pytest.mark.parametrize("limit", [0, 1, 24, 240, 700])
def test_tokens_are_bounded_and_a_higher_limit_goes_on(
    limit: int, plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    a_call = TOOK.prompt + TOOK.completion
    with pytest.raises(BudgetSpentError, match=f"of {limit:,} allowed"):
        run(plan, tmp_path / "out", heard, limits=Limits(max_tokens=limit))
    assert limit <= service.answered * a_call <= limit + service.concurrency * a_call
    first = service.answered
    with pytest.raises(BudgetSpentError):
        run(plan, tmp_path / "out", heard, limits=Limits(max_tokens=limit))
    assert service.answered == first, "what was spent before counts"
    run(plan, tmp_path / "out", heard, limits=Limits(max_tokens=CALLS * a_call + 1))
    assert service.answered == CALLS
    assert set(service.asked.values()) == {1}


def test_dollars_are_bounded_over_the_whole_study(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    price = Price(1000.0, 5000.0, 100.0)
    a_call = (15 * 1000 + 5 * 100 + 4 * 5000) / 1e6
    limits = Limits(max_cost=20 * a_call, prices={"test_calls": price})
    for _ in range(3):
        with pytest.raises(BudgetSpentError, match="US dollars"):
            run(plan, tmp_path / "out", heard, limits=limits)
    assert 20 <= service.answered <= 20 + service.concurrency


def test_a_failed_episode_is_paid_for_once(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    a_call = TOOK.prompt + TOOK.completion
    service.fault = raise_at(30, ProviderError("gone"))
    run(plan, tmp_path / "out", heard)
    service.fault = lambda n: None
    paid = service.answered * a_call
    with pytest.raises(
        BudgetSpentError, match=f"{paid + a_call:,} tokens are spent, of {paid + 1:,} allowed"
    ):
        run(plan, tmp_path / "out", heard, retry_failed=True, limits=Limits(max_tokens=paid + 1))
    assert service.answered * a_call == paid + a_call


def test_a_shared_cache_changes_nothing_about_what_a_study_may_spend(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    cache = tmp_path / "shared.sqlite"
    for _ in range(3):
        with pytest.raises(BudgetSpentError):
            run(plan, tmp_path / "out", heard, limits=Limits(max_tokens=240), cache=cache)
    assert 10 <= service.answered <= 10 + service.concurrency
    run(plan, tmp_path / "free", heard, cache=cache)
    answered = service.answered
    run(plan, tmp_path / "late", heard, limits=Limits(max_tokens=1), cache=cache)
    assert service.answered == answered == CALLS, "what others paid for is free"


def test_a_study_that_ends_at_its_limit_is_finished(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    limits = Limits(max_tokens=CALLS * (TOOK.prompt + TOOK.completion))
    for _ in range(2):
        assert run(plan, tmp_path / "out", heard, limits=limits) == {"scored": 6}


def test_a_finished_study_needs_no_model(
    plan: StudyPlan, tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(spec: str, hosts: object) -> tuple[Any, ...]:
        raise ProviderError("cannot reach it")

    run(plan, tmp_path / "out", heard)
    monkeypatch.setattr("otherminds.studies.access.open_servers", gone)
    assert run(plan, tmp_path / "out", heard) == {"scored": 6}
    with pytest.raises(ProviderError):
        run(plan, tmp_path / "new", heard)
    assert not (tmp_path / "new").exists()


def test_a_server_that_is_down_takes_no_more_episodes(
    plan: StudyPlan, tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    class DownError(ProviderError):
        down = True

    well, ill = Service(), Service()
    well.concurrency = ill.concurrency = 1

    def fail(n: int) -> None:
        raise DownError("HTTP 401: no such key")

    ill.fault = fail
    monkeypatch.setattr("otherminds.studies.access.open_servers", lambda spec, hosts: (ill, well))
    assert run(plan, tmp_path / "out", heard) == {"failed": 1, "scored": 5}
    assert [said for said in heard.said if "no such key" in said]
    monkeypatch.setattr("otherminds.studies.access.open_servers", lambda spec, hosts: (ill,))
    assert run(plan, tmp_path / "alone", heard) == {"failed": 1, "planned": 5}
    ill.fault = lambda n: None
    assert run(plan, tmp_path / "alone", heard, retry_failed=True) == {"scored": 6}


def test_a_fault_of_the_study_loses_no_finished_neighbour(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    service.fault = raise_at(41, StudyError("this cannot be"))
    with pytest.raises(StudyError, match="this cannot be"):
        run(plan, tmp_path / "out", heard)
    recorded = len(heard.outcomes)
    service.fault = lambda n: None
    run(plan, tmp_path / "out", heard)
    assert heard.done == recorded
    assert service.asked.total() - len(service.asked) <= service.concurrency


def test_a_cache_that_cannot_be_leaves_no_folder(plan: StudyPlan, tmp_path: Path, heard: Heard) -> None:
    with pytest.raises(StudyError, match="is a folder and not a file"):
        run(plan, tmp_path / "out", heard, cache=tmp_path)
    assert not (tmp_path / "out").exists()


def test_a_damaged_file_of_calls_says_what_to_do(plan: StudyPlan, tmp_path: Path, heard: Heard) -> None:
    run(plan, tmp_path / "out", heard)
    (tmp_path / "out" / KEPT).write_text("damaged " * 400)
    with pytest.raises(StudyError, match=r"calls\.sqlite: cannot be used .*delete it"):
        run(plan, tmp_path / "out", heard)


def test_a_limited_cost_without_a_price_leaves_no_folder(
    plan: StudyPlan, tmp_path: Path, heard: Heard
) -> None:
    with pytest.raises(StudyError, match="needs the price of 'test_calls'"):
        run(plan, tmp_path / "out", heard, limits=Limits(max_cost=1.0))
    assert not (tmp_path / "out").exists()


def test_runs_may_share_their_answers(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    cache = tmp_path / "shared.sqlite"
    run(plan, tmp_path / "one", heard, cache=cache)
    run(plan, tmp_path / "two", heard, cache=cache)
    assert service.answered == CALLS
    assert hashes(tmp_path / "one") == hashes(tmp_path / "two")


def test_servers_share_the_episodes_and_an_episode_keeps_to_one(
    plan: StudyPlan, tmp_path: Path, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = [Service(), Service()]
    served: dict[Any, set[int]] = {}

    def remember(i: int) -> None:
        inner = servers[i].generate

        async def generate(messages: Sequence[Message], decoding: Decoding) -> Completion:
            served.setdefault(asyncio.current_task(), set()).add(i)
            return await inner(messages, decoding)

        monkeypatch.setattr(servers[i], "generate", generate)

    for i in range(2):
        servers[i].concurrency = 2
        remember(i)
    monkeypatch.setattr("otherminds.studies.access.open_servers", lambda spec, hosts: tuple(servers))
    run(plan, tmp_path / "out", heard)
    assert len(served) == 6
    assert all(len(used) == 1 for used in served.values())
    assert {i for used in served.values() for i in used} == {0, 1}


def test_models_are_closed_when_a_run_ends(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    closed: list[bool] = []

    async def close() -> None:
        closed.append(True)

    service.close = close  # type: ignore[attr-defined]
    run(plan, tmp_path / "out", heard)
    assert closed == [True]


def test_shards_spend_no_more_than_the_limit_and_the_calls_in_flight(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    a_call = TOOK.prompt + TOOK.completion
    limit = 24 * a_call
    for _ in range(2):
        for shard in (Shard(index, 3) for index in (1, 2, 3)):
            with suppress(BudgetSpentError):
                run(plan, tmp_path / "out", heard, limits=Limits(max_tokens=limit), shard=shard)
    assert 24 <= service.answered <= 24 + 3 * service.concurrency
    assert set(service.asked.values()) == {1}


def test_a_later_run_of_the_whole_study_counts_what_shards_have_spent(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    for index in (1, 2):
        run(plan, tmp_path / "out", heard, shard=Shard(index, 3))
    spent = service.answered * (TOOK.prompt + TOOK.completion)
    assert 0 < service.answered < CALLS
    answered = service.answered
    with pytest.raises(BudgetSpentError):
        run(plan, tmp_path / "out", heard, limits=Limits(max_tokens=spent))
    assert service.answered == answered
    run(plan, tmp_path / "out", heard)
    assert service.answered == CALLS


def test_a_killed_shard_asks_nothing_again(
    plan: StudyPlan, service: Service, tmp_path: Path, heard: Heard
) -> None:
    run(plan, tmp_path / "whole", heard)
    service.asked.clear()
    service.answered = 0
    for kill in (7, 15, 30):
        service.fault = raise_at(kill, Killed())
        for index in (1, 2):
            with suppress(Killed):
                run(plan, tmp_path / "out", heard, shard=Shard(index, 2))
    service.fault = lambda n: None
    for index in (1, 2):
        run(plan, tmp_path / "out", heard, shard=Shard(index, 2))
    assert service.answered == CALLS
    assert digest_of(tmp_path / "out") == digest_of(tmp_path / "whole")
