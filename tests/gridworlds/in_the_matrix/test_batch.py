"""A batch is so many worlds side by side, each as it goes alone, one episode after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from otherminds.gridworlds.grid.learner import LearnerBatch
from otherminds.gridworlds.grid.rules import Luck
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld, make_substrate
from tests.cases import for_each
from tests.gridworlds.grid.arrays import same
from tests.gridworlds.in_the_matrix.plain import plain_world

SHORT = replace(
    PD_REPEATED,
    drawing="WWWWWW\nWn12nW\nWa  1W\nWn2 nW\nWWWWWW",
    respawn=1,
    freeze=2,
    minimum=10,
    interval=5,
    maximum=30,
)


def check(world: InTheMatrixWorld, heard: dict[str, Any], window: NDArray[Any], vector: NDArray[Any]) -> None:
    """``window`` [P, ...] and ``vector`` [P, V] are what the players of ``world`` heard."""
    for i, seat in enumerate(world.possible_agents):
        same(window[i], heard[seat]["WINDOW"], seat)
        same(vector[i], [*heard[seat]["INVENTORY"], heard[seat]["READY_TO_SHOOT"]], seat)


def check_met(world: InTheMatrixWorld, heard: dict[str, Any], batch: LearnerBatch, b: int) -> None:
    for i, seat in enumerate(world.possible_agents):
        same(batch.shards[0]._episodes.met[b, i], heard[seat]["INTERACTION_INVENTORIES"])


@pytest.mark.parametrize("make", [InTheMatrixWorld, plain_world], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("rules", "worlds", "steps"),
    [(RWS_REPEATED, 1, 120), (RWS_ARENA, 2, 30), (SHORT, 1, 300), (SHORT, 3, 150)],
    ids=["rws-repeated, one", "arena, two", "short, one", "short, three"],
)
def test_each_world_of_a_batch_is_the_pettingzoo_world_under_its_seed(
    rules: Rules, worlds: int, steps: int, make: Callable[[Rules], InTheMatrixWorld]
) -> None:
    batch = make_substrate(rules).batch(worlds)
    alone = [make(rules) for _ in range(worlds)]
    seats = alone[0].possible_agents
    options = {"grants": {seat: {"inventories": True} for seat in seats}}
    batch.reset(50)
    rng = np.random.default_rng(0)
    seeds, returns = list(range(50, 50 + worlds)), np.zeros((worlds, rules.players))
    lengths, ends = [0] * worlds, 0
    for b, world in enumerate(alone):
        heard, _ = world.reset(50 + b, options)
        check(world, heard, batch.windows[b], batch.vectors[b])
        check_met(world, heard, batch, b)
    for _ in range(steps):
        actions = rng.integers(8, size=(worlds, rules.players))
        batch.step(actions)
        for b, world in enumerate(alone):
            heard, paid, terminated, truncated, _ = world.step(
                dict(zip(seats, actions[b].tolist(), strict=True))
            )
            same(batch.rewards[b], np.array([*paid.values()], np.float32))
            assert {bool(batch.terminations[b])} == set(terminated.values())
            assert {bool(batch.truncations[b])} == set(truncated.values())
            check_met(world, heard, batch, b)
            returns[b] += [*paid.values()]
            lengths[b] += 1
            if batch.terminations[b] or batch.truncations[b]:
                check(world, heard, batch.final_windows[b], batch.final_vectors[b])
                assert batch.returns[b].tolist() == returns[b].tolist()
                assert batch.lengths[b] == lengths[b]
                returns[b], lengths[b], ends = 0.0, 0, ends + 1
                seeds[b] = Luck(seeds[b]).next()
                heard, _ = world.reset(seeds[b], options)
            assert int(batch.seeds[b]) == seeds[b]
            check(world, heard, batch.windows[b], batch.vectors[b])
            same(batch.shards[0].state.avatars[b], world.engine.state.avatars[0])
    assert (ends > 5) == (rules is SHORT)


def test_the_return_of_an_ended_episode_stays_until_the_next_one_ends() -> None:
    batch = make_substrate(SHORT).batch(4)
    batch.reset([3, 1, 4, 1])
    rng = np.random.default_rng(1)
    lengths = np.zeros(4, int)
    kinds = set()
    for _ in range(200):
        batch.step(rng.integers(8, size=(4, 2)))
        over = batch.terminations | batch.truncations
        kinds |= {*np.flatnonzero(batch.terminations), *(-1 - np.flatnonzero(batch.truncations))}
        assert np.array_equal(batch.lengths[~over], lengths[~over])
        lengths = batch.lengths.copy()
    assert min(kinds) < 0 <= max(kinds)


@for_each("kind", [np.uint8, np.int32, np.int64])
def test_actions_may_be_integers_of_any_size_and_layout(kind: type[np.integer]) -> None:
    batch = make_substrate(SHORT).batch(3)
    batch.reset(5)
    made = np.random.default_rng(3).integers(8, size=(2, 3))
    batch.step(np.asfortranarray(made.T.astype(kind)))
    kept = batch.shards[0].state.avatars.copy()
    batch.reset(5)
    batch.step(made.T.copy())
    assert np.array_equal(batch.shards[0].state.avatars, kept)
