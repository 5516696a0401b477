"""Money and tokens: counted exactly, and bounded by the calls in flight."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Message
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion, Decoding, Price, Usage, cost
from otherminds.models.scripted import ScriptedModel, first
from otherminds.models.wrappers import Budget, BudgetSpentError, Metered

HELLO = [Message("user", "hello")]
ONE = Usage(prompt=7, completion=3, cached=2)


class Fixed:
    """Takes its time, and uses ``ONE`` a call."""

    spec = "openai:fixed@http://127.0.0.1:1/v1"
    context = 1000
    concurrency = 8

    def __init__(self) -> None:
        self.calls = 0

    async def generate(self, messages: object, decoding: Decoding) -> Completion:
        self.calls += 1
        await asyncio.sleep(0)
        return Completion("yes", usage=ONE)

    def count(self, text: str) -> int:
        return len(text)


def calls(budget: Budget, episodes: int, each: int) -> Fixed:
    """``episodes`` at once, each of ``each`` calls one after the other, until the budget is spent."""
    fixed = Fixed()
    model = Metered(fixed, budget)

    async def episode() -> None:
        for _ in range(each):
            await model.generate(HELLO, Decoding())

    async def all_of_them() -> None:
        for ended in await asyncio.gather(*(episode() for _ in range(episodes)), return_exceptions=True):
            assert ended is None or isinstance(ended, BudgetSpentError)

    asyncio.run(all_of_them())
    return fixed


def test_it_counts_tokens_and_dollars_by_the_models_name_without_its_address() -> None:
    budget = Budget(prices={"openai:fixed": Price(1.0, 10.0, 0.5)})
    calls(budget, 1, 4)
    assert budget.tokens == 40
    assert budget.cost == pytest.approx(4 * (5 * 1.0 + 2 * 0.5 + 3 * 10.0) / 1e6)


@given(st.integers(0, 400), st.integers(1, 12), st.integers(1, 12))
def test_tokens_are_overshot_by_no_more_than_the_calls_in_flight(
    limit: int, episodes: int, each: int
) -> None:
    budget = Budget(max_tokens=limit)
    made = calls(budget, episodes, each).calls
    a_call = ONE.prompt + ONE.completion
    assert budget.tokens == made * a_call
    assert budget.tokens < limit + episodes * a_call
    assert made == episodes * each or budget.tokens >= limit


def test_dollars_are_bounded_alike() -> None:
    price = Price(2.0, 6.0)
    budget = Budget(max_cost=20 * cost(ONE, price), prices={"openai:fixed": price})
    made = calls(budget, 6, 100).calls
    assert 20 <= made <= 20 + 6


def test_a_limited_cost_needs_every_price() -> None:
    with pytest.raises(StudyError, match=r"needs the price of 'openai:fixed'.*input and output"):
        Metered(Fixed(), Budget(max_cost=1.0))


def test_without_a_limit_nothing_stops() -> None:
    assert calls(Budget(), 2, 50).calls == 100


def test_nothing_may_be_spent_at_a_limit_of_zero() -> None:
    assert calls(Budget(max_tokens=0), 3, 5).calls == 0


def test_scores_are_counted_and_models_that_cannot_score_still_cannot() -> None:
    budget = Budget()
    asyncio.run(Metered(first(), budget).score("one two", [" a", " b"]))
    assert budget.tokens == 2
    mute = Metered(ScriptedModel(lambda messages, decoding: ""), budget)
    assert not hasattr(mute, "score")


def test_a_price_without_one_for_cached_tokens_takes_them_as_others() -> None:
    assert cost(Usage(10, 0, 4), Price(1.0, 1.0)) == pytest.approx(10 / 1e6)
