"""The cluster bootstrap: size, pairing, clusters, reproducibility."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds.measures.intervals import ONE_CLUSTER, UNSTABLE, Bootstrap, quotient


def mean(sums):
    return quotient(sums["x"], sums["n"])


def bootstrap(values, clusters=None, path=("scenario", "mind")) -> Bootstrap:
    values = np.array(values, dtype=float)
    clusters = range(len(values)) if clusters is None else clusters
    return Bootstrap({"x": values, "n": np.ones(len(values))}, list(clusters), path)


def test_the_interval_is_as_wide_as_theory_says() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(3.0, 2.0, size=400)
    found = bootstrap(values).estimate(mean)
    half = 1.96 * values.std(ddof=1) / 20
    assert found.mean == pytest.approx(values.mean())
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.08)


def test_repeats_inside_a_cluster_add_no_certainty() -> None:
    values = [1.0, 4.0, 2.0, 8.0, 5.0, 7.0]
    once = bootstrap(values).estimate(mean)
    often = bootstrap(values * 3, list(range(6)) * 3).estimate(mean)
    assert often.low == pytest.approx(once.low)
    assert often.high == pytest.approx(once.high)


def test_one_cluster_has_no_interval_and_says_so() -> None:
    found = bootstrap([1.0, 3.0], ["a", "a"]).estimate(mean)
    assert (found.mean, found.low, found.high, found.reason) == (2.0, None, None, ONE_CLUSTER)


def test_differences_are_paired() -> None:
    values = np.random.default_rng(1).normal(size=50)
    columns = {"x": values, "y": values + 1, "n": np.ones(50)}
    found = Bootstrap(columns, list(range(50)), ("a",)).estimate(lambda s: (s["y"] - s["x"]) / s["n"])
    assert found.low == pytest.approx(1)
    assert found.high == pytest.approx(1)


@given(st.permutations(range(12)))
@settings(max_examples=20, deadline=None)
def test_the_order_of_episodes_changes_nothing(order: list[int]) -> None:
    values = [float(i**2) for i in range(12)]
    plain = bootstrap(values).estimate(mean)
    shuffled = bootstrap([values[i] for i in order], order).estimate(mean)
    assert (shuffled.low, shuffled.high) == pytest.approx((plain.low, plain.high))


def test_the_same_cell_has_the_same_interval() -> None:
    values = [Random(3).random() for _ in range(30)]
    assert bootstrap(values).estimate(mean) == bootstrap(values).estimate(mean)


def test_a_ratio_that_is_often_undefined_has_no_interval() -> None:
    columns = {"won": np.array([1.0, 0, 0, 0]), "winnable": np.array([2.0, 0, 0, 0])}
    made = Bootstrap(columns, list(range(4)), ("a",))
    found = made.estimate(lambda s: quotient(s["won"], s["winnable"]))
    assert (found.mean, found.low, found.reason) == (0.5, None, UNSTABLE)
    nothing = made.estimate(lambda s: quotient(s["won"], 0 * s["winnable"]), "nothing to win")
    assert (nothing.mean, nothing.reason) == (None, "nothing to win")


def test_large_cells_are_resampled_in_blocks() -> None:
    found = bootstrap(np.arange(5000) % 2).estimate(mean)
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.5 / 5000**0.5, rel=0.1)


def test_bands_hold_round_by_round() -> None:
    rows = np.random.default_rng(2).normal(size=(40, 7)) + np.arange(7)
    made = Bootstrap({"x": rows, "n": np.ones((40, 1))}, list(range(40)), ("a",))
    middle, low, high = made.band(lambda s: s["x"] / s["n"])
    assert middle == pytest.approx(rows.mean(axis=0))
    assert (low < middle).all()
    assert (middle < high).all()
