"""What each statement sounds like, and what cannot be said."""

import pytest

from otherminds.household.epistemic.formula import DEEPEST, And, Atom, FormulaError, KnowledgeChain, Not
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.words import Asks, Aware, Doing, Fact, Must, Statement
from otherminds.household.epistemic.words.sentences import say, tell
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from tests.cases import for_each


@for_each(
    ("formula", "fact", "must"),
    [
        ("(is_on_top bowl_0 table_1)", "bowl_0 is on table_1.", "bowl_0 must end on table_1."),
        ("(is_inside bowl_0 cabinet_2)", "bowl_0 is inside cabinet_2.", "bowl_0 must end inside cabinet_2."),
        ("(is_in_room bowl_0 kitchen_1)", "bowl_0 is in kitchen_1.", "bowl_0 must end in kitchen_1."),
        ("(is_on_floor bowl_0)", "bowl_0 is on the floor.", "bowl_0 must end on the floor."),
        ("(is_next_to bowl_0 cup_1)", "bowl_0 is next to cup_1.", "bowl_0 must end next to cup_1."),
        ("(is_open cabinet_3)", "cabinet_3 is open.", "cabinet_3 must end open."),
        ("(not (is_open cabinet_3))", "cabinet_3 is not open.", "cabinet_3 must not end open."),
        ("(is_powered_on lamp_1)", "lamp_1 is switched on.", "lamp_1 must end switched on."),
        ("(is_held_by bowl_0 agent_1)", "agent_1 holds bowl_0.", "agent_1 must end holding bowl_0."),
        ("(not (is_held_by bowl_0 agent_1))", "agent_1 does not hold bowl_0.", "agent_1 must not end holding bowl_0."),
        ("(agent_in_room agent_1 kitchen_1)", "agent_1 is in kitchen_1.", "agent_1 must end in kitchen_1."),
        (
            "(K agent_1 (is_open cabinet_28))",
            "agent_1 knows that cabinet_28 is open.",
            "By the end, agent_1 must know that cabinet_28 is open.",
        ),
        (
            "(K agent_0 (K agent_1 (not (is_held_by bowl_0 agent_2))))",
            "agent_0 knows that agent_1 knows that agent_2 does not hold bowl_0.",
            "By the end, agent_0 must know that agent_1 knows that agent_2 does not hold bowl_0.",
        ),
    ],
)  # fmt: skip
def test_facts_and_what_must_be(formula: str, fact: str, must: str) -> None:
    assert say(Fact(parse(formula))) == fact
    assert say(Must(parse(formula))) == must


@for_each(
    ("statement", "words"),
    [
        (Barred("agent_0", ("kitchen_1",)), "agent_0 cannot enter kitchen_1."),
        (Barred("agent_0", ("kitchen_1", "bedroom_2")), "agent_0 cannot enter kitchen_1 or bedroom_2."),
        (Barred("agent_0", ("a_1", "b_2", "c_3")), "agent_0 cannot enter a_1, b_2 or c_3."),
        (Barred("agent_0", ()), "agent_0 can enter every room."),
        (Reaches("agent_0", ("agent_1",)), "agent_0 can only message agent_1."),
        (Reaches("agent_0", ("agent_1", "agent_2")), "agent_0 can only message agent_1 or agent_2."),
        (Reaches("agent_0", ()), "agent_0 cannot message anyone."),
        (
            Aware("agent_1", Must(Atom("is_on_top", ("bowl_0", "table_18")))),
            "agent_1 knows that bowl_0 must end on table_18.",
        ),
        (MessageBudget("agent_0", 2), "agent_0 can send 2 messages."),
        (MessageBudget("agent_0", 1), "agent_0 can send 1 message."),
        (MessageBudget("agent_0", 0), "agent_0 can send 0 messages."),
        (Inverse("cabinet_3"), "cabinet_3 works in reverse: opening closes it, and closing opens it."),
        (Mirrors("cabinet_3", "cabinet_4"), "cabinet_3 and cabinet_4 always move together."),
        (
            Controls("cabinet_3", "fridge_5", "open"),
            "Opening cabinet_3 makes fridge_5 open, and closing it does the opposite.",
        ),
        (
            Controls("lamp_1", "lamp_2", "switched off", "switching on"),
            "Switching on lamp_1 makes lamp_2 switched off, and switching it off does the opposite.",
        ),
        (
            Doing("agent_1", Must(Atom("is_on_top", ("bowl_0", "table_18")))),
            "agent_1 will see to it that bowl_0 ends on table_18.",
        ),
        (
            Doing("agent_1", Must(Not(Atom("is_open", ("cabinet_3",))))),
            "agent_1 will see to it that cabinet_3 does not end open.",
        ),
        (
            Asks("agent_1", Must(Atom("is_held_by", ("bowl_0", "agent_1")))),
            "agent_1, please see to it that agent_1 ends holding bowl_0.",
        ),
        (
            Asks("agent_1", Must(parse("(K agent_2 (is_open cabinet_3))"))),
            "agent_1, please see to it that agent_2 comes to know that cabinet_3 is open.",
        ),
    ],
)
def test_all_else(statement: Statement, words: str) -> None:
    assert say(statement) == words


@for_each(
    ("statement", "mine", "yours"),
    [
        (Fact(parse("(agent_in_room agent_0 hall_1)")), "I am in hall_1.", "You are in hall_1."),
        (
            Fact(parse("(not (agent_in_room agent_0 hall_1))")),
            "I am not in hall_1.",
            "You are not in hall_1.",
        ),
        (Fact(parse("(is_held_by cup_1 agent_0)")), "I hold cup_1.", "You hold cup_1."),
        (Fact(parse("(not (is_held_by cup_1 agent_0))")), "I do not hold cup_1.", "You do not hold cup_1."),
        (
            Fact(parse("(K agent_0 (K agent_1 (is_held_by cup_1 agent_0)))")),
            "I know that agent_1 knows that I hold cup_1.",
            "You know that agent_1 knows that you hold cup_1.",
        ),
        (
            Must(parse("(K agent_0 (is_open cabinet_3))")),
            "By the end, I must know that cabinet_3 is open.",
            "By the end, you must know that cabinet_3 is open.",
        ),
        (Barred("agent_0", ("kitchen_1",)), "I cannot enter kitchen_1.", "You cannot enter kitchen_1."),
        (Reaches("agent_0", ("agent_1",)), "I can only message agent_1.", "You can only message agent_1."),
        (MessageBudget("agent_0", 2), "I can send 2 messages.", "You can send 2 messages."),
        (
            Doing("agent_0", Must(parse("(is_held_by cup_1 agent_0)"))),
            "I will see to it that I end holding cup_1.",
            "You will see to it that you end holding cup_1.",
        ),
        (
            Asks("agent_0", Must(parse("(K agent_0 (is_open cabinet_3))"))),
            "agent_0, please see to it that I come to know that cabinet_3 is open.",
            "Please see to it that you come to know that cabinet_3 is open.",
        ),
    ],
)
def test_the_same_by_the_agent_and_to_its_face(statement: Statement, mine: str, yours: str) -> None:
    assert say(statement, me="agent_0") == mine
    assert tell(statement, you="agent_0") == yours
    assert "agent_0" in say(statement, me="agent_3")


@for_each(
    "statement",
    [
        Fact(And((Atom("is_open", ("c_1",)),))),
        Must(parse("(K agent_0 (and (is_open c_1) (is_open c_2)))")),
        Fact(Atom("is_locked", ("c_1",))),
        Fact(Atom("mirrors", ("c_1", "c_2"))),
        Fact(Atom("is_opne", ("c_1",))),
        Fact(Atom("is_open", ("c_1", "c_2"))),
        Fact(Atom("is_open", ("the cabinet",))),
        Fact(Atom("is_open", ("c_1 is not open. c_2",))),
        Fact(Atom("is_open", ("agent_0",))),
        Fact(Atom("is_held_by", ("bowl_0", "table_1"))),
        Fact(KnowledgeChain(("agent_0", "agent_1") * DEEPEST, Atom("is_open", ("c_1",))).formula),
        Barred("kitchen_1", ("agent_0",)),
        Barred("agent_0", ("everything",)),
        Barred("agent_0", tuple(f"room_{number}" for number in range(4_000))),
        Reaches("agent_0", ("all",)),
        MessageBudget("agent_0", -1),
        MessageBudget("agent_0", 10**9),
        Inverse("agent_0"),
        Controls("c_1", "c_2", "ajar"),  # type: ignore[arg-type]  # wrong on purpose
        Controls("c_1", "c_2", "open", "kicking"),  # type: ignore[arg-type]  # wrong on purpose
        Asks("all", Must(Atom("is_open", ("c_1",)))),
    ],
)
def test_what_has_no_words_is_refused(statement: Statement) -> None:
    with pytest.raises(FormulaError):
        say(statement)
    with pytest.raises(FormulaError):
        tell(statement, you="agent_0")
