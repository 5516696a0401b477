"""Messages that arrive later: for who reads them, what is known, what is measured, and what is proved."""

from __future__ import annotations

import json

import msgspec
import pytest

from otherminds import Record, Setup
from otherminds.core.errors import StudyError
from otherminds.core.scenario import Scenario
from otherminds.household.calibrate import make_unprobed
from otherminds.household.epistemic.certificate import PlanTell
from otherminds.household.epistemic.fast_downward import program
from otherminds.household.epistemic.formula import Atom
from otherminds.household.epistemic.household_facts import Sent
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.free import told_freely
from otherminds.household.generating.properties import TaskProperties, checked
from otherminds.household.generating.wording import wordings
from otherminds.household.house import House
from otherminds.household.measures.attempts import traffic
from otherminds.household.measures.trace import Trace
from otherminds.household.mechanics.delayed_delivery import Delayed
from otherminds.household.proofs.replayed import replay_plan, together
from otherminds.household.proofs.verdicts import verified
from otherminds.household.reference.roster import ROSTER
from otherminds.household.reports.replay import household_again
from otherminds.household.task import Binding
from otherminds.household.world import HouseholdWorld
from otherminds.play.loop import play_now
from tests.cases import for_each
from tests.household import small_house as small
from tests.household.proofs.tasks import KNOWN, OPENED, bars, relay, told_house
from tests.household.proofs.test_replayed import PHYSICAL, THERE
from tests.household.reference.test_knowledge import knowledge, sight
from tests.household.tasks.examining import examined
from tests.household.tasks.mutants import sound

A, B, C = "agent_0", "agent_1", "agent_2"
OPEN = "cabinet_2 is open."
IS_OPEN = Atom("is_open", ("cabinet_2",))


def late(turns: int, *agents: str) -> Binding:
    return Binding("delayed_delivery", turns=turns, for_agents=agents)


def tells(to: str, text: str = OPEN) -> str:
    return f'Communicate[{to}, "{text}"]'


def arrivals(world: HouseholdWorld, seat: str, *turns: dict[str, str]) -> list[int]:
    """The turns behind which messages arrive at a seat."""
    mail = [small.turn(world, calls)[1][seat]["told"] for calls in turns]
    return [turn for turn, told in enumerate(mail) for _ in told]


@for_each("turns", [1, 3])
def test_a_message_arrives_that_many_turns_later(turns: int) -> None:
    sent = ({A: tells(B), B: tells(C)}, {A: tells(B)}, {}, {}, {})
    assert arrivals(small.world(late(turns)), B, *sent) == [turns, turns + 1]
    assert arrivals(small.world(late(turns, A)), B, *sent) == [turns, turns + 1]
    assert arrivals(small.world(late(turns, B)), B, *sent) == [0, 1]
    assert arrivals(small.world(late(turns, B)), C, *sent) == [turns]


def test_a_message_to_all_arrives_everywhere_at_once_and_the_longest_of_several_delays_holds() -> None:
    for seat in (B, C):
        world = small.world(late(1), late(3, A), late(2, A, B))
        assert arrivals(world, seat, {A: tells("all")}, {}, {}, {}, {}) == [3]


def test_what_has_not_arrived_at_the_end_never_arrives() -> None:
    world = small.world(late(5), turns=3)
    assert arrivals(world, B, {A: tells(B)}, {}, {}) == []
    assert not world.agents
    (sent,) = world.facts()["messages"]
    assert sent["arrives"] == 5
    assert msgspec.convert(sent, Sent).arrival == 5
    world.reset()
    assert arrivals(world, B, {}, {}, {}) == [], "nor in the next episode"


def test_a_message_costs_its_sender_the_same() -> None:
    world = small.world(late(2), Binding("limited_bandwidth", message_limits={A: 1}))
    small.play(world, {A: tells(B)}, {A: tells(B)})
    assert [bool(one.delivered) for one in world.messages] == [True, False]


# Knowledge


def since(goal: str, bindings: tuple[Binding, ...], *turns: dict[str, str]) -> list[int | None]:
    """For each chain of the goal, in order, the turn since which it is known after these turns."""
    world = HouseholdWorld(small.house(*bindings, goal=goal), 40)
    world.reset()
    small.play(world, *turns)
    known = world.facts()["entitled"]
    return [turn for name, turn in known.items() if name.startswith("k_probe_")]


B_KNOWS = "(K agent_1 (is_open cabinet_2))"
CHAINS = f"(and {B_KNOWS} (K agent_0 {B_KNOWS}) (K agent_1 (K agent_0 (is_open cabinet_2))))"
OPENS = {A: "Open[cabinet_2]"}


@for_each("turns", [1, 2, 4])
def test_a_late_message_makes_known_what_a_usual_one_does_that_is_sent_when_it_arrives(turns: int) -> None:
    waiting = [{}] * turns
    sent = since(CHAINS, (late(turns),), OPENS, {A: tells(B)}, *waiting, {})
    assert sent == since(CHAINS, (), OPENS, *waiting, {A: tells(B)}, {}) == [2 + turns] * 3
    assert since(CHAINS, (late(turns),), OPENS, {A: tells(B)}, *waiting[1:]) == [None] * 3


def test_what_ceases_to_hold_on_the_way_is_not_known_from_a_message() -> None:
    change = ({A: "Close[cabinet_2]"}, OPENS)
    assert since(B_KNOWS, (late(2),), OPENS, {A: tells(B)}, *change, {}, {}) == [None]
    assert since(B_KNOWS, (late(4),), OPENS, {A: tells(B)}, *change, {}, {}, {}) == [None]
    assert since(B_KNOWS, (late(1),), OPENS, {A: tells(B)}, {}, *change, {}) == [None]
    assert since(B_KNOWS, (late(2),), OPENS, *change, {A: tells(B)}, {}, {}) == [6]


def test_a_fact_that_fails_for_a_moment_while_a_message_is_under_way_is_not_known_from_it() -> None:
    """Each turn one agent shuts the cabinet and the next opens it, so that two turns look alike."""
    flips = {B: "Close[cabinet_2]", C: "Open[cabinet_2]"}
    goal, start = "(K agent_3 (is_open cabinet_2))", {"agent_3": small.scene().agent_spawns[C]}
    comes = {B: "Navigate[cabinet_2]", C: "Navigate[cabinet_2]"}
    for last, known in ((flips, None), ({}, 5)):
        world = HouseholdWorld(small.house(late(1), goal=goal, agents=4, agent_spawns=start), 40)
        world.reset()
        small.play(world, OPENS | comes, comes, flips, {A: tells("agent_3")} | last, {}, {})
        assert list(world.entitled.facts().values()) == [known]


def test_a_statement_that_its_sender_did_not_know_is_no_knowledge_even_if_it_is_known_to_it_on_arrival() -> (
    None
):
    learns = {B: "Navigate[kitchen_1]"}
    goal = "(K agent_2 (is_open cabinet_2))"
    assert since(goal, (late(3),), OPENS, {B: tells(C)}, learns, {}, {}, {}) == [None]
    assert since(goal, (late(3),), OPENS, learns, {B: tells(C)}, {}, {}, {}) == [6]


# Words


@for_each("told", [Delayed(turns, agent) for turns in (1, 2, 30) for agent in ("", A, B)])
def test_every_free_wording_is_read_back(told: Delayed) -> None:
    texts = wordings(told, A)
    assert len(texts) >= 5
    assert {told_freely(text, you=A) for text in texts} == {(told,)}


@for_each(
    "text",
    ["Messages may arrive 2 turns late.", "Your messages arrived 2 turns late.", "Messages arrive late."],
)
def test_hedges_and_the_past_are_not_read(text: str) -> None:
    assert told_freely(text, you=A) == ()


@for_each(
    ("sentence", "fault"),
    [
        ("Every message arrives 2 turns late.", ""),
        ("You can only send messages that arrive 2 turns late.", ""),
        ("Every message arrives 1 turn late.", "of agent_0 arrive 2 turns late"),
        ("agent_1 can only send messages that arrive 3 turns late.", "of agent_1 arrive 2 turns late"),
    ],
)
def test_a_secret_must_agree_with_the_binding(sentence: str, fault: str) -> None:
    data = sound()
    data["mechanic_bindings"].append({"mechanic_type": "delayed_delivery", "turns": 2})
    data["active_mechanics"].append("delayed_delivery")
    data["agent_secrets"][A].append(sentence)
    _, account = examined(data)
    found = [str(one) for one in account.faults]
    assert len(found) == bool(fault)
    assert all(fault in one for one in found)


@for_each("turns", [-1, 0, 1001])
def test_a_binding_without_a_possible_number_of_turns_is_a_fault(turns: int) -> None:
    data = sound()
    data["mechanic_bindings"].append({"mechanic_type": "delayed_delivery", "turns": turns})
    data["active_mechanics"].append("delayed_delivery")
    _, account = examined(data)
    assert any("turns" in str(one) for one in account.faults), account.faults


def test_no_such_task_is_generated() -> None:
    with pytest.raises(StudyError, match="no task with delayed_delivery is generated"):
        checked(TaskProperties(mechanics=("delayed_delivery",)))


# Reference minds


def test_who_is_told_of_the_delay_waits_for_the_arrival() -> None:
    made = knowledge("You can only send messages that arrive 2 turns late.")
    made.look(sight(turn=3))
    made.record_sent((B,), (Fact(IS_OPEN),))
    believed = []
    for turn in (4, 5, 6):
        believed.append(made.models.holds((B,), IS_OPEN))
        made.look(sight(turn=turn))
    assert believed == [None, None, True]


@for_each("told", ["", "agent_1 can only send messages that arrive 2 turns late."])
def test_what_was_seen_since_a_late_message_was_sent_is_newer(told: str) -> None:
    made = knowledge(*([told] if told else []))
    made.look(sight(turn=4, graph={"states": {"cabinet_2": ["is_closed"]}}))
    made.look(sight(turn=5, room="study_1", graph={"states": {"cabinet_2": ["is_closed"]}}))
    made.hear(B, OPEN)
    assert made.achieved(IS_OPEN) == (not told)


# Records


def episode(house: House, turns: int = 20) -> tuple[Record, Scenario]:
    scenario = make_unprobed("late", house, turns)
    record, _ = play_now(Setup(scenario, {seat: ROSTER["level_k"](house) for seat in house.agents}))
    return record, scenario


def test_a_team_solves_a_task_with_late_messages_and_its_record_is_replayed() -> None:
    house = told_house(
        *bars(agent_0="store_1"), late(2), goal=f"(and {OPENED} {KNOWN})", knows={A: [f"(goal {OPENED})"]}
    )
    record, scenario = episode(house)
    assert record.facts["solved"]
    first = record.facts["messages"][0]
    assert first["arrives"] == first["turn"] + 2
    again = household_again(record, scenario)
    assert again.fault == ""
    assert json.loads(msgspec.json.encode(again.facts.messages)) == record.facts["messages"]


def test_a_repeated_report_is_known_to_its_reader_only_once_the_first_has_arrived() -> None:
    def known(bindings: tuple[Binding, ...], waiting: int) -> int:
        world = HouseholdWorld(small.house(*bindings), 40)
        world.reset()
        small.play(world, {A: tells(B)}, *([{}] * waiting), {C: tells(B)})
        return traffic(msgspec.convert(world.facts(), Trace)).known

    assert [known((), wait) for wait in (0, 1)] == [1, 1]
    assert [known((late(2, A),), wait) for wait in (0, 1, 2)] == [0, 0, 1]


# Proofs


def test_a_proved_plan_waits_for_its_messages_in_the_simulator() -> None:
    parts = (PHYSICAL[1], (("agent_0",), "(is_open cabinet_6)"))
    goal = "(and (is_open cabinet_6) (K agent_0 (is_open cabinet_6)))"
    tell = PlanTell(B, (A,), ((), "(is_open cabinet_6)"))
    for turns in (1, 2):
        house = told_house(late(turns), goal=goal, knows={})
        for play in (replay_plan, together):
            played = play(house, (*THERE, tell), parts)
            assert played.reached
            assert len(played.turns) == 3 + turns


@pytest.mark.skipif(
    program() is None, reason="needs the planner Fast Downward: pip install 'otherminds[verify]'"
)
def test_a_delay_changes_no_verdict_about_plans_of_any_length() -> None:
    goal = f"(and {OPENED} {KNOWN})"
    house = told_house(*bars(agent_0="store_1"), late(1), goal=goal, knows={A: [f"(goal {OPENED})"]})
    late_ones, usual = verified(house), verified(relay())
    assert {one.name: one.status for one in late_ones.verdicts} == {
        one.name: one.status for one in usual.verdicts
    }
    assert late_ones.certificate.problem.links == usual.certificate.problem.links
