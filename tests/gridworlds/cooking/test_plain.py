"""The rules of cooking, one by one, in the readable version."""

from __future__ import annotations

import pytest

from otherminds.gridworlds.cooking.rules import (
    COOKING_ASYMMETRIC,
    DISH,
    EMPTY,
    SOUP,
    TOMATO,
)
from otherminds.gridworlds.grid.rules import (
    BACKWARD,
    FORWARD,
    INTERACT,
    NOOP,
    STEP_LEFT,
    TURN_LEFT,
    TURN_RIGHT,
)
from tests.cases import for_each
from tests.gridworlds.cooking import kitchens
from tests.gridworlds.cooking.plain import Plain

NORTH, EAST, SOUTH, WEST = range(4)
TOMATOES_AT, HATCH_AT, DISHES_AT, POT_AT, COUNTER_AT = (1, 0), (2, 0), (3, 0), (0, 2), (4, 1)


def fill(world: Plain, tomatoes: int = 3) -> None:
    """Puts tomatoes into the pot."""
    world.pots[POT_AT].inside = tomatoes


def kinds(world: Plain) -> list[str]:
    """What happened in the last step, without the firing itself."""
    return [event.kind for event in world.events if event.kind != "fired"]


def test_the_map_of_the_asymmetric_kitchen_is_the_official_one() -> None:
    rules = COOKING_ASYMMETRIC
    assert rules.size == (9, 5)
    assert rules.spawns == ((2, 2), (6, 2))
    assert rules.pots == ((4, 2), (4, 3))
    stocked = {cell: item for cell, item in zip(rules.containers, rules.stock, strict=True) if item}
    assert stocked == {(0, 1): TOMATO, (5, 1): TOMATO, (3, 4): DISH, (5, 4): DISH}
    assert [(x, y) for y, line in enumerate(rules.drawn) for x, c in enumerate(line) if c == "T"] == [
        (3, 1),
        (8, 1),
    ]


@pytest.mark.parametrize(("cell", "item"), [((1, 1), TOMATO), ((3, 1), DISH)])
def test_a_dispenser_gives_without_end(cell: tuple[int, int], item: int) -> None:
    world = kitchens.kitchen((cell, NORTH, EMPTY))
    for _ in range(3):
        world.step([INTERACT])
        assert world.avatars[0].held == item
        assert kinds(world) == ["dispensed"]
        world.avatars[0].held = EMPTY
        world.step([NOOP])


def test_nothing_can_be_put_on_a_dispenser() -> None:
    world = kitchens.kitchen(((1, 1), NORTH, SOUP))
    world.step([INTERACT])
    assert world.avatars[0].held == SOUP
    assert kinds(world) == ["declined"]


@for_each("item", [TOMATO, DISH, SOUP])
def test_a_counter_takes_one_item_and_gives_it_back(item: int) -> None:
    world = kitchens.kitchen(((3, 1), EAST, item))
    world.step([INTERACT])
    assert (world.avatars[0].held, world.containers[COUNTER_AT].item) == (EMPTY, item)
    world.step([NOOP])
    world.step([INTERACT])
    assert (world.avatars[0].held, world.containers[COUNTER_AT].item) == (item, EMPTY)


def test_a_full_counter_takes_nothing_more() -> None:
    world = kitchens.kitchen(((3, 1), EAST, DISH))
    world.containers[COUNTER_AT].item = TOMATO
    world.step([INTERACT])
    assert (world.avatars[0].held, world.containers[COUNTER_AT].item) == (DISH, TOMATO)
    assert kinds(world) == ["occupied"]


def test_the_beam_is_fired_at_most_every_other_step() -> None:
    world = kitchens.kitchen(((1, 1), WEST, EMPTY))
    fired = []
    for _ in range(6):
        world.step([INTERACT])
        fired.append(bool(world.beam))
    assert fired == [True, False, True, False, True, False]


def test_a_pot_takes_three_tomatoes_and_refuses_all_else() -> None:
    world = kitchens.kitchen(((1, 2), WEST, EMPTY))
    for held, inside, after in (
        (EMPTY, 0, "refused"),
        (DISH, 0, "refused"),
        (SOUP, 0, "refused"),
        (TOMATO, 1, "filled"),
        (TOMATO, 2, "filled"),
        (TOMATO, 3, "filled"),
        (TOMATO, 3, "refused"),
    ):
        world.avatars[0].held = held
        world.step([INTERACT])
        assert kinds(world) == [after]
        assert world.pots[POT_AT].inside == inside
        world.step([NOOP])


def test_soup_can_be_taken_in_the_21st_step_after_the_third_tomato() -> None:
    for wait in (19, 20):
        world = kitchens.kitchen(((1, 2), WEST, TOMATO))
        fill(world, 2)
        world.step([INTERACT])
        world.avatars[0].held = DISH
        for _ in range(wait):
            world.step([NOOP])
        world.step([INTERACT])
        assert kinds(world) == (["fresh"] if wait == 20 else ["refused"])
        assert world.avatars[0].held == (SOUP if wait == 20 else DISH)
        assert world.pots[POT_AT].inside == (0 if wait == 20 else 3)


@pytest.mark.parametrize("lagging", [False, True])
def test_the_bar_fills_by_halves_of_steps_and_stays_while_soup_is_taken(lagging: bool) -> None:
    world = kitchens.kitchen(((1, 2), WEST, DISH))
    world.lagging = lagging
    fill(world)
    bars = []
    for step in range(1, 25):
        world.step([INTERACT if step == 22 else NOOP])
        bars.append(world.pots[POT_AT].bar)
    # Cooked in the 21st step, taken in the 22nd; a bar that lags shows the step before.
    cooking = [min((step - lagging) // 2, 10) for step in range(1, 23)]
    assert bars == [*cooking, 0, 0]
    assert world.avatars[0].held == SOUP


def test_a_soup_delivered_is_paid_to_everyone() -> None:
    world = kitchens.kitchen(((2, 1), NORTH, SOUP), ((1, 1), WEST, EMPTY))
    world.step([INTERACT, NOOP])
    assert [avatar.reward for avatar in world.avatars] == [20.0, 20.0]
    assert world.avatars[0].held == EMPTY
    world.step([NOOP, NOOP])
    assert [avatar.reward for avatar in world.avatars] == [0.0, 0.0]


@for_each("held", [EMPTY, TOMATO, DISH])
def test_the_place_of_delivery_takes_only_soup(held: int) -> None:
    world = kitchens.kitchen(((2, 1), NORTH, held))
    world.step([INTERACT])
    assert (world.avatars[0].held, world.avatars[0].reward) == (held, 0.0)


def test_of_two_at_one_counter_in_one_step_either_is_first() -> None:
    """The second finds it busy, even where the first could do nothing."""
    drawing = "#####\n# # #\n#####"
    winners = set()
    for seed in range(20):
        world = kitchens.kitchen(
            ((1, 1), EAST, TOMATO), ((3, 1), WEST, DISH), drawing=drawing.replace(" ", "P")
        )
        world.luck.state = seed
        world.step([INTERACT, INTERACT])
        assert sorted(kinds(world)) == ["busy", "put"]
        winners.add(world.containers[2, 1].item)
    assert winners == {TOMATO, DISH}
    world = kitchens.kitchen(((1, 1), EAST, EMPTY), ((3, 1), WEST, EMPTY), drawing=drawing.replace(" ", "P"))
    world.step([INTERACT, INTERACT])
    assert sorted(kinds(world)) == ["busy", "idle"]


def test_two_can_use_a_pot_in_one_step_and_only_one_gets_the_last_place() -> None:
    drawing = "#####\n#PCP#\n#####"
    left = set()
    for seed in range(20):
        world = kitchens.kitchen(((1, 1), EAST, TOMATO), ((3, 1), WEST, TOMATO), drawing=drawing)
        world.luck.state = seed
        world.pots[2, 1].inside = 1 + seed % 2
        world.step([INTERACT, INTERACT])
        assert world.pots[2, 1].inside == 3
        held = [avatar.held for avatar in world.avatars]
        assert sorted(held) == ([EMPTY, TOMATO] if seed % 2 else [EMPTY, EMPTY])
        left.add(tuple(held))
    assert left == {(EMPTY, EMPTY), (TOMATO, EMPTY), (EMPTY, TOMATO)}


def test_a_soup_taken_makes_room_for_a_tomato_in_the_same_step() -> None:
    drawing = "#####\n#PCP#\n#####"
    insides = set()
    for seed in range(20):
        world = kitchens.kitchen(((1, 1), EAST, DISH), ((3, 1), WEST, TOMATO), drawing=drawing)
        world.luck.state = seed
        pot = world.pots[2, 1]
        pot.inside, pot.time, pot.cooked = 3, 21, True
        world.step([INTERACT, INTERACT])
        assert world.avatars[0].held == SOUP
        assert (pot.inside == 1) == (world.avatars[1].held == EMPTY)
        insides.add(pot.inside)
    assert insides == {0, 1}


def test_moves_are_relative_to_the_own_orientation_which_they_keep() -> None:
    for action, end in ((FORWARD, (3, 2)), (BACKWARD, (1, 2)), (STEP_LEFT, (2, 1))):
        world = kitchens.kitchen(((2, 2), EAST, EMPTY))
        world.step([action])
        assert (world.avatars[0].cell, world.avatars[0].facing) == (end, EAST)


def test_turns_come_before_beams_of_the_next_step() -> None:
    world = kitchens.kitchen(((1, 1), WEST, EMPTY))
    world.step([TURN_RIGHT])
    assert world.avatars[0].facing == NORTH
    world.step([TURN_LEFT])
    assert world.avatars[0].facing == WEST


def test_nobody_walks_into_things_or_others() -> None:
    world = kitchens.kitchen(((1, 1), NORTH, EMPTY), ((1, 2), NORTH, EMPTY))
    world.step([FORWARD, NOOP])
    assert kinds(world) == ["blocked"]
    world.step([NOOP, FORWARD])
    assert kinds(world) == ["blocked"]
    assert [avatar.cell for avatar in world.avatars] == [(1, 1), (1, 2)]


def test_a_cell_that_is_left_in_a_step_can_be_entered_by_who_moves_later() -> None:
    ends = set()
    for seed in range(20):
        world = kitchens.kitchen(((2, 2), EAST, EMPTY), ((1, 2), EAST, EMPTY))
        world.luck.state = seed
        world.step([FORWARD, FORWARD])
        ends.add(tuple(avatar.cell for avatar in world.avatars))
    assert ends == {((3, 2), (2, 2)), ((3, 2), (1, 2))}


def test_a_beam_passes_no_further_than_the_cell_ahead() -> None:
    world = kitchens.kitchen(((2, 2), WEST, TOMATO))
    world.step([INTERACT])
    assert world.beam == {(1, 2): 0}
    assert kinds(world) == ["missed"]
    assert world.pots[POT_AT].inside == 0


def test_an_episode_of_cooking_has_exactly_a_thousand_steps() -> None:
    world = kitchens.kitchen(((2, 2), WEST, EMPTY))
    overs = []
    for _ in range(1000):
        world.step([NOOP])
        overs.append(world.over)
    assert overs == [0] * 999 + [2]


def test_both_places_all_orientations_and_lagging_bars_are_drawn() -> None:
    world = Plain(COOKING_ASYMMETRIC)
    seen = set()
    for seed in range(300):
        world.reset(seed)
        seen.add((world.avatars[0].cell, world.avatars[0].facing, world.lagging))
    assert len(seen) == 16
