"""The epistemic problem of a task: what it has, and what it refuses."""

from __future__ import annotations

import pytest

from otherminds.core.errors import TaskError
from otherminds.household.house import House
from otherminds.household.proofs.exported import exported, private_gates
from otherminds.household.task import Binding
from otherminds.household.tasks.load import playable, shipped_tasks
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.proofs.tasks import KNOWN, OPENED, mixed, relay, told_house

CLOSED = "(is_closed cabinet_6)"


def reasons(house: House, action: str) -> set[tuple[str, ...]]:
    return {gate.secrets for gate in exported(house).gates if action in gate.actions}


def test_the_goal_and_what_is_known_at_the_start_are_those_of_the_task() -> None:
    problem = exported(relay())
    assert problem.goal == (((), OPENED), (("agent_0",), OPENED))
    assert problem.known == ((("agent_0",), f"(goal {OPENED})"),)
    assert problem.literals == {OPENED: (("is_open", "cabinet_12"),)}
    assert problem.links == {"agent_0": ("agent_1",), "agent_1": ("agent_0",)}


def test_a_secret_about_the_start_is_knowledge_of_what_it_implies() -> None:
    goal = "(and (is_in_room key_0 store_1) (is_open cabinet_2))"
    problem = exported(told_house(goal=goal, knows={"agent_0": ["(is_inside key_0 cabinet_12)"]}))
    assert (("agent_0",), "(is_in_room key_0 store_1)") in problem.known


def test_a_secret_that_is_false_at_the_start_is_no_knowledge() -> None:
    goal = "(is_inside key_0 cabinet_10)"
    assert exported(told_house(goal=goal, knows={"agent_0": [goal]})).known == ()


def test_an_act_towards_a_secret_goal_needs_the_secret() -> None:
    assert reasons(relay(), "open_furniture") == {(f"(goal {OPENED})",)}
    assert not reasons(relay(), "close_furniture")
    public = told_house(goal=OPENED, knows={"agent_0": ["(is_inside key_0 cabinet_12)"]})
    assert not exported(public).gates


def test_a_goal_through_a_secret_mechanic_needs_both_secrets_and_its_own_handle_only_one() -> None:
    mirror = Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12")
    told = {"agent_0": [f"(goal {OPENED})"], "agent_1": ["(mirrors cabinet_12 cabinet_6)"]}
    house = told_house(mirror, goal=OPENED, knows=told)
    assert reasons(house, "open_furniture__cabinet_12") == {(f"(goal {OPENED})",)}
    assert reasons(house, "open_furniture__cabinet_6") == {
        (f"(goal {OPENED})", "(mirrors cabinet_12 cabinet_6)")
    }


def test_an_act_with_two_goals_needs_one_of_the_reasons() -> None:
    """Else a goal that is reached beside another, without its secret, would count as out of reach."""
    mirror = Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12")
    told = {"agent_0": [f"(goal {OPENED})"], "agent_1": ["(goal (is_open cabinet_6))"]}
    house = told_house(mirror, goal=f"(and {OPENED} (is_open cabinet_6))", knows=told)
    assert reasons(house, "open_furniture__cabinet_6") == {
        (f"(goal {OPENED})",),
        ("(goal (is_open cabinet_6))",),
    }


def test_a_reversed_handle_needs_the_secret_that_it_is_reversed() -> None:
    told = {"agent_0": [f"(goal {OPENED})"], "agent_1": ["(is_inverse cabinet_12)"]}
    house = told_house(Binding("inverse_state", trigger_object="cabinet_12"), goal=OPENED, knows=told)
    (both,) = reasons(house, "close_furniture__cabinet_12")
    assert set(both) == {f"(goal {OPENED})", "(is_inverse cabinet_12)"}


def test_a_private_goal_is_a_reason_beside_others_and_forbids_nothing() -> None:
    """Agent 1 opens the cabinet for itself; anybody may open a fridge that only a private goal is about."""
    own = mixed(private={"agent_1": OPENED})
    assert reasons(own, "open_furniture") == {(f"(goal {OPENED})",), (f"(private_goal {OPENED})",)}
    assert exported(own).goal == (((), OPENED),)
    apart = mixed(private={"agent_1": "(is_open fridge_3)"})
    assert reasons(apart, "open_furniture") == {(f"(goal {OPENED})",)}
    assert exported(apart).goal == (((), OPENED),)
    assert exported(apart).private == {"agent_1": ("(is_open fridge_3)",)}


def test_what_reaches_a_private_and_a_shared_goal_at_once_may_be_done_for_either() -> None:
    mirror = Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12")
    house = mixed(mirror, private={"agent_1": "(is_open cabinet_6)"})
    either = {(f"(goal {OPENED})",), ("(private_goal (is_open cabinet_6))",)}
    assert reasons(house, "open_furniture__cabinet_6") == either
    assert reasons(house, "open_furniture__cabinet_12") == either


def test_for_private_goals_nobody_acts_without_a_reason() -> None:
    house = mixed(private={"agent_1": "(is_open fridge_3)"})
    (gate,) = private_gates(house)
    assert (gate.adds, gate.secrets) == ((("is_open", "fridge_3"),), ("(private_goal (is_open fridge_3))",))


@for_each(
    ("goal", "says"),
    [
        ("(is_next_to bowl_0 plate_0)", "depends on the boxes of objects"),
        ("(not (is_on_top bowl_0 counter_0))", "say where it must be instead"),
        ("(K agent_0 (not (is_in_room bowl_0 kitchen_1)))", "say where it must be instead"),
    ],
)
def test_what_proofs_cannot_express_is_refused(goal: str, says: str) -> None:
    with pytest.raises(TaskError, match=says):
        exported(small.house(goal=goal))


def test_equal_tasks_have_equal_problems_and_others_have_not() -> None:
    assert exported(relay()).sha256() == exported(relay()).sha256()
    assert exported(relay()).sha256() != exported(relay(goal=f"(and {OPENED} {CLOSED} {KNOWN})")).sha256()
    found = {exported(playable(name)).sha256() for name in shipped_tasks()}
    assert len(found) == len(shipped_tasks())
