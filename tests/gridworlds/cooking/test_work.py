"""Each role does its part of the work and waits with the rest; who shares trusts its teammate while it serves."""

from __future__ import annotations

from otherminds.gridworlds.cooking.form import Role
from otherminds.gridworlds.cooking.kitchen import Kitchen
from otherminds.gridworlds.cooking.routes import OVERDUE
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC as RULES
from otherminds.gridworlds.cooking.rules import DISH, EMPTY, SOUP, TOMATO
from otherminds.gridworlds.grid.paths import Cell, Pose
from otherminds.gridworlds.grid.rules import INTERACT, NOOP, STEP_LEFT
from tests.cases import for_each

NORTH, EAST, SOUTH, WEST = range(4)
UPPER, LOWER = (4, 2), (4, 3)
NOW = 100
LATER = NOW + 15


Pot = tuple[int, int]
"""What is known of a pot: its tomatoes, and the step in which soup can be taken from it."""


def at_work(pose: Pose, held: int, upper: Pot, lower: Pot, role: Role = "share") -> Kitchen:
    """Somebody who knows this of the pots, in step ``NOW``."""
    kitchen = Kitchen(RULES, 0)
    kitchen.place(pose, held, charged=True, step=NOW)
    for n, pot in ((RULES.pots.index(UPPER), upper), (RULES.pots.index(LOWER), lower)):
        kitchen.tomatoes[n], kitchen.ready[n] = pot
    kitchen.follow(role, role)
    return kitchen


def full(ready: int) -> Pot:
    return 3, ready


def room(tomatoes: int = 0) -> Pot:
    return tomatoes, 0


@for_each(
    ("role", "held", "pose", "upper", "lower", "action"),
    [
        # Tomatoes go into the pot that has more of them.
        ("supply", TOMATO, (5, 2, WEST), room(2), room(1), INTERACT),
        ("supply", TOMATO, (5, 3, WEST), room(0), room(1), INTERACT),
        # Who only supplies waits with its tomato for the pot that is emptied first.
        ("supply", TOMATO, (5, 3, WEST), full(LATER), full(NOW), NOOP),
        ("supply", TOMATO, (5, 2, WEST), full(LATER), full(NOW), STEP_LEFT),
        # Who does everything lays it on a counter.
        ("alone", TOMATO, (5, 3, SOUTH), full(NOW), full(NOW), STEP_LEFT),
        # A dish waits until the soup is done, and takes it then.
        ("serve", DISH, (3, 3, EAST), room(0), full(NOW + 1), NOOP),
        ("serve", DISH, (3, 3, EAST), room(0), full(NOW), INTERACT),
        ("serve", DISH, (3, 3, EAST), full(LATER), full(NOW), INTERACT),
        # Where nothing cooks, who only serves watches the pot that is full first.
        ("serve", DISH, (3, 3, EAST), room(1), room(2), NOOP),
        # Empty hands go for what the role is for, or for what is due.
        ("supply", EMPTY, (5, 2, NORTH), full(NOW), full(NOW), INTERACT),
        ("serve", EMPTY, (3, 3, SOUTH), room(), room(), INTERACT),
        ("alone", EMPTY, (3, 3, SOUTH), full(NOW), room(), INTERACT),
        ("alone", EMPTY, (5, 2, NORTH), full(LATER), room(), INTERACT),
        ("alone", EMPTY, (3, 3, SOUTH), full(LATER), full(LATER), INTERACT),
        # Soup is delivered by whoever holds it.
        ("supply", SOUP, (3, 2, NORTH), full(NOW), room(), INTERACT),
    ],
)
def test_a_role_does_what_is_due(
    role: Role, held: int, pose: Pose, upper: Pot, lower: Pot, action: int
) -> None:
    assert at_work(pose, held, upper, lower, role).act() == action


def hear(kitchen: Kitchen, step: int, held: int = EMPTY, reward: float = 0.0) -> None:
    kitchen.place(kitchen.pose, held, charged=True, step=step)
    kitchen.hear(reward)


def act(kitchen: Kitchen, role: Role) -> int:
    kitchen.follow(role, role)
    return kitchen.act()


def test_who_shares_in_the_room_for_tomatoes_serves_once_a_soup_is_overdue() -> None:
    kitchen = at_work((5, 3, SOUTH), EMPTY, full(NOW), room())
    hear(kitchen, NOW + OVERDUE)
    assert kitchen.trusted
    assert act(kitchen, "share") == act(kitchen, "supply") != INTERACT
    hear(kitchen, NOW + OVERDUE + 1)
    assert not kitchen.trusted
    assert act(kitchen, "share") == act(kitchen, "alone") == INTERACT


def test_a_teammate_that_serves_is_trusted_again_and_an_own_soup_is_not_taken_for_its() -> None:
    hatch: Cell = (8, 1)
    kitchen = at_work((7, 1, EAST), SOUP, full(0), room())
    assert kitchen.ahead() == hatch
    hear(kitchen, NOW, SOUP)
    assert not kitchen.trusted
    hear(kitchen, NOW + 1, EMPTY, reward=20.0)
    assert not kitchen.trusted
    hear(kitchen, NOW + 2, EMPTY, reward=20.0)
    assert kitchen.trusted


def test_both_soups_of_one_step_are_told_apart() -> None:
    kitchen = at_work((7, 1, EAST), SOUP, full(0), room())
    hear(kitchen, NOW, SOUP)
    hear(kitchen, NOW + 1, EMPTY, reward=40.0)
    assert kitchen.trusted
