"""What arrives of a message where statements are limited: the first of them, in plain words, and never anything else."""

from __future__ import annotations

import random
import string

from otherminds.household.commands import Command
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import Atom, Know, Not, show
from otherminds.household.epistemic.words import Asks, Doing, Fact, Must, Statement
from otherminds.household.epistemic.words.free import read_message
from otherminds.household.epistemic.words.sentences import read, say
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from otherminds.household.task import Binding
from otherminds.household.transmission import (
    NESTED,
    REFUSED,
    Transmission,
    is_transmissible,
    note_of,
    parts_of,
    transmit,
)
from tests.cases import for_each
from tests.household import small_house as small

A, B, C = "agent_0", "agent_1", "agent_2"
NAMES = ("bowl_0", "cup_1", "table_1", "table_2", "cabinet_2", "cabinet_3", "kitchen_1", "study_1", A, B, C)
BOWL, CUP = Atom("is_on_top", ("bowl_0", "table_1")), Atom("is_on_top", ("cup_1", "table_2"))
OPEN = Atom("is_open", ("cabinet_2",))
STATEMENTS: tuple[Statement, ...] = (
    Fact(BOWL),
    Fact(Atom("is_closed", ("cabinet_2",))),
    Fact(Not(BOWL)),
    Fact(Know(B, Know(C, BOWL))),
    Must(Atom("is_clean", ("cup_1",))),
    Must(Know(A, OPEN)),
    Barred(A, ("kitchen_1",)),
    Barred(B, ()),
    Reaches(A, (B,)),
    MessageBudget(B, 2),
    Inverse("cabinet_2"),
    Mirrors("cabinet_2", "cabinet_3"),
    Controls("cabinet_2", "cabinet_3", "open"),
    Doing(A, Must(BOWL)),
    Asks(B, Must(OPEN)),
    Asks(B, Must(Know(C, OPEN))),
)
SECOND = "cup_1 must end on table_2."
LIMIT = Binding("limited_bandwidth", message_limits={A: 3, B: 3, C: 3}, statements=1)


def sent(
    text: str, limit: int | None = 1, to: str = B, known: tuple[str, ...] = NAMES
) -> Transmission | None:
    return transmit(A, to, text, limit, known)


def arrived(text: str, limit: int = 1, to: str = B) -> str:
    found = sent(text, limit, to)
    return "" if found is None else found.text


EACH = for_each("statement", STATEMENTS)


class TestOneStatement:
    @EACH
    def test_it_arrives_as_it_is(self, statement: Statement) -> None:
        found = sent(say(statement, me=A))
        assert found is not None
        assert (found.text, found.cut, found.note) == (say(statement, me=A), False, "")

    @EACH
    def test_it_is_all_that_arrives_of_two(self, statement: Statement) -> None:
        found = sent(f"{say(statement, me=A)} {SECOND}")
        assert found is not None
        assert found.reading.statements == (statement,)
        assert (found.cut, found.note) == (True, "Only the first statement was transmitted.")

    @EACH
    def test_two_arrive_where_two_may(self, statement: Statement) -> None:
        found = sent(f"{say(statement, me=A)} {SECOND} bowl_0 is dirty.", 2)
        assert found is not None
        assert found.reading.statements == (statement, Must(CUP))
        assert (found.cut, found.note) == (True, "Only the first 2 statements were transmitted.")

    @EACH
    def test_without_a_limit_a_text_arrives_as_it_was_written(self, statement: Statement) -> None:
        text = f"Psst!  {say(statement, me=A)} x7 {SECOND}"
        assert sent(text, None) == Transmission(A, B, (), text, text)

    @EACH
    def test_what_arrives_is_read_as_that_statement(self, statement: Statement) -> None:
        assert read(say(statement, me=A), me=A) == (statement,)


TWO = (
    "bowl_0 is on table_1 and cup_1 is on table_2.",
    "bowl_0 is on table_1, cup_1 is on table_2.",
    "bowl_0 is on table_1; cup_1 is on table_2.",
    "bowl_0 is on table_1\ncup_1 is on table_2",
    "bowl_0 is on table_1.\n\ncup_1 is on table_2.",
    "bowl_0 is on table_1, and so cup_1 is on table_2.",
    'bowl_0 is on table_1. "cup_1 is on table_2."',
    "bowl_0 is on table_1. 'cup_1 is \"on\" table_2.'",
    "bowl_0 is on table_1 (cup_1 is on table_2).",
    "bowl_0 is on table_1. cup_1 is on table_2. cabinet_2 is open.",
    "bowl_0 is on table_1. - cup_1: table_2",
    'bowl_0 is on table_1. {"cup_1": "table_2"}',
    "bowl_0 is on table_1. cup_1/table_2",
    "bowl_0 is on table_1. cup one is on table two.",
    "bowl_0 is on table_1. Y3VwXzEgdGFibGVfMg==",
    "bowl_0 is on table_1. 0110111010110",
    "bowl_0 is on table_1! Cup_1 belongs on table_2, please, and quickly.",
    "I put bowl_0 on table_1 and cup_1 on table_2.",
    "bowl_0 is on table_1 and I put cup_1 on table_2.",
    "bowl_0 is on table_1, please put cup_1 on table_2.",
)


@for_each("text", TWO)
def test_nothing_of_a_second_statement_arrives(text: str) -> None:
    found = sent(text)
    said = "" if found is None else found.text
    assert "cup" not in said
    assert "table_2" not in said
    assert found is None or (said == "bowl_0 is on table_1." and found.note)


LISTS = (
    ("bowl_0 and cup_1 are on table_1.", "bowl_0 is on table_1."),
    ("Both cabinet_2 and cabinet_3 are open.", "cabinet_2 is open."),
    ("I cannot enter kitchen_1 or study_1.", "I cannot enter kitchen_1."),
    ("Please open cabinet_2 and cabinet_3.", "agent_1, please see to it that cabinet_2 ends open."),
    ("Open cabinet_2, then put bowl_0 on table_1!", "agent_1, please see to it that cabinet_2 ends open."),
    ("agent_2 knows that bowl_0 and cup_1 are on table_1.", "agent_2 knows that bowl_0 is on table_1."),
)


@for_each(("text", "first"), LISTS)
def test_of_a_list_one_thing_arrives(text: str, first: str) -> None:
    found = sent(text)
    assert found is not None
    assert (found.text, found.cut) == (first, True)


@for_each("padding", ["", "now ", "just already currently ", "still, ", "finally successfully "])
def test_no_choice_of_words_arrives(padding: str) -> None:
    """A code in words without a meaning says nothing."""
    found = sent(f"cabinet_2 is {padding}open")
    assert found is None or found.text == "cabinet_2 is open."


NOTHING = (
    "Hello!",
    "x7Gqp31k",
    "bowl_0 table_1 cup_1 table_2",
    "Maybe bowl_0 is on table_1.",
    "bowl_7 is on table_1.",
    "bowl_123456789 is on table_1.",
    "bowl_0 is on table_9999.",
    "agent_77 can enter every room.",
    "agent_1 can send 123456 messages.",
    "I cannot enter closet_7.",
    "",
    "a" * 3000,
    "\u200b\u202e",
    "agent_1 knows that " * (NESTED + 1) + "bowl_0 is on table_1.",
    "agent_1 knows that agent_2 knows that " * 3 + "bowl_0 is on table_1.",
)


@for_each("text", NOTHING)
def test_what_is_no_statement_is_not_sent(text: str) -> None:
    found = sent(text)
    assert found is None or found.text == "agent_1 knows that bowl_0 is on table_1."


def test_any_text_arrives_as_at_most_one_statement_with_known_names() -> None:
    """Random pieces of sentences, names, separators and codes, one after another."""
    draw = random.Random(5)
    pieces = [
        *(say(statement, me=A) for statement in STATEMENTS),
        *(
            "and",
            "or",
            ",",
            ";",
            "\n",
            ".",
            '"',
            "'",
            "(",
            ")",
            "- ",
            "please",
            "that",
            "is on",
            "not",
            "I",
            "you",
        ),
        *NAMES,
        *("bowl_5", "table_77", "Hello!", "0101", "x9Zk"),
    ]
    arrivals = 0
    for _ in range(1500):
        text = " ".join(draw.choices(pieces, k=draw.randint(1, 9)))
        if draw.random() < 0.3:
            text += "".join(draw.choices(string.printable, k=draw.randint(1, 40)))
        found = sent(text, to=draw.choice(("all", B)))
        if found is None:
            continue
        arrivals += 1
        (statement,) = read(found.text, me=A)
        assert found.text == say(statement, me=A)
        assert is_transmissible(statement, NAMES)
        assert list(parts_of(statement)) == [statement]
        assert found.note or found.text == text
    assert arrivals > 300


def test_numbers_of_statements_in_notices() -> None:
    assert note_of(1) == "Only the first statement was transmitted."
    assert note_of(3) == "Only the first 3 statements were transmitted."


class TestInTheHouse:
    def play(
        self, text: str, to: str = B, *more: Binding, secrets: tuple[str, ...] = ()
    ) -> tuple[tuple[bool, str], HouseEngine]:
        engine = HouseEngine(small.house(LIMIT, *more, agent_secrets={A: secrets}))
        wait = Command("Wait")
        result, *_ = engine.step([Command("Communicate", (to, text)), wait, wait])
        return result, engine

    def test_sender_and_receiver_are_told(self) -> None:
        (worked, said), engine = self.play("cabinet_2 is open. fridge_3 is closed.")
        (message,) = engine.mail[1]
        assert worked
        assert "Only the first statement was transmitted." in said
        assert (message.text, message.note) == (
            "cabinet_2 is open.",
            "Only the first statement was transmitted.",
        )

    def test_a_message_without_a_statement_costs_nothing(self) -> None:
        (worked, said), engine = self.play("Hm, well ...")
        assert (worked, said) == (False, REFUSED)
        assert engine.mail == [[], [], []]
        wait = Command("Wait")
        for k in range(4):
            (worked, _), *_ = engine.step([Command("Communicate", (B, "cabinet_2 is open.")), wait, wait])
            assert worked == (k < 3)

    def test_why_it_is_refused_reveals_no_hidden_limit(self) -> None:
        only = Binding("restricted_communication", allowed_targets={A: (C,)})
        none = Binding("limited_bandwidth", message_limits={A: 0})
        for bound in ((), (only,), (none,), (only, none)):
            (worked, said), _ = self.play("Hm, well ...", B, *bound)
            assert (worked, said) == (False, REFUSED)

    @for_each("limit", [0, 1, 2, 3])
    def test_why_it_is_refused_reveals_no_limit_below_the_one_that_was_told(self, limit: int) -> None:
        """An agent that was told of two messages learns that it has fewer from a message that can be sent, and from no other."""
        fewer = Binding("limited_bandwidth", message_limits={A: limit})
        (worked, said), _ = self.play("Hm, well ...", B, fewer, secrets=("You can send 2 messages.",))
        assert (worked, said) == (False, REFUSED)

    def test_whom_you_means_does_not_depend_on_who_is_reached(self) -> None:
        only = Binding("restricted_communication", allowed_targets={A: (C,)})
        for bound in ((), (only,)):
            (worked, said), _ = self.play("You hold bowl_0.", "all", *bound)
            assert (worked, said) == (False, REFUSED)

    def test_an_object_that_the_sender_never_saw_cannot_be_named(self) -> None:
        engine = HouseEngine(small.house(LIMIT))
        unseen = [o for o in engine.house.objects if not engine.sight.knows(0, o)]
        seen = [o for o in engine.house.objects if engine.sight.knows(0, o)]
        assert unseen
        assert seen
        for o, known in [*((o, False) for o in unseen), *((o, True) for o in seen)]:
            (worked, _), engine = self.play(f"{o} is dirty.")
            assert worked == known

    def test_a_name_that_was_told_can_be_passed_on(self) -> None:
        engine = HouseEngine(small.house(LIMIT))
        o = next(o for o in engine.house.objects if engine.sight.knows(0, o) and not engine.sight.knows(2, o))
        wait, passed = Command("Wait"), Command("Communicate", (B, f"{o} is dirty."))
        (_, _, (worked, _)) = engine.step([wait, wait, passed])
        assert not worked
        engine.step([Command("Communicate", (C, f"{o} is dirty.")), wait, wait])
        (_, _, (worked, _)) = engine.step([wait, wait, passed])
        assert worked

    def test_the_record_has_what_was_conveyed(self) -> None:
        made = small.world(LIMIT)
        text = "cabinet_2 is open. agent_2, please see to it that fridge_3 ends open."
        small.play(made, {A: f'Communicate[{B}, "{text}"]'})
        (message,) = made.happened().messages
        assert (message.text, message.arrived, message.cut) == (text, "cabinet_2 is open.", True)
        assert message.conveyed == ("(is_open cabinet_2)",)
        assert [show(one.formula) for one in message.statements if isinstance(one, Fact)] == [
            "(is_open cabinet_2)"
        ]

    def test_all_agents_are_told_of_the_limit(self) -> None:
        limited, free = small.world(LIMIT), small.world()
        for made, statements in ((limited, 1), (free, None)):
            observations, _ = made.reset()
            assert {seen["house"].get("statements") for seen in observations.values()} == {statements}


def test_what_arrives_is_read_once_and_the_same_everywhere() -> None:
    found = sent("cup_1 is on table_2 now. Please open cabinet_2!")
    assert found is not None
    assert found.reading == read_message(found.text, A, B)
