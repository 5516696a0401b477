"""Stratified intervals: known variances, strata, pairing, ratios, bands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.measures.intervals import ONE_EPISODE, Estimate, Strata, paired_difference, share_of


@pytest.fixture(scope="module")
def student() -> Any:
    """Student's distribution; its import takes half a second, which only the worker that runs these tests needs."""
    from scipy.stats import t

    return t


def test_one_stratum_is_student_s_interval(student: Any) -> None:
    values = np.random.default_rng(5).normal(3.0, 2.0, size=40)
    found = Strata([""] * 40).estimate(values)
    half = student.ppf(0.975, 39) * values.std(ddof=1) / 40**0.5
    assert found.mean == pytest.approx(values.mean())
    assert (found.low, found.high) == pytest.approx((values.mean() - half, values.mean() + half))
    assert found.freedom == pytest.approx(39)


def test_differences_between_strata_are_no_uncertainty() -> None:
    """Partners that are balanced by design: only what varies against one partner counts."""
    values = np.array([0.0, 0.0, 10.0, 10.0])
    found = Strata(["a", "a", "b", "b"]).estimate(values)
    assert (found.mean, found.low, found.high) == (5.0, 5.0, 5.0)
    noisy = Strata(["a", "a", "b", "b"]).estimate(values + np.array([-1.0, 1.0, -1.0, 1.0]))
    assert noisy.error == pytest.approx((2 * 0.25 * 2.0 / 2) ** 0.5)


def test_welch_and_satterthwaite() -> None:
    """Two strata of different spread: the textbook's degrees of freedom of a difference hold for a mean too."""
    rng = np.random.default_rng(1)
    one, two = rng.normal(0, 1, 5), rng.normal(0, 7, 9)
    found = Strata(["a"] * 5 + ["b"] * 9, {"a": 0.5, "b": 0.5}).estimate(np.concatenate([one, two]))
    v1, v2 = one.var(ddof=1) / 5, two.var(ddof=1) / 9
    assert found.error == pytest.approx(((v1 + v2) / 4) ** 0.5)
    assert found.freedom == pytest.approx((v1 + v2) ** 2 / (v1**2 / 4 + v2**2 / 8))


def test_weights_are_the_population_s_not_the_sample_s() -> None:
    found = Strata(["a", "a", "a", "b", "b"], {"a": 0.25, "b": 0.75}).estimate(np.array([4.0, 4, 4, 8, 8]))
    assert found.mean == 7.0


def test_a_stratum_with_one_episode_has_no_interval_and_names_itself() -> None:
    found = Strata(["a", "a", "b"]).estimate(np.array([1.0, 2.0, 3.0]))
    assert (found.mean, found.low, found.high) == (2.0, None, None)
    assert found.reason == "one episode only against b: no interval"
    assert Strata([""]).estimate(np.array([1.0])).reason == ONE_EPISODE


def test_a_ratio_is_linearised() -> None:
    """Against the spread of the ratio over many samples of the same kind."""
    rng = np.random.default_rng(3)
    spread, errors = [], []
    for _ in range(800):
        under = rng.normal(10, 2, 30)
        over = 0.5 * under + rng.normal(0, 1, 30)
        found = Strata([""] * 30).estimate(over, under)
        spread.append(found.mean)
        errors.append(found.error)
    assert np.mean(errors) == pytest.approx(np.std(spread), rel=0.06)


def test_differences_are_paired_by_partner_and_seed() -> None:
    luck = np.random.default_rng(1).normal(size=20) * 50
    keys = [("ab"[k % 2], k) for k in range(20)]
    ours = {key: float(x) + 1 for key, x in zip(keys, luck, strict=True)}
    theirs = {key: float(x) for key, x in zip(keys, luck, strict=True)} | {("a", 99): 1e9}
    found = paired_difference(ours, theirs)
    assert (found.mean, found.low, found.high) == pytest.approx((1, 1, 1))
    assert paired_difference({("a", 1): 1.0}, {("a", 2): 1.0}).mean is None


def test_the_p_value_is_that_of_student_s_test(student: Any) -> None:
    values = np.array([0.3, -0.1, 0.5, 0.2, 0.6, 0.1])
    found = Strata([""] * 6).estimate(values)
    statistic = values.mean() / (values.std(ddof=1) / 6**0.5)
    assert found.doubt == pytest.approx(student.sf(statistic, 5))
    assert (found.doubt < 0.025) == (found.low > 0)
    assert Estimate(1.0).doubt == 1.0
    assert Strata(["", ""]).estimate(np.array([1.0, 1.0])).doubt == 0.0
    assert Strata(["", ""]).estimate(np.array([0.0, 0.0])).doubt == 1.0


@given(st.permutations(range(12)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_episodes_changes_nothing(order: list[int]) -> None:
    values = np.array([float(i**2) for i in range(12)])
    names = ["abc"[i % 3] for i in range(12)]
    plain = Strata(names).estimate(values)
    shuffled = Strata([names[i] for i in order]).estimate(values[order])
    assert (shuffled.low, shuffled.high) == pytest.approx((plain.low, plain.high))


def test_bands_hold_round_by_round() -> None:
    rows = np.random.default_rng(2).normal(size=(40, 7)) + np.arange(7)
    names = ["a", "b"] * 20
    middle, low, high = Strata(names).band(rows)
    for t in range(7):
        one = Strata(names).estimate(rows[:, t])
        assert (middle[t], low[t], high[t]) == pytest.approx((one.mean, one.low, one.high))
    lone = Strata(["a", "b"]).band(rows[:2])
    assert (lone[1] == lone[0]).all()


@given(st.integers(1, 200), st.data())
def test_the_interval_of_a_share_has_a_width_and_holds_it(n: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, n))
    found = share_of(passed, n)
    assert 0.0 <= found.low <= found.mean <= found.high <= 1.0
    assert found.high - found.low > 0.01
    other = share_of(n - passed, n)
    assert (1 - other.high, 1 - other.low) == pytest.approx((found.low, found.high))


def test_the_interval_of_a_share_is_wilson_s() -> None:
    """The worked value of Newcombe 1998, table I: 81 of 263."""
    found = share_of(81, 263)
    assert (round(found.low, 4), round(found.high, 4)) == (0.2553, 0.3662)


def test_few_episodes_are_told_from_many() -> None:
    for n, few in ((2, True), (9, True), (10, False)):
        found = Strata([""] * n).estimate(np.arange(float(n)))
        assert (found.n, found.few) == (n, few)
    assert Strata([""]).estimate(np.ones(1)).few
