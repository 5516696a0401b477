"""A seat knows the drawn map and what its window has shown it, and nothing else."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from otherminds.gridworlds.grid.rules import FORWARD, NOOP
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.charts import LAST, NEVER, UNKNOWN
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.sight import AvatarSighting, Collect, Puppet, Sight, number
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from tests.gridworlds.in_the_matrix import rooms
from tests.gridworlds.in_the_matrix.substrates import RULES

HALL = """
WWWWWWWWWWWW
Wn        nW
W   r  a   W
W          W
Wn        nW
WWWWWWWWWWWW
"""
ROCK = 0
SOUTH = 2


def hopes(sight: Sight, kind: int) -> int:
    """How many places a puppet hopes to find a resource of class ``kind`` in."""
    puppet = Puppet(sight, Random(0))
    puppet.act(Collect(kind))
    return int(sight.desk.hoped.sum())


def remembered(sight: Sight) -> list[list[int]]:
    """Where others were seen last: cell, number, mark, step."""
    return sight.mind.last[: sight.mind.own[LAST]].tolist()


def test_at_first_it_knows_the_drawn_map_alone() -> None:
    sight = Sight(RWS_REPEATED)
    assert tuple(sight.kind) == RWS_REPEATED.fixed
    assert sight.kind.tolist().count(UNKNOWN) == 15
    assert sight.there.all()
    assert set(sight.seen) == {NEVER}


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("granted", [False, True], ids=["window", "map"])
def test_what_it_has_just_seen_is_true_and_the_rest_is_as_it_was(rules: Rules, granted: bool) -> None:
    world = InTheMatrixWorld(rules)
    observations, _ = world.reset(3, {"grants": {"ego": {"map": True}} if granted else {}})
    sight, rng = Sight(rules), Random(0)
    for step in range(120):
        before = list(sight.there), list(sight.kind)
        sight.see(observations["ego"], step)
        state = world.engine.state
        avatar = state.avatars[0, 0]
        if avatar[columns.ALIVE]:
            assert sight.pose == tuple(avatar[: columns.FACING + 1].tolist())
        for n, (kind, shown, *_) in enumerate(state.resources[0].tolist()):
            if sight.seen[n] == step:
                assert sight.there[n] == shown
                assert not shown or sight.kind[n] == kind
            else:
                assert (sight.there[n], sight.kind[n]) == (before[0][n], before[1][n])
        for other in sight.others:
            x, y = other.cell
            player = state.here[0, y * rules.size[0] + x] - 1
            assert player > 0
            assert other.player == rules.numbers[player]
        if granted and avatar[columns.ALIVE]:
            assert len(sight.others) == (state.here[0] > 1).sum()
            assert set(sight.seen) == {step}
        observations, *_ = world.step({seat: rng.randrange(7) for seat in world.agents})


def test_a_class_left_to_chance_is_known_once_it_is_in_the_window() -> None:
    world = rooms.room(RWS_REPEATED, HALL)
    sight = Sight(world.rules)
    rooms.put(world, 0, (2, 1), SOUTH)
    sight.see(rooms.observed(world, "ego"), 0)
    assert [kind == UNKNOWN for kind in sight.kind] == [False, True]
    rooms.put(world, 0, (8, 1), SOUTH)
    sight.see(rooms.observed(world, "ego"), 1)
    assert sight.kind[1] == world.engine.state.resources[0, 1, columns.KIND]


def test_a_resource_that_has_gone_is_hoped_for_again_when_it_is_likely_back() -> None:
    world = rooms.room(RWS_REPEATED, HALL)
    sight = Sight(world.rules)
    rooms.put(world, 0, (4, 1), SOUTH)
    sight.see(rooms.observed(world, "ego"), 0)
    assert hopes(sight, ROCK)
    world.step({"ego": FORWARD, "partner_0": NOOP})
    sight.see(rooms.observed(world, "ego"), 1)
    assert not hopes(sight, ROCK)
    assert sight.inventory == (2, 1, 1)
    rooms.put(world, 0, (9, 1), SOUTH)
    # Of resources that come back with 0.02 a step from 15 steps on, half are there after 51.
    for step, likely in ((51, False), (52, True)):
        sight.see(rooms.observed(world, "ego"), step)
        assert bool(hopes(sight, ROCK)) == likely


def test_removal_brings_all_resources_back_where_the_rules_say_so() -> None:
    for rules, back in ((RWS_REPEATED, True), (RWS_ARENA, False)):
        sight = Sight(rules)
        sight.there[:] = 0
        world = InTheMatrixWorld(rules)
        observations, _ = world.reset(0)
        gone = {**observations["ego"], "POSITION": np.full(2, -1, np.int32)}
        sight.see(gone, 5)
        assert sight.pose is None
        assert set(sight.there) == {back}


def test_another_is_remembered_where_it_was_until_that_cell_is_seen_empty() -> None:
    world = rooms.room(PD_REPEATED, HALL.replace("r", "1"))
    sight = Sight(world.rules)
    rooms.put(world, 0, (2, 1), SOUTH)
    rooms.put(world, 1, (3, 3), 0, (2, 1))
    sight.see(rooms.observed(world, "ego"), 7)
    seen = AvatarSighting((3, 3), 0, 1, 7)
    known = [3 * world.rules.size[0] + 3, 0, 1, 7]
    assert (sight.others, remembered(sight)) == ((seen,), [known])
    rooms.put(world, 0, (8, 1), SOUTH)
    sight.see(rooms.observed(world, "ego"), 8)
    assert (sight.others, remembered(sight)) == ((), [known])
    rooms.put(world, 1, (10, 4), 0)
    rooms.put(world, 0, (3, 1), SOUTH)
    sight.see(rooms.observed(world, "ego"), 9)
    assert (sight.others, remembered(sight)) == ((), [])


def test_it_sees_which_class_another_collects() -> None:
    world = rooms.room(RWS_REPEATED, HALL)
    sight = Sight(world.rules)
    rooms.put(world, 0, (3, 1), SOUTH)
    rooms.put(world, 1, (5, 2), 3)
    sight.see(rooms.observed(world, "ego"), 0)
    taken: list[list[tuple[int, int]]] = []
    for step, action in enumerate((NOOP, FORWARD, NOOP), 1):
        world.step({"ego": NOOP, "partner_0": action})
        sight.see(rooms.observed(world, "ego"), step)
        taken.append(sight.taken)
    assert taken == [[], [(0, ROCK)], []]


def test_seats_have_the_numbers_that_windows_show() -> None:
    assert [number(seat, RWS_ARENA) for seat in ("ego", "partner_0", "partner_6")] == [0, 1, 7]
    assert number("partner_0", PD_REPEATED) == 0
