"""The scaffolds of the *in the matrix* substrates: exact lines, memory, and nothing of what the other did."""

from __future__ import annotations

from random import Random

import msgspec
import numpy as np
import pytest

from otherminds.core.contracts import Manner, RememberedSighting, Sighting
from otherminds.core.data import Encounter, Moment
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.naming import payoffs
from otherminds.gridworlds.in_the_matrix.rules import PD_REPEATED, RWS_ARENA, RWS_REPEATED, Rules
from otherminds.gridworlds.in_the_matrix.scaffold import InTheMatrixScaffold
from otherminds.gridworlds.in_the_matrix.world import InTheMatrixWorld
from tests.cases import for_each, thinned
from tests.gridworlds.in_the_matrix import rooms

SUBSTRATES = [RWS_REPEATED, RWS_ARENA, PD_REPEATED]
ROOM = """
WWWWWWW
WnprnsW
W aW  W
Wn nnnW
WWWWWWW
"""
NORTH, EAST, SOUTH = 0, 1, 2


def words(rules: Rules, seat: str = "ego") -> InTheMatrixScaffold:
    return InTheMatrixScaffold(rules, seat, tuple(range(len(rules.classes))))


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_the_steps_are_taken_as_in_the_paper(rules: Rules) -> None:
    joint = rules is RWS_REPEATED
    assert words(rules).manner == Manner(hidden=True, joint=joint, choice="behaviour")


def test_the_scene_has_a_line_for_each_kind_of_thing() -> None:
    world = rooms.room(RWS_REPEATED, ROOM)
    rooms.put(world, 0, (1, 3), EAST)
    rooms.put(world, 1, (4, 3), NORTH)
    rooms.put(world, 0, (2, 3), NORTH, (1, 4, 1))
    scaffold = words(world.rules)
    moment = Moment(7, rooms.observed(world, "ego"))
    kind = int(world.engine.state.resources[0, world.rules.places.index((2, 2)), columns.KIND])
    seen = {name: [] for name in world.rules.classes}
    seen["paper"].append(((2, 1), 2))
    seen["rock"].append(((3, 1), 3))
    seen[world.rules.classes[kind]].append(((2, 2), 1))
    assert scaffold.scene(moment).splitlines() == [
        "Map: 7 by 5",
        "Valid places for move_to: [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (1, 2), (2, 2), (4, 2), (5, 2), "
        "(1, 3), (2, 3), (3, 3), (4, 3), (5, 3)]",
        "You are at: (2, 3), facing N",
        "You hold: {'rock': 1, 'paper': 4, 'scissors': 1}",
        *(
            f"Boxes of {name} in view: {sorted(found, key=lambda f: f[0][::-1])}"
            for name, found in seen.items()
        ),
        "Other players in view: [('the other player', (4, 3))]",
    ]
    assert scaffold.state(moment) == (
        "You are at: (2, 3), facing N. You hold: {'rock': 1, 'paper': 4, 'scissors': 1}."
    )


def test_off_the_map_nothing_is_seen_and_all_is_remembered() -> None:
    scaffold = words(PD_REPEATED)
    world = InTheMatrixWorld(PD_REPEATED)
    observation = {**world.reset(0)[0]["ego"]}
    observation |= {"POSITION": np.full(2, -1), "WINDOW": np.zeros_like(observation["WINDOW"])}
    moment = Moment(50, observation)
    assert "You are at: nowhere, off the map until you come back" in scaffold.scene(moment)
    assert "Boxes of defect in view: []\nOther players in view: []" in scaffold.scene(moment)
    assert scaffold.sightings(moment) == ()
    seen = [
        RememberedSighting(Sighting("box of defect", (13, 3)), 40),
        RememberedSighting(Sighting("the other player", (9, 9)), 30),
    ]
    assert scaffold.recall(seen, moment).splitlines() == [
        "Boxes of cooperate seen earlier: []",
        "Boxes of defect seen earlier: [((13, 3), 40)]",
        "Other players seen earlier: [('the other player', (9, 9), 30)]",
    ]


def test_memory_tells_what_was_seen_last_of_each_place_and_player() -> None:
    world = rooms.room(RWS_REPEATED, ROOM)
    rooms.put(world, 1, (5, 3), NORTH)
    rooms.put(world, 0, (1, 3), SOUTH)
    scaffold = words(world.rules)
    seen = [
        RememberedSighting(Sighting("box of scissors", (5, 1)), 5),
        RememberedSighting(Sighting("box of rock", (3, 1)), 4),
        RememberedSighting(Sighting("no box", (3, 1)), 6),
        RememberedSighting(Sighting("no box", (4, 1)), 2),
        RememberedSighting(Sighting("box of rock", (4, 1)), 3),
        RememberedSighting(Sighting("box of paper", (1, 3)), 3),
        RememberedSighting(Sighting("the other player", (4, 2)), 6),
        RememberedSighting(Sighting("the other player", (5, 3)), 2),
    ]
    due = [
        "Boxes of rock seen earlier: [((4, 1), 3)]",
        "Boxes of paper seen earlier: []",
        "Boxes of scissors seen earlier: [((5, 1), 5)]",
        "Other players seen earlier: [('the other player', (4, 2), 6)]",
    ]
    moment = Moment(7, rooms.observed(world, "ego"))
    for given in (seen, seen[::-1]):
        assert scaffold.recall(given, moment).splitlines() == due
    rooms.put(world, 1, (2, 3), NORTH)
    beside = scaffold.recall(seen, Moment(7, rooms.observed(world, "ego"))).splitlines()
    assert beside[-1] == "Other players seen earlier: []", "it is in view now"


def test_what_is_in_view_is_remembered_by_place_and_so_is_what_has_gone() -> None:
    world = rooms.room(RWS_REPEATED, ROOM)
    rooms.put(world, 1, (4, 3), NORTH)
    rooms.put(world, 0, (2, 3), NORTH)
    world.engine.state.resources[0, world.rules.places.index((3, 1)), columns.SHOWN] = 0
    found = words(world.rules).sightings(Moment(3, rooms.observed(world, "ego")))
    assert {Sighting("box of paper", (2, 1)), Sighting("no box", (3, 1))} <= {*found}
    assert found[-1] == Sighting("the other player", (4, 3), moves=True)
    assert not any(one.moves for one in found[:-1])
    assert not any(one.place == (5, 1) for one in found), "it is out of view"


def test_others_are_told_apart_where_they_look_different() -> None:
    scaffold = words(RWS_ARENA, "partner_1")
    assert [scaffold.name(seat) for seat in ("ego", "partner_0", "partner_6")] == [
        "player 0",
        "player 1",
        "player 7",
    ]
    assert scaffold.seat("player 0") == "ego"
    assert scaffold.seat(" Player 7 ") == "partner_6"
    for nobody in ("player 2", "player 8", "partner_0", "the other player", ""):
        assert scaffold.seat(nobody) is None
    assert words(RWS_REPEATED).seat("the other player") == "partner_0"
    assert words(RWS_REPEATED, "partner_0").seat("the other player") == "ego"


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_payoffs_are_told_where_they_are_granted(rules: Rules) -> None:
    scaffold = words(rules)
    world = InTheMatrixWorld(rules)
    world.reset(0, options={"grants": {"ego": {"game": rules.game}}})
    told = payoffs(scaffold._words, rules.game, scaffold._order)
    assert told in scaffold.system(world.brief("ego"))
    assert "bring you" not in scaffold.system(world.brief("partner_0"))
    assert "you have to infer" in scaffold.system(world.brief("ego"))
    assert "After a duel you are told" not in scaffold.system(world.brief("ego"))
    assert scaffold.skills() in scaffold.system(world.brief("ego"))


@for_each("rules", SUBSTRATES, ids=lambda rules: rules.name)
def test_a_duel_is_heard_by_its_own_part_alone(rules: Rules) -> None:
    world = InTheMatrixWorld(rules)
    observations, _ = world.reset(0)
    after = {**observations["ego"], "INVENTORY": np.ones(len(rules.classes))}
    before = {**observations["ego"], "INVENTORY": np.arange(1.0, len(rules.classes) + 1)}
    since = [Moment(30, before), Moment(31, after)]
    heard = {
        msgspec.json.encode(words(rules).heard(Encounter(47, {"ego": (own,), "partner_0": did}, 1.5), since))
        for own in rules.classes
        for did in [(), *((name,) for name in rules.classes), rules.classes]
    }
    (only,) = map(msgspec.json.decode, heard)
    assert only == {"when": "step 48", "own": {name: n for n, name in enumerate(rules.classes, 1)}}


@pytest.mark.parametrize("rules", thinned(SUBSTRATES, 2), ids=lambda rules: rules.name)
def test_hidden_inventories_change_no_word(rules: Rules) -> None:
    """One other collects something more, out of the window or in it, and nothing told to ego differs."""
    scaffold, rng = words(rules), Random(3)
    worlds = [InTheMatrixWorld(rules) for _ in range(2)]
    for world in worlds:
        world.reset(seed=3)
    compared, changed = 0, False
    for step in range(1, 500):
        theirs = worlds[1].engine.state.avatars[0, 1]
        if not changed and step > 20 and theirs[columns.READY] and theirs[columns.PENDING] < 0:
            theirs[columns.COUNTS] += 3
            changed = True
        actions = {seat: rng.choice((0, 1, 1, 1, 2, 3, 4, 5, 6)) for seat in worlds[0].possible_agents}
        one, two = (
            Moment(step, observations["ego"], 0.0, infos["ego"].get("encounters", ()))
            for observations, _, _, _, infos in (world.step(actions) for world in worlds)
        )
        assert scaffold.scene(one) == scaffold.scene(two)
        assert scaffold.sightings(one) == scaffold.sightings(two)
        assert scaffold.state(one) == scaffold.state(two)
        compared += changed
    assert compared > 100
