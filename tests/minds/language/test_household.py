"""Language minds in the household, where answers are open: which can sit there, and what they do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from otherminds import Record, Scenario, SeatSpec
from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import UNKNOWN, Action, Answer, Brief, Invalid, Moment, Question
from otherminds.core.errors import StudyError
from otherminds.core.model import Decoding, Model
from otherminds.core.record import prompts
from otherminds.core.scenario import Participant, Population, Setup
from otherminds.core.text import quoted
from otherminds.household.commands import Command, parse
from otherminds.household.house import House
from otherminds.household.probes import probes_of
from otherminds.household.task import Binding
from otherminds.household.verbalizer import HouseholdVerbalizer
from otherminds.household.world import HouseholdWorld
from otherminds.minds.language.requests import OPEN_ANSWER
from otherminds.minds.registry import make_mind, strategies
from otherminds.models.scripted import ScriptedModel, first, uniform
from otherminds.play.loop import play
from tests.cases import depth, for_each
from tests.household import small_house as small
from tests.minds.language.householder import householder
from tests.minds.language.plain import OPEN

HERE = Path(__file__)
ATTACKS = [
    json.loads(line)["text"]
    for line in (HERE.parents[2] / "data" / "injections.jsonl").read_bytes().split(b"\n")[::4]
    if line
]
LISTED = ["lm", "oracle", "oracle_max", "social_lm", "social_qa"]
OPENED = sorted(set(strategies) - {*LISTED})
BARRED = Binding("room_restriction", restricted_rooms=("study_1",), for_agents=("agent_0",))
SECRETS = {"agent_0": ("You cannot enter study_1.", "bowl_0 must end on table_5.")}
NESTED = "(K agent_1 (K agent_0 (is_on_top bowl_0 table_5)))"
GOAL = f"(and (is_on_top bowl_0 table_5) (K agent_0 (is_on_top bowl_0 table_5)) {NESTED})"
CLOSED = "exactly one of these lines"


def house(agents: int = 2) -> House:
    """``agent_0`` knows what must be, and cannot do it."""
    return small.house(BARRED, agents=agents, goal=GOAL, agent_secrets=SECRETS)


def scenario(made: House, turns: int) -> Scenario:
    return Scenario(
        id="household-small-v1",
        world=partial(HouseholdWorld, made, turns),
        population=Population(((Fraction(1), ()),)),
        partner=lambda spec, seat: pytest.fail("nobody is met"),
        focal=made.agents,
        probes=probes_of(made).probes(),
        verbalizer=lambda drawn, seat: HouseholdVerbalizer(made, seat, turns),
    )


def played(
    mind: SeatSpec, model: Callable[[], Model], turns: int = 10, agents: int = 2, **others: Mind
) -> Record:
    """One episode with ``mind`` in every seat, but for ``others``."""
    built = scenario(house(agents), turns)
    minds = {seat: others.get(seat) or Participant(make_mind(mind), model()) for seat in built.focal}
    return asyncio.run(play(Setup(built, minds, 1)))[0]


def seat(name: str, **params: Any) -> SeatSpec:
    return SeatSpec(name, params, model="stand-in")


class Speaker(Mind):
    """Sends one message in the first turn, and then waits."""

    def __init__(self, text: str) -> None:
        self.text = text

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._calls = iter([f"Communicate[agent_0, {self.text}]"])

    async def perceive(self, moment: Moment) -> None:
        """Hears nothing."""

    async def act(self) -> Action:
        return next(self._calls, "Wait[]")

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("it only speaks")


class TestACompetentModel:
    @pytest.mark.parametrize("name", ["tool_loop", "cot"])
    def test_plays_a_task_to_its_end(self, name: str) -> None:
        record = played(seat(name), householder)
        assert record.facts["solved"] is True
        assert [message["text"] for message in record.facts["messages"]] == [
            "bowl_0 must end on table_5. bowl_0 is on counter_0.",
            "bowl_0 is on table_5.",
        ]
        assert not [made for made in record.choices if isinstance(made.made, Invalid)]
        assert len(record.actions) < 10, "all said that they were done"

    @pytest.mark.parametrize("name", ["tool_loop", "cot"])
    def test_is_asked_the_probes_at_the_end(self, name: str) -> None:
        record = played(seat(name), householder)
        answered = {record.questions[asked.question].id: asked.answer for asked in record.asked}
        holds = {"predicate": "is_on_top", "holds": True, "args": ["bowl_0", "table_5"]}
        probe = record.facts["tests"]["k_probe_0"]["probe"]
        assert answered[probe] == holds, "agent_0 was told"
        assert {asked.step for asked in record.asked} == {len(record.actions)}

    def test_is_asked_nothing_once_it_is_done(self) -> None:
        record = played(seat("tool_loop"), householder, turns=12)
        done = {entry["seat"]: entry["turn"] for entry in record.facts["log"] if entry["call"] == "Done[]"}
        assert set(done) == {"agent_0", "agent_1"}
        for call in record.calls:
            assert call.step <= done[call.seat] or call.purpose == "predict"


@pytest.mark.parametrize("name", OPENED)
class TestStrategiesThatCanSitThere:
    def test_they_need_no_switch(self, name: str) -> None:
        assert "payoffs" in make_mind(seat(name)).grants, "which a world without a game does not honour"
        assert played(seat(name), first, turns=2).outcome.status == "scored"

    @for_each("agents", [2, 3])
    def test_stand_ins_take_one_of_the_forms(self, name: str, agents: int) -> None:
        record = played(seat(name), uniform, turns=3, agents=agents)
        assert not [made for made in record.choices if isinstance(made.made, Invalid)]
        assert all(isinstance(parse(call), Command) for row in record.actions for call in row)
        assert all(asked.invalid is None for asked in record.asked)

    def test_the_forms_stand_where_the_answers_would(self, name: str) -> None:
        record = played(seat(name), first, turns=2, agents=3)
        for call, prompt in zip(record.calls, prompts(record.calls), strict=True):
            last = prompt[-1].content
            if call.purpose == "act":
                assert f"{OPEN}\nAction: Navigate[target]\nAction: Open[furniture]\n" in last
                assert CLOSED not in last
                assert call.config["max_tokens"] >= OPEN_ANSWER, "room for a message"
            if call.purpose == "predict":
                assert last.endswith("Answer: it holds\nAnswer: it does not hold\nAnswer: unknown")
                assert CLOSED in last

    def test_they_speak_of_several_others(self, name: str) -> None:
        record = played(seat(name), uniform, turns=2, agents=3)
        for prompt in prompts(record.calls):
            assert not [message for message in prompt if "the other player" in message.content]

    def test_what_cannot_be_read_is_a_wait(self, name: str) -> None:
        rambling = partial(ScriptedModel, lambda messages, decoding: "Let me see.")
        record = played(seat(name, tries=2), rambling, turns=2)
        assert {call for row in record.actions for call in row} == {"Wait[]"}
        assert all(isinstance(choice.made, Invalid) for choice in record.choices)
        assert {asked.answer for asked in record.asked} == {None}


@for_each("name", LISTED)
def test_what_needs_listed_options_says_which_strategies_make_sense(name: str) -> None:
    with pytest.raises(StudyError, match="tool_loop") as caught:
        played(seat(name), first)
    if not name.startswith("oracle"):
        advised = str(caught.value).rpartition("such as ")[2].split(" or ")
        assert advised == ["cot", "tool_loop"]
        assert {*advised} <= {*OPENED}


def test_an_open_answer_is_no_choice_but_can_have_a_schema() -> None:
    with pytest.raises(StudyError, match="use guided = 'schema'"):
        played(seat("qa", guided="choice"), first)
    record = played(seat("qa", guided="schema"), first, turns=1)
    assert all("schema" in call.config for call in record.calls)


def test_a_prediction_of_the_other_shows_examples_of_probes() -> None:
    record = played(seat("cot_3shot"), first, turns=1)
    for call, prompt in zip(record.calls, prompts(record.calls), strict=True):
        shown = prompt[-1].content.split("Now it is your turn.")[0]
        assert shown.count("Example ") == 3
        assert ("Answer: it holds" in shown) == (call.purpose == "predict")


class TestNobodySpeaksAsSomebodyElse:
    """The corpus as messages, through world and prompt: at least 200 attempts in the slow run."""

    @pytest.mark.parametrize("every", depth(5, 1))
    @pytest.mark.parametrize("name", ["tool_loop", "qa"])
    def test_no_attack_leaves_its_quotation(self, name: str, every: int) -> None:
        plain = self.shown(name, "Hello.")
        tried = 0
        assert any('\nagent_1 tells you: "Hello."' in prompt for prompt in plain)
        for attack in ATTACKS[::every]:
            sent = parse(f"Communicate[agent_0, {attack}]")
            if isinstance(sent, Command):
                due = [prompt.replace(quoted("Hello."), quoted(sent.args[1])) for prompt in plain]
                assert self.shown(name, attack) == due
                tried += 1
        assert tried >= 200 // every

    def shown(self, name: str, text: str) -> list[str]:
        """The prompts of the one who hears ``text``."""
        record = played(seat(name), waiting, turns=2, agent_1=Speaker(text))
        return [message.content for prompt in prompts(record.calls) for message in prompt]


def waiting() -> Model:
    """A stand-in that always waits, and knows nothing."""

    def reply(messages: Any, decoding: Decoding) -> str:
        return "Answer: unknown" if "Answer: unknown" in messages[-1].content else "Action: Wait[]"

    return ScriptedModel(reply)


def test_answers_of_who_knows_nothing_are_unknown() -> None:
    record = played(seat("qa"), waiting, turns=1)
    assert all(asked.answer == UNKNOWN for asked in record.asked)
