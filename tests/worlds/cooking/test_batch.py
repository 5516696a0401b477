"""A batch of kitchens is so many worlds side by side, each as it goes alone, one episode after the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from otherminds.worlds.cooking.batch import Batch, Observations
from otherminds.worlds.cooking.rules import COOKING_ASYMMETRIC, Rules
from otherminds.worlds.cooking.world import CookingWorld
from otherminds.worlds.grid.luck import Luck
from tests.worlds.cooking import kitchens
from tests.worlds.grid.arrays import same

pytest.importorskip("numba")

SHORT = replace(COOKING_ASYMMETRIC, drawing="#C##T\nOP PC\n##D##", cooking=2, maximum=25)


def check(world: CookingWorld, heard: dict[str, Any], observed: Observations, b: int) -> None:
    for i, seat in enumerate(world.possible_agents):
        for name, array in observed._asdict().items():
            same(array[b, i], heard[seat][name.upper()], f"{seat} {name}")


@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("rules", "worlds", "steps"),
    [(COOKING_ASYMMETRIC, 1, 1100), (COOKING_ASYMMETRIC, 2, 60), (SHORT, 3, 150)],
    ids=["official, one", "official, two", "short, three"],
)
def test_each_kitchen_of_a_batch_is_the_pettingzoo_world_under_its_seed(
    rules: Rules, worlds: int, steps: int, plain: bool
) -> None:
    steps = 200 if plain else steps
    batch = Batch(rules, worlds)
    alone = [CookingWorld(rules, plain=plain) for _ in range(worlds)]
    seats = alone[0].possible_agents
    observed, _ = batch.reset(50)
    rng = np.random.default_rng(0)
    seeds, returns, lengths = list(range(50, 50 + worlds)), np.zeros((worlds, rules.players)), [0] * worlds
    ends = 0
    for b, world in enumerate(alone):
        check(world, world.reset(50 + b)[0], observed, b)
    for _ in range(steps):
        actions = np.array([kitchens.cook(rules, world.engine.state, rng) for world in alone])
        observed, rewards, terminations, truncations, info = batch.step(actions)
        assert not terminations.any()
        for b, world in enumerate(alone):
            heard, paid, _, truncated, _ = world.step(dict(zip(seats, actions[b].tolist(), strict=True)))
            assert rewards[b].tolist() == list(paid.values())
            assert {bool(truncations[b])} == set(truncated.values())
            returns[b] += rewards[b]
            lengths[b] += 1
            if truncations[b]:
                assert info.returns[b].tolist() == returns[b].tolist()
                assert info.lengths[b] == lengths[b] == rules.maximum
                returns[b], lengths[b], ends = 0.0, 0, ends + 1
                seeds[b] = Luck(seeds[b]).next()
                heard, _ = world.reset(seeds[b])
            assert int(info.seeds[b]) == seeds[b]
            check(world, heard, observed, b)
    assert ends == worlds * (steps // rules.maximum)


def test_a_reset_of_a_batch_of_kitchens_forgets_what_was_before() -> None:
    batch = Batch(SHORT, 2)
    actions = np.random.default_rng(2).integers(8, size=(60, 2, 2))
    played = []
    for _ in range(2):
        batch.reset(np.array([9, 10]))
        played.append([[np.copy(part).tolist() for part in batch.step(made).info] for made in actions])
    assert played[0] == played[1]
