"""What a step gives away of a teammate: own doings are not taken for its, and its are not missed."""

from __future__ import annotations

from typing import Any

from otherminds.core.data import Moment
from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.bayesian import Signs, Watch
from otherminds.gridworlds.cooking.kitchen import Kitchen
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, DISH, EMPTY, SOUP, TOMATO
from otherminds.gridworlds.cooking.world import CookingWorld
from otherminds.gridworlds.grid.paths import Cell
from otherminds.gridworlds.grid.rules import INTERACT, NOOP
from tests.cases import for_each
from tests.gridworlds.cooking import kitchens

NORTH, EAST, SOUTH, WEST = range(4)
POT, OTHER_POT = (4, 2), (4, 3)


def after(
    kitchens: Any,
    own: tuple[Cell, int, int],
    other: tuple[Cell, int, int],
    pots: dict[Cell, int],
    actions: tuple[int, int],
) -> Signs:
    """The signs of one step in which both act so; a pot with 3 tomatoes is done."""
    world = CookingWorld()
    kitchens.stage(world, own, other)
    for cell, inside in pots.items():
        pot = world.engine.state.pots[0, COOKING_ASYMMETRIC.pots.index(cell)]
        pot[[columns.INSIDE, columns.COOKED]] = inside, inside == 3
    kitchen = Kitchen(COOKING_ASYMMETRIC, 0)
    watch = Watch(kitchen, "partner_0")
    for step in range(2):
        seen = world._heard(dict.fromkeys(world.agents, ()))[0]["ego"]
        reward = 0.0
        if step:
            observations, rewards, *_ = world.step(dict(zip(("ego", "partner_0"), actions, strict=True)))
            seen, reward = observations["ego"], rewards["ego"]
        kitchen.see(seen, step)
        signs = watch.signs(Moment(step, seen, reward))
    return signs


@for_each(
    ("own", "other", "pots", "actions", "filled", "served"),
    [
        # Each puts a tomato into a pot, alone or both into the same one.
        (TOMATO, EMPTY, {}, (INTERACT, NOOP), (), ()),
        (EMPTY, TOMATO, {}, (NOOP, INTERACT), (POT,), ()),
        (TOMATO, TOMATO, {}, (INTERACT, INTERACT), (POT,), ()),
        # Each takes a soup.
        (DISH, EMPTY, {POT: 3}, (INTERACT, NOOP), (), ()),
        (EMPTY, DISH, {POT: 3}, (NOOP, INTERACT), (), (POT,)),
        (EMPTY, EMPTY, {POT: 3, OTHER_POT: 2}, (NOOP, NOOP), (), ()),
    ],
)
def test_what_happens_to_pots_is_known_by_whose_hand(
    own: int,
    other: int,
    pots: dict[Cell, int],
    actions: tuple[int, int],
    filled: tuple[Cell, ...],
    served: tuple[Cell, ...],
) -> None:
    signs = after(kitchens, ((3, 2), EAST, own), ((5, 2), WEST, other), pots, actions)
    assert (signs.filled, signs.served, signs.delivered) == (filled, served, False)
    assert signs.mate is not None
    assert (signs.mate.cell, signs.mate.facing) == ((5, 2), WEST)
    assert {POT, OTHER_POT, (5, 2)} <= signs.shown


@for_each(
    ("own", "other", "actions", "delivered"),
    [
        (SOUP, EMPTY, (INTERACT, NOOP), False),
        (EMPTY, SOUP, (NOOP, INTERACT), True),
        (SOUP, SOUP, (INTERACT, INTERACT), True),
    ],
)
def test_a_delivery_that_was_not_the_own_one_was_the_teammates(
    own: int, other: int, actions: tuple[int, int], delivered: bool
) -> None:
    signs = after(kitchens, ((3, 2), NORTH, own), ((7, 1), EAST, other), {}, actions)
    assert signs.delivered is delivered
    assert signs.mate is None
