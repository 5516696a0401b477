"""Verdicts about tasks whose answers are known, and about the tasks that are included."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest

from otherminds.household.epistemic.check import refuted
from otherminds.household.epistemic.fast_downward import program
from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.words import Asks, Must
from otherminds.household.epistemic.words.sentences import say
from otherminds.household.house import House
from otherminds.household.proofs.episodes import runs_solved
from otherminds.household.proofs.verdicts import verified
from otherminds.household.proofs.verification import ProofVerdict, Verification
from otherminds.household.task import Binding
from otherminds.household.tasks.load import playable, shipped_tasks
from otherminds.household.world import HouseholdWorld
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.proofs.tasks import KNOWN, OPENED, bars, relay, told_house

pytestmark = pytest.mark.skipif(
    program() is None, reason="needs the planner Fast Downward: pip install 'otherminds[verify]'"
)
PROVED = "proved and checked"


def found(house: House) -> dict[str, ProofVerdict]:
    return {one.name: one for one in verified(house).verdicts}


@cache
def of_relay() -> Verification:
    return verified(relay())


def test_a_task_that_needs_a_message_is_proved_to() -> None:
    every = {one.name: one.status for one in of_relay().verdicts}
    assert every.pop("shortest plan") == "unknown"
    assert every.pop("guess-proof") == "unknown"
    assert every.pop("partner-proof") == "unknown"
    assert every.pop("hard") == "refuted"
    assert set(every.values()) == {PROVED}
    assert set(every) >= {"solvable", "needs messages", "needs agent_0", "needs agent_1"}


def test_its_certificate_is_accepted_and_says_the_same() -> None:
    certificate = of_relay().certificate
    assert set(certificate.claims) | {"fair", "levels in order"} == {
        one.name for one in of_relay().verdicts if one.status == PROVED
    }
    assert runs_solved(certificate.episodes) == of_relay().levels
    for claim in certificate.claims.values():
        assert refuted(certificate.problem, claim) == ""


WIRED = "(controls (is_open cabinet_10) (is_open cabinet_12))"


def wired_store(secrets: Sequence[str], messages: int) -> House:
    """Opening a cabinet of the bedroom opens one in the store, which nobody can enter; agent 1 alone can go to the bedroom.

    Agent 0 knows the ``secrets``, and can send so many messages of one statement.
    """
    return told_house(
        *bars(agent_0="bedroom_1 store_1", agent_1="store_1"),
        Binding(
            "remote_control", trigger_object="cabinet_10", target_object="cabinet_12", target_state="open"
        ),
        Binding("limited_bandwidth", message_limits={"agent_0": messages, "agent_1": 1}, statements=1),
        goal=OPENED,
        knows={"agent_0": secrets},
    )


@for_each("messages", (1, 2, 3))
def test_a_request_does_without_the_secrets_that_messages_without_requests_must_state(messages: int) -> None:
    """One message reaches the goal, though two secrets have to be stated where nothing is requested."""
    house = wired_store((f"(goal {OPENED})", WIRED), messages)
    needs = found(house)["needs messages"]
    assert needs.status == PROVED
    assert "without requests 2 secrets must be stated, in at least 2 messages" in needs.says
    assert "a request can stand for several secrets" in needs.says
    request = say(Asks("agent_1", Must(Atom("is_open", ("cabinet_10",)))))
    world = HouseholdWorld(house, 12)
    world.reset()
    small.turn(world, {"agent_0": f'Communicate[agent_1, "{request}"]', "agent_1": "Navigate[cabinet_10]"})
    assert [(one.text, one.note) for one in world.engine.sent] == [(request, "")]
    small.turn(world, {"agent_1": "Open[cabinet_10]"})
    assert ("is_open", "cabinet_12") in small.facts(world.engine)


def test_one_secret_needs_one_message() -> None:
    says = found(relay_limited())["needs messages"].says
    assert "without requests 1 secret must be stated, in at least 1 message (" in says


def relay_limited() -> House:
    return told_house(
        *bars(agent_0="store_1"),
        Binding("limited_bandwidth", message_limits={"agent_0": 1, "agent_1": 1}, statements=1),
        goal=OPENED,
        knows={"agent_0": [f"(goal {OPENED})"]},
    )


def test_a_goal_that_everybody_may_act_on_needs_no_messages() -> None:
    every = found(told_house(goal=OPENED, knows={"agent_0": ["(is_inside key_0 cabinet_12)"]}))
    assert every["needs messages"].status == "refuted"
    assert "a plan of 2 steps does without" in every["needs messages"].says
    assert every["needs agent_0"].status == every["needs agent_1"].status == "refuted"


def test_a_goal_of_knowledge_alone_decides_as_a_whole() -> None:
    key = "(is_inside key_0 cabinet_12)"
    every = found(told_house(*bars(agent_0="store_1"), goal=f"(K agent_0 {key})", knows={}))
    assert every["solvable"].status == every["needs messages"].status == PROVED
    assert every["needs agent_1"].status == PROVED


def test_an_agent_too_many_is_named() -> None:
    every = found(relay(agents=3))
    assert every["needs agent_0"].status == PROVED
    assert {every[f"needs agent_{k}"].status for k in (1, 2)} == {"refuted"}


def test_an_agent_that_only_informs_does_not_decide() -> None:
    """Agent 1 does nothing for the physical goal; it alone can look into the cabinet and tell."""
    key = "(is_inside key_0 cabinet_12)"
    house = told_house(
        *bars(agent_0="store_1"),
        goal=f"(and (is_open cabinet_6) (K agent_0 {key}))",
        knows={"agent_0": ["(goal (is_open cabinet_6))"]},
    )
    verification = verified(house)
    (one,) = (one for one in verification.verdicts if one.name == "needs agent_1")
    assert one.status == PROVED
    assert not one.decisive
    assert "needs agent_1 for knowledge" in verification.certificate.claims
    assert "needs agent_1" not in verification.certificate.claims
    assert f"only K agent_0 {key} needs agent_1" in one.says


def test_an_agent_that_is_only_informed_is_not_needed() -> None:
    house = told_house(goal=f"(and {OPENED} (K agent_1 {OPENED}))", knows={"agent_0": [f"(goal {OPENED})"]})
    assert found(house)["needs agent_1"].status == "refuted"


def test_a_goal_that_holds_is_no_goal() -> None:
    one = found(told_house(goal="(is_closed cabinet_12)", knows={}))["not solved at the start"]
    assert one.status == "refuted"


def test_without_messages_at_all_the_goal_is_refuted_with_a_certificate() -> None:
    house = told_house(
        *bars(agent_0="store_1"),
        Binding("limited_bandwidth", message_limits={"agent_0": 0}),
        goal=OPENED,
        knows={"agent_0": [f"(goal {OPENED})"]},
    )
    verification = verified(house)
    (one,) = (one for one in verification.verdicts if one.name == "solvable")
    assert one.status == "refuted"
    assert f"{OPENED} can never hold" in one.says
    claim = verification.certificate.claims["not solvable"]
    assert refuted(verification.certificate.problem, claim) == ""


def test_a_bar_that_keeps_nobody_from_anything_carries_no_weight() -> None:
    house = told_house(*bars(agent_1="study_1"), goal=OPENED, knows={"agent_0": [f"(goal {OPENED})"]})
    one = found(house)["needs its barred rooms"]
    assert one.status == "refuted"
    both = told_house(*bars(agent_0="store_1 study_1"), goal=OPENED, knows={"agent_0": [f"(goal {OPENED})"]})
    one = found(both)["needs its barred rooms"]
    assert one.status == PROVED
    assert "no weight alone: agent_0 cannot enter study_1" in one.says
    claim = verified(both).certificate.claims["needs its barred rooms"]
    assert claim.kind == "barred"
    assert claim.lifted == (("agent_0", "store_1"), ("agent_0", "study_1"))


def test_two_bars_of_which_each_is_enough_carry_weight_together() -> None:
    """To lift one does not help; to lift both does: the store has one door, to the bedroom."""
    house = told_house(
        *bars(agent_0="store_1 bedroom_1"), goal=OPENED, knows={"agent_0": [f"(goal {OPENED})"]}
    )
    one = found(house)["needs its barred rooms"]
    assert one.status == PROVED
    assert one.says.startswith("0 of 2 barred rooms carry weight alone")


def test_knowledge_that_nobody_can_come_to_is_refuted() -> None:
    house = told_house(
        *bars(agent_0="store_1"),
        Binding("restricted_communication", allowed_targets={"agent_1": ()}),
        goal=f"(and {OPENED} {KNOWN})",
        knows={"agent_0": [f"(goal {OPENED})"]},
    )
    one = found(house)[f"knows K agent_0 {OPENED}"]
    assert one.status == "refuted"
    assert "no agent can see it" in one.says


def test_a_depth_that_looking_together_gives_is_not_proved() -> None:
    chain = f"K agent_0 K agent_1 {OPENED}"
    deep = f"(K agent_0 (K agent_1 {OPENED}))"
    knows = {"agent_0": [f"(goal {OPENED})"]}
    free = found(told_house(goal=f"(and {OPENED} {deep})", knows=knows))
    assert free[f"needs depth 2 of {chain}"].status == "unknown"
    barred = found(told_house(*bars(agent_0="store_1"), goal=f"(and {OPENED} {deep})", knows=knows))
    assert barred[f"needs depth 2 of {chain}"].status == PROVED
    assert barred[f"knows {chain}"].status == PROVED


def test_one_plan_shows_all_that_the_budget_allows_together() -> None:
    certificate = of_relay().certificate
    solvable, known = (certificate.claims[name].plan for name in ("solvable", f"knows K agent_0 {OPENED}"))
    assert known[: len(solvable)] == solvable
    assert len(known) > len(solvable)


def two_chains(messages: int) -> dict[str, ProofVerdict]:
    """Agent 1 alone can see two facts that agent 0 must know, and has a number of messages."""
    key = "(is_inside key_0 cabinet_12)"
    house = told_house(
        *bars(agent_0="store_1"),
        Binding("limited_bandwidth", message_limits={"agent_1": messages}),
        goal=f"(and {OPENED} {KNOWN} (K agent_0 {key}))",
        knows={"agent_1": [f"(goal {OPENED})"]},
    )
    return {name: one for name, one in found(house).items() if name.startswith(("knows", "solvable"))}


@for_each("messages", (1, 2))
def test_each_chain_has_a_plan_also_where_the_messages_do_not_suffice_for_all(messages: int) -> None:
    every = two_chains(messages)
    assert len(every) == 3
    assert {one.status for one in every.values()} == {PROVED}


def test_one_message_each_does_not_reach_four_agents_deep() -> None:
    """The example of appendix D.1: the chain of ``silent_inspection`` can only be guessed."""
    (one,) = (
        one
        for one in verified(playable("silent_inspection"), seconds=3.0).verdicts
        if one.name.startswith("knows")
    )
    assert one.status == "refuted"
    assert "the messages do not suffice" in one.says


@pytest.mark.slow
@for_each("name", shipped_tasks())
def test_an_included_task_holds(name: str) -> None:
    verification = verified(playable(name))
    assert {
        one.name for one in verification.verdicts if one.decisive and not one.status.startswith("proved")
    } == set()
    assert {one.name for one in verification.verdicts if one.status == "unknown"} == {"partner-proof"}
    assert all(
        refuted(verification.certificate.problem, one) == ""
        for one in verification.certificate.claims.values()
    )
