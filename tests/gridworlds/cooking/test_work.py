"""Each role does its part of the work and waits with the rest; who shares trusts its teammate while it serves."""

from __future__ import annotations

from otherminds.gridworlds.cooking.kitchen import OVERDUE, Kitchen, PotSeen, Role, Work
from otherminds.gridworlds.cooking.rules import COOKING_ASYMMETRIC, DISH, EMPTY, SOUP, TOMATO
from otherminds.gridworlds.grid.actions import INTERACT, NOOP, STEP_LEFT
from otherminds.gridworlds.grid.paths import Cell, Pose
from tests.cases import for_each

NORTH, EAST, SOUTH, WEST = range(4)
UPPER, LOWER = (4, 2), (4, 3)
NOW = 100
LATER = NOW + 15


def at_work(pose: Pose, held: int, upper: PotSeen, lower: PotSeen) -> Work:
    """Somebody who knows this of the pots, in step ``NOW``."""
    kitchen = Kitchen(COOKING_ASYMMETRIC, 0)
    kitchen.pose, kitchen.held, kitchen.step = pose, held, NOW
    kitchen.pots = {UPPER: upper, LOWER: lower}
    return Work(kitchen)


def full(ready: int) -> PotSeen:
    return PotSeen(3, ready, NOW)


def room(tomatoes: int = 0) -> PotSeen:
    return PotSeen(tomatoes, 0, NOW)


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
    role: Role, held: int, pose: Pose, upper: PotSeen, lower: PotSeen, action: int
) -> None:
    work = at_work(pose, held, upper, lower)
    assert work.act(role) == action


def seen(work: Work, step: int, held: int = EMPTY, reward: float = 0.0) -> None:
    work.kitchen.step, work.kitchen.held = step, held
    work.hear(reward)


def test_who_shares_in_the_room_for_tomatoes_serves_once_a_soup_is_overdue() -> None:
    work = at_work((5, 3, SOUTH), EMPTY, full(NOW), room())
    seen(work, NOW + OVERDUE)
    assert work.trusted
    assert work.act("share") == work.act("supply") != INTERACT
    seen(work, NOW + OVERDUE + 1)
    assert not work.trusted
    assert work.act("share") == work.act("alone") == INTERACT


def test_a_teammate_that_serves_is_trusted_again_and_an_own_soup_is_not_taken_for_its() -> None:
    hatch: Cell = (8, 1)
    work = at_work((7, 1, EAST), SOUP, full(0), room())
    assert work.kitchen.ahead() == hatch
    seen(work, NOW, SOUP)
    assert not work.trusted
    seen(work, NOW + 1, EMPTY, reward=20.0)
    assert not work.trusted
    seen(work, NOW + 2, EMPTY, reward=20.0)
    assert work.trusted


def test_both_soups_of_one_step_are_told_apart() -> None:
    work = at_work((7, 1, EAST), SOUP, full(0), room())
    seen(work, NOW, SOUP)
    seen(work, NOW + 1, EMPTY, reward=40.0)
    assert work.trusted
