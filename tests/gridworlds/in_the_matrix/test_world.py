"""The substrates keep what every world keeps, and say what happened in duels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from otherminds.core.data import Question
from otherminds.core.errors import WorldError
from otherminds.gridworlds.grid.rules import FORWARD, INTERACT, NOOP
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.testing import Variant, WorldConformance

CROWDED = """
WWWWWW
Wn11nW
W1a2nW
Wn22nW
WWWWWW
"""
SHORT = {"minimum": 90, "maximum": 110, "interval": 10}


def short(rules: Rules, **changes: Any) -> Rules:
    return replace(rules, **{**SHORT, **changes})


class SubstrateConformance(WorldConformance):
    has_chance = True
    rules: Rules

    def make_world(self) -> InTheMatrixWorld:
        return InTheMatrixWorld(self.rules)

    def questions(self) -> list[Question]:
        seat = "partner_0"
        names = self.rules.classes
        return [Question(f"next:{seat}", "ego", "before", "?", names, 1 / len(names), about=seat)]


class TestCrowdedDilemma(SubstrateConformance):
    rules = short(PD_REPEATED, drawing=CROWDED, freeze=3, players=2, minimum=50, maximum=60)

    def private_variants(self) -> Iterable[Variant]:
        """What another seat collects is not heard, nor is the class of what is out of sight."""
        yield Variant("another seat's inventory", "ego", _with_inventory(1), _with_inventory(5), 1)


class TestCrowdedScissors(SubstrateConformance):
    rules = short(
        RWS_ARENA,
        drawing=CROWDED.replace("n", "P"),
        players=4,
        freeze=2,
        respawn=3,
        regrowth=0.5,
        delay=1,
        minimum=40,
        maximum=50,
    )
    seeds = (0, 1)


class TestWithPixels(SubstrateConformance):
    rules = short(PD_REPEATED, drawing=CROWDED, freeze=3, minimum=8, maximum=12)

    def questions(self) -> list[Question]:
        return []  # so few steps hold no duel

    def make_world(self) -> InTheMatrixWorld:
        return InTheMatrixWorld(self.rules, rgb=True)


class _Stocked(InTheMatrixWorld):
    """Another seat starts with so much of the first class."""

    stock = 1

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed, options)
        self.engine.state.avatars[0, 1, columns.COUNTS] = self.stock
        return self._heard(dict.fromkeys(self.agents, ()))


def _with_inventory(stock: int) -> InTheMatrixWorld:
    world = _Stocked(RWS_REPEATED)
    world.stock = stock
    return world


LANE = """
WWWWWWW
Wn1n22W
WWWWWWW
"""


def test_a_duel_is_heard_when_it_is_paid_with_what_its_reward_leaves_possible() -> None:
    world = InTheMatrixWorld(short(PD_REPEATED, drawing=LANE, freeze=4))
    for seed in range(200):
        world.reset(seed)
        first, second = (world.engine.state.avatars[0, i] for i in (0, 1))
        if first[columns.X] == 1 and first[columns.FACING] == 1 and second[columns.FACING] == 1:
            break
    else:
        pytest.fail("no seed puts both avatars in the lane, facing east")
    heard: list[Any] = []
    moves = [(NOOP, FORWARD), (FORWARD, FORWARD), (INTERACT, NOOP), *[(NOOP, NOOP)] * 6]
    paid: dict[str, float] = {"ego": 0.0, "partner_0": 0.0}
    for ego, other in moves:
        _, rewards, _, _, infos = world.step({"ego": ego, "partner_0": other})
        heard.append(infos["ego"].get("encounters", ()))
        for seat, reward in rewards.items():
            paid[seat] += reward
    assert [len(one) for one in heard] == [0, 0, 0, 0, 0, 0, 0, 1, 0]
    encounter = heard[7][0]
    assert encounter.did == {"ego": ("cooperate",), "partner_0": ("defect",)}
    # Inventories (2, 1) and (1, 3): profiles (2/3, 1/3) and (1/4, 3/4).
    assert encounter.reward == pytest.approx(2 / 3 * 3 / 4 + 1 / 3 * (5 / 4 + 3 / 4))
    assert paid["ego"] == encounter.reward
    assert paid["partner_0"] == pytest.approx(2 / 3 * (3 / 4 + 5 * 3 / 4) + 1 / 3 * 3 / 4)
    duel = world.facts()["duels"][0]
    assert (duel["step"], duel["seats"]) == (2, ["ego", "partner_0"])
    assert duel["inventories"] == [[2, 1], [1, 3]]


def test_a_seed_drawn_by_numpy_is_the_number_it_is() -> None:
    world = InTheMatrixWorld(RWS_REPEATED)
    seeds: list[Any] = [7, np.int64(7)]
    places = [world.reset(seed)[0]["ego"]["POSITION"].tolist() for seed in seeds]
    assert places[0] == places[1]


def test_who_steps_before_the_start_or_after_the_end_is_told_to_reset() -> None:
    world = InTheMatrixWorld(replace(RWS_REPEATED, maximum=1))
    still = dict.fromkeys(world.possible_agents, NOOP)
    for _ in range(2):
        with pytest.raises(WorldError, match="call reset"):
            world.step(still)
        world.reset(0)
        world.step(still)


def test_inventories_are_observed_in_the_step_of_the_duel_by_who_was_granted_them() -> None:
    world = InTheMatrixWorld(PD_REPEATED)
    observations, _ = world.reset(0, {"grants": {"partner_0": {"inventories": True}}})
    assert "INTERACTION_INVENTORIES" not in observations["ego"]
    assert np.array_equal(observations["partner_0"]["INTERACTION_INVENTORIES"], np.zeros((2, 2)))
    observations, *_ = world.step({"ego": NOOP, "partner_0": NOOP})
    assert np.array_equal(observations["partner_0"]["INTERACTION_INVENTORIES"], np.full((2, 2), -1.0))
    assert world.observation_space("partner_0").contains(observations["partner_0"])


def test_pixels_and_maps_are_rendered() -> None:
    world = InTheMatrixWorld(RWS_REPEATED, rgb=True, render_mode="rgb_array")
    observations, _ = world.reset(0)
    assert observations["ego"]["RGB"].shape == (40, 40, 3)
    kept = observations["ego"]["RGB"].copy()
    first = observations["ego"]["RGB"]
    for _ in range(5):
        world.step({"ego": FORWARD, "partner_0": FORWARD})
    assert np.array_equal(first, kept)
    assert np.shape(world.render()) == (15 * 8, 23 * 8, 3)
    world.render_mode = "ansi"
    drawn = str(world.render()).splitlines()
    assert drawn[0] == "#" * 23
    assert len(drawn) == 15 + 2
    letters = "".join(filter(str.islower, "".join(drawn[:15]).replace("v", "")))
    assert set(letters) == {"r", "p", "s"}
    assert len(letters) > 10
