"""A batch is so many worlds side by side, each as it goes alone, one episode after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from otherminds.worlds.grid.luck import Luck
from otherminds.worlds.in_the_matrix.batch import Batch, Info, Observations
from otherminds.worlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.worlds.in_the_matrix.world import InTheMatrixWorld
from tests.cases import for_each
from tests.worlds.grid.arrays import same

pytest.importorskip("numba")

SHORT = replace(
    PD_REPEATED,
    drawing="WWWWWW\nWn12nW\nWa  1W\nWn2 nW\nWWWWWW",
    respawn=1,
    freeze=2,
    minimum=10,
    interval=5,
    maximum=30,
)


def check(world: InTheMatrixWorld, heard: dict[str, Any], observed: Observations, b: int) -> None:
    for i, seat in enumerate(world.possible_agents):
        for name, array in observed._asdict().items():
            same(array[b, i], heard[seat][name.upper()], f"{seat} {name}")


def check_met(world: InTheMatrixWorld, heard: dict[str, Any], info: Info, b: int) -> None:
    for i, seat in enumerate(world.possible_agents):
        same(info.interaction_inventories[b, i], heard[seat]["INTERACTION_INVENTORIES"])


@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("rules", "worlds", "steps"),
    [(RWS_REPEATED, 1, 120), (RWS_ARENA, 2, 30), (SHORT, 1, 300), (SHORT, 3, 150)],
    ids=["rws-repeated, one", "arena, two", "short, one", "short, three"],
)
def test_each_world_of_a_batch_is_the_pettingzoo_world_under_its_seed(
    rules: Rules, worlds: int, steps: int, plain: bool
) -> None:
    batch = Batch(rules, worlds)
    alone = [InTheMatrixWorld(rules, plain=plain) for _ in range(worlds)]
    seats = alone[0].possible_agents
    options = {"grants": {seat: {"inventories": True} for seat in seats}}
    observed, info = batch.reset(50)
    rng = np.random.default_rng(0)
    seeds, returns = list(range(50, 50 + worlds)), np.zeros((worlds, rules.players))
    lengths, ends = [0] * worlds, 0
    for b, world in enumerate(alone):
        heard, _ = world.reset(50 + b, options)
        check(world, heard, observed, b)
        check_met(world, heard, info, b)
    for _ in range(steps):
        actions = rng.integers(8, size=(worlds, rules.players))
        observed, rewards, terminations, truncations, info = batch.step(actions)
        for b, world in enumerate(alone):
            heard, paid, terminated, truncated, _ = world.step(
                dict(zip(seats, actions[b].tolist(), strict=True))
            )
            assert rewards[b].tolist() == list(paid.values())
            assert {bool(terminations[b])} == set(terminated.values())
            assert {bool(truncations[b])} == set(truncated.values())
            check_met(world, heard, info, b)
            returns[b] += rewards[b]
            lengths[b] += 1
            if terminations[b] or truncations[b]:
                assert info.returns[b].tolist() == returns[b].tolist()
                assert info.lengths[b] == lengths[b]
                returns[b], lengths[b], ends = 0.0, 0, ends + 1
                seeds[b] = Luck(seeds[b]).next()
                heard, _ = world.reset(seeds[b], options)
            assert int(info.seeds[b]) == seeds[b]
            check(world, heard, observed, b)
    assert (ends > 5) == (rules is SHORT)


def test_the_return_of_an_ended_episode_stays_until_the_next_one_ends() -> None:
    batch = Batch(SHORT, 4)
    batch.reset([3, 1, 4, 1])
    rng = np.random.default_rng(1)
    lengths = np.zeros(4, int)
    kinds = set()
    for _ in range(200):
        stepped = batch.step(rng.integers(8, size=(4, 2)))
        over = stepped.terminations | stepped.truncations
        kinds |= {*np.flatnonzero(stepped.terminations), *(-1 - np.flatnonzero(stepped.truncations))}
        assert np.array_equal(stepped.info.lengths[~over], lengths[~over])
        lengths = stepped.info.lengths.copy()
    assert min(kinds) < 0 <= max(kinds)


def test_a_reset_forgets_what_was_before() -> None:
    batch = Batch(SHORT, 2)
    actions = np.random.default_rng(2).integers(8, size=(50, 2, 2))
    played = []
    for _ in range(2):
        batch.reset(np.array([9, 10]))
        played.append([[np.copy(part).tolist() for part in batch.step(made).info] for made in actions])
    assert played[0] == played[1]


@for_each("kind", [np.uint8, np.int32, np.int64])
def test_actions_may_be_integers_of_any_size_and_layout(kind: type[np.integer]) -> None:
    batch = Batch(SHORT, 3)
    batch.reset(5)
    made = np.random.default_rng(3).integers(8, size=(2, 3))
    batch.step(np.asfortranarray(made.T.astype(kind)))
    kept = batch.state.avatars.copy()
    batch.reset(5)
    batch.step(made.T.copy())
    assert np.array_equal(batch.state.avatars, kept)
