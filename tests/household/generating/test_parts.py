"""Parts of goals: their target is in the actor's room, one of several pieces, and told to others alone."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from otherminds.household.epistemic.fast_downward import program
from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.words import Fact, Must
from otherminds.household.generating.candidate import FAMILIES
from otherminds.household.generating.draft import Draft, Use, classes, placed_in
from otherminds.household.generating.families import DraftRequest, Part
from otherminds.household.generating.parts import (
    BROUGHT,
    FAR,
    close_one,
    control,
    fewest,
    hand_over,
    mirror,
    open_one,
    place,
    place_own,
    reverse,
    shortest,
    store,
)
from otherminds.household.house import House
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.planning.planned import planned
from otherminds.household.pool.store import Pattern
from otherminds.household.scenes.load import load_scene
from otherminds.household.scenes.scene import kind_of
from tests.cases import for_each
from tests.household.generating.drafts import OWN, drafted, faults, named

ACTOR, KNOWER, OTHER = "agent_1", "agent_0", "agent_2"
LIVING = OWN[ACTOR]
STANDS = {"stand_20", "stand_23"}
Hidden = Callable[[Draft, str, str, str], bool]


def made(part: Part, actor: str = ACTOR, seed: int = 0) -> Draft:
    """A draft with one part for its actor, which somebody else is told of."""
    draft = drafted(seed=seed)
    knower = KNOWER if actor != KNOWER else OTHER
    assert part(draft, actor, knower)
    return draft


def peers(draft: Draft, thing: str, actor: str, use: Use) -> set[str]:
    """The pieces of the class of a thing in the actor's own room."""
    every = classes(draft.scene.scene_id, draft.own[actor], use)
    return next(set(pieces) for pieces in every if thing in pieces)


USES: list[tuple[Part, Use]] = [
    (open_one, "articulated"),
    (close_one, "articulated"),
    (place, "top"),
    (place_own, "top"),
    (store, "interior"),
]


@for_each(("part", "use"), USES)
def test_the_target_is_one_of_several_pieces_of_its_kind_in_the_room_of_the_actor(
    part: Part, use: Use
) -> None:
    targets = set[str]()
    for seed in range(12):
        draft = made(part, "agent_0", seed)
        (goal,) = draft.changes["agent_0"]
        target = goal.args[-1]
        targets.add(target)
        assert target in draft.scene.furniture_in_rooms[OWN["agent_0"]]
        alike = peers(draft, target, "agent_0", use)
        assert len(alike) >= 2
        assert alike <= draft.used
        assert len(set(map(kind_of, alike))) == 1
    assert len(targets) > 2


@for_each("part", [part for part, _ in USES])
def test_the_knower_alone_is_told(part: Part) -> None:
    for seed in range(6):
        draft = made(part, "agent_0", seed)
        (goal,) = draft.changes["agent_0"]
        assert set(draft.told) == {OTHER}
        assert named(draft, OTHER) == {goal, *draft.kept.get("agent_0", ())}
        assert draft.news == [(OTHER, "agent_0")]
        assert {goal.args[-1]} <= {*draft.stops["agent_0"][0]}
        assert faults(draft) == []


def test_of_two_stands_one_must_end_open_and_the_other_closed() -> None:
    draft = made(open_one)
    (goal,), (other,) = draft.changes[ACTOR], draft.kept[ACTOR]
    assert (goal.predicate, other.predicate) == ("is_open", "is_closed")
    assert {*goal.args, *other.args} == STANDS
    assert draft.states == {}


def test_what_must_end_closed_starts_open_like_its_whole_class() -> None:
    for seed in range(8):
        draft = made(close_one, "agent_2", seed)
        (goal,) = draft.changes["agent_2"]
        assert goal.predicate == "is_closed"
        assert draft.states == {
            f: {"is_open": True} for f in peers(draft, goal.args[0], OTHER, "articulated")
        }
        assert {one.predicate for one in draft.kept["agent_2"]} == {"is_open"}
        assert {one.args[0] for one in draft.kept["agent_2"]} < set(draft.states) - {*goal.args}


def test_closing_one_of_two_pieces_is_no_choice() -> None:
    assert not close_one(drafted(), ACTOR, KNOWER)


@for_each(("part", "predicate"), [(place_own, "is_on_top"), (store, "is_inside")])
def test_an_object_is_not_where_it_must_end(part: Part, predicate: str) -> None:
    for seed in range(12):
        draft = made(part, "agent_0", seed)
        ((o, target),) = (goal.args for goal in draft.changes["agent_0"])
        assert draft.changes["agent_0"][0].predicate == predicate
        source, room = placed_in(draft.scene)[o]
        assert source not in peers(draft, target, "agent_0", "top" if part is place_own else "interior")
        assert room == OWN["agent_0"] or room in draft.common
        assert {o, source} <= draft.used


def test_an_own_object_is_in_the_room_of_the_actor() -> None:
    for seed in range(8):
        draft = made(place_own, "agent_0", seed)
        assert placed_in(draft.scene)[draft.changes["agent_0"][0].args[0]][1] == OWN["agent_0"]


def test_an_own_object_is_in_sight_and_if_possible_two_walks_away() -> None:
    """In this room the shelves take two walks, the table less; the remote control is shut away in a stand."""
    own = {ACTOR: "living_room_1"}
    for seed in range(8):
        draft = Draft(random.Random(seed), load_scene("stitched_16"), (ACTOR,), own, homes=dict(own))
        assert place_own(draft, ACTOR, KNOWER)
        (stops,) = draft.stops[ACTOR]
        assert stops[0] == "shelves_24"
        assert fewest(draft, ACTOR, [stops]) == FAR


def test_what_is_shut_away_takes_one_more_turn() -> None:
    taken = {made(store, "agent_0", seed).stops["agent_0"][0] for seed in range(12)}
    assert {len(stops) for stops in taken} > {3}
    assert all(stops[-1] == stops[-2] for stops in taken)


def test_a_second_part_uses_other_things() -> None:
    draft = made(open_one)
    assert not open_one(draft, ACTOR, KNOWER)
    assert not close_one(draft, ACTOR, KNOWER)
    assert len(draft.goals) == 2


def handed(knower: str, giver: str) -> tuple[Draft, str, str]:
    """The draft with an object that agent 2 needs, the object, and where it is."""
    draft = drafted(seed=3)
    assert hand_over(draft, "agent_2", knower, giver)
    o = draft.changes["agent_2"][0].args[0]
    return draft, o, placed_in(draft.scene)[o][0]


def test_a_giver_that_knows_the_goal_hands_over_an_object_that_the_actor_cannot_reach() -> None:
    draft, o, source = handed("agent_1", "agent_1")
    assert source in draft.scene.furniture_in_rooms[LIVING]
    assert LIVING in draft.bars("agent_2")
    assert draft.told["agent_1"] == [
        Must(draft.changes["agent_2"][0]),
        Fact(Atom("is_on_top" if o != "statue_0" else "is_inside", (o, source))),
        Barred("agent_2", (LIVING,)),
    ]
    assert draft.news == [("agent_1", "agent_2")] * 3
    assert faults(draft) == []


def test_an_actor_that_is_told_of_the_object_by_another_one_asks_its_giver() -> None:
    draft, o, source = handed("agent_0", "agent_1")
    assert Fact(Atom("is_on_top" if o != "statue_0" else "is_inside", (o, source))) in draft.told["agent_0"]
    assert draft.told["agent_1"] == [Barred("agent_2", (LIVING,))]
    assert draft.news.count(("agent_2", "agent_1")) == 1
    assert faults(draft) == []


@for_each(
    ("part", "mechanic", "kind"),
    [
        (control, "remote_control", Controls),
        (mirror, "state_mirroring", Mirrors),
        (reverse, "inverse_state", Inverse),
    ],
)
def test_a_mechanic_is_told_to_its_insider_alone(part: Hidden, mechanic: str, kind: type) -> None:
    for seed in range(8):
        draft = drafted(2, locked="bathroom_1", seed=seed)
        assert part(draft, "agent_0", "agent_1", "agent_1")
        (binding,), (goal,) = draft.mechanics, draft.changes["agent_0"]
        assert binding.mechanic_type == mechanic
        assert len(peers(draft, binding.trigger_object, "agent_0", "articulated")) >= 2
        assert [type(one) for one in draft.told["agent_1"]].count(kind) == 1
        assert "agent_0" not in draft.told
        assert draft.news == [("agent_1", "agent_0")] * 2
        assert goal == Atom("is_open", (binding.target_object or binding.trigger_object,))
        locked = draft.scene.furniture_in_rooms["bathroom_1"]
        assert (binding.target_object in locked) == (mechanic != "inverse_state")
        assert faults(draft) == []


@for_each("part", [control, mirror])
def test_without_a_locked_room_nothing_is_set_from_afar(part: Hidden) -> None:
    draft = drafted()
    assert not part(draft, "agent_0", "agent_1", "agent_1")
    assert (draft.mechanics, draft.goals, draft.told) == ([], [], {})


def test_parts_are_drawn_with_the_randomness_of_the_draft() -> None:
    random.seed(1)
    first = made(place, "agent_0", 5).goals
    random.seed(2)
    assert made(place, "agent_0", 5).goals == first


SITTER = "agent_1"
"""It starts in the middle of the living room, where the table, the stands and the chair are in reach, and shelves are not."""


def at_home() -> Draft:
    made = drafted()
    made.homes |= made.own
    return made


@for_each(
    ("parts", "turns"),
    [
        ([], 0),
        ([("stand_20",)], 1),
        ([("stand_20", "stand_23")], 2),
        ([("shelves_25",)], 2),
        # One spot has both in reach, and none has the lamp and the chair.
        ([("shelves_25", "chair_24")], 3),
        ([("floor_lamp_18", "chair_24")], 4),
        # What is in reach at the start comes first.
        ([("floor_lamp_18",), ("chair_24",)], 3),
        ([("chair_24",), ("floor_lamp_18",)], 3),
    ],
)
def test_an_act_takes_a_turn_and_so_does_a_walk(parts: list[tuple[str, ...]], turns: int) -> None:
    assert fewest(at_home(), SITTER, parts) == turns


def test_an_agent_that_starts_elsewhere_walks_to_its_room() -> None:
    assert fewest(drafted(), SITTER, [("stand_20",)]) == 2


def test_agents_act_at_the_same_time() -> None:
    made = at_home()
    made.stops = {SITTER: [("floor_lamp_18", "chair_24"), ("stand_20",)], "agent_0": [("table_3",)]}
    assert shortest(made) == 5


def test_a_thing_that_is_brought_takes_the_turns_of_both_agents() -> None:
    made = at_home()
    assert hand_over(made, "agent_0", SITTER, SITTER)
    ((giver, stops),) = made.brings
    assert giver == SITTER
    assert shortest(made) == fewest(made, SITTER, [stops]) + BROUGHT


@pytest.mark.skipif(
    program() is None, reason="needs the planner Fast Downward: pip install 'otherminds[verify]'"
)
@for_each(("pattern", "hard"), [("relay", True), ("sequencing", False), ("gated", False)])
def test_the_longest_part_takes_as_long_as_the_shortest_plan(pattern: Pattern, hard: bool) -> None:
    drafts = (
        FAMILIES[pattern](random.Random(f"pace {seed}"), DraftRequest(3, 1, hard)) for seed in range(60)
    )
    plans = (
        (made, best)
        for made in drafts
        if made and (best := planned(House(made.task("a_task", "", ""), made.scene), quick=True).calibration)
    )
    made, best = next(plans)
    # A thing that is handed over may lie where the other agent needs one more turn.
    assert 0 <= best.turns - shortest(made) <= (pattern == "sequencing")
