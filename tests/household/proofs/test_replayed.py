"""Plans in the simulator: in few joint turns, in the order of seats, and by the simulator's own log."""

from __future__ import annotations

from otherminds.household.epistemic.certificate import PlanAct, PlanTell
from otherminds.household.proofs.replayed import replay_plan, together
from tests.household.proofs.tasks import told_house

BOTH = "(and (is_open cabinet_2) (is_open cabinet_6))"
PHYSICAL = (((), "(is_open cabinet_2)"), ((), "(is_open cabinet_6)"))


def walk(agent: str, room: str, piece: str, to: str = "") -> PlanAct:
    return PlanAct("navigate", (agent, f"spawn:{agent}", room, f"stand:{piece}", to or room))


def opening(agent: str, piece: str) -> PlanAct:
    return PlanAct("open_furniture", (agent, f"stand:{piece}", piece))


HERE = (walk("agent_0", "kitchen_1", "cabinet_2"), opening("agent_0", "cabinet_2"))
THERE = (walk("agent_1", "study_1", "cabinet_6"), opening("agent_1", "cabinet_6"))


def test_independent_steps_share_their_turns() -> None:
    """A plan of four steps is not four turns: all agents act in each turn."""
    house = told_house(goal=BOTH, knows={})
    assert len(replay_plan(house, (*HERE, *THERE), PHYSICAL).turns) == 4
    found = together(house, (*HERE, *THERE), PHYSICAL)
    assert found.reached
    assert found.turns == (
        ("Navigate[cabinet_2]", "Navigate[cabinet_6]"),
        ("Open[cabinet_2]", "Open[cabinet_6]"),
    )


def test_a_step_that_fails_in_the_simulator_is_named() -> None:
    found = replay_plan(told_house(goal=BOTH, knows={}), (opening("agent_0", "cabinet_12"), *THERE), PHYSICAL)
    assert not found.reached
    assert found.refused
    assert found.refused[0].startswith("Open[cabinet_12] of agent_0: Failed to open!")
    assert found.missing == PHYSICAL[:1]


def test_knowledge_is_that_of_the_log_and_a_message_in_the_turn_of_its_cause_comes_too_early() -> None:
    """Agent 1 opens, then tells: the message takes a turn of its own, since it tells what its sender knew before it."""
    goal = "(and (is_open cabinet_6) (K agent_0 (is_open cabinet_6)))"
    parts = (PHYSICAL[1], (("agent_0",), "(is_open cabinet_6)"))
    house = told_house(goal=goal, knows={})
    tell = PlanTell("agent_1", ("agent_0",), ((), "(is_open cabinet_6)"))
    assert replay_plan(house, THERE, parts).missing == parts[1:], "nobody told agent 0"
    found = together(house, (*THERE, tell), parts)
    assert found.reached
    assert len(found.turns) == 3
