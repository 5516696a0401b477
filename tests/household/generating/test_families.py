"""Drafts of all families: no faults, the chain that was asked for, and the property that gives the pattern its name."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache

import pytest

from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import Atom, chains
from otherminds.household.epistemic.predicates import OPPOSITES
from otherminds.household.epistemic.words import Fact
from otherminds.household.generating.candidate import FAMILIES
from otherminds.household.generating.draft import Draft, Use, classes, placed_in, usable, walkable
from otherminds.household.generating.families import (
    GATED_PARTS,
    LEAST,
    DraftRequest,
    list_addressees,
    path,
    with_private_goals,
)
from otherminds.household.generating.parts import shortest
from otherminds.household.generating.properties import HIDDEN, PAIR, fits
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.pool.store import Pattern
from otherminds.household.task import Binding
from tests.cases import depth as runs
from tests.cases import for_each
from tests.household.generating.drafts import drawn, faults, knowers, named, parts

REQUESTS = [
    DraftRequest(agents, depth, hard)
    for agents in (2, 3, 4)
    for depth in (1, 2, 3)
    for hard in (False, True)
    if not (hard and agents == PAIR)
]
COUNT = 1
"""Drafts of each family for each request."""
USED: dict[str, Use] = {
    "is_open": "articulated",
    "is_closed": "articulated",
    "is_on_top": "top",
    "is_inside": "interior",
}


@cache
def of_all(count: int = COUNT) -> tuple[tuple[Pattern, DraftRequest, Draft], ...]:
    return tuple((pattern, request, made) for pattern in FAMILIES for request, made in of(pattern, count))


def of(pattern: Pattern, count: int = COUNT) -> Iterator[tuple[DraftRequest, Draft]]:
    for request in REQUESTS:
        for made in drawn(pattern, request, count):
            yield request, made


@cache
def mixes() -> tuple[Draft, ...]:
    """Drafts with private goals, which no test changes."""
    mixed: list[Draft] = []
    for pattern in FAMILIES:
        for seed in range(25):
            made = FAMILIES[pattern](random.Random(seed), DraftRequest(3, 1))
            found = with_private_goals(made) if made else None
            if found is not None:
                mixed.append(found)
    return tuple(mixed)


def test_each_family_has_drafts_for_all_that_fits_it_and_for_nothing_else() -> None:
    for pattern in FAMILIES:
        for request in REQUESTS:
            assert bool(drawn(pattern, request, COUNT)) == fits(pattern, request.agents, request.depth), (
                pattern,
                request,
            )


@pytest.mark.parametrize("count", runs(1, 10))
def test_the_tasks_have_no_faults(count: int) -> None:
    for pattern, request, made in of_all(count):
        assert faults(made) == [], (pattern, request)


def test_the_chain_is_as_deep_as_asked_for_and_its_agents_differ() -> None:
    for pattern, request, made in of_all():
        (chain,) = (one for goal in made.goals for one in chains(goal) if one.agents)
        assert len(chain.agents) == len(set(chain.agents)) == request.depth, (pattern, request)


def test_each_agent_alone_can_bring_about_a_part_that_others_know() -> None:
    for pattern, request, made in of_all():
        assert set(made.changes) == set(made.agents), (pattern, request)
        for actor, goal in parts(made):
            assert knowers(made, goal) - {actor} == knowers(made, goal) != set(), (pattern, request, goal)


def test_no_actor_is_told_of_its_target_or_of_its_trigger() -> None:
    for pattern, request, made in of_all():
        secrets = made.task("a_task", "", "").agent_secrets
        triggers = [(agent, one.trigger_object) for agent, one in _bound(made)]
        for actor, target in [(actor, goal.args[-1]) for actor, goal in parts(made)] + triggers:
            words = " ".join(secrets[actor]).replace(".", " ").split()
            assert target not in words, (pattern, request)


def test_what_an_actor_must_use_is_one_of_several_pieces_of_its_own_room() -> None:
    for pattern, request, made in of_all():
        triggers = {one.target_object: one.trigger_object for _, one in _bound(made)}
        for actor, goal in parts(made):
            target = triggers.get(goal.args[-1], goal.args[-1])
            every = classes(made.scene.scene_id, made.own[actor], USED[goal.predicate])
            assert any(target in pieces for pieces in every), (pattern, request, goal)


def test_messages_are_enough_for_what_actors_need() -> None:
    for _, request, made in of_all():
        assert set(made.budgets) == set(made.agents)
        assert min(made.budgets.values()) >= 1
        assert bool(made.links) or not (request.hard or request.depth > PAIR)


def test_relay_somebody_cannot_message_the_actor_and_nobody_who_can_is_told() -> None:
    for request, made in of("relay", 6):
        relayed = [
            goal
            for actor, goal in parts(made)
            if not any(actor in list_addressees(made, one) for one in knowers(made, goal))
        ]
        assert relayed, request


def test_relay_the_way_to_the_actor_leads_through_another_agent() -> None:
    for request, made in of("relay"):
        assert any(len(path(made, knower, actor) or ()) > PAIR for knower, actor in made.news), request


def test_delegation_somebody_can_message_several_of_which_one_can_enter() -> None:
    for request, made in of("delegation", 4):
        choices = [
            knower
            for actor, goal in parts(made)
            for knower in knowers(made, goal)
            if len(list_addressees(made, knower)) > 1 and actor in list_addressees(made, knower)
        ]
        assert choices, request


def test_sequencing_an_object_is_out_of_reach_of_its_actor_and_in_reach_of_its_giver() -> None:
    for request, made in of("sequencing", 4):
        places = placed_in(made.scene)
        handed = [
            (actor, places[goal.args[0]][1])
            for actor, goal in parts(made)
            if goal.predicate == "is_on_top" and places[goal.args[0]][1] in made.bars(actor)
        ]
        assert handed, request
        for actor, room in handed:
            (giver,) = (agent for agent, own in made.own.items() if own == room)
            assert made.homes[giver] == room
            assert giver != actor


def test_sequencing_in_some_drafts_another_agent_than_the_giver_is_told_of_the_object() -> None:
    apart = set[bool]()
    for made in drawn("sequencing", DraftRequest(3, 1), 12):
        places = placed_in(made.scene)
        for agent, several in made.told.items():
            for one in several:
                if isinstance(one, Fact) and isinstance(one.formula, Atom):
                    giver = next(a for a, own in made.own.items() if own == places[one.formula.args[0]][1])
                    apart.add(agent != giver)
    assert apart == {True, False}


@for_each("mechanic", HIDDEN)
def test_gated_the_mechanic_is_told_to_another_agent_than_its_actor(mechanic: str) -> None:
    for agents, hard in ((2, False), (3, False), (3, True), (4, False)):
        found = drawn("gated", DraftRequest(agents, 1, hard, mechanic=mechanic), 3)
        assert found
        for made in found:
            ((actor, binding),) = _bound(made)
            assert binding.mechanic_type == mechanic
            told = {
                agent
                for agent, several in made.told.items()
                for one in several
                if isinstance(one, Controls | Inverse | Mirrors)
            }
            assert len(told) == 1
            assert actor not in told
            assert faults(made) == []


def test_gated_has_a_part_for_every_hidden_mechanic() -> None:
    assert set(GATED_PARTS) == set(HIDDEN)


def test_links_are_restricted_if_asked_for() -> None:
    for pattern in FAMILIES:
        found = drawn(pattern, DraftRequest(3, 1, links=True), 4)
        assert found
        assert all(made.links for made in found), pattern


def test_a_hard_draft_has_a_part_that_passes_through_an_agent_without_a_message_to_spare() -> None:
    for pattern, request, made in of_all():
        if request.hard:
            ways = {way for one in made.news if (way := path(made, *one)) and len(way) > PAIR}
            assert ways, (pattern, request)
            for way in ways:
                assert all(goal not in named(made, way[1]) for actor, goal in parts(made) if actor == way[-1])


def test_a_hard_draft_takes_its_least_number_of_turns_and_nothing_has_to_be_closed() -> None:
    """Who knows what must stay open says so, also to the agent without a message to spare."""
    for pattern, request, made in of_all():
        if request.hard:
            assert shortest(made) >= LEAST, (pattern, request)
            assert all(goal.predicate != "is_closed" for _, goal in parts(made)), (pattern, request)


def test_in_a_hard_draft_who_can_message_an_actor_knows_that_no_other_agent_can_enter_its_room() -> None:
    for pattern, request, made in of_all():
        for knower, actor in made.news if request.hard else ():
            if actor in list_addressees(made, knower):
                barred = {Barred(other, (made.own[actor],)) for other in made.others(actor, knower)}
                assert barred <= {*made.told[knower]}, (pattern, request)


def test_no_private_goal_holds_at_the_start_and_no_part_of_the_shared_goal_says_the_same() -> None:
    for made in mixes():
        house = House(made.task("a_task", "", "A day in this house."), made.scene)
        engine = HouseEngine(house)
        assert set(made.private_goals) <= set(made.agents)
        for goal in made.private_goals.values():
            assert not holds(engine, goal)
            assert goal not in made.goals


def test_private_goals_are_to_open_what_the_agent_reaches_or_exclude_what_it_is_told() -> None:
    kinds = Counter[str]()
    for made in mixes():
        for agent, goal in made.private_goals.items():
            near = walkable(made.scene, made.homes[agent], made.rooms(agent))
            against = [one for one in made.goals if isinstance(one, Atom) and excludes(goal, one)]
            if against:
                kinds[goal.predicate] += 1
                assert any(one in named(made, agent) for one in against)
                continue
            kinds["apart"] += 1
            assert goal.predicate == "is_open"
            assert any(goal.args[0] in usable(made.scene.scene_id, room, "articulated") for room in near)
    assert set(kinds) == {"apart", "is_open", "is_closed", "is_on_top"}
    assert kinds["is_open"] > 5 < kinds["is_on_top"]


def excludes(one: Atom, other: Atom) -> bool:
    """Whether furniture cannot be as both say, or an object cannot be in both places."""
    if one.predicate in OPPOSITES:
        return other == Atom(OPPOSITES[one.predicate], one.args)
    places = ("is_on_top", "is_inside")
    return {one.predicate, other.predicate} <= {*places} and one.args[0] == other.args[0] and one != other


def test_private_goals_are_told_to_their_agents_alone() -> None:
    shares = set[float]()
    for made in mixes():
        task = made.task("a_task", "", "A day in this house.")
        assert task.category == "mixed"
        owners = {
            agent
            for agent, forms in task.agent_knows.items()
            if any("(private_goal " in one for one in forms)
        }
        assert owners == set(made.private_goals) == set(task.private_goals)
        shares.add(len(owners) / len(made.agents))
    assert shares == {1 / 3, 2 / 3, 1}


def test_things_of_two_private_goals_to_open_differ() -> None:
    for made in mixes():
        free = [
            goal
            for goal in made.private_goals.values()
            if not any(isinstance(one, Atom) and excludes(goal, one) for one in made.goals)
        ]
        assert len(set(free)) == len(free)
        assert all(goal not in made.goals for goal in free)


def test_mixed_drafts_have_no_faults() -> None:
    for made in mixes()[::6]:
        assert faults(made) == []


def test_equal_random_states_give_equal_drafts() -> None:
    for pattern in FAMILIES:
        one, other = (FAMILIES[pattern](random.Random(4), DraftRequest(3, 1)) for _ in range(2))
        tasks = [made.task("a_task", "", "") if made else None for made in (one, other)]
        assert tasks[0] == tasks[1]


def _bound(made: Draft) -> list[tuple[str, Binding]]:
    """The hidden mechanics, each with the agent that can set its trigger."""
    room_of = {f: room for room, inside in made.scene.furniture_in_rooms.items() for f in inside}
    actor_of = {room: agent for agent, room in made.own.items()}
    return [(actor_of[room_of[one.trigger_object]], one) for one in made.mechanics]


def test_drafts_do_not_depend_on_the_order_of_sets() -> None:
    code = (
        "from tests.household.generating.test_families import of_all\n"
        "print([made.task('a_task', '', '') for _, _, made in of_all(1)])"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": order},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for order in ("1", "2")
    }
    assert len(texts) == 1
    assert "Task(" in texts.pop()
