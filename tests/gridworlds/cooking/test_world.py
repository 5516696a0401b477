"""Cooking keeps what every world keeps, and says of soups delivered what each seat can know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from otherminds.core.data import Encounter, Question
from otherminds.gridworlds.cooking import acts
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, DELIVERED, STOOD, TOOK_TOMATO
from otherminds.gridworlds.cooking.rules import (
    COOKED,
    COOKING_ASYMMETRIC,
    EMPTY,
    HELD,
    INSIDE,
    SOUP,
    TOMATO,
    Rules,
)
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.rules import (
    BACKWARD,
    FORWARD,
    INTERACT,
    NOOP,
    STEP_LEFT,
    STEP_RIGHT,
    TURN_LEFT,
)
from otherminds.testing import Variant, WorldConformance
from tests.gridworlds.cooking import kitchens

NORTH, EAST, SOUTH, WEST = range(4)
BUSY = """
#T#T#T#
TPT PTT
#PP   #
T#T#T#T
"""
CORRIDOR = """
#####O#####
T   PP    T
#####D#####
"""
APART = """
#O################D#
#P T############T P#
####################
"""
LONG = replace(COOKING_ASYMMETRIC, drawing=CORRIDOR)


class CookingConformance(WorldConformance):
    has_chance = True
    rules: Rules = replace(COOKING_ASYMMETRIC, maximum=90)

    def make_world(self) -> CookingWorld:
        return CookingWorld(self.rules)

    def questions(self) -> list[Question]:
        seat = "partner_0"
        return [
            Question(f"next:{seat}", "ego", "before", "?", BEHAVIOURS, 1 / len(BEHAVIOURS), about=seat),
        ]


class TestAsymmetricCooking(CookingConformance):
    def private_variants(self) -> Iterable[Variant]:
        """What another seat holds and does out of sight is not heard."""
        yield Variant("what another holds far away", "ego", _holding(EMPTY), _holding(TOMATO), 40)


class TestCrowdedCooking(CookingConformance):
    """Everybody has soup, soup stands on every counter: random play delivers often."""

    rules = replace(COOKING_ASYMMETRIC, drawing=BUSY, players=4, maximum=90)

    def make_world(self) -> CookingWorld:
        return _Provided(self.rules)

    def test_random_play_delivers_here(self) -> None:
        for run in self.runs():
            assert sum(len(moment.encounters) for moment in run.moments["ego"]) >= 2


class _Holding(CookingWorld):
    """The other seat starts with something in hand."""

    held = EMPTY

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed, options)
        self.engine.state.avatars[0, 1, HELD] = self.held
        return self._heard(dict.fromkeys(self.agents, ()))


class _Provided(CookingWorld):
    """All hands and all counters hold soup at the start."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed, options)
        self.engine.state.avatars[0, :, HELD] = SOUP
        self.engine.state.items[0] = SOUP
        return self._heard(dict.fromkeys(self.agents, ()))


def _holding(held: int) -> CookingWorld:
    world = _Holding(replace(COOKING_ASYMMETRIC, drawing=APART, maximum=60))
    world.held = held
    return world


def test_a_delivery_is_paid_to_all_and_names_the_acts_that_were_seen() -> None:
    world = CookingWorld(LONG)
    kitchens.stage(world, ((2, 1), EAST, SOUP), ((5, 1), NORTH, EMPTY))
    *before, (rewards, infos) = kitchens.play(
        world, (NOOP, INTERACT), (BACKWARD, NOOP), (TURN_LEFT, NOOP), (TURN_LEFT, NOOP), (INTERACT, NOOP)
    )
    assert all(not infos["ego"] and rewards["ego"] == 0 for rewards, infos in before)
    assert rewards == {"ego": 20.0, "partner_0": 20.0}
    # Ego saw the tomato taken. The other saw no more of ego once it had gone away.
    assert infos["ego"]["encounters"] == (
        Encounter(4, {"ego": (DELIVERED,), "partner_0": (TOOK_TOMATO,)}, 20.0),
    )
    assert infos["partner_0"]["encounters"] == (
        Encounter(4, {"ego": (DELIVERED,), "partner_0": (TOOK_TOMATO,)}, 20.0),
    )
    assert world.facts() == {
        "deliveries": [{"step": 4, "seat": "ego"}],
        "acts": [
            {"step": 0, "seat": "partner_0", "act": TOOK_TOMATO},
            {"step": 4, "seat": "ego", "act": DELIVERED},
        ],
    }


def test_who_is_never_seen_may_have_done_anything_but_deliver() -> None:
    world = CookingWorld(LONG)
    kitchens.stage(world, ((1, 1), WEST, SOUP), ((5, 1), NORTH, EMPTY))
    (_, infos), *_ = kitchens.play(world, (INTERACT, INTERACT))
    (encounter,) = infos["ego"]["encounters"]
    assert encounter.did["partner_0"] == tuple(act for act in BEHAVIOURS if act != DELIVERED)
    (encounter,) = infos["partner_0"]["encounters"]
    assert encounter.did == {"ego": (DELIVERED,), "partner_0": (TOOK_TOMATO,)}


def test_what_is_done_out_of_sight_leaves_the_encounter_as_it_is() -> None:
    told = []
    for other in (NOOP, INTERACT):
        world = CookingWorld(LONG)
        kitchens.stage(world, ((1, 1), WEST, SOUP), ((5, 1), NORTH, EMPTY))
        told.append(kitchens.play(world, (NOOP, other), (INTERACT, TURN_LEFT))[-1][1]["ego"])
    assert told[0] == told[1]


def test_who_was_watched_all_the_time_and_did_nothing_stood_around() -> None:
    world = CookingWorld(LONG)
    kitchens.stage(world, ((1, 1), NORTH, SOUP), ((2, 1), NORTH, EMPTY))
    (_, infos) = kitchens.play(world, (TURN_LEFT, STEP_RIGHT), (NOOP, STEP_LEFT), (INTERACT, NOOP))[-1]
    (encounter,) = infos["ego"]["encounters"]
    assert encounter.did["partner_0"] == tuple(act for act in BEHAVIOURS if act != DELIVERED)
    kitchens.stage(world, ((1, 1), WEST, SOUP), ((2, 1), WEST, EMPTY))
    (_, infos) = kitchens.play(world, (INTERACT, NOOP))[-1]
    (encounter,) = infos["ego"]["encounters"]
    assert encounter.did["partner_0"] == (STOOD,)


def test_two_soups_in_one_step_are_one_encounter_that_pays_both() -> None:
    world = CookingWorld(LONG)
    kitchens.stage(world, ((1, 1), WEST, SOUP), ((9, 1), EAST, SOUP))
    ((rewards, infos),) = kitchens.play(world, (INTERACT, INTERACT))
    assert rewards["ego"] == rewards["partner_0"] == 40.0
    (encounter,) = infos["ego"]["encounters"]
    assert encounter == Encounter(0, {"ego": (DELIVERED,), "partner_0": (DELIVERED,)}, 40.0)


def test_a_reward_does_not_tell_which_of_two_unseen_seats_delivered() -> None:
    world = CookingWorld(replace(LONG, drawing=CORRIDOR.replace("PP ", "PPP"), players=3))
    kitchens.stage(world, ((1, 1), WEST, EMPTY), ((9, 1), EAST, SOUP), ((8, 1), NORTH, EMPTY))
    ((_, infos),) = kitchens.play(world, (NOOP, INTERACT, NOOP))
    (encounter,) = infos["ego"]["encounters"]
    assert encounter.did == {"ego": (STOOD,), "partner_0": BEHAVIOURS, "partner_1": BEHAVIOURS}
    (encounter,) = infos["partner_1"]["encounters"]
    assert encounter.did["partner_0"] == (DELIVERED,)


def test_an_encounter_begins_where_the_last_one_ended() -> None:
    world = CookingWorld(LONG)
    kitchens.stage(world, ((5, 1), NORTH, EMPTY), ((9, 1), EAST, SOUP))
    heard = kitchens.play(world, (INTERACT, NOOP), (NOOP, INTERACT), (NOOP, NOOP))
    assert heard[1][1]["ego"]["encounters"][0].did["ego"] == (TOOK_TOMATO,)
    world.engine.state.avatars[0, 1, HELD] = SOUP
    ((_, infos),) = kitchens.play(world, (NOOP, INTERACT))
    assert infos["ego"]["encounters"][0].did["ego"] == (STOOD,)


def test_the_truth_is_the_next_act_or_standing_around() -> None:
    world = CookingWorld()
    world.reset(0)
    question = Question("next", "ego", "before", "?", BEHAVIOURS, 1 / 7, about="partner_0")
    for _ in range(100):
        world.step(dict.fromkeys(world.possible_agents, NOOP))
    assert world.truth(question, 0) == STOOD
    assert world.truth(question, 100 - acts.PATIENCE) == STOOD
    assert world.truth(question, 101 - acts.PATIENCE) is None
    world.acts.append(acts.KitchenAct(70, 1, TOOK_TOMATO))
    world.acts.append(acts.KitchenAct(65, 0, DELIVERED))
    assert world.truth(question, 70) == TOOK_TOMATO
    assert world.truth(question, 20) == STOOD
    assert world.truth(question, 71) is None


def test_the_map_is_seen_by_who_was_granted_it() -> None:
    world = CookingWorld()
    observations, _ = world.reset(0, {"grants": {"partner_0": {"map": True}}})
    assert "WORLD.MAP" not in observations["ego"]
    shown = observations["partner_0"]["WORLD.MAP"]
    assert world.observation_space("partner_0").contains(observations["partner_0"])
    assert {tuple(cell) for cell in np.argwhere(shown[..., 3]).tolist()} == {(2, 2), (2, 6)}
    kitchens.stage(world, ((3, 2), EAST, TOMATO), ((7, 1), NORTH, TOMATO))
    world._grants = {"partner_0": {"map": True}}
    observations, *_ = world.step({"ego": INTERACT, "partner_0": INTERACT})
    shown = observations["partner_0"]["WORLD.MAP"]
    assert shown[2, 4].tolist() == [0, 1, 0, 0]
    assert shown[0, 7].tolist() == [TOMATO, 0, 0, 0]
    assert shown[2, 3].tolist() == [0, 0, 0, 1]


def test_which_room_a_seat_gets_and_how_it_faces_is_chance() -> None:
    world = CookingWorld()
    starts = [world.reset(seed)[0]["ego"] for seed in range(200)]
    rooms = [start["POSITION"].tolist() for start in starts]
    assert 70 <= rooms.count([2, 2]) <= 130
    assert rooms.count([2, 2]) + rooms.count([6, 2]) == 200
    assert {int(start["ORIENTATION"]) for start in starts} == {0, 1, 2, 3}


def test_an_episode_is_truncated_after_a_thousand_steps() -> None:
    world = CookingWorld()
    world.reset(1)
    for step in range(1000):
        _, _, terminated, truncated, _ = world.step(dict.fromkeys(world.possible_agents, FORWARD))
        assert not any(terminated.values())
        assert set(truncated.values()) == {step == 999}
    assert world.agents == []


def test_a_soup_that_has_just_become_ready_is_not_told_from_one_that_has_not() -> None:
    world = CookingWorld()
    kitchens.stage(world, ((3, 2), EAST, EMPTY), ((7, 1), NORTH, EMPTY))
    looks = []
    for cooked in (0, 1):
        world.engine.state.pots[0, 0, [INSIDE, COOKED]] = (3, cooked)
        looks.append(world.engine.observe().windows[0])
    np.testing.assert_array_equal(*looks)


def test_a_kitchen_is_drawn_in_characters() -> None:
    world = CookingWorld()
    kitchens.stage(world, ((3, 2), EAST, TOMATO), ((7, 1), NORTH, SOUP))
    world.step({"ego": INTERACT, "partner_0": INTERACT})
    assert world.render().splitlines() == [
        "#######*#",
        "O #T#O#^T",
        "#  >*   #",
        "#   C   #",
        "###D#D###",
        "player 0 (3, 2) holds nothing",
        "player 1 (7, 1) holds nothing",
        "counter (7, 0) has soup",
        "pot (4, 2) 1 tomatoes, bar 0",
        "pot (4, 3) 0 tomatoes, bar 0",
    ]
