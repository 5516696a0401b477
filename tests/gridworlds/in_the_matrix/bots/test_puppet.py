"""Puppets collect what they are told to, find others, hit them, and do not get in each other's way for ever."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from otherminds.core.data import Moment
from otherminds.gridworlds.grid.rules import FORWARD, INTERACT, NOOP
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.sight import Collect, Goal, Puppet, SeekDuel, Sight, Walk
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from tests.gridworlds.in_the_matrix import rooms
from tests.gridworlds.in_the_matrix.bots.plain import footprint
from tests.gridworlds.in_the_matrix.plain import Plain

HALL = """
WWWWWWWWWWWWW
Wn          W
W           W
W   r r p   W
W   p r p   W
W   s s s   W
W           W
Wn          W
WWWWWWWWWWWWW
"""
ROCK, PAPER = 0, 1
NORTH, EAST, SOUTH, WEST = range(4)
EGO, OTHER = "ego", "partner_0"


def led(
    rules: Rules, goal: Goal, seed: int = 0, noise: float = 0.0
) -> tuple[Callable[[Moment], int], Puppet]:
    """A puppet with one goal, as a controller."""
    sight = Sight(rules)
    puppet = Puppet(sight, Random(seed), noise)

    def control(moment: Moment) -> int:
        sight.see(moment.observation, moment.step)
        return puppet.act(goal)

    return control, puppet


def test_the_footprint_is_where_a_beam_hits() -> None:
    plain = Plain(replace(RWS_REPEATED, drawing=HALL.translate(str.maketrans("rps", "   "))))
    target = (6, 4)
    found = {pose for pose, _ in footprint(target)}
    hits: set[tuple[int, int, int]] = set()
    for x in range(1, 12):
        for y in range(1, 8):
            for facing in range(4):
                if (x, y) == target:
                    continue
                plain.reset(0)
                for avatar, cell, way in zip(plain.avatars, ((x, y), target), (facing, NORTH), strict=True):
                    avatar.cell, avatar.facing = cell, way
                plain.standing = {(x, y): 0, target: 1}
                plain.step([INTERACT, NOOP])
                if any(event.kind == "zapped" for event in plain.events):
                    hits.add((x, y, facing))
    assert found == hits
    assert len(found) == 36


def test_a_line_is_free_where_neither_wall_nor_resource_nor_avatar_stands_between() -> None:
    lane = "WWWWWW\nW n  W\nWWWWWW"
    ahead = dict(footprint((4, 1)))[(1, 1, EAST)]
    assert ahead == ((2, 1), (3, 1))
    for drawing, clear in ((lane, True), (lane.replace("n  W", "nr W"), False)):
        world = rooms.room(RWS_REPEATED, drawing.replace("Wn", "W ").replace(" n", "nn", 1))
        rooms.put(world, 0, (1, 1), EAST, (2, 1, 1))
        rooms.put(world, 1, (4, 1), EAST, (2, 1, 1))
        control, _ = led(world.rules, SeekDuel(ROCK))
        assert (control(Moment(0, rooms.observed(world, EGO))) == INTERACT) == clear


def test_a_collector_takes_only_its_class_and_never_fires() -> None:
    for seed in range(5):
        world = rooms.room(RWS_REPEATED, HALL, regrowth=0.0001)
        control, _ = led(world.rules, Collect(PAPER), seed)
        made, _ = rooms.run(world, {EGO: control}, 60)
        assert rooms.inventory(world, 0) == [1, 4, 1]
        assert INTERACT not in [actions[EGO] for actions in made]


@pytest.mark.parametrize("drawing", [HALL, HALL.replace("p", "a")], ids=["known", "unknown"])
def test_who_walks_takes_nothing_by_the_way(drawing: str) -> None:
    world = rooms.room(RWS_REPEATED, drawing)
    rooms.put(world, 0, (1, 4), EAST)
    control, puppet = led(world.rules, Walk((11, 4)))
    rooms.run(world, {EGO: control}, 30)
    assert puppet.sight.pose is not None
    assert puppet.sight.pose[:2] == (11, 4)
    assert rooms.inventory(world, 0) == [1, 1, 1]


@pytest.mark.parametrize(
    ("own", "other", "fires"),
    [((6, 1, 1), (1, 3, 1), True), ((6, 1, 1), None, False)],
    ids=["ready", "unready"],
)
def test_it_fires_when_the_other_is_ready(
    own: tuple[int, ...], other: tuple[int, ...] | None, fires: bool
) -> None:
    world = rooms.room(RWS_REPEATED, HALL)
    rooms.put(world, 0, (6, 1), EAST, own)
    rooms.put(world, 1, (8, 1), NORTH, other)
    control, _ = led(world.rules, SeekDuel(ROCK))
    made, _ = rooms.run(world, {EGO: control}, 6)
    shots = [step for step, actions in enumerate(made) if actions[EGO] == INTERACT]
    assert shots == ([0] if fires else [])
    assert len(world.duels) == fires


def test_it_waits_until_the_beam_can_be_fired() -> None:
    world = rooms.room(RWS_REPEATED, HALL)
    rooms.put(world, 0, (6, 1), EAST, (6, 1, 1))
    rooms.put(world, 1, (8, 1), NORTH, (1, 3, 1))
    world.engine.state.avatars[0, 0, columns.COOLDOWN] = 2
    control, _ = led(world.rules, SeekDuel(ROCK))
    made, _ = rooms.run(world, {EGO: control}, 4)
    assert [actions[EGO] for actions in made[:3]] == [NOOP, NOOP, INTERACT]


def test_it_duels_only_with_whom_it_seeks() -> None:
    drawing = HALL.replace("n", "P").translate(str.maketrans("rps", "123"))
    world = rooms.room(RWS_ARENA, drawing.replace("W           W\n", "WPPPPPP     W\n"))
    cells = [(6, 2), (8, 2), (6, 1), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2)]
    for player, cell in enumerate(cells):
        rooms.put(world, player, cell, EAST, (2, 1, 1))
    control, _ = led(world.rules, SeekDuel(ROCK, frozenset({2})))
    rooms.run(world, {EGO: control}, 25)
    assert [duel.seats for duel in world.duels] == [(EGO, "partner_1")]


def test_it_follows_an_only_rival_until_that_is_ready_and_passes_by_one_of_many() -> None:
    drawing = HALL.replace("n", "P").translate(str.maketrans("rps", "   "))
    world = rooms.room(RWS_ARENA, drawing.replace("W           W\n", "WPPPPPP     W\n"))
    cells = [(6, 2), (8, 2), (1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (5, 1)]
    for player, cell in enumerate(cells):
        rooms.put(world, player, cell, EAST, (2, 1, 1) if player == 0 else None)
    moment = Moment(0, rooms.observed(world, EGO))
    waits, _ = led(world.rules, SeekDuel(ROCK, frozenset({1})))
    passes, puppet = led(world.rules, SeekDuel(ROCK))
    assert waits(moment) == NOOP
    assert passes(moment) != NOOP
    assert puppet.sight.others


@pytest.mark.parametrize("rules", [RWS_REPEATED, PD_REPEATED], ids=lambda rules: rules.name)
def test_two_that_seek_a_duel_find_each_other(rules: Rules) -> None:
    for seed in range(6):
        world = InTheMatrixWorld(rules)
        observations, _ = world.reset(seed)
        world.engine.state.avatars[0, :, columns.COUNTS] += 5
        world.engine.state.avatars[0, :, [columns.READY, columns.INDICATOR]] = 1
        controls = {seat: led(rules, SeekDuel(0), 10 * seed + i)[0] for i, seat in enumerate(world.agents)}
        for step in range(400):
            made = {seat: control(Moment(step, observations[seat])) for seat, control in controls.items()}
            observations, *_ = world.step(made)
            if world.duels:
                break
        assert world.duels, f"no duel under seed {seed}"


def test_two_that_want_past_each_other_get_past_each_other() -> None:
    lane = "WWWWWWWWW\nWn     nW\nWWWW WWWW\nWWWWWWWWW"
    for seed in range(8):
        world = rooms.room(RWS_REPEATED, lane)
        rooms.put(world, 0, (1, 1), EAST)
        rooms.put(world, 1, (7, 1), WEST)
        there = led(world.rules, Walk((7, 1)), seed)
        back = led(world.rules, Walk((1, 1)), 100 + seed)
        arrived: set[str] = set()
        observations = {seat: rooms.observed(world, seat) for seat in (EGO, OTHER)}
        for step in range(400):
            made = {
                EGO: there[0](Moment(step, observations[EGO])),
                OTHER: back[0](Moment(step, observations[OTHER])),
            }
            observations, *_ = world.step(made)
            cells = [rooms.cell(world, i) for i in (0, 1)]
            arrived |= {
                seat for seat, at, end in ((EGO, cells[0], (7, 1)), (OTHER, cells[1], (1, 1))) if at == end
            }
            if len(arrived) == 2:
                break
        assert len(arrived) == 2, f"blocked for ever under seed {seed}"


def test_noise_is_random_movement_and_never_a_shot() -> None:
    world = rooms.room(RWS_REPEATED, HALL)
    rooms.put(world, 0, (6, 1), EAST, (6, 1, 1))
    rooms.put(world, 1, (8, 1), NORTH, (1, 3, 1))
    control, _ = led(world.rules, SeekDuel(ROCK), noise=1.0)
    made, _ = rooms.run(world, {EGO: control}, 100)
    assert {actions[EGO] for actions in made} == set(range(FORWARD, INTERACT))


def test_it_acts_the_same_again_under_the_same_seed() -> None:
    def made(seed: int) -> list[int]:
        world = InTheMatrixWorld(RWS_REPEATED)
        observations, _ = world.reset(0)
        control, _ = led(world.rules, Collect(ROCK), seed)
        actions: list[int] = []
        for step in range(150):
            actions.append(control(Moment(step, observations[EGO])))
            observations, *_ = world.step({EGO: actions[-1], OTHER: NOOP})
        return actions

    assert made(4) == made(4)
    assert made(4) != made(5)


def test_who_is_removed_or_held_waits() -> None:
    world = rooms.room(RWS_REPEATED, HALL)
    rooms.put(world, 0, (6, 1), EAST, (6, 1, 1))
    rooms.put(world, 1, (8, 1), NORTH, (1, 3, 1))
    control, _ = led(world.rules, SeekDuel(ROCK))
    made, _ = rooms.run(world, {EGO: control}, 23)
    assert made[0][EGO] == INTERACT
    assert {actions[EGO] for actions in made[2:]} == {NOOP}
