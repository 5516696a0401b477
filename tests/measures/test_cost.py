"""What episodes took, reckoned by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from otherminds import Record, SeatSpec
from otherminds.core.data import Invalid
from otherminds.core.model import Price, Usage
from otherminds.core.record import Call, Timing
from otherminds.measures.cost import Cost, CostSums, sum_costs, total
from otherminds.measures.episode import Episode, summarise

DEAR = Price(input=2.0, output=10.0, cached_input=0.5)
CHEAP = Price(input=1.0, output=3.0)


@pytest.fixture
def called(play) -> Callable[..., Record]:
    """A two-round episode of ``model`` with calls of (step, purpose, attempt, prompt, completion)."""

    def make(model: str, *calls: tuple[int, str, int, int, int], seed: int = 0) -> Record:
        record = play("rps-single-v1", lambda h: 0, lambda h: 0, seed, rounds=2)
        seats = {**record.spec.seats, "ego": SeatSpec("qa", model=model)}
        record.spec = replace(record.spec, seats=seats)
        record.calls = tuple(
            Call("ego", step, why, attempt, (), prompt_tokens=read, completion_tokens=written)
            for step, why, attempt, read, written in calls
        )
        return record

    return make


@pytest.fixture
def two(called) -> list[Episode]:
    """Six calls for four requests; 3,000 tokens read, 1,200 of them cached, 100 written; 14 seconds."""
    first = called("dear", (0, "act", 0, 500, 10), (0, "act", 1, 500, 20), (1, "act", 0, 1000, 30))
    second = called("dear", (0, "act", 0, 500, 10), (0, "ask", 0, 250, 10), (0, "ask", 1, 250, 20), seed=1)
    return [
        summarise(first, Timing(10.0, [1.0, 2.0, 3.0], cached_tokens=1000)),
        summarise(second, Timing(4.0, [0.5, 0.5, 2.0], cached_tokens=200)),
    ]


def test_sums_means_and_shares(two) -> None:
    found = total(two, {"dear": DEAR})
    assert (found.episodes, found.calls, found.calls_an_episode) == (2, 6, 3.0)
    assert found.usage == Usage(prompt=3000, completion=100, cached=1200)
    assert (found.seconds, found.call_seconds) == (7.0, 1.5)
    assert found.reasks == pytest.approx(2 / 6)
    assert found.invalid == 0.0
    # 1,800 fresh tokens at 2, 1,200 cached at .5, 100 written at 10 dollars a million.
    assert found.money == pytest.approx((1800 * 2 + 1200 * 0.5 + 100 * 10) / 1e6)


def test_shares_of_both_readers_count_every_reply_to_a_question(called) -> None:
    record = called("dear", *((step, "act", 0, 1, 1) for step in range(5)))
    read = ("strict", "lenient", "none", "strict", "")
    record.calls = tuple(replace(call, read=found) for call, found in zip(record.calls, read, strict=True))
    found = total([summarise(record)], {})
    assert (found.strict, found.lenient) == (2 / 4, 3 / 4)
    assert total([summarise(called("dear"))], {}).lenient is None


def test_cached_tokens_cost_as_others_where_no_price_says_otherwise(two) -> None:
    assert total(two, {"dear": CHEAP}).money == pytest.approx((3000 * 1 + 100 * 3) / 1e6)


def test_each_model_has_its_own_price(two, called) -> None:
    other = summarise(called("cheap", (0, "act", 0, 1000, 1000)), Timing(1.0, [1.0], 500))
    money = total([*two, other], {"dear": DEAR, "cheap": CHEAP}).money
    assert money == pytest.approx(0.0052 + (1000 * 1 + 1000 * 3) / 1e6)
    assert total([*two, other], {"dear": DEAR}).money is None


def test_a_team_with_several_models_pays_each_its_own(called) -> None:
    record = called("dear", (0, "act", 0, 500, 10))
    record.spec = replace(
        record.spec, seats={**record.spec.seats, "partner_0": SeatSpec("qa", model="cheap")}
    )
    record.calls += (Call("partner_0", 0, "act", 0, (), prompt_tokens=1500, completion_tokens=20),)
    episode = summarise(record, Timing(1.0, [1.0, 1.0], cached_tokens=400))
    assert episode.by_model == {"dear": Usage(500, 10, 100), "cheap": Usage(1500, 20, 300)}
    money = total([episode], {"dear": DEAR, "cheap": CHEAP}).money
    assert money == pytest.approx((400 * 2 + 100 * 0.5 + 10 * 10 + 1500 * 1 + 20 * 3) / 1e6)


def test_whoever_calls_no_model_costs_no_money_and_hides_no_other_s(two, play) -> None:
    tabular = summarise(play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=2), Timing(0.5))
    alone = total([tabular], {"dear": DEAR})
    assert (alone.calls, alone.money, alone.reasks, alone.call_seconds) == (0, None, None, None)
    assert alone.seconds == 0.5
    assert total([*two, tabular], {"dear": DEAR}).money == total(two, {"dear": DEAR}).money


def test_a_clock_that_stands_at_zero_is_no_time(two, called) -> None:
    lost = summarise(called("dear"), Timing())
    found = total([*two, lost], {})
    assert (found.episodes, found.seconds) == (3, 7.0)
    assert total([lost], {}).seconds is None
    assert summarise(called("dear")).timing == Timing()


def test_invalid_replies_are_counted_of_all_decisions_and_answers(play) -> None:
    def say(history: list[tuple[int, int]]) -> int | Invalid:
        return Invalid("hm") if len(history) < 4 else 0

    records = [play("rps-single-v1", lambda h: 0, say, seed, rounds=10) for seed in range(2)]
    assert total(list(map(summarise, records)), {}).invalid == pytest.approx(8 / 40)


def test_nothing_recorded() -> None:
    assert total([], {}) == Cost(0, 0, Usage(), None, None, None, None, None)
    assert total([], {}).calls_an_episode is None


def test_sums_of_parts_are_those_of_the_whole(two) -> None:
    for prices in ({"dear": DEAR}, {}):
        parts = [sum_costs([one], prices) for one in two]
        assert sum(parts, CostSums()).cost == total(two, prices)
    assert (CostSums() + CostSums()).cost == total([], {})


def test_the_share_of_the_cost_that_was_estimated(called) -> None:
    record = called("dear", (0, "act", 0, 500, 10), (1, "act", 0, 1000, 30))
    calls = [replace(record.calls[0], estimated_prompt=500, estimated_completion=10), record.calls[1]]
    record.calls = tuple(calls)
    episodes = [summarise(record)]
    assert total(episodes, {"dear": DEAR}).estimated == pytest.approx((500 * 2 + 100) / (1500 * 2 + 400))
    assert total(episodes, {}).estimated == pytest.approx(510 / 1540)
    assert sum_costs(episodes + episodes, {"dear": DEAR}) == sum_costs(episodes, {"dear": DEAR}) + sum_costs(
        episodes, {"dear": DEAR}
    )


@pytest.mark.parametrize("counts", [(-500, 10), (500, -10), (-1, -1), (10, 10)])
def test_no_record_of_a_stranger_has_a_negative_cost(called, counts: tuple[int, int]) -> None:
    record = called("dear", (0, "act", 0, *counts))
    for cached in (-5, 0, 10**9):
        found = total([summarise(record, Timing(1.0, [1.0], cached))], {"dear": DEAR})
        assert found.money is not None
        assert found.money >= 0
        assert 0 <= found.usage.cached <= found.usage.prompt
