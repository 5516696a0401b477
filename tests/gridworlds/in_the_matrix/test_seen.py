"""What skills tell of others: who was seen to collect what while they ran."""

from __future__ import annotations

from random import Random

from otherminds.core.data import Ended, Moment
from otherminds.gridworlds.grid.rules import FORWARD, NOOP
from otherminds.gridworlds.in_the_matrix.rules import RWS_REPEATED
from otherminds.gridworlds.in_the_matrix.skills import skills
from tests.gridworlds.in_the_matrix import rooms

HALL = """
WWWWWWWWWWWW
Wn   r    nW
W          W
W          W
Wn        nW
WWWWWWWWWWWW
"""
SOUTH, WEST = 2, 3


def test_a_skill_tells_who_was_seen_to_collect_what() -> None:
    """The partner takes the rock beside it; the walk ends there and then, and tells."""
    world = rooms.room(RWS_REPEATED, HALL)
    rooms.put(world, 0, (5, 3), 0)
    rooms.put(world, 1, (6, 1), WEST)
    walk = skills(world.rules)["move_to"](world.brief("ego"), Random(0), 9, 3)
    ended: Ended | None = None
    for step, action in enumerate((NOOP, FORWARD, *[NOOP] * 40)):
        out = walk(Moment(step, rooms.observed(world, "ego")))
        if isinstance(out, Ended):
            ended = out
            break
        world.step({"ego": out if step > 2 else NOOP, "partner_0": action})
    assert ended is not None
    assert ended.ok
    assert ended.seen == (("partner_0", "rock"),)


def test_a_skill_that_saw_nothing_tells_nothing() -> None:
    world = rooms.room(RWS_REPEATED, HALL)
    rooms.put(world, 0, (9, 3), 0)
    rooms.put(world, 1, (1, 1), SOUTH)
    stand = skills(world.rules)["move_to"](world.brief("ego"), Random(0), 9, 3)
    assert stand(Moment(0, rooms.observed(world, "ego"))) == Ended(True, "at (9, 3)")
