"""Native tool calls in the tool loop: the same parser, the same games, and no action from an ambiguous reply."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherminds import Record, SeatSpec
from otherminds.core.data import Invalid, Message, Moment, Turn
from otherminds.core.errors import StudyError
from otherminds.core.model import Completion, Decoding, ToolCall, Usage
from otherminds.core.record import prompts
from otherminds.core.scenario import Participant, Setup
from otherminds.household.commands import TOOLS, Command, command, parse
from otherminds.household.probes import probes_of
from otherminds.household.verbalizer import HouseholdVerbalizer, read_call, write_call
from otherminds.measures.notes import reply_counts
from otherminds.minds.registry import make_mind
from otherminds.models.registry import open_model
from otherminds.play.loop import play
from otherminds.replies.answers import in_words, offer_tools
from tests.cases import examples, for_each
from tests.household import small_house as small
from tests.minds.language import test_household as household
from tests.minds.language.householder import householder
from tests.models import serving
from tests.models.serving import closing

Episode = Callable[..., Record]
WORDS = HouseholdVerbalizer(small.house(), "agent_0", 9)
ACT = WORDS.ask(Turn(), Moment(0, None))
GO = ToolCall("Navigate", '{"target": "kitchen_1"}')
LOOK = ToolCall("Explore", '{"room": "kitchen_1"}')
LOOP = SeatSpec("tool_loop", {"tools": True}, model="stand-in")


def read(text: str, *calls: ToolCall) -> Any:
    words = in_words(ACT, Completion(text, tools=calls), WORDS)
    return words if isinstance(words, Invalid) else WORDS.read(ACT, words)


def call(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name, json.dumps(arguments))


@for_each(
    ("text", "calls", "made"),
    [
        ("", [GO], "Navigate[kitchen_1]"),
        ("I go and look.", [GO], "Navigate[kitchen_1]"),
        ("Action: Navigate[kitchen_1]", [GO], "Navigate[kitchen_1]"),
        ("", [GO, GO], "Navigate[kitchen_1]"),
        ("", [GO, ToolCall("Navigate", '{ "target" : "kitchen_1" }')], "Navigate[kitchen_1]"),
        ("", [ToolCall("Wait", "")], "Wait[]"),
        ("", [call("Communicate", agent="all", text='Say "hi",\nall [of you].')], None),
        (
            "",
            [call("Place", object="cup_0", relation="on", furniture="table_5")],
            "Place[cup_0, on, table_5]",
        ),
        (
            "",
            [call("Place", furniture="table_5", next_to="cup_1", object="cup_0", relation="within")],
            "Place[cup_0, within, table_5, next_to, cup_1]",
        ),
    ],
)
def test_a_call_is_the_action_that_its_text_would_be(text: str, calls: list[ToolCall], made: Any) -> None:
    found = read(text, *calls)
    assert found == (made or 'Communicate[all, "Say "hi", all [of you]."]')
    assert isinstance(parse(found), Command)


@for_each(
    ("text", "calls", "why"),
    [
        ("Action: Explore[kitchen_1]", [GO], "several different calls"),
        ('{"action": "Explore[kitchen_1]"}', [GO], "several different calls"),
        ("Or rather Action: Explore[kitchen_1]", [GO], "several different calls"),
        ("", [GO, LOOK], "several different calls"),
        ("", [LOOK, GO, LOOK], "several different calls"),
        ("Action: Navigate[kitchen_1]", [call("Teleport", to="kitchen_1")], "there is no tool 'Teleport'"),
        ("", [GO, call("navigate", target="kitchen_1")], "there is no tool 'navigate'"),
        ("", [ToolCall("Navigate", "kitchen_1")], "no JSON object"),
        ("", [ToolCall("Navigate", '["kitchen_1"]')], "no JSON object"),
        ("", [ToolCall("Navigate", '{"target": "kitch')], "no JSON object"),
        ("", [call("Navigate")], "takes the arguments target"),
        ("", [call("Navigate", target="kitchen_1", speed="fast")], "takes the arguments target"),
        ("", [call("Navigate", room="kitchen_1")], "takes the arguments target"),
        ("", [call("Wait", turns="2")], "Wait takes none"),
        ("", [call("Navigate", target=7)], "target of Navigate must be a text"),
        ("", [call("Navigate", target=["kitchen_1"])], "target of Navigate must be a text"),
        ("", [call("Navigate", target="")], "Malformed call! Write Navigate[target]."),
        ("", [call("Navigate", target="kitchen_1, hallway_1")], "Malformed call!"),
        ("", [call("Navigate", target="kitchen_1] Explore[kitchen_1")], "no call of a tool"),
        ("", [call("Communicate", agent="all", text='Hi"] and [more')], "no call of a tool"),
        ("", [call("Communicate", agent="agent_1, Hello", text="you")], "no call of a tool"),
        ("", [call("Place", object="cup_0", relation="under", furniture="table_5")], "Malformed call!"),
        (
            "",
            [call("Place", object="a", relation="on, table_5, next_to", furniture="b")],
            "no call of a tool",
        ),
    ],
)
def test_what_is_ambiguous_or_malformed_is_never_an_action(
    text: str, calls: list[ToolCall], why: str
) -> None:
    found = read(text, *calls)
    assert isinstance(found, Invalid), found
    assert why in found.reason


def test_only_the_tools_of_the_seat_are_offered() -> None:
    able = HouseholdVerbalizer(small.house(agent_actions={"agent_0": ("Open",)}), "agent_0", 9)
    ask = able.ask(Turn(), Moment(0, None))
    names = [tool.name for tool in offer_tools(ask)]
    assert "Open" in names
    assert "Pick" not in names
    refused = in_words(ask, Completion("", tools=(call("Pick", object="cup_0"),)), able)
    assert isinstance(refused, Invalid)
    assert "there is no tool 'Pick'" in refused.reason
    assert all(tool.parameters["additionalProperties"] is False for tool in offer_tools(ask))


TEXTS = st.text("ab_01 ,.[]()\"'\n|“”", max_size=12)


@given(st.sampled_from(sorted(TOOLS)), st.data())
@settings(examples(3))
def test_whatever_a_call_says_it_is_read_as_that_or_not_at_all(name: str, data: st.DataObject) -> None:
    arguments = {key: data.draw(TEXTS, key) for key in TOOLS[name].schema["properties"]}
    text = write_call(name, arguments)
    if not isinstance(text, Invalid):
        found = read_call(text)
        assert isinstance(found, str)
        assert parse(found) == command(name, arguments)


def test_a_probe_is_answered_by_one_function() -> None:
    question = probes_of(household.house()).probes()[0].question
    ask = WORDS.ask(question, Moment(9, None))
    (tool,) = offer_tools(ask)
    assert (tool.name, tool.parameters) == ("answer", ask.schema)
    entry = {**question.options[0], "probe_id": question.id}

    def answered(*entries: dict[str, Any], text: str = "") -> Any:
        calls = tuple(ToolCall("answer", json.dumps({"answers": [one]})) for one in entries)
        words = in_words(ask, Completion(text, tools=calls), WORDS)
        assert isinstance(words, str)
        return WORDS.read(ask, words)

    assert answered(entry) == question.options[0]
    assert answered(entry, entry, text="Answer: it holds") == question.options[0]
    assert isinstance(answered(entry, {**entry, "holds": False}), Invalid)
    assert isinstance(answered(entry, text="Answer: unknown"), Invalid)


class Caller:
    """A model that answers by the tool calls of ``reply``."""

    spec = "stand-in"
    context = 100_000
    concurrency = 4

    def __init__(self, reply: Callable[[Decoding], Completion]) -> None:
        self.reply = reply

    async def generate(self, messages: Any, decoding: Decoding) -> Completion:
        return msgspec.structs.replace(self.reply(decoding), usage=Usage(1, 1))

    def count(self, text: str) -> int:
        return len(text.split())


@for_each("reader", ["strict", "lenient"])
def test_a_matrix_game_is_played_by_the_answer_function(episode: Episode, reader: str) -> None:
    seat = SeatSpec("tool_loop", {"tools": True, "reader": reader}, model="stand-in")
    record = episode(seat, Caller(lambda decoding: Completion("Hm.", tools=(call("answer", option="J"),))))
    assert record.outcome.status == "scored"
    assert len({row[0] for row in record.actions}) == 1
    assert {one.read for one in record.calls} == {"strict"}
    for one in record.calls:
        assert one.tools == (("answer", '{"option": "J"}'),)
        assert msgspec.convert(one.config, Decoding).tools[0].parameters["required"] == ["option"]
    assert Message("assistant", 'Hm.\n{"option": "J"}') in prompts(record.calls)[-1]


@for_each("reader", ["strict", "lenient"])
@for_each(
    "arguments",
    [
        '{"option": "J"}',
        '{"option": "Option J"}',
        '{"option": " A: Option j "}',
        '```json\n{"option": "J"}\n```',
        '~~~\n{"option": "Option J"}\n~~~',
    ],
)
def test_the_option_of_a_call_is_read_in_every_dress(episode: Episode, arguments: str, reader: str) -> None:
    seat = SeatSpec("tool_loop", {"tools": True, "reader": reader}, model="stand-in")
    reply = Completion("", tools=(ToolCall("answer", arguments),))
    record = episode(seat, Caller(lambda decoding: reply))
    assert record.outcome.status == "scored"
    assert [row[0] for row in record.actions] == [0] * 5


@for_each("reader", ["strict", "lenient"])
@for_each("text", ["A: Option F", "I choose Option F.", "Option F\nrejected."])
def test_a_call_that_names_no_option_is_not_the_option_of_the_text(
    episode: Episode, text: str, reader: str
) -> None:
    seat = SeatSpec("tool_loop", {"tools": True, "reader": reader}, model="stand-in")
    reply = Completion(text, tools=(call("answer", option="Cooperate"),))
    record = episode(seat, Caller(lambda decoding: reply))
    assert (record.outcome.status, record.outcome.blame, record.actions) == ("invalid", "option", [])
    assert {one.read for one in record.calls} == {"other"}
    assert reply_counts(record)["stand-in"].other == len(record.calls)


@for_each("reader", ["strict", "lenient"])
@for_each(
    "reply",
    [
        Completion("", tools=(call("answer", option="F"), call("answer", option="J"))),
        Completion("A: Option F", tools=(call("answer", option="J"),)),
        Completion('{"option": "F"}', tools=(call("answer", option="J"),)),
        Completion("A: Option J", tools=(call("cooperate"),)),
        Completion("", tools=(call("answer", option="Q"),)),
    ],
)
def test_different_answers_are_none_for_both_readers(
    episode: Episode, reply: Completion, reader: str
) -> None:
    seat = SeatSpec("tool_loop", {"tools": True, "reader": reader}, model="stand-in")
    record = episode(seat, Caller(lambda decoding: reply))
    assert record.outcome.status == "invalid"
    assert record.outcome.blame == ("option" if reply.tools[0].arguments == '{"option": "Q"}' else "reply")


def test_a_text_in_other_words_that_chooses_otherwise_is_no_action_for_either_reader(
    episode: Episode,
) -> None:
    reply = Completion("I choose Option F.", tools=(call("answer", option="J"),))
    status = {
        reader: episode(
            SeatSpec("tool_loop", {"tools": True, "reader": reader}, model="stand-in"),
            Caller(lambda decoding: reply),
        ).outcome.status
        for reader in ("strict", "lenient")
    }
    assert status == {"strict": "invalid", "lenient": "invalid"}


def test_a_whole_text_that_is_another_call_is_no_action() -> None:
    replies = (Completion(text, tools=(GO,)) for text in ("Explore[kitchen_1]", "Navigate[kitchen_1]"))
    first, second = (
        asyncio.run(play(Setup(household.scenario(household.house(), 1), _all(reply), 1)))[0]
        for reply in replies
    )
    assert {one.made.reason for one in first.choices if isinstance(one.made, Invalid)} == {
        "the text and the tool call differ in 3 tries"
    }
    assert not second.choices


def _all(reply: Completion) -> dict[str, Participant]:
    mind = household.seat("tool_loop", tools=True)
    return {
        seat: Participant(make_mind(mind), Caller(lambda decoding: reply)) for seat in ("agent_0", "agent_1")
    }


def test_a_call_that_is_cut_is_blamed_on_its_budget(episode: Episode) -> None:
    cut = Completion("", tools=(ToolCall("answer", '{"option": '),), finish="length")
    record = episode(LOOP, Caller(lambda decoding: cut))
    assert record.outcome.status == "cut"


def test_without_the_parameter_no_tools_are_offered_and_no_call_is_read(episode: Episode) -> None:
    seen: list[Decoding] = []

    def reply(decoding: Decoding) -> Completion:
        seen.append(decoding)
        return Completion("A: Option F", tools=(call("answer", option="J"),))

    record = episode(SeatSpec("tool_loop", model="stand-in"), Caller(reply))
    assert record.outcome.status == "scored"
    assert not any(decoding.tools for decoding in seen)
    assert "tools" not in record.calls[0].config


def test_tools_is_true_or_false() -> None:
    with pytest.raises(StudyError, match="true or false"):
        make_mind(SeatSpec("tool_loop", {"tools": "yes"}, model="stand-in"))


def caller(form: Callable[[dict[str, str]], Any], spoken: bool) -> serving.Answer:
    """A server of the householder, which acts by tool calls where there are tools, with arguments in ``form``."""
    inner = householder()

    def answer(asked: serving.Asked) -> serving.Reply:
        if asked.path != "/v1/chat/completions":
            return serving.Reply({"data": [{"id": "toy", "max_model_len": 65536}]})
        reply = serving.chat(serving.generated(inner, asked.body))
        message = reply["choices"][0]["message"]
        thought, cue, action = message["content"].partition("\nAction: ")
        made = parse(action)
        if asked.body.get("tools") and cue and isinstance(made, Command):
            keys = TOOLS[made.tool].schema["properties"]
            function = {"name": made.tool, "arguments": form(dict(zip(keys, made.args, strict=False)))}
            message["content"] = thought if spoken else None
            message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
            reply["choices"][0]["finish_reason"] = "tool_calls"
        return serving.Reply(reply)

    return answer


def refusing(message: str) -> serving.Answer:
    """A server of the householder without tools."""
    plain = serving.scripted(householder())

    def answer(asked: serving.Asked) -> serving.Reply:
        if asked.body and "tools" in asked.body:
            return serving.Reply({"error": {"message": message}}, 400)
        return plain(asked)

    return answer


def played(mind: SeatSpec, answer: serving.Answer) -> Record:
    with serving.serving(answer) as local:
        model = open_model(f"openai:toy@{local.url}")
        built = household.scenario(household.house(), 10)
        seats = {seat: Participant(make_mind(mind), model) for seat in built.focal}
        return closing(model, lambda: play(Setup(built, seats, 1)))[0]


@cache
def in_text() -> Record:
    """The task played without tools."""
    return played(household.seat("tool_loop"), serving.scripted(householder()))


@for_each("spoken", [True, False])
@for_each("form", [json.dumps, dict])
def test_a_task_is_played_by_tool_calls_as_by_text(form: Any, spoken: bool) -> None:
    record = played(household.seat("tool_loop", tools=True), caller(form, spoken))
    assert record.actions == in_text().actions
    assert record.facts["solved"] is True
    assert [one.answer for one in record.asked] == [one.answer for one in in_text().asked]
    acts = [one for one in record.calls if one.purpose == "act"]
    assert acts
    assert all(len(one.tools) == 1 and one.read == "strict" and not one.dropped for one in acts)
    assert {one.reply for one in acts} == {"I go by what must be." if spoken else ""}
    shown = [message for message in prompts(record.calls)[-1] if message.role == "assistant"]
    assert shown
    assert all("Action: " in message.content for message in shown)


@for_each(
    "message",
    [
        "'tools' is not supported with this model",
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        "registry.example/library/gemma:2b does not support tools",
    ],
)
def test_a_server_without_tools_plays_by_text_and_the_calls_say_so(message: str) -> None:
    record = played(household.seat("tool_loop", tools=True), refusing(message))
    assert record.actions == in_text().actions
    assert {one.dropped for one in record.calls} == {("tools",)}


def test_a_model_without_tools_plays_by_text_and_the_calls_say_so() -> None:
    record = household.played(household.seat("tool_loop", tools=True), householder)
    assert record.actions == in_text().actions
    assert {one.dropped for one in record.calls} == {("tools",)}
