"""What a message conveyed is decided once: the record has it as text, and reads back as the same statements."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from otherminds.household.epistemic.forms import read_forms, write_forms
from otherminds.household.epistemic.formula import And, Atom, FormulaError, Know, claims
from otherminds.household.epistemic.household_facts import Sent, add_conveyed
from otherminds.household.epistemic.predicates import positive_chain
from otherminds.household.epistemic.words import Asks, Doing, Fact, Must, Private, Secret
from otherminds.household.epistemic.words.free import read_message
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.transmission import Transmission
from tests.cases import for_each

AGENTS = ("agent_0", "agent_1", "agent_2")
OPEN = Atom("is_open", ("cabinet_2",))
STATEMENTS: tuple[Secret, ...] = (
    Fact(OPEN),
    Fact(Know("agent_1", Know("agent_2", OPEN))),
    Must(OPEN),
    Must(Know("agent_1", OPEN)),
    Private(OPEN),
    Barred("agent_0", ("kitchen_1", "study_2")),
    Barred("agent_0", ()),
    Reaches("agent_0", ("agent_1",)),
    MessageBudget("agent_1", 2),
    Reaches("agent_0", ()),
    Inverse("cabinet_2"),
    Mirrors("cabinet_2", "cabinet_3"),
    Controls("cabinet_2", "cabinet_3", "open"),
    Doing("agent_0", Must(OPEN)),
    Asks("agent_1", Must(Know("agent_2", OPEN))),
)
DATA = Path(__file__).parents[2] / "data" / "epistemic" / "paraphrases.jsonl"
PARAPHRASES = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


@for_each("statement", STATEMENTS)
def test_a_statement_is_read_back(statement: Secret) -> None:
    assert read_forms(write_forms(statement, AGENTS)) == (statement,)


def test_a_list_is_read_back_in_its_order() -> None:
    assert read_forms([form for one in STATEMENTS for form in write_forms(one, AGENTS)]) == STATEMENTS


@for_each(
    "text",
    ["(request (is_open cabinet_2))", "(promise cabinet_2 (is_open cabinet_2))", "(request agent_1 x)", "x"],
)
def test_what_is_no_form_is_refused(text: str) -> None:
    with pytest.raises(FormulaError):
        read_forms([text])


def test_a_list_of_facts_is_several_forms() -> None:
    both = And((OPEN, Atom("is_clean", ("bowl_0",))))
    assert write_forms(Fact(both), AGENTS) == ("(is_open cabinet_2)", "(is_clean bowl_0)")


class TestOneReader:
    """The 460 messages of the paraphrases: the log of knowledge, the record and its measures have what one reader found."""

    def test_all_have_the_same(self) -> None:
        assert len(PARAPHRASES) == 460
        facts = 0
        for line in PARAPHRASES:
            text, me = line["text"], line["sender"]
            you = next(agent for agent in AGENTS if agent != me)
            reading = read_message(text, me, you)
            log = Transmission(me, you, (you,), text, text).reading
            sent = add_conveyed(Sent(0, me, you, text, (you,)), AGENTS)
            record = msgspec.json.decode(msgspec.json.encode(sent), type=Sent)
            assert log == reading
            assert (record.unread, record.asides, record.silent) == (
                reading.unread,
                reading.asides,
                reading.silent,
            )
            recorded = tuple(one.formula for one in record.statements if isinstance(one, Fact))
            # The record has facts in their positive form: not open is closed.
            assert recorded == tuple(
                positive_chain(part).formula for fact in reading.facts for part in claims(fact)
            )
            facts += len(recorded)
        assert facts > 250

    def test_what_a_record_has_is_not_read_again(self) -> None:
        for line in PARAPHRASES[:50]:
            sent = Sent(0, line["sender"], "all", line["text"], AGENTS, conveyed=("(is_open cabinet_9)",))
            assert add_conveyed(sent, AGENTS) is sent

    def test_a_message_of_an_older_record_is_read_again(self) -> None:
        old = '{"turn": 1, "sender": "agent_0", "to": "agent_1", "text": "cabinet_2 is open. Hm?", "delivered": ["agent_1"]}'
        sent = add_conveyed(msgspec.json.decode(old, type=Sent), AGENTS)
        assert (sent.conveyed, sent.unread, sent.cut) == (("(is_open cabinet_2)",), ("Hm?",), False)

    def test_a_blocked_message_conveys_nothing(self) -> None:
        sent = add_conveyed(Sent(0, "agent_0", "agent_1", "cabinet_2 is open.", ()), AGENTS)
        assert sent.statements == ()

    def test_you_is_nobody_in_a_message_to_several(self) -> None:
        text = "You hold bowl_0."
        one = add_conveyed(Sent(0, "agent_0", "agent_1", text, ("agent_1",)), AGENTS)
        several = add_conveyed(Sent(0, "agent_0", "all", text, ("agent_1", "agent_2")), AGENTS)
        assert one.conveyed == ("(is_held_by bowl_0 agent_1)",)
        assert (several.conveyed, several.unread) == ((), (text,))
