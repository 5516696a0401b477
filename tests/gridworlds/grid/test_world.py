"""The PettingZoo face of gridworlds: episodes that follow each other, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from otherminds.core.errors import StudyError, WorldError
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.rules import Luck
from otherminds.gridworlds.in_the_matrix.rules import RWS_REPEATED
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld

STILL = {"ego": 0, "partner_0": 0}


def place(world: InTheMatrixWorld, **reset: Any) -> list[int]:
    observations, _ = world.reset(**reset)
    return [*observations["ego"]["POSITION"].tolist(), int(observations["ego"]["ORIENTATION"])]


def test_without_a_seed_an_episode_follows_from_the_last_one() -> None:
    world = InTheMatrixWorld(RWS_REPEATED)
    first = [place(world, seed=5), place(world), place(world)]
    again = [place(world, seed=5), place(world), place(world)]
    assert first == again
    assert place(world, seed=Luck(5).next()) == first[1]


@pytest.mark.parametrize("seed", [-1, 1 << 64])
def test_seeds_out_of_range_are_refused(seed: int) -> None:
    with pytest.raises(StudyError, match="a seed is a whole number from 0"):
        InTheMatrixWorld(RWS_REPEATED).reset(seed=seed)


def test_what_is_missing_or_unknown_is_named() -> None:
    world = InTheMatrixWorld(RWS_REPEATED)
    with pytest.raises(WorldError, match="grants for partner_9, who have no seat here"):
        world.reset(0, {"grants": {"partner_9": {"map": True}}})
    world.reset(0)
    with pytest.raises(WorldError, match="no action for partner_0"):
        world.step({"ego": 0})
    with pytest.raises(WorldError, match="render_mode 'human' is none of ansi, rgb_array"):
        CookingWorld(render_mode="human")


def test_a_space_stays_the_same_object_while_its_grants_do() -> None:
    world = InTheMatrixWorld(RWS_REPEATED)
    world.reset(0)
    space = world.observation_space("ego")
    world.reset(1)
    assert world.observation_space("ego") is space
    world.reset(1, {"grants": {"ego": {"map": True}}})
    assert world.observation_space("ego") is not space


@pytest.mark.parametrize(
    "make", [lambda: InTheMatrixWorld(RWS_REPEATED, rgb=True), lambda: CookingWorld(rgb=True)]
)
def test_observations_are_new_arrays_at_each_step(make: Any) -> None:
    world = make()
    before, _ = world.reset(3)
    kept = {name: np.array(value) for name, value in before["ego"].items()}
    for _ in range(5):
        world.step({"ego": 6, "partner_0": 1})
    for name, value in kept.items():
        assert np.array_equal(before["ego"][name], value), name
