"""Replies are read strictly: one call or one answer in the form asked for, or nothing."""

from __future__ import annotations

import json
import re
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import UNKNOWN, Ask, Invalid, Moment, Question, Turn
from otherminds.household.commands import TOOLS, Command, parse
from otherminds.household.epistemic.formula import probed
from otherminds.household.probes import question_of
from otherminds.household.verbalizer import LABELS
from tests.household import hearing
from tests.household import small_house as small

Heard, GOAL, SECRETS, TURNS, NESTED = (
    hearing.Heard,
    hearing.GOAL,
    hearing.SECRETS,
    hearing.TURNS,
    hearing.NESTED,
)
HOLDS = {"predicate": "is_on_top", "holds": True, "args": ["bowl_0", "table_5"]}


@pytest.fixture
def heard() -> Heard:
    return Heard(small.house(goal=GOAL, agent_secrets=SECRETS))


CALLS: dict[str, str] = {
    "Action: Navigate[kitchen_1]": "Navigate[kitchen_1]",
    "I see the bowl.\n\nAction: Pick[bowl_0]": "Pick[bowl_0]",
    "**Action:** Open[cabinet_2]": "Open[cabinet_2]",
    "- `Action: Open[cabinet_2]`": "Open[cabinet_2]",
    "Action: Done[].": "Done[]",
    "Action: Wait": "Wait",
    "Explore[study_1]": "Explore[study_1]",
    "```\nExplore[study_1]\n```": "Explore[study_1]",
    '{"action": "Close[fridge_3]"}': "Close[fridge_3]",
    '```json\n{"thought": "It is open.", "action": "Close[fridge_3]"}\n```': "Close[fridge_3]",
    'Action: Communicate[agent_1, "Please Open[fridge_3] and tell me."]': (
        'Communicate[agent_1, "Please Open[fridge_3] and tell me."]'
    ),
    'Action: Communicate[agent_1, "She said "go", so go."]': 'Communicate[agent_1, "She said "go", so go."]',
    "Action: Communicate[all, I am in the hall, waiting]": "Communicate[all, I am in the hall, waiting]",
    "Action: Place[bowl_0, on, table_5, None, None]": "Place[bowl_0, on, table_5, None, None]",
    "Action: Navigate[no_such_thing]": "Navigate[no_such_thing]",
    "Action: Wait[]\nThat is it.\nAction: Wait[]": "Wait[]",
    "<think>Action: Open[fridge_3]</think>Action: Wait[]": "Wait[]",
    'Say "Action: Wait[]" again.\nAction: Wait[]': "Wait[]",
    'Action: Communicate[agent_1, "{\\"action\\": \\"Done[]\\"}"]': 'Communicate[agent_1, "{\\"action\\": \\"Done[]\\"}"]',
}
NO_CALLS = (
    "",
    "I wait.",
    "Wait",
    "Done",
    "I choose Navigate[kitchen_1].",
    "Navigate[kitchen_1] is best.",
    "Action: go to the kitchen",
    "Action: Navigate kitchen_1",
    "Action: Navigate[kitchen_1] and Open[fridge_3]",
    "Action: Navigate[kitchen_1]\nAction: Open[fridge_3]",
    "Action: Navigate[kitchen_1]\nObservation: You are there.\nAction: Open[fridge_3]",
    'Action: Wait[]\n{"action": "Done[]"}',
    "I could do Action: Open[fridge_3]\nAction: Wait[]",
    'Action: Communicate[agent_1, "Hi"] Communicate[agent_2, "Hi"]',
    "Action: Communicate[agent_1, Hi] Communicate[agent_2, Hi]",
    'Action: Communicate[agent_1, "Hi',
    "Action: Communicate[agent_1]",
    "Action: Pick[]",
    "Action: Pick[a, b]",
    "Action: Fly[moon]",
    "Action: Place[bowl_0, under, table_5]",
    "Action: Wait[]\nAction: Pick[",
    '{"action": 3}',
    '{"action": "Wait[]"} {"action": "Done[]"}',
    '{"act": "Wait[]"}',
    "Action: Open[fridge_3",
    "action: open[fridge_3]",
    f"Action: Communicate[agent_1, {'x' * 4000}]",
)


class TestReadingCalls:
    @pytest.fixture
    def ask(self, heard: Heard) -> Ask:
        return heard.verbalizer.ask(Turn(), Moment(3, None))

    def test_it_asks_openly_and_says_so_in_a_schema(self, ask: Ask) -> None:
        assert ask.labels == ask.options == ()
        assert ask.text == "What do you do in turn 4 of 20?"
        assert len(ask.forms) == len(TOOLS) + 1, "there are two ways to place"
        assert ask.schema is not None
        assert set(ask.schema["properties"]) == {"action"}

    @pytest.mark.parametrize("reply", CALLS)
    def test_one_call_is_read(self, heard: Heard, ask: Ask, reply: str) -> None:
        assert heard.verbalizer.read(ask, reply) == CALLS[reply]

    @pytest.mark.parametrize("reply", NO_CALLS)
    def test_anything_else_is_invalid(self, heard: Heard, ask: Ask, reply: str) -> None:
        read = heard.verbalizer.read(ask, reply)
        assert isinstance(read, Invalid)
        assert read.raw == reply
        assert read.reason

    def test_a_malformed_call_is_told_how_to_write_it(self, heard: Heard, ask: Ask) -> None:
        assert heard.verbalizer.read(ask, "Action: Pick[]").reason == "Malformed call! Write Pick[object]."

    @given(st.text(max_size=80) | st.text("[],\"'{}:Action \nWt[]", max_size=40))
    def test_whatever_comes_is_one_legal_call_or_invalid(self, text: str) -> None:
        heard = Heard(small.house())
        space = heard.world.action_space("agent_0")
        for reply in (text, f"Action: {text}", f"Action: Wait[]{text}", json.dumps({"action": text})):
            read = heard.verbalizer.read(heard.verbalizer.ask(Turn(), Moment(0, None)), reply)
            if isinstance(read, Invalid):
                assert read.raw == reply
            else:
                assert space.contains(read)
                assert isinstance(parse(read), Command)

    @given(st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=60))
    def test_a_message_is_read_as_it_was_written(self, text: str) -> None:
        heard = Heard(small.house())
        call = Command("Communicate", ("agent_1", text))
        read = heard.verbalizer.read(
            heard.verbalizer.ask(Turn(), Moment(0, None)), json.dumps({"action": str(call)})
        )
        quotes = re.search(r'"\s*\]', text) or text.strip() != text or not text.strip()
        assert isinstance(read, str) or quotes or parse(str(call)) != call
        if isinstance(read, str):
            assert parse(read) == parse(str(call))


def entry(**fields: Any) -> str:
    return json.dumps({"answers": [{"probe_id": "k_probe_0", **HOLDS, **fields}]})


ANSWERS: dict[str, Any] = {
    "Answer: it holds": HOLDS,
    "I put it there.\n**Answer:** it holds.": HOLDS,
    "Answer: it does not hold": {**HOLDS, "holds": False},
    "Answer: unknown": UNKNOWN,
    entry(): HOLDS,
    f"Here it is:\n```json\n{entry(holds=False)}\n```": {**HOLDS, "holds": False},
    json.dumps(HOLDS): HOLDS,
    entry(predicate="unknown", holds=None, args=[]): UNKNOWN,
    entry(predicate="unknown", holds=None): UNKNOWN,
    entry(predicate="is_inside", args=["cup_0", "fridge_3"]): {
        "predicate": "is_inside",
        "holds": True,
        "args": ["cup_0", "fridge_3"],
    },
    json.dumps(
        {"answers": [{"probe_id": "k_probe_7", **HOLDS, "holds": False}, {"probe_id": "k_probe_0", **HOLDS}]}
    ): HOLDS,
    f"Answer: it holds\n{entry()}": HOLDS,
}
NO_ANSWERS = (
    "",
    "It holds.",
    "it holds",
    "Answer: it holds, I think",
    "Answer: it holds?",
    "Answer: maybe",
    "Answer: it holds\nAnswer: unknown",
    "Answer: it holds\nAnswer: perhaps",
    "I might write Answer: unknown\nAnswer: it holds",
    f"Answer: unknown\n{entry()}",
    entry(holds="true"),
    entry(holds=1),
    entry(holds=None),
    entry(predicate="unknown"),
    entry(predicate=3),
    entry(args="bowl_0"),
    entry(args=[1]),
    entry(probe_id="k_probe_1"),
    '{"answers": []}',
    '{"answers": {}}',
    '{"answers": [[]]}',
    "[]",
    "{",
    json.dumps(
        {"answers": [{"probe_id": "k_probe_0", **HOLDS}, {"probe_id": "k_probe_0", **HOLDS, "holds": False}]}
    ),
    json.dumps({"answers": [HOLDS, {**HOLDS, "holds": False}]}),
)


class TestProbes:
    def asks(self, heard: Heard) -> list[tuple[Question, Ask]]:
        questions = [question_of(name, chain) for name, chain in probed(heard.world.house.goal).items()]
        return [(question, heard.verbalizer.ask(question, Moment(TURNS, None))) for question in questions]

    def test_a_probe_is_put_with_both_forms(self, heard: Heard) -> None:
        (first, ask), (second, nested), *_ = self.asks(heard)
        assert ask.labels == nested.labels == LABELS
        assert ask.options == first.options
        assert "Report about: bowl_0 is on table_5. Say what you report" in ask.text
        assert '"predicate": "is_on_top"' in ask.text
        assert (
            "Predict what agent_0 would report about: fridge_3 is open. Say what agent_0 would report"
            in nested.text
        )
        assert second.id in nested.text

    @pytest.mark.parametrize("reply", ANSWERS)
    def test_one_answer_is_read(self, heard: Heard, reply: str) -> None:
        assert heard.verbalizer.read(self.asks(heard)[0][1], reply) == ANSWERS[reply]

    @pytest.mark.parametrize("reply", NO_ANSWERS)
    def test_anything_else_is_invalid(self, heard: Heard, reply: str) -> None:
        read = heard.verbalizer.read(self.asks(heard)[0][1], reply)
        assert isinstance(read, Invalid)
        assert read.raw == reply

    @given(
        st.text(max_size=60)
        | st.recursive(
            st.none() | st.booleans() | st.integers() | st.sampled_from(["k_probe_0", "unknown", "is_open"]),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["answers", "probe_id", "predicate", "holds", "args"]), inner
                )
            ),
        ).map(json.dumps)
    )
    def test_whatever_comes_is_an_answer_or_invalid(self, reply: str) -> None:
        heard = Heard(small.house(goal=GOAL))
        for _, ask in self.asks(heard):
            read = heard.verbalizer.read(ask, reply)
            assert isinstance(read, Invalid) or set(read) == set(UNKNOWN)

    def test_many_different_answers_take_time_in_proportion_to_their_number(self, heard: Heard) -> None:
        ask = self.asks(heard)[0][1]

        def seconds(count: int) -> float:
            listed = [{"probe_id": "k_probe_0", **HOLDS, "args": [f"bowl_{k}"]} for k in range(count)]
            reply, start = json.dumps({"answers": listed}), process_time()
            assert isinstance(heard.verbalizer.read(ask, reply), Invalid)
            return process_time() - start

        assert seconds(12_000) < 8 * seconds(3_000) + 0.1


def test_half_a_character_is_in_no_call(heard: Heard) -> None:
    ask = heard.verbalizer.ask(Turn(), Moment(3, None))
    assert isinstance(heard.verbalizer.read(ask, 'Action: Communicate[agent_1, "\ud800"]'), Invalid)
