"""Rewards an episode and per 1,200 steps; scored episodes as points."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.model import Price
from otherminds.core.record import Call, Outcome
from otherminds.measures.cost import per_1200, reward_per_1200_steps, runs, spread
from otherminds.measures.episode import summarise
from otherminds.measures.registry import Inapplicable, Unknown, measures


def test_both_columns_of_one_episode(play) -> None:
    record = play("rps-single-v1", lambda h: 1, lambda h: 0, rounds=8)
    total = record.total("ego")
    assert total > 0, "of nothing, every share is right"
    assert measures.get("reward_per_episode")(record) == total
    assert isinstance(reward_per_1200_steps(record), Inapplicable), "a matrix game is counted in rounds"
    record.met["ego"] = record.met["ego"][::2]
    assert reward_per_1200_steps(record) == pytest.approx(total * 150)
    record.rewards = []
    assert isinstance(reward_per_1200_steps(record), Unknown)


@given(amount=st.floats(-1e3, 1e3), steps=st.integers(1, 5000))
def test_an_episode_of_1200_steps_is_its_own_norm(amount, steps) -> None:
    assert per_1200(amount, 1200) == pytest.approx(amount)
    assert per_1200(2 * amount, 2 * steps) == pytest.approx(per_1200(amount, steps))
    assert per_1200(None, steps) is per_1200(amount, 0) is None


def test_a_scored_episode_is_a_point(play) -> None:
    record = play("rps-single-v1", lambda h: 0, lambda h: 0, rounds=6, label="hm")
    record.calls = (Call("ego", 0, "act", 0, (), prompt_tokens=300, completion_tokens=20),)
    failed = play("rps-single-v1", lambda h: 0, lambda h: 0, seed=1, rounds=6, label="hm")
    failed.outcome = Outcome("failed")
    (one,) = runs([("rps-single-v1", "hm")], [summarise(record), summarise(failed)], {"": Price(1.0, 10.0)})
    assert (one.scenario, one.mind, one.steps, one.calls) == ("rps-single-v1", "hm", 0, 1)
    assert one.normalised is None, "a matrix game is counted in rounds"
    assert one.money == pytest.approx((300 * 1 + 20 * 10) / 1e6)
    assert one.who == record.spec.seats["ego"]


def test_the_order_of_coming_changes_nothing(play) -> None:
    episodes = [summarise(play("rps-single-v1", lambda h: 0, lambda h: 0, s, rounds=3)) for s in range(4)]
    keys = [("rps-single-v1", "scripted")]
    assert runs(keys, episodes, {}) == runs(keys, reversed(episodes), {})
    assert len(runs(keys, episodes, {})) == 4


def test_a_single_number_has_no_error() -> None:
    assert spread([]) is None
    assert (spread([2.0]).sem, spread([2.0]).mean) == (None, 2.0)
    assert spread([1.0, 2.0, 3.0]).sem == pytest.approx(1 / 3**0.5)
