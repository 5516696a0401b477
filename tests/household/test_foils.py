"""Foils: of the probe's own form, the same whatever happens, and with another truth wherever there can be one."""

from __future__ import annotations

import random
from itertools import permutations

from otherminds.household.epistemic.formula import Atom, Not, atom, chains, show
from otherminds.household.epistemic.parse import goal_of, parse
from otherminds.household.epistemic.predicates import check_goal, opposite
from otherminds.household.goal_check import holds, implies
from otherminds.household.probes import Foil, foils, probes_of
from otherminds.household.world import HouseholdWorld
from tests.cases import for_each
from tests.household import small_house as small

A, B, C = "agent_0", "agent_1", "agent_2"
FACTS = (
    "(is_open cabinet_2)",
    "(not (is_open cabinet_2))",
    "(is_closed fridge_3)",
    "(is_powered_on tv_7)",
    "(is_clean bowl_0)",
    "(is_filled kettle_0)",
    "(is_on_top bowl_0 table_5)",
    "(not (is_on_top bowl_0 table_5))",
    "(is_inside towel_0 cabinet_6)",
    "(is_in_room ball_0 kitchen_1)",
    "(is_on_floor bowl_0)",
    "(is_next_to bowl_0 kettle_0)",
    "(is_held_by bowl_0 agent_1)",
    "(agent_in_room agent_1 kitchen_1)",
)


def every(fact: str, *agents: str) -> list[Foil]:
    """The foils of a probe that asks the first agent what the others would report."""
    goal = "".join(f"(K {agent} " for agent in agents) + fact + ")" * len(agents)
    house = small.house(goal=goal)
    (chain,) = chains(goal_of(goal))
    return list(foils(house, chain))


def of(fact: str, *agents: str) -> list[str]:
    """The facts of the foils that ask the same agents."""
    return [show(foil.chain.fact) for foil in every(fact, *agents) if foil.kind != "agent"]


@for_each("agents", [(A,), (A, B), (A, B, C), (C, A)], ids="".join)
@for_each("fact", FACTS)
def test_a_foil_has_the_form_of_its_probe(fact: str, agents: tuple[str, ...]) -> None:
    found = of(fact, *agents)
    assert len(found) == len(set(found)) <= 3
    meant = parse(fact)
    other = opposite(atom(meant))
    names = {atom(meant).predicate, other.predicate if other else ""}
    for text in found:
        foil = parse(text)
        assert text != fact
        assert check_goal(foil) == []
        assert isinstance(foil, Not) == isinstance(meant, Not)
        assert atom(foil).predicate in names


@for_each("agents", [(A,), (A, B), (A, B, C), (C, A)], ids="".join)
@for_each("fact", FACTS)
def test_each_agent_is_asked_about_each_other_one_and_the_same_fact(
    fact: str, agents: tuple[str, ...]
) -> None:
    found = [foil.chain for foil in every(fact, *agents) if foil.kind == "agent"]
    assert {chain.agents for chain in found} == set(permutations((A, B, C), 2)) - {agents}
    assert {chain.fact for chain in found} == {parse(fact)}


@for_each("fact", [fact for fact in FACTS if "floor" not in fact])
def test_every_probe_has_one(fact: str) -> None:
    assert of(fact, A)
    assert of(fact, A, B)


def test_there_is_one_that_only_the_asked_sees_and_one_that_only_the_other_sees() -> None:
    """agent_0 starts in the kitchen, agent_1 in the study."""
    opposed, theirs, mine = of("(is_open cabinet_12)", A, B)
    assert opposed == "(is_closed cabinet_12)"
    assert theirs == "(is_open cabinet_6)"
    assert mine == "(is_open cabinet_2)"


def test_an_object_is_asked_for_where_it_was_at_the_start() -> None:
    assert of("(is_on_top bowl_0 table_5)", A)[0] == "(is_on_top bowl_0 counter_0)"


def test_truth_is_that_of_the_step_at_which_it_was_asked() -> None:
    """It used to be that of the end, whatever the step."""
    house = small.house(
        goal="(and (K agent_0 (is_open cabinet_2)) (K agent_0 (K agent_1 (is_open cabinet_2))))"
    )
    world = HouseholdWorld(house, 40)
    world.reset()
    small.turn(world, {A: "Open[cabinet_2]"})
    small.turn(world, {A: 'Communicate[agent_1, "cabinet_2 is open."]'})
    small.turn(world, {A: "Close[cabinet_2]"})
    probed = probes_of(house)
    questions = {probe.question.id: probe.question for probe in probed.probes()}
    fact, report = (questions[test.probe] for test in probed.tests.values())
    holding, failing, unknown = fact.options
    assert [world.truth(fact, step) for step in range(4)] == [failing, holding, holding, failing]
    # At the end agent_1 was told what is no longer so: the log cannot tell what it would report.
    assert [world.truth(report, step) for step in range(4)] == [unknown, unknown, holding, None]


def test_what_follows_from_a_place_holds_there() -> None:
    """In every state of a walk: what a true fact implies is true, and an object on a table is nowhere else."""
    draw = random.Random(5)
    house = small.house(goal="(is_on_top bowl_0 table_5)")
    world = HouseholdWorld(house, 200)
    world.reset()
    things, rooms = ("bowl_0", "ball_0", "cup_1"), house.rooms
    places = [f for f in house.furniture if not f.startswith("floor_")]
    facts = [
        *(Atom("is_on_top", (o, f)) for o in things for f in places),
        *(Atom("is_inside", (o, f)) for o in things for f in places),
        *(Atom("is_in_room", (o, room)) for o in things for room in rooms),
        *(Atom("is_held_by", (o, agent)) for o in things for agent in house.agents),
        *(Atom("is_on_floor", (o,)) for o in things),
        *(Atom("agent_in_room", (agent, room)) for agent in house.agents for room in rooms),
    ]
    followed = 0
    for _ in range(120):
        seat = draw.choice(house.agents)
        o, f = draw.choice(things), draw.choice(house.furniture)
        calls = (f"Navigate[{f}]", f"Navigate[{o}]", f"Pick[{o}]", f"Place[{o}, on, {f}]", f"Open[{f}]")
        small.turn(world, {seat: draw.choice(calls)})
        true = [fact for fact in facts if holds(world.engine, fact)]
        for told in true:
            for fact in facts:
                for literal in (fact, Not(fact)):
                    if implies(house, told, literal):
                        followed += 1
                        assert holds(world.engine, literal), (told, literal)
    assert followed > 10_000
