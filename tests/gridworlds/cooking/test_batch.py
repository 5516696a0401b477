"""A batch of kitchens is so many worlds side by side, each as it goes alone, one episode after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, Rules
from otherminds.gridworlds.cooking.world import CookingWorld, make_substrate
from otherminds.gridworlds.grid.rules import Luck
from tests.gridworlds.cooking import kitchens
from tests.gridworlds.cooking.plain import plain_world
from tests.gridworlds.grid.arrays import same

SHORT = replace(COOKING_ASYMMETRIC, drawing="#C##T\nOP PC\n##D##", cooking=2, maximum=25)


def check(world: CookingWorld, heard: dict[str, Any], window: NDArray[Any]) -> None:
    """``window`` [P, ...] is what the players of ``world`` heard."""
    for i, seat in enumerate(world.possible_agents):
        same(window[i], heard[seat]["WINDOW"], seat)


@pytest.mark.parametrize("make", [CookingWorld, plain_world], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("rules", "worlds", "steps"),
    [(COOKING_ASYMMETRIC, 1, 1100), (COOKING_ASYMMETRIC, 2, 60), (SHORT, 3, 150)],
    ids=["official, one", "official, two", "short, three"],
)
def test_each_kitchen_of_a_batch_is_the_pettingzoo_world_under_its_seed(
    rules: Rules, worlds: int, steps: int, make: Callable[[Rules], CookingWorld]
) -> None:
    steps = 200 if make is plain_world else steps
    batch = make_substrate(rules).batch(worlds)
    alone = [make(rules) for _ in range(worlds)]
    seats = alone[0].possible_agents
    batch.reset(50)
    rng = np.random.default_rng(0)
    seeds, returns, lengths = list(range(50, 50 + worlds)), np.zeros((worlds, rules.players)), [0] * worlds
    ends = 0
    for b, world in enumerate(alone):
        check(world, world.reset(50 + b)[0], batch.windows[b])
    for _ in range(steps):
        actions = np.array([kitchens.cook(rules, world.engine.state, rng) for world in alone])
        batch.step(actions)
        assert not batch.terminations.any()
        for b, world in enumerate(alone):
            heard, paid, _, truncated, _ = world.step(dict(zip(seats, actions[b].tolist(), strict=True)))
            assert batch.rewards[b].tolist() == list(paid.values())
            assert {bool(batch.truncations[b])} == set(truncated.values())
            returns[b] += batch.rewards[b]
            lengths[b] += 1
            if batch.truncations[b]:
                check(world, heard, batch.final_windows[b])
                assert batch.returns[b].tolist() == returns[b].tolist()
                assert batch.lengths[b] == lengths[b] == rules.maximum
                returns[b], lengths[b], ends = 0.0, 0, ends + 1
                seeds[b] = Luck(seeds[b]).next()
                heard, _ = world.reset(seeds[b])
            assert int(batch.seeds[b]) == seeds[b]
            check(world, heard, batch.windows[b])
            same(batch.shards[0].state.avatars[b], world.engine.state.avatars[0])
    assert ends == worlds * (steps // rules.maximum)
