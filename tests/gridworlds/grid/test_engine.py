"""Engines observe the same in one call and in two, compiled and plain, in arrays of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from otherminds.gridworlds.cooking import world as cooking
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC
from otherminds.gridworlds.grid.world import GridEngine
from otherminds.gridworlds.in_the_matrix import world as in_the_matrix
from otherminds.gridworlds.in_the_matrix.rules import RWS_ARENA, RWS_REPEATED
from tests.gridworlds.cooking import plain as cooking_plain
from tests.gridworlds.grid.arrays import same
from tests.gridworlds.in_the_matrix import plain as matrix_plain

PLAIN: dict[Any, Callable[..., GridEngine]] = {
    in_the_matrix.engine: matrix_plain.plain_engine,
    cooking.engine: cooking_plain.plain_engine,
}
RULES: dict[str, tuple[Callable[..., GridEngine], Any]] = {
    "rws": (in_the_matrix.engine, RWS_REPEATED),
    "arena": (in_the_matrix.engine, RWS_ARENA),
    "cooking": (cooking.engine, COOKING_ASYMMETRIC),
}


@pytest.fixture(params=RULES)
def case(request: pytest.FixtureRequest) -> tuple[Callable[..., GridEngine], Any]:
    return RULES[request.param]


def test_playing_is_stepping_and_observing_compiled_or_plain(
    case: tuple[Callable[..., GridEngine], Any],
) -> None:
    make, rules = case
    whole, parts, plain = make(rules), make(rules), make(rules)
    rng = np.random.default_rng(0)
    for seed in range(3):
        for engine in (whole, parts, plain):
            engine.reset(seed)
        for _ in range(60):
            actions = rng.integers(8, size=rules.players).tolist()
            parts.step(actions)
            found = [whole.play(actions), parts.observe(), plain.play(actions)]
            for name in ("windows", "vectors", "poses"):
                first, *others = (getattr(one, name) for one in found)
                for other in others:
                    assert first.dtype == other.dtype
                    assert first.shape == other.shape
                    same(first, other, f"{name} under seed {seed}")


def test_what_was_observed_does_not_change(case: tuple[Callable[..., GridEngine], Any]) -> None:
    make, rules = case
    engine = make(rules)
    engine.reset(0)
    sights = engine.play([1] * rules.players)
    kept = [array.copy() for array in sights]
    for _ in range(20):
        engine.play([6] * rules.players)
        engine.observe()
    for array, was in zip(sights, kept, strict=True):
        same(array, was)


def test_an_observation_follows_the_state(case: tuple[Callable[..., GridEngine], Any]) -> None:
    make, rules = case
    engine = make(rules)
    engine.reset(0)
    before = engine.play([0] * rules.players)
    engine.state.avatars[0, 0, 2] = (engine.state.avatars[0, 0, 2] + 1) % 4
    after = engine.observe()
    assert after.poses[0, 2] == (before.poses[0, 2] + 1) % 4
    assert (after.windows[0] != before.windows[0]).any()
