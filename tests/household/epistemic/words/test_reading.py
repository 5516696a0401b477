"""What is said is read back as what was meant, and nothing else is read."""

import sys
from typing import Union

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.epistemic.formula import DEEPEST, Atom, Know, Not
from otherminds.household.epistemic.words import Asks, Aware, Doing, Fact, Must, Statement
from otherminds.household.epistemic.words.sentences import LONGEST, read, say, tell, unread
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.mechanic import house_rules
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from tests.cases import for_each
from tests.household.epistemic import kit

SPECIMEN = "bowl_0 is on table_1."
ON = Fact(Atom("is_on_top", ("bowl_0", "table_1")))
OPEN = Atom("is_open", ("cabinet_3",))
EVERY = Union[Fact, Must, Aware, Doing, Asks, *house_rules()]
"""All statements as one type; each has its tag."""


@given(kit.STATEMENTS, kit.AGENTS, kit.AGENTS)
def test_what_is_said_is_read_back_exactly(statement: Statement, one: str, other: str) -> None:
    assert read(say(statement)) == (statement,)
    assert read(say(statement), one, other) == (statement,)
    assert read(say(statement, me=one), me=one, you=other) == (statement,)
    assert read(tell(statement, you=one), me=other, you=one) == (statement,)


@given(kit.STATEMENTS)
def test_a_statement_survives_json(statement: Statement) -> None:
    assert msgspec.json.decode(msgspec.json.encode(statement), type=EVERY) == statement


@given(st.lists(kit.STATEMENTS, max_size=5), st.sampled_from([" ", "  ", "\n", "\n\n\t"]))
def test_a_text_is_read_sentence_by_sentence(statements: list[Statement], between: str) -> None:
    text = between.join(say(statement, me="agent_0") for statement in statements)
    assert read(text, me="agent_0") == tuple(statements)
    assert unread(text, me="agent_0") == ()


@given(kit.STATEMENTS, st.data())
def test_a_sentence_with_anything_taken_out_says_nothing_longer(
    statement: Statement, data: st.DataObject
) -> None:
    """Whatever is still understood of a damaged sentence is again a whole sentence of the language."""
    text = say(statement)
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    for found in read(text[:start] + text[end:]):
        assert say(found) == " ".join((text[:start] + text[end:]).split())


def test_a_secret_is_read_between_free_sentences() -> None:
    text = "Welcome! You cannot enter hall_2. You can only message agent_1. You can send 2 messages. Be kind."
    assert read(text, you="agent_0") == (
        Barred("agent_0", ("hall_2",)),
        Reaches("agent_0", ("agent_1",)),
        MessageBudget("agent_0", 2),
    )
    assert unread(text, you="agent_0") == ("Welcome!", "Be kind.")


def test_the_speaker_and_the_hearer_may_meet_in_one_sentence() -> None:
    known = Fact(Know("agent_0", Know("agent_1", OPEN)))
    assert read("I know that you know that cabinet_3 is open.", me="agent_0", you="agent_1") == (known,)
    wanted = Must(Know("agent_1", Atom("is_held_by", ("cup_1", "agent_0"))))
    assert read("By the end, you must know that I hold cup_1.", me="agent_0", you="agent_1") == (wanted,)


@for_each("text", ["I am in hall_1.", "You are in hall_1.", "Please see to it that cabinet_3 ends open."])
def test_nobody_in_particular_is_nobody(text: str) -> None:
    assert read(text) == ()
    assert unread(text) == (text,)


DOUBTFUL = """
    I do not think {}
    I think {}
    If so, {}
    Maybe {}
    Perhaps {}
    It is false that {}
    agent_1 thinks that {}
    agent_1 does not know that {}
    agent_1 may know that {}
    Not {}
    Is it true that {}
    - {}
    > {}
    1. {}
    12. {}
    e.g. {}
    Things I doubt, i.e. {}
    I doubt B. {}
    Unlike cups, plates, etc. {}
    Maybe... {}
    What?! {}
    "{}"
    "Hm. {}"
    "Hm. {} Yes."
    'Hm, so. {} Yes.'
    \u201cListen now. {} Yes.\u201d
    \u2018Listen now. {} Yes.\u2019
    \u201eHm, so. {} Ja.\u201c
    \u00abListen now. {} Oui.\u00bb
    `Listen now. {} Yes.`
    (Just guessing. {} Or not.)
    He said "so what. {}
    It was agent_0's 'thought. {} Maybe.'
""".strip().splitlines()


@for_each("frame", [line.strip() for line in DOUBTFUL])
def test_what_is_doubted_denied_or_quoted_is_not_understood(frame: str) -> None:
    assert read(frame.format(SPECIMEN), "agent_0", "agent_1") == ()


@for_each(
    "text",
    [
        "bowl_0 is on table_1",
        "bowl_0 is on table_1?",
        "bowl_0 is on table_1!",
        "bowl_0 is on table_1..",
        "bowl_0 is on table_1, I think.",
        "bowl_0 is on table_1 if cabinet_3 is open.",
        "bowl_0 is on table_1 or table_2.",
        "bowl_0 or cup_1 is on table_1.",
        "bowl_0 was on table_1.",
        "bowl_0 is  not  not on table_1.",
        "bowl_0 is on agent_1.",
        "The bowl_0 is on table_1.",
        "bowl is on table.",
        "b\u043ewl_0 is on table_1.",
        "bowl_\u0660 is on table_1.",
        "bowl_0\u200b is on table_1.",
        "<thing> is on <thing>.",
        "bowl_0 is on <thing>.",
        "<thing> is on bowl_0.",
        "agent_0 am in hall_1.",
        "I is in hall_1.",
        "you are in hall_1.",
        "agent_1 hold cup_1.",
        "agent_0 can send 01 messages.",
        "agent_0 can send 1 messages.",
        "agent_0 can send 2 message.",
        "agent_0 can send <number> messages.",
        "agent_0 can send 1000000000 messages.",
        "agent_0 cannot enter a_1 or b_1 or c_1.",
        "agent_0 cannot enter a_1, b_1.",
        "agent_0 cannot enter <things>.",
        "agent_0 can only message all.",
        "agent_1 must know that cabinet_3 is open.",
        "By the end, agent_1 knows that cabinet_3 is open.",
        "By the end, cabinet_3 must end open.",
        "agent_1 must know that cabinet_3 must end open.",
        "agent_1 will see to it that cabinet_3 is open.",
        "cabinet_3 ends open.",
        "agent_1 comes to know that cabinet_3 is open.",
        "lamp_1 is on.",
    ],
)  # fmt: skip
def test_near_misses_are_not_understood(text: str) -> None:
    assert read(text, "agent_0", "agent_1") == ()


@for_each("lead", ["Hello!", "Really?", "I saw it.", "agent_1's cup fell.", 'He said "no".', "(Now.) Go on."])
def test_what_stands_in_its_own_sentence_is_understood(lead: str) -> None:
    assert read(f"{lead} {SPECIMEN}") == (ON,)


def test_knowledge_of_knowledge_is_bounded() -> None:
    def text(knowers: int) -> str:
        return "agent_0 knows that " * knowers + SPECIMEN

    assert len(read(text(DEEPEST))) == 1
    assert read(text(DEEPEST + 1)) == ()


def test_names_that_only_look_like_agents_are_things() -> None:
    assert read("agent_0_1 is not open.") == (Fact(Not(Atom("is_open", ("agent_0_1",)))),)


VOCABULARY = [
    "I", "You", "you", "agent_0", "agent_1", "bowl_0", "table_1", "kitchen_1", "is", "am", "are", "not", "on", "in",
    "the floor", "holds", "knows that", "know that", "must", "end", "open", "By the end,", "will see to it that",
    "please", "Please", "cannot enter", "can only message", "can send", "2", "1", "messages.", "or", ",", ".", '"',
    "maybe", "table_1.", "open.", "kitchen_1.", "Opening", "makes", ", and closing it does the opposite.",
]  # fmt: skip


@given(st.text(max_size=300) | st.lists(st.sampled_from(VOCABULARY), max_size=25).map(" ".join))
def test_any_text_is_read_without_a_fault_and_nothing_is_made_up(text: str) -> None:
    found, left = read(text, "agent_0", "agent_1"), unread(text, "agent_0", "agent_1")
    assert bool(text.split()) == bool(found or left)
    assert all(read(say(statement)) == (statement,) for statement in found)
    assert not any(read(sentence, "agent_0", "agent_1") for sentence in left)


@for_each(
    "unit",
    [
        "a_", "a_1", "1", "_1", "agent_0 knows that ", "bowl_0, ", "bowl_0 or ", "a. ", "... ", "'", '"', "(", "a' ",
        "\u201c", "<thing>", "bowl_0 is on table_1. ", "I know that ", "\0", "\ud800", "agent_0, please ",
    ],
)  # fmt: skip
def test_work_grows_with_the_length_alone(unit: str) -> None:
    def calls(text: str) -> int:
        count = 0

        def counted(_frame: object, event: str, _arg: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(counted)
        try:
            read(text, "agent_0", "agent_1")
        finally:
            sys.setprofile(None)
        return count

    read(unit, "agent_0", "agent_1")
    short, long = (calls((unit * size)[:size]) for size in (LONGEST // 10, LONGEST))
    assert long <= 12 * short + 200


def test_of_a_text_that_is_too_long_nothing_is_understood() -> None:
    text = f"{SPECIMEN} " * LONGEST
    assert read(text) == ()
    assert unread(text) == (text,)
    assert read(SPECIMEN.ljust(LONGEST)) == (ON,)
