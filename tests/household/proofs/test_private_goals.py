"""Private goals that agree, that conflict, and that need the help of others."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from otherminds.household.epistemic.certificate import PlanAct, PlanTell
from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.fast_downward import program
from otherminds.household.house import House
from otherminds.household.proofs.private_goals import COMPATIBLE, met_by_the_way
from otherminds.household.proofs.verdicts import verified
from otherminds.household.proofs.verification import ProofVerdict, Verification
from otherminds.household.task import Binding
from tests.cases import for_each
from tests.household.proofs.tasks import OPENED, mixed, relay

pytestmark = pytest.mark.skipif(
    program() is None, reason="needs the planner Fast Downward: pip install 'otherminds[verify]'"
)
PROVED = "proved and checked"
MIRROR = Binding("state_mirroring", trigger_object="cabinet_6", target_object="cabinet_12")
REMOTE = Binding(
    "remote_control", trigger_object="cabinet_6", target_object="cabinet_12", target_state="open"
)


def named(verification: Verification) -> dict[str, ProofVerdict]:
    return {one.name: one for one in verification.verdicts}


def compatible(house: House) -> ProofVerdict:
    return named(verified(house))[COMPATIBLE]


def test_goals_that_agree_are_reached_by_one_plan_in_which_each_acts_for_its_own() -> None:
    private = {"agent_0": "(is_on_top bowl_0 table_5)", "agent_1": "(is_open fridge_3)"}
    verification = verified(mixed(private=private))
    one = named(verification)[COMPATIBLE]
    assert one.status == PROVED
    assert not one.decisive
    assert "each agent acts for its own private goal" in one.says
    claim = verification.certificate.claims[COMPATIBLE]
    assert claim.parts == (((), OPENED), ((), private["agent_0"]), ((), private["agent_1"]))
    assert refuted(verification.certificate.problem, claim) == ""
    acts = [step for step in claim.plan if isinstance(step, PlanAct)]
    assert {step.values[0] for step in acts if "fridge_3" in step.values} == {"agent_1"}
    assert {step.values[0] for step in acts if "bowl_0" in step.values} == {"agent_0"}


def test_a_goal_against_the_shared_one_is_a_conflict() -> None:
    every = named(verified(mixed(private={"agent_1": "(and (is_open fridge_3) (is_closed cabinet_12))"})))
    one = every[COMPATIBLE]
    assert one.status == "refuted"
    assert one.says == (
        f"the private goal of agent_1 conflicts with the shared goal: {OPENED} and (is_closed cabinet_12) "
        "never hold together"
    )
    assert every["solvable"].status == PROVED


@for_each(
    ("first", "second"),
    [
        ("(is_on_top bowl_0 table_5)", "(is_in_room bowl_0 kitchen_1)"),
        ("(is_on_top bowl_0 table_5)", "(is_held_by bowl_0 agent_1)"),
        ("(agent_in_room agent_1 study_1)", "(agent_in_room agent_1 kitchen_1)"),
        ("(is_held_by cup_1 agent_1)", "(is_held_by bowl_0 agent_1)"),
    ],
)
def test_goals_against_one_another_are_a_conflict(first: str, second: str) -> None:
    one = compatible(mixed(private={"agent_0": first, "agent_1": second}))
    assert one.status == "refuted"
    assert one.says == (
        "the private goal of agent_1 conflicts with the private goal of agent_0: "
        f"{first} and {second} never hold together"
    )


def order(private: Mapping[str, str], *bindings: Binding) -> ProofVerdict:
    """The one verdict about the order of two goals in conflict."""
    (found,) = (
        one
        for one in verified(mixed(*bindings, private=private)).verdicts
        if one.name.startswith("order of ")
    )
    return found


def test_of_two_goals_in_conflict_the_one_that_is_pursued_last_wins_if_there_is_a_way() -> None:
    one = order({"agent_1": "(is_closed cabinet_12)"})
    assert one.name == "order of the shared goal and the private goal of agent_1"
    assert one.status == "proved by planner"
    assert not one.decisive
    assert one.says == (
        "if the private goal of agent_1 comes last, it wins: a plan reaches the shared goal and then the private goal of "
        "agent_1; if the shared goal comes last, it wins: a plan reaches the private goal of agent_1 and then the shared goal"
    )


def test_who_cannot_act_again_for_its_private_goal_does_not_win_by_coming_last() -> None:
    """Agent 0 cannot enter the room, and has one message, which the shared goal takes."""
    one = order(
        {"agent_0": "(is_closed cabinet_12)"}, Binding("limited_bandwidth", message_limits={"agent_0": 1})
    )
    assert one.status == "proved by planner"
    assert one.says.startswith(
        "if the private goal of agent_0 comes last, the shared goal wins: (is_closed cabinet_12) cannot be reached after the plan"
    )
    assert one.says.endswith(
        "if the shared goal comes last, it wins: a plan reaches the private goal of agent_0 and then the shared goal"
    )


def test_two_private_goals_in_conflict_have_an_order_too() -> None:
    one = order({"agent_0": "(is_on_top bowl_0 table_5)", "agent_1": "(is_on_top bowl_0 sink_1)"})
    assert one.name == "order of the private goal of agent_0 and the private goal of agent_1"
    assert one.status == "proved by planner"


def test_goals_that_agree_have_no_order() -> None:
    names = named(verified(mixed(private={"agent_1": "(is_open fridge_3)"})))
    assert not any(name.startswith("order of ") for name in names)


@for_each(
    ("goal", "private", "met"),
    [
        (OPENED, {"agent_1": "(is_open fridge_3)"}, ()),
        (OPENED, {"agent_1": OPENED, "agent_0": "(is_open fridge_3)"}, ("agent_1",)),
        (OPENED, {"agent_1": "(is_closed fridge_3)"}, ("agent_1",)),
        (OPENED, {"agent_0": "(is_closed cabinet_12)"}, ("agent_0",)),
        (OPENED, {}, ()),
    ],
)
def test_private_goals_that_nobody_has_to_act_for_are_named(
    goal: str, private: Mapping[str, str], met: tuple[str, ...]
) -> None:
    """They hold at the start, or the plan for the shared goal reaches them."""
    house = mixed(goal=goal, private=private) if private else relay()
    assert met_by_the_way(verified(house).certificate) == met


@for_each(("mechanic", "status"), [(MIRROR, "refuted"), (REMOTE, PROVED)])
def test_a_mechanic_can_make_two_goals_conflict(mechanic: Binding, status: str) -> None:
    """What a mirror joins is never apart; what only follows a trigger can also be opened by hand."""
    one = compatible(mixed(mechanic, private={"agent_1": "(is_closed cabinet_6)"}))
    assert one.status == status


def test_an_agent_may_need_to_ask_for_help() -> None:
    house = mixed(private={"agent_0": "(is_powered_on heater_13)"})
    verification = verified(house)
    one = named(verification)[COMPATIBLE]
    assert one.status == PROVED
    assert "agent_0 asks for help with a private goal" in one.says
    claim = verification.certificate.claims[COMPATIBLE]
    told = {step.content[1] for step in claim.plan if isinstance(step, PlanTell)}
    assert told == {f"(goal {OPENED})", "(private_goal (is_powered_on heater_13))"}


def test_the_shared_goal_is_reached_without_talk_of_private_ones() -> None:
    claim = verified(mixed(private={"agent_0": OPENED})).certificate.claims["solvable"]
    assert {step.content[1] for step in claim.plan if isinstance(step, PlanTell)} == {f"(goal {OPENED})"}


def test_without_the_messages_for_help_it_is_unknown_and_the_agent_is_named() -> None:
    limit = Binding("limited_bandwidth", message_limits={"agent_0": 1})
    private = {"agent_0": "(is_powered_on heater_13)", "agent_1": "(is_open fridge_3)"}
    one = compatible(mixed(limit, private=private))
    assert one.status == "unknown"
    assert one.says.endswith("agent_0 no, agent_1 yes")


def test_a_goal_that_nobody_can_reach_is_refuted_with_a_certificate() -> None:
    bar = Binding("room_restriction", restricted_rooms=("store_1",), for_agents=("agent_1",))
    house = mixed(bar, goal="(is_open cabinet_10)", private={"agent_1": "(is_powered_on heater_13)"})
    verification = verified(house)
    one = named(verification)[COMPATIBLE]
    assert (one.status, one.says) == (
        "refuted",
        "(is_powered_on heater_13) of agent_1 can never hold; let an agent reach it",
    )
    claim = verification.certificate.claims[f"never {COMPATIBLE}"]
    assert refuted(verification.certificate.problem, claim) == ""


def test_a_goal_that_holds_anyway_is_named() -> None:
    private = {"agent_0": "(is_open stand_14)", "agent_1": "(is_closed fridge_3)"}
    verification = verified(mixed(private=private))
    name = "private goal of agent_0 not solved at the start"
    assert named(verification)[name].status == PROVED
    assert verification.certificate.claims[name].parts == (((), "(is_open stand_14)"),)
    idle = named(verification)["private goal of agent_1 not solved at the start"]
    assert idle.status == "refuted"
    assert "the plan for the shared goal keeps it" in idle.says
    assert named(verification)[COMPATIBLE].status == PROVED


def test_what_the_shared_plan_does_to_private_goals_is_said() -> None:
    every = named(verified(mixed(private={"agent_0": OPENED, "agent_1": "(is_closed cabinet_12)"})))
    first, second = (every[f"private goal of agent_{k} not solved at the start"] for k in (0, 1))
    assert (first.status, second.status) == (PROVED, "refuted")
    assert first.says.endswith("the plan for the shared goal reaches it too")
    assert "the plan for the shared goal ends it" in second.says


def test_an_agent_with_the_goal_for_itself_needs_no_message() -> None:
    assert (
        named(verified(mixed(private={"agent_1": "(is_open fridge_3)"})))["needs messages"].status == PROVED
    )
    assert named(verified(mixed(private={"agent_1": OPENED})))["needs messages"].status == "refuted"


@for_each(
    ("private", "says"),
    [
        ("(is_next_to bowl_0 plate_0)", "no proof has (is_next_to bowl_0 plate_0) of agent_1"),
        (f"(K agent_1 {OPENED})", "about knowledge alone"),
    ],
)
def test_what_proofs_do_not_have_is_unknown(private: str, says: str) -> None:
    every = named(verified(mixed(private={"agent_1": private})))
    assert every[COMPATIBLE].status == "unknown"
    assert says in every[COMPATIBLE].says
    assert every["solvable"].status == PROVED


def test_tasks_without_private_goals_have_no_such_verdict() -> None:
    assert not [one.name for one in verified(relay()).verdicts if "private" in one.name]
