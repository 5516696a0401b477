"""Skills do what their names say, say how they ended, and end when a duel comes in between."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from types import ModuleType
from typing import Any

import pytest

from otherminds.core.contracts import Controller
from otherminds.core.data import Encounter, Ended, Moment, SkillChoice
from otherminds.core.record import SeatSpec
from otherminds.core.scenario import Population, Scenario, Setup
from otherminds.games.partners.single import single
from otherminds.games.player import AutomatonPlayer
from otherminds.gridworlds.grid.rules import FORWARD, INTERACT, NOOP, TURN_RIGHT
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.bots import bot, describe_partner
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED
from otherminds.gridworlds.in_the_matrix.skills import LEAD, LOOKOUT, NEAR, PATIENCE, skills
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from otherminds.testing.episodes import played
from tests.cases import for_each
from tests.gridworlds.in_the_matrix import rooms

HALL = """
WWWWWWWWWWWWW
Wn          W
W   rrrrr   W
W     W     W
W   ppppp   W
W    W W    W
W   s s W   W
Wn  ssW n   W
WWWWWWWWWWWWW
"""
NORTH, EAST = 0, 1
EGO, OTHER = "ego", "partner_0"


def begun(world: InTheMatrixWorld, name: str, *args: Any, seed: int = 0) -> Controller:
    return skills(world.rules)[name](world.brief(EGO), Random(seed), *args)


def one_ready(world: InTheMatrixWorld, rooms: ModuleType) -> None:
    """The other stands at the edge, ready."""
    rooms.put(world, 1, (11, 1), NORTH, (1, 3, 1))


def test_every_behaviour_is_a_skill() -> None:
    for rules in (RWS_REPEATED, RWS_ARENA, PD_REPEATED):
        assert set(skills(rules)) == {"move_to", "collect", "fire_at", *rules.classes}


class TestMoveTo:
    def test_it_ends_where_it_was_to_go(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 0, (1, 1), EAST)
        _, ended = rooms.run(world, {EGO: begun(world, "move_to", 10, 5)}, 60)
        step, end = ended[EGO]
        assert (step, end) == (13, Ended(True, "at (10, 5)"))
        assert rooms.inventory(world, 0) == [1, 1, 1]

    def test_it_ends_at_once_if_it_is_there(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 0, (1, 1), EAST)
        assert rooms.run(world, {EGO: begun(world, "move_to", 1, 1)}, 9)[1] == {
            EGO: (0, Ended(True, "at (1, 1)"))
        }

    @for_each(
        ("args", "why"),
        [
            ((0, 0), "nobody can stand at (0, 0)"),
            ((40, -3), "nobody can stand at (40, -3)"),
            ((6, 6), "nobody can stand at (6, 6)"),
            ((1,), "move_to takes two whole numbers, x and y, not 1"),
            ((), "move_to takes two whole numbers, x and y, not nothing"),
            (("a", 2), "move_to takes two whole numbers, x and y, not 'a', 2"),
        ],
    )
    def test_a_place_that_makes_no_sense_ends_it_at_once(self, args: tuple[Any, ...], why: str) -> None:
        closed = (
            HALL.replace("W    W W    W", "W    WWW    W")
            .replace("s s W ", "sW WW ")
            .replace("ssW n", "ssWWn")
        )
        world = rooms.room(RWS_REPEATED, closed)
        rooms.put(world, 0, (1, 1), EAST)
        assert rooms.run(world, {EGO: begun(world, "move_to", *args)}, 9)[1] == {EGO: (0, Ended(False, why))}

    def test_it_gives_up_where_another_stands(self) -> None:
        lane = "WWWWW\nWnn W\nWWWWW"
        world = rooms.room(RWS_REPEATED, lane)
        rooms.put(world, 0, (2, 1), NORTH)
        rooms.put(world, 1, (3, 1), NORTH)
        rooms.put(world, 0, (1, 1), NORTH)
        _, ended = rooms.run(world, {EGO: begun(world, "move_to", 3, 1)}, 3 * PATIENCE)
        assert ended[EGO][1] == Ended(False, "the way to (3, 1) is blocked")


class TestCollect:
    def test_it_collects_so_many_more_and_nothing_else(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        _, ended = rooms.run(world, {EGO: begun(world, "collect", "paper", 3)}, 80)
        assert ended[EGO][1] == Ended(True, "collected 3 paper")
        assert rooms.inventory(world, 0) == [1, 4, 1]

    def test_it_collects_one_unless_told_otherwise(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        assert rooms.run(world, {EGO: begun(world, "collect", "rock")}, 80)[1][EGO][1].ok
        assert rooms.inventory(world, 0) == [2, 1, 1]

    def test_it_gives_up_when_there_is_no_more(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL, regrowth=1e-9)
        step, end = rooms.run(world, {EGO: begun(world, "collect", "rock", 6)}, 900)[1][EGO]
        assert end == Ended(False, "found no more rock")
        assert step > PATIENCE

    @for_each("args", [(), ("gold",), (["rock"],), ("rock", 0), ("rock", "two"), ("rock", 1, 2)])
    def test_what_cannot_be_collected_ends_it_at_once(self, args: tuple[Any, ...]) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        step, end = rooms.run(world, {EGO: begun(world, "collect", *args)}, 9)[1][EGO]
        assert (step, end.ok) == (0, False)
        assert end.why.startswith("collect takes")


class TestFireAt:
    def test_it_ends_with_the_duel(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 0, (1, 1), EAST, (2, 1, 1))
        one_ready(world, rooms)
        made, ended = rooms.run(world, {EGO: begun(world, "fire_at", OTHER)}, 200)
        assert ended[EGO][1] == Ended(True, "duel with partner_0")
        assert [duel.seats for duel in world.duels] == [(EGO, OTHER)]
        assert [actions[EGO] for actions in made].count(INTERACT) == 1

    def test_it_needs_something_collected(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        step, end = rooms.run(world, {EGO: begun(world, "fire_at")}, 9)[1][EGO]
        assert (step, end.ok) == (0, False)
        assert "nothing collected" in end.why

    def test_it_gives_up_on_one_who_is_never_ready(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 0, (1, 1), EAST, (2, 1, 1))
        _, ended = rooms.run(world, {EGO: begun(world, "fire_at")}, 400)
        assert ended[EGO][1] == Ended(False, "no duel came of it")

    @pytest.mark.parametrize("name", ["fire_at", "paper"])
    def test_a_seat_that_there_is_not_ends_it_at_once(self, name: str) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        for strange in (EGO, "partner_7", 3):
            end = rooms.run(world, {EGO: begun(world, name, strange)}, 9)[1][EGO][1]
            assert end == Ended(False, f"{strange!r} is none of partner_0")


class TestFireAtAPlace:
    def test_it_goes_near_the_place_and_turns_clockwise_there(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 1, (11, 7), NORTH)
        rooms.put(world, 0, (1, 1), EAST, (2, 1, 1))
        made, _ = rooms.run(world, {EGO: begun(world, "fire_at", 5, 1)}, 8)
        assert [actions[EGO] for actions in made] == [FORWARD] * (4 - NEAR) + [TURN_RIGHT] * (8 - 4 + NEAR)
        assert rooms.cell(world, 0) == (5 - NEAR, 1)

    def test_it_turns_to_who_comes_into_sight_and_fires(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 1, (1, 3), NORTH, (1, 3, 1))
        rooms.put(world, 0, (4, 3), EAST, (2, 1, 1))
        made, ended = rooms.run(world, {EGO: begun(world, "fire_at", 4, 3)}, 60)
        acted = [actions[EGO] for actions in made]
        assert acted[: acted.index(INTERACT) + 1] == [TURN_RIGHT, TURN_RIGHT, INTERACT]
        assert ended[EGO][1] == Ended(True, "duel with partner_0")
        assert [duel.seats for duel in world.duels] == [(EGO, OTHER)]

    def test_it_pursues_who_is_in_sight_and_out_of_reach(self) -> None:
        world = rooms.room(RWS_ARENA, HALL.replace("n", "P"), players=2, looks="alike")
        rooms.put(world, 1, (9, 1), NORTH, (1, 3, 1))
        rooms.put(world, 0, (2, 1), EAST, (2, 1, 1))
        made, ended = rooms.run(world, {EGO: begun(world, "fire_at", 2, 1)}, 60)
        acted = [actions[EGO] for actions in made]
        assert acted[: acted.index(INTERACT) + 1] == [FORWARD] * acted.index(INTERACT) + [INTERACT]
        assert acted.index(INTERACT) in (4, 5)
        assert ended[EGO][1].ok

    def test_it_comes_back_when_nobody_is_in_sight_any_more(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 1, (9, 1), NORTH, (1, 3, 1))
        rooms.put(world, 0, (5, 1), EAST, (2, 1, 1))
        skill = begun(world, "fire_at", 3, 1)
        rooms.run(world, {EGO: skill, OTHER: lambda moment: FORWARD}, 2)
        rooms.put(world, 0, (9, 3), EAST)
        rooms.put(world, 1, (1, 7), NORTH)
        rooms.run(world, {EGO: skill}, 20, start=2)
        x, y = rooms.cell(world, 0)
        assert abs(x - 3) + abs(y - 1) <= NEAR

    def test_it_gives_up_when_nobody_comes(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 1, (11, 7), NORTH, (1, 3, 1))
        rooms.put(world, 0, (3, 1), EAST, (2, 1, 1))
        made, ended = rooms.run(world, {EGO: begun(world, "fire_at", 3, 1)}, 400)
        assert ended[EGO] == (LOOKOUT, Ended(False, "nobody to duel with was seen from (3, 1)"))
        assert {actions[EGO] for actions in made} == {TURN_RIGHT}

    def test_it_gives_up_on_one_who_stands_there_and_is_never_ready(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 1, (5, 1), NORTH)
        rooms.put(world, 0, (3, 1), EAST, (2, 1, 1))
        _, ended = rooms.run(world, {EGO: begun(world, "fire_at", 3, 1)}, 2 * PATIENCE)
        assert ended[EGO][1] == Ended(False, "no duel came of it at (3, 1)")
        assert not world.duels

    def test_where_many_play_it_looks_past_those_who_are_not_ready(self) -> None:
        world = rooms.room(RWS_ARENA, HALL.replace("n", "P"), players=3)
        rooms.put(world, 2, (11, 7), NORTH)
        rooms.put(world, 1, (4, 1), NORTH)
        rooms.put(world, 0, (2, 1), EAST, (2, 1, 1))
        rooms.put(world, 2, (1, 3), NORTH, (1, 1, 4))
        _, ended = rooms.run(world, {EGO: begun(world, "fire_at", 2, 1)}, 60)
        assert ended[EGO][1] == Ended(True, "duel with partner_1")

    @for_each(
        ("args", "held", "why"),
        [
            ((3, 1), (1, 1, 1), "nothing collected yet, so that no duel can come of it"),
            ((0, 0), (2, 1, 1), "nobody can stand at (0, 0)"),
            ((99, 1), (2, 1, 1), "nobody can stand at (99, 1)"),
            ((3,), (2, 1, 1), "3 is none of partner_0"),
            ((3, 1.5), (2, 1, 1), "3, 1.5 is none of partner_0"),
        ],
    )
    def test_what_makes_no_sense_ends_it_at_once(
        self, args: tuple[Any, ...], held: tuple[int, ...], why: str
    ) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 0, (1, 1), EAST, held)
        assert rooms.run(world, {EGO: begun(world, "fire_at", *args)}, 9)[1] == {EGO: (0, Ended(False, why))}


class TestBehaviours:
    def test_paper_collects_until_it_leads_and_then_duels(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        one_ready(world, rooms)
        _, ended = rooms.run(world, {EGO: begun(world, "paper")}, 300)
        assert ended[EGO][1] == Ended(True, "duel with partner_0")
        (duel,) = world.duels
        assert duel.played(EGO, world.rules.classes) == ("paper",)
        rock, paper, scissors = duel.inventories[duel.seats.index(EGO)]
        assert (rock, scissors) == (1, 1)
        assert paper >= 1 + LEAD

    def test_a_duel_forced_on_it_early_ends_it_with_the_reason(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 0, (2, 3), EAST, (4, 1, 1))
        rooms.put(world, 1, (2, 5), NORTH, (1, 3, 1))
        zap = [INTERACT]
        controls = {EGO: begun(world, "paper"), OTHER: lambda moment: zap.pop() if zap else NOOP}
        _, ended = rooms.run(world, controls, 60)
        assert ended[EGO][1] == Ended(False, "a duel came before there was most paper")

    @pytest.mark.parametrize("name", ["move_to", "collect"])
    def test_a_duel_ends_other_skills_too(self, name: str) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 0, (2, 3), EAST, (4, 1, 1))
        rooms.put(world, 1, (2, 5), NORTH, (1, 3, 1))
        zap = [INTERACT]
        skill = begun(world, name, *((11, 7) if name == "move_to" else ("paper", 2)))
        _, ended = rooms.run(world, {EGO: skill, OTHER: lambda moment: zap.pop() if zap else NOOP}, 60)
        assert ended[EGO][1] == Ended(False, "a duel came in between")

    def test_begun_while_it_is_removed_it_waits_and_does_not_hear_the_duel_before(self) -> None:
        world = rooms.room(RWS_REPEATED, HALL)
        rooms.put(world, 0, (3, 1), EAST, (4, 1, 1))
        one_ready(world, rooms)
        first = begun(world, "fire_at")
        _, ended = rooms.run(world, {EGO: first}, 200)
        assert ended[EGO][1].ok
        before = Encounter(ended[EGO][0] - 1, {EGO: ("rock",), OTHER: ("paper",)}, -5.0)
        second = begun(world, "rock")
        out = second(Moment(ended[EGO][0], rooms.observed(world, EGO), -5.0, (before,)))
        assert out == NOOP
        made, again = rooms.run(world, {EGO: second}, 40, start=ended[EGO][0])
        assert not again
        acted = [step for step, actions in enumerate(made) if actions[EGO] != NOOP]
        assert acted[0] == 6
        assert rooms.inventory(world, 0)[0] > 1

    def test_a_duel_with_another_than_the_one_sought_is_said(self) -> None:
        world = InTheMatrixWorld(RWS_ARENA)
        observations, _ = world.reset(0)
        skill = begun(world, "rock", "partner_3")
        skill(Moment(0, observations[EGO]))
        duel = Encounter(0, {EGO: ("rock",), "partner_1": ("paper", "rock")}, 1.0)
        assert skill(Moment(1, observations[EGO], 1.0, (duel,))) == Ended(
            False, "a duel with partner_1 came in between"
        )


def test_a_skill_knows_of_the_drawn_classes_only_what_it_has_seen() -> None:
    """Worlds that differ in what chance drew, all of it out of sight, are walked alike."""
    drawing = "WWWWWWWWWWWWWWWWWWW\nWn r              W\nW                aW\nWn               aW\nWWWWWWWWWWWWWWWWWWW"
    drawn: set[tuple[int, ...]] = set()
    walked: set[tuple[int, ...]] = set()
    for seed in range(6):
        world = rooms.room(RWS_REPEATED, drawing)
        world.reset(seed)
        drawn.add(tuple(world.engine.state.resources[0, :, columns.KIND].tolist()))
        rooms.put(world, 1, (1, 3), NORTH)
        rooms.put(world, 0, (1, 1), EAST)
        made, _ = rooms.run(world, {EGO: begun(world, "paper")}, 10)
        walked.add(tuple(actions[EGO] for actions in made))
    assert len(drawn) > 1
    assert len(walked) == 1


def test_a_mind_in_behaviours_plays_a_substrate_through_the_one_loop() -> None:
    """It chooses paper for every duel, and paper is what it plays."""
    rules = replace(RWS_REPEATED, minimum=600, maximum=600)
    scenario = Scenario(
        id="rws-toy-v1",
        world=lambda: InTheMatrixWorld(rules, rules.classes, 30),
        population=Population(((Fraction(1), (SeatSpec("rock_margin_0"),)),)),
        partner=lambda spec, seat: (bot(rules, spec.mind), describe_partner(rules, spec.mind, 30)),
        skills=skills(rules),
        grants={"inventories": lambda seat: True},
    )
    record = played(Setup(scenario, {EGO: AutomatonPlayer(single(rules.game, 30, behaviour=1))}, 0))
    assert record.outcome.status == "scored"
    assert len(record.met[EGO]) >= 5
    assert {encounter.did[EGO] for encounter in record.met[EGO]} == {("paper",)}
    assert {choice.made for choice in record.choices} == {SkillChoice("paper")}
    # One choice a duel, and one that is still running at the end.
    assert 0 <= len(record.choices) - len(record.met[EGO]) <= 1
