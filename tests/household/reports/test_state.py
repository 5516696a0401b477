"""Beliefs that do not hold are found, and no others."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.household.reports.state import AgentState, Falsehood, MapState, Rest, Thing, falsehoods


def test_every_kind_of_false_belief_is_found_with_the_truth_beside_it(state: MapState) -> None:
    found = falsehoods(state, "agent_1")
    assert Falsehood("place", "book_0", "on table_5", "held by agent_2", Rest("on", "table_5")) in found
    assert Falsehood("turned", "cabinet_6", "closed", "open") in found
    assert ("place", "cup_1", "held by agent_1") in [
        (one.kind, one.about, one.believed) for one in falsehoods(state, "agent_2")
    ]


def test_where_another_was_last_seen_can_be_false_too() -> None:
    mind = AgentState((0, 0), "kitchen_1", 0.0, others={"agent_1": "study_1"})
    state = MapState({}, agents={"agent_0": mind, "agent_1": replace(mind, room="hallway_1")})
    assert falsehoods(state, "agent_0") == (Falsehood("room", "agent_1", "study_1", "hallway_1"),)


def test_not_to_know_is_not_to_be_wrong() -> None:
    mind = AgentState((0, 0), "kitchen_1", 0.0, objects={"cup_0": None})
    state = MapState(
        {o: Thing(Rest("on", "table_5"), (0, 0, 0)) for o in ("cup_0", "cup_1")}, agents={"agent_0": mind}
    )
    assert falsehoods(state, "agent_0") == ()


def test_who_sees_all_that_it_knows_of_is_not_wrong(state: MapState) -> None:
    assert state.agents["agent_0"].objects
    assert falsehoods(state, "agent_0") == ()
