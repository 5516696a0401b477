"""Skills do what their names say, and say how they ended."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from otherminds.core.data import Ended, Moment
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.acts import BEHAVIOURS, KitchenAct
from otherminds.gridworlds.cooking.acts import PATIENCE as IDLE
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, DISH, EMPTY, SOUP, TOMATO
from otherminds.gridworlds.cooking.skills import PATIENCE, skills
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.rules import INTERACT, NOOP
from tests.cases import for_each
from tests.gridworlds.cooking import kitchens

Pose = tuple[int, int, int]
NORTH, EAST, SOUTH, WEST = range(4)
LEFT: Pose = (2, 2, NORTH)
RIGHT: Pose = (6, 2, NORTH)
POTS = ((4, 2), (4, 3))
NO_SKILL = "this takes nothing, not 1"


def kitchen(pose: Pose = LEFT, held: int = EMPTY, tomatoes: tuple[int, int] = (0, 0)) -> CookingWorld:
    """The asymmetric kitchen with ego at ``pose``, the other in the other room, and pots so full."""
    world = CookingWorld(COOKING_ASYMMETRIC)
    (x, y, facing), (other_x, other_y, way) = pose, RIGHT if pose[0] < 4 else LEFT
    kitchens.stage(world, ((x, y), facing, held), ((other_x, other_y), way, EMPTY))
    world.engine.state.clock[0, columns.LAGGING] = 0
    world.engine.state.pots[0, :, columns.INSIDE] = tomatoes
    return world


def run(world: CookingWorld, name: str, *args: Any, steps: int = 400) -> tuple[int, Ended]:
    """Lets ego follow a skill until it ends: the step, and how."""
    control = skills(world.rules)[name](world.brief("ego"), Random(0), *args)
    observations, _ = world._heard(dict.fromkeys(world.possible_agents, ()))
    for step in range(steps):
        out = control(Moment(step, observations["ego"]))
        if isinstance(out, Ended):
            return step, out
        observations, *_ = world.step({"ego": out, "partner_0": NOOP})
    pytest.fail(f"{name} did not end within {steps} steps")


def held(world: CookingWorld) -> int:
    return int(world.engine.state.avatars[0, 0, columns.HELD])


def acts(world: CookingWorld) -> list[str]:
    done: list[KitchenAct] = world.acts
    return [act.behaviour for act in done if act.player == 0]


def test_every_behaviour_is_a_skill() -> None:
    assert set(skills(COOKING_ASYMMETRIC)) == {"move_to", "interact", "wait", *BEHAVIOURS}


class TestMoveTo:
    def test_it_takes_the_shortest_way(self) -> None:
        world = kitchen()
        assert run(world, "move_to", 1, 1) == (2, Ended(True, "at (1, 1)"))
        assert world.engine.state.avatars[0, 0, : columns.FACING].tolist() == [1, 1]

    @for_each(
        ("args", "why"),
        [
            ((0, 0), "nobody can stand at (0, 0)"),
            ((90, 2), "nobody can stand at (90, 2)"),
            ((6, 2), "no way leads to (6, 2)"),
            ((1,), "move_to takes two whole numbers, x and y, not 1"),
            ((), "move_to takes two whole numbers, x and y, not nothing"),
            (("a", 2), "move_to takes two whole numbers, x and y, not 'a', 2"),
        ],
    )
    def test_a_place_that_makes_no_sense_ends_it_at_once(self, args: tuple[Any, ...], why: str) -> None:
        assert run(kitchen(), "move_to", *args) == (0, Ended(False, why))


class TestInteract:
    def test_it_goes_there_turns_and_uses_what_stands_there_once(self) -> None:
        world = kitchen()
        step, ended = run(world, "interact", 0, 1)
        # Two moves, a turn to the west, the beam.
        assert (step, ended) == (4, Ended(True, "nothing in hand before, tomato now"))
        assert held(world) == TOMATO

    def test_it_waits_for_its_beam_to_be_ready_again(self) -> None:
        world = kitchen((1, 1, WEST))
        world.step({"ego": INTERACT, "partner_0": NOOP})
        assert held(world) == TOMATO
        world.engine.state.avatars[0, 0, columns.HELD] = EMPTY
        assert run(world, "interact", 0, 1)[0] == 2
        assert held(world) == TOMATO

    def test_it_fails_if_nothing_changes(self) -> None:
        world = kitchen((3, 3, EAST), DISH)
        assert run(world, "interact", 4, 3) == (
            1,
            Ended(False, "a pot takes or gives nothing now: dish in hand"),
        )

    @for_each(
        ("args", "why"),
        [
            ((2, 2), "there is nothing to use at (2, 2)"),
            ((-1, 2), "there is nothing to use at (-1, 2)"),
            ((5, 4), "no way leads to (5, 4)"),
            ((), "interact takes two whole numbers, x and y, not nothing"),
        ],
    )
    def test_a_thing_that_cannot_be_used_ends_it_at_once(self, args: tuple[Any, ...], why: str) -> None:
        assert run(kitchen(), "interact", *args) == (0, Ended(False, why))


class TestWait:
    def test_it_ends_when_a_beam_gets_the_soup(self) -> None:
        world = kitchen((3, 3, EAST), DISH, (0, 3))
        step, ended = run(world, "wait", 4, 3)
        assert (step, ended) == (20, Ended(True, "the soup in the pot at (4, 3) is done"))
        world.step({"ego": INTERACT, "partner_0": NOOP})
        assert held(world) == SOUP

    def test_its_patience_ends_at_a_pot_that_is_not_full(self) -> None:
        step, ended = run(kitchen((3, 3, EAST), DISH, (0, 2)), "wait", 4, 3)
        assert (step, ended) == (PATIENCE, Ended(False, "the pot at (4, 3) does not cook"))

    @pytest.mark.parametrize(
        ("args", "why"),
        [
            ((0, 1), "there is no pot at (0, 1)"),
            ((), "wait takes two whole numbers, x and y, not nothing"),
        ],
    )
    def test_what_is_no_pot_ends_it_at_once(self, args: tuple[Any, ...], why: str) -> None:
        assert run(kitchen(), "wait", *args) == (0, Ended(False, why))


@pytest.mark.parametrize("room", [LEFT, RIGHT])
class TestBehaviours:
    @for_each(
        ("name", "done"),
        [
            ("picked up a tomato", ["picked up a tomato"]),
            ("put a tomato into a pot", ["picked up a tomato", "put a tomato into a pot"]),
            ("picked up a dish", ["picked up a dish"]),
            ("put down a dish", ["picked up a dish", "put down a dish"]),
            ("picked up soup", ["picked up a dish", "picked up soup"]),
            ("delivered soup", ["picked up a dish", "picked up soup", "delivered soup"]),
        ],
    )
    def test_with_empty_hands_it_fetches_what_it_needs(self, name: str, done: list[str], room: Pose) -> None:
        world = kitchen(room, tomatoes=(3, 1))
        assert run(world, name)[1].ok
        assert acts(world) == done

    @for_each(
        ("name", "item", "ended"),
        [
            ("picked up a tomato", DISH, Ended(False, "dish is in hand already")),
            ("picked up a tomato", TOMATO, Ended(False, "tomato is in hand already")),
            ("put a tomato into a pot", SOUP, Ended(False, "soup is in hand already")),
            ("picked up soup", SOUP, Ended(False, "soup is in hand already")),
            ("delivered soup", TOMATO, Ended(False, "tomato is in hand already")),
            ("put a tomato into a pot", TOMATO, Ended(True, "nothing in hand")),
            ("put down a dish", DISH, Ended(True, "nothing in hand")),
            ("picked up soup", DISH, Ended(True, "soup in hand")),
            ("delivered soup", SOUP, Ended(True, "nothing in hand")),
        ],
    )
    def test_it_begins_with_what_is_in_hand(self, name: str, item: int, ended: Ended, room: Pose) -> None:
        world = kitchen(room, item, (3, 0))
        assert run(world, name)[1] == ended
        assert acts(world) == ([name] if ended.ok else [])

    @for_each("tomatoes", [(3, 3), (0, 1)])
    def test_at_pots_with_nothing_to_do_its_patience_ends(
        self, tomatoes: tuple[int, int], room: Pose
    ) -> None:
        name = "put a tomato into a pot" if tomatoes == (3, 3) else "delivered soup"
        step, ended = run(kitchen(room, tomatoes=tomatoes), name)
        assert PATIENCE < step < 2 * PATIENCE
        assert ended == Ended(False, "there was nothing to do it with")

    @for_each("name", BEHAVIOURS)
    def test_it_takes_nothing(self, name: str, room: Pose) -> None:
        assert run(kitchen(room), name, 1) == (0, Ended(False, NO_SKILL))

    def test_soup_on_a_counter_is_taken_before_a_dish(self, room: Pose) -> None:
        world = kitchen(room)
        x, y, _ = room
        world.engine.state.items[0, world.rules.containers.index((x, y - 1))] = SOUP
        assert run(world, "delivered soup")[1].ok
        assert acts(world) == ["picked up soup", "delivered soup"]

    def test_to_stand_around_takes_as_long_as_to_be_said_to(self, room: Pose) -> None:
        world = kitchen(room)
        assert run(world, "stood around") == (IDLE, Ended(True, f"stood around for {IDLE} steps"))
        assert acts(world) == []

    def test_it_ends_with_what_it_did_not_mean_to_take(self, room: Pose) -> None:
        """As where somebody else has put something else on a counter at the last moment."""
        world = kitchen(room)
        control = skills(world.rules)["put a tomato into a pot"](world.brief("ego"), Random(0))
        for item in (EMPTY, DISH):
            world.engine.state.avatars[0, 0, columns.HELD] = item
            observations, _ = world._heard(dict.fromkeys(world.possible_agents, ()))
            out = control(Moment(0, observations["ego"]))
        assert out == Ended(False, "dish in hand instead")
