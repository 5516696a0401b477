"""Every failure says why, in one fixed text that can be met, and costs a turn and nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from otherminds.core.errors import WorldError
from otherminds.household import commands, engine, seeing, world
from otherminds.household.commands import LONGEST, TOOLS, Command, Malformed, parse
from otherminds.household.house import House
from otherminds.household.world import HouseholdWorld
from tests.cases import for_each
from tests.household import situations as cases
from tests.household import small_house as small

TOLD = ("Failed to", "Blocked:", "Malformed call!", "Found no", "You ")
"""How the texts begin that agents are told."""
GAP = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands in a text for what is filled in."""


def prepared(situation: cases.Situation) -> HouseholdWorld:
    """The world in which the situation's call is made next."""
    made = small.world(
        *situation.bindings,
        initial_states=situation.states,
        agent_actions={situation.seat: situation.tools} if situation.tools else {},
    )
    for calls in situation.before:
        small.turn(made, calls)
    return made


@for_each("situation", cases.ALL, ids=lambda case: f"{case.call}: {case.text}"[:90])
def test_the_situation_leads_to_exactly_its_text(situation: cases.Situation) -> None:
    observations, _ = small.turn(prepared(situation), {**situation.beside, situation.seat: situation.call})
    heard = observations[situation.seat]
    assert heard["result"] == situation.text
    assert heard["worked"] == (situation not in cases.FAILURES)


@for_each("situation", cases.FAILURES, ids=lambda case: f"{case.call}: {case.text}"[:90])
def test_a_failure_costs_its_turn_and_changes_nothing(situation: cases.Situation) -> None:
    tried, waited = prepared(situation), prepared(situation)
    turn = tried.turn
    heard = small.turn(tried, {**situation.beside, situation.seat: situation.call})
    instead = small.turn(waited, {**situation.beside, situation.seat: "Wait[]"})
    # What holds includes how many messages are left.
    assert small.facts(tried.engine) == small.facts(waited.engine)
    assert tried.engine.spot == waited.engine.spot
    assert tried.engine.sight.believed == waited.engine.sight.believed
    assert tried.turn == turn + 1
    assert not [infos for infos in heard[1].values() if infos["told"]]
    for seat in tried.possible_agents:
        if seat != situation.seat:
            assert (heard[0][seat], heard[1][seat]) == (instead[0][seat], instead[1][seat])


# That no text is without a situation


def templates_of(module: object) -> set[str]:
    """The texts that a module can tell, with gaps, and those of its errors."""
    tree = ast.parse(Path(module.__file__).read_text())  # pyright: ignore[reportAttributeAccessIssue]
    raised = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
    pieces = {
        id(piece) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for piece in ast.walk(node)
    } - {id(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)}
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else GAP for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in pieces:
            text = re.sub(r"\{\w+\}", GAP, node.value)
        else:
            continue
        if text.startswith(TOLD) or (id(node) in raised and " " in text):
            found.add(text)
    return found


def templates_of_rules(house: House) -> set[str]:
    """The texts of all preconditions but those that always hold."""
    preconditions = [
        need for rule in house.rules for need in rule.preconditions if need.pattern not in house.static
    ]
    return {re.sub(r"\{\w+\}", GAP, need.text) for need in preconditions if need.text}


def fits(template: str, text: str) -> bool:
    return re.fullmatch(".+".join(map(re.escape, template.split(GAP))), text) is not None


def nearest(text: str, templates: set[str]) -> str:
    """Of the templates that fit, the one that leaves least open."""
    return max((t for t in templates if fits(t, text)), key=lambda t: len(t.replace(GAP, "")), default="")


ERRORS = {
    "no episode is going on: call reset before step",
    "no action for agent_2",
    "action '7' of seat 'agent_0' is not the text of a call",
    "grants for ghost, who have no seat here",
}


def all_templates() -> set[str]:
    modules = templates_of_rules(small.house(cases.REVERSED, cases.LIT))
    return modules.union(*map(templates_of, (commands, engine, engine, seeing, world)))


def unmet(templates: set[str]) -> set[str]:
    """The templates that no situation leads to; what is told of one bound thing stands for the others."""
    bound = r"\b(cabinet_2|stove_4|tv_7)\b"
    met = {nearest(text, templates) for text in (*ERRORS, *(case.text for case in cases.ALL))}
    alike = {re.sub(bound, GAP, template) for template in met}
    return {template for template in templates if re.sub(bound, GAP, template) not in alike}


def test_every_text_in_the_source_has_a_situation() -> None:
    templates = all_templates()
    assert len(templates) > 60
    assert not unmet(templates)
    wings = f"Failed to fly! {GAP} has no wings."
    assert unmet(templates | {wings}) == {wings}


def test_every_situation_is_a_text_of_the_source() -> None:
    templates = all_templates()
    # Explore walks as Navigate does, and says so in its own name.
    walked = {case.text.replace("to explore! No way", "to navigate! No way") for case in cases.ALL}
    assert not [text for text in walked if not nearest(text, templates)]


def test_errors_of_whoever_runs_the_world() -> None:
    made = HouseholdWorld(small.house(), 1)
    told: list[str] = []
    waits = dict.fromkeys(made.possible_agents, "Wait[]")
    for attempt in (
        lambda: made.step(waits),
        lambda: made.reset(options={"grants": {"ghost": {}}}),
        lambda: (made.reset(), made.step({"agent_0": "Wait[]", "agent_1": "Wait[]"})),
        lambda: (made.reset(), made.step(waits | {"agent_0": 7})),
    ):
        with pytest.raises(WorldError) as error:
            attempt()
        told.append(str(error.value))
    assert set(told) == ERRORS


# Whatever is called, nothing breaks

NAMES = (
    "bowl_0",
    "cup_1",
    "cabinet_2",
    "counter_0",
    "floor_kitchen_1",
    "kitchen_1",
    "agent_0",
    "agent_1",
    "all",
    "ghost_7",
)
ARGUMENTS = st.lists(
    st.one_of(st.sampled_from((*NAMES, "on", "within", "next_to", "None", '"Hello."')), st.text(max_size=12)),
    max_size=6,
)
CALLS = st.one_of(
    st.text(),
    st.builds(
        lambda tool, args, ends: f"{tool}{ends[0]}{', '.join(args)}{ends[1]}",
        st.sampled_from((*TOOLS, "Teleport", "place", "")),
        ARGUMENTS,
        st.sampled_from(("[]", "()", "  ", "[[", "[")).map(lambda pair: (pair[0], pair[1:])),
    ),
)


@given(CALLS)
@example("Place[" + "bowl_0, " * 400 + "on]")
@example("Pick[" + "]" * 2000)
@example("Communicate[all, \ud800]")
@example("\x00")
@example("Navigate[" + "a" * (LONGEST - 10) + "]")
@example("Navigate[" + "a" * LONGEST + "]")
@example("Wait" + " " * 3000 + "x")
def test_any_text_is_read_as_a_call_or_told_why_not(text: str) -> None:
    read = parse(text)
    assert isinstance(read, Command) or (
        isinstance(read, Malformed) and read.text.startswith("Malformed call!")
    )


FUZZED = small.house(*small.ALL_SIX)


@given(st.lists(st.lists(CALLS, min_size=3, max_size=3), max_size=4))
def test_any_calls_leave_a_world_that_goes_on(turns: list[list[str]]) -> None:
    made = HouseholdWorld(FUZZED, 100)
    made.reset()
    for calls in turns:
        made.step(dict.fromkeys(made.possible_agents, "Wait[]"))
        spoken = {seat: call[:LONGEST] for seat, call in zip(made.possible_agents, calls, strict=True)}
        if not all(made.action_space(seat).contains(call) for seat, call in spoken.items()):
            with pytest.raises(WorldError):
                made.step(spoken)
            continue
        observations, _ = small.turn(made, spoken)
        assert msgspec.json.decode(msgspec.json.encode(observations)) == observations
        if not made.agents:
            return


def test_half_a_surrogate_pair_is_no_call_because_no_record_can_hold_it() -> None:
    made = small.world()
    with pytest.raises(WorldError, match="is not the text of a call"):
        small.turn(made, {"agent_0": "Communicate[all, \ud800]"})


def test_messages_beyond_the_budget_stay_blocked_and_cost_nothing_more() -> None:
    made = small.world(*small.ALL_SIX)
    told = []
    for _ in range(4):
        observations, infos = small.turn(made, {"agent_0": 'Communicate[agent_1, "Hello."]'})
        told.append((observations["agent_0"]["worked"], bool(infos["agent_1"]["told"])))
    assert told == [(True, True), (True, True), (False, False), (False, False)]
    assert ("left", "agent_0", "0") in small.facts(made.engine)
