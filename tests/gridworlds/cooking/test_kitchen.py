"""What a seat knows of its kitchen is what it has seen, and when a soup is done it knows to the step."""

from __future__ import annotations

import pytest

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.form import Role
from otherminds.gridworlds.cooking.kitchen import Kitchen
from otherminds.gridworlds.cooking.routes import layout
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, DISH, EMPTY, TOMATO
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.rules import NOOP, UNREACHED
from tests.cases import for_each

NORTH, EAST, SOUTH, WEST = range(4)
RULES = COOKING_ASYMMETRIC
COOKED = RULES.cooking
"""A pot that has cooked so long is done when a beam reaches it."""


def test_the_left_room_is_for_serving_and_the_right_one_for_tomatoes() -> None:
    for facing in range(4):
        for x, y in layout(RULES).ground.open:
            assert layout(RULES).serves((x, y, facing)) == (x < 4)


@for_each(
    ("pose", "cell", "steps"),
    [
        ((3, 2, EAST), (4, 2), 0),
        ((3, 2, EAST), (3, 1), 1),
        ((3, 3, EAST), (3, 1), 2),
        ((3, 3, EAST), (0, 1), 6),
        ((5, 2, WEST), (8, 1), 5),
        ((3, 2, EAST), (1, 1), 3),
    ],
)
def test_ways_end_where_one_faces_what_one_cannot_enter(
    pose: tuple[int, int, int], cell: tuple[int, int], steps: int
) -> None:
    way = layout(RULES).way(pose, cell)
    assert way is not None
    assert len(way) == steps


def test_what_stands_in_the_other_room_is_out_of_reach() -> None:
    left = layout(RULES)
    assert left.way((2, 2, NORTH), (5, 1)) is None
    assert left.nearest((2, 2, NORTH), [(8, 1), (5, 4)]) is None
    assert left.nearest((2, 2, NORTH), [(8, 1), (3, 1)]) == (3, 1)
    assert left.tour((2, 2, NORTH), [(8, 1)])[0] == UNREACHED


@pytest.mark.parametrize(("left", "right"), [("serve", "supply"), ("share", "share"), ("alone", "alone")])
def test_a_soup_is_known_to_be_done_no_step_too_early_and_hardly_late(left: Role, right: Role) -> None:
    """In episodes with lagging bars and without; pots are compared while they are in sight."""
    world = CookingWorld(RULES)
    lags: set[bool] = set()
    compared = late = 0
    for seed in range(5, 11):
        observations, _ = world.reset(seed)
        lags.add(bool(world.engine.state.clock[0, columns.LAGGING]))
        kitchens = [Kitchen(RULES, player) for player in range(2)]
        for kitchen in kitchens:
            kitchen.follow(left, right)
        rewards = dict.fromkeys(world.possible_agents, 0.0)
        for step in range(300):
            actions = dict.fromkeys(world.possible_agents, NOOP)
            for seat, kitchen in zip(world.possible_agents, kitchens, strict=True):
                kitchen.see(observations[seat], step, rewards[seat])
                actions[seat] = kitchen.act()
                in_sight = {cell for cell, _, _ in kitchen.layout.shown[kitchen.pose]}
                for n, true in enumerate(world.engine.state.pots[0].tolist()):
                    pot = RULES.pots[n]
                    if pot in in_sight:
                        assert kitchen.tomatoes[n] == true[columns.INSIDE]
                        done = true[columns.INSIDE] == RULES.capacity and true[columns.TIME] >= COOKED
                        assert done or not kitchen.done(pot)
                        compared += done
                        late += done and not kitchen.done(pot)
            observations, rewards, *_ = world.step(actions)
    assert lags == {True, False}
    assert compared > 100
    assert late < 0.1 * compared


def test_what_is_out_of_sight_is_remembered_as_it_was() -> None:
    world = CookingWorld(RULES)
    world.reset(0)
    state = world.engine.state
    seat = "ego" if state.avatars[0, 0, columns.X] < 4 else "partner_0"
    player = world.possible_agents.index(seat)
    state.avatars[0, player, : columns.COOLDOWN] = 3, 3, EAST
    state.pots[0, :, columns.INSIDE] = 2, 1
    counter = RULES.containers.index((2, 4))
    state.items[0, counter] = DISH
    kitchen = Kitchen(RULES, player)
    observed, _ = world._heard(dict.fromkeys(world.possible_agents, ()))
    kitchen.see(observed[seat], 0)
    assert kitchen.tomatoes.tolist() == [2, 1]
    assert kitchen.items[counter] == DISH
    state.avatars[0, player, : columns.COOLDOWN] = 1, 1, WEST
    state.pots[0, :, columns.INSIDE] = 0
    state.items[0, counter] = EMPTY
    observed, _ = world._heard(dict.fromkeys(world.possible_agents, ()))
    kitchen.see(observed[seat], 1)
    assert kitchen.tomatoes.tolist() == [2, 1]
    assert kitchen.items[counter] == DISH
    assert kitchen.pot_to_fill() == (4, 2)
    assert kitchen.giving(TOMATO) == (0, 1)


def test_the_beam_needs_a_step_after_it_was_fired_or_may_have_been() -> None:
    world = CookingWorld(RULES)
    world.reset(0)
    state = world.engine.state
    state.avatars[0, :, : columns.COOLDOWN] = (3, 2, EAST), (5, 2, WEST)
    pot = 2 * RULES.size[0] + 4
    charged: list[list[tuple[bool, bool]]] = []
    for shown in (0, 1, 2):
        state.beam[0, pot] = shown
        state.clock[0, columns.BEAMS] = shown > 0
        observed, _ = world._heard(dict.fromkeys(world.possible_agents, ()))
        kitchens = [Kitchen(RULES, player) for player in range(2)]
        for kitchen, seat in zip(kitchens, world.possible_agents, strict=True):
            kitchen.see(observed[seat], 1)
        charged.append([(kitchen.charged, kitchen.sure) for kitchen in kitchens])
    # Where both fire, the beam of player 1 is the one to be seen.
    ready, spent, unsure = (True, True), (False, False), (True, False)
    assert charged == [[ready, ready], [spent, ready], [unsure, spent]]
