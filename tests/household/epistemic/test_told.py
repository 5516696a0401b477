"""Forms say what statements say, and the other way round; what is no form is refused with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.epistemic.forms import canonical, forms, names_of_form, statements
from otherminds.household.epistemic.formula import Atom, FormulaError, Know, Not
from otherminds.household.epistemic.words import Asks, Aware, Doing, Fact, Must, Statement
from otherminds.household.mechanics.inverse_state import Inverse
from otherminds.household.mechanics.limited_bandwidth import MessageBudget
from otherminds.household.mechanics.remote_control import Controls
from otherminds.household.mechanics.restricted_communication import Reaches
from otherminds.household.mechanics.room_restriction import Barred
from otherminds.household.mechanics.state_mirroring import Mirrors
from tests.cases import for_each

AGENTS = ("agent_0", "agent_1", "agent_2")
OPEN = Atom("is_open", ("cabinet_3",))
EVERY = (
    (Fact(OPEN), ("(is_open cabinet_3)",)),
    (Fact(Know("agent_1", Not(OPEN))), ("(K agent_1 (is_closed cabinet_3))",)),
    (Must(Know("agent_0", Know("agent_1", OPEN))), ("(goal (K agent_0 (K agent_1 (is_open cabinet_3))))",)),
    (
        Barred("agent_0", ("kitchen_1", "hall_1")),
        ("(is_restricted agent_0 kitchen_1)", "(is_restricted agent_0 hall_1)"),
    ),
    (Barred("agent_0", ()), ("(unrestricted agent_0)",)),
    (
        Reaches("agent_0", ("agent_2",)),
        ("(not (can_communicate agent_0 agent_1))", "(can_communicate agent_0 agent_2)"),
    ),
    (
        Reaches("agent_1", ()),
        ("(not (can_communicate agent_1 agent_0))", "(not (can_communicate agent_1 agent_2))"),
    ),
    (
        Aware("agent_1", Must(Atom("is_open", ("cabinet_3",)))),
        ("(K agent_1 (goal (is_open cabinet_3)))",),
    ),
    (MessageBudget("agent_0", 0), ("(message_limit agent_0 0)",)),
    (Inverse("cabinet_3"), ("(is_inverse cabinet_3)",)),
    (Mirrors("cabinet_3", "fridge_1"), ("(mirrors cabinet_3 fridge_1)",)),
    (
        Controls("cabinet_3", "lamp_1", "switched off"),
        ("(controls (is_open cabinet_3) (is_powered_off lamp_1))",),
    ),
    (
        Controls("lamp_1", "cabinet_3", "open", "switching on"),
        ("(controls (is_powered_on lamp_1) (is_open cabinet_3))",),
    ),
)


@for_each(("statement", "texts"), EVERY)
def test_every_statement_has_its_forms_and_comes_back(statement: Statement, texts: tuple[str, ...]) -> None:
    assert forms(statement, AGENTS) == texts
    assert [form for text in texts for form in canonical(text)] == list(texts)
    (back,) = statements(texts)
    assert forms(back, AGENTS) == texts


def test_a_promise_and_a_request_are_no_knowledge() -> None:
    assert forms(Doing("agent_0", Must(OPEN)), AGENTS) == forms(Asks("agent_0", Must(OPEN)), AGENTS) == ()


def test_neighbours_about_one_agent_are_one_statement_and_others_are_not() -> None:
    texts = ["(is_restricted agent_0 a_1)", "(is_restricted agent_0 b_1)", "(is_restricted agent_1 a_1)"]
    assert statements(texts) == (Barred("agent_0", ("a_1", "b_1")), Barred("agent_1", ("a_1",)))


def test_a_private_goal_is_no_statement() -> None:
    assert statements(["(private_goal (is_open cabinet_3))", "(goal (is_open cabinet_3))"]) == (Must(OPEN),)


def test_the_order_of_a_pair_and_the_form_of_a_denial_do_not_count() -> None:
    assert canonical("(mirrors fridge_1 cabinet_3)") == ("(mirrors cabinet_3 fridge_1)",)
    assert canonical("(goal (and (not (is_open fridge_1)) (is_clean bowl_0)))") == (
        "(goal (is_closed fridge_1))",
        "(goal (is_clean bowl_0))",
    )


def test_names_leave_predicates_and_numbers_out() -> None:
    assert names_of_form("(goal (K agent_0 (is_on_top bowl_0 table_1)))") == ("agent_0", "bowl_0", "table_1")
    assert names_of_form("(message_limit agent_0 2)") == ("agent_0",)


@for_each(
    ("text", "why"),
    [
        ("", "one bracket"),
        ("cabinet_3", "one bracket"),
        ("(is_open a_1) (is_open b_1)", "one bracket"),
        ("(is_opn cabinet_3)", "did you mean is_open"),
        ("(goal)", "formula"),
        ("(goal (is_opn cabinet_3))", "did you mean is_open"),
        ("(goal (mirrors a_1 b_1))", "mirrors"),
        ("(is_restricted agent_0)", "takes 2"),
        ("(message_limit agent_0 two)", "number"),
        ("(controls cabinet_3 fridge_1)", "each with a state"),
        ("(controls (is_closed cabinet_3) (is_open fridge_1))", "each with a state"),
        ("(mirrors (is_open a_1) b_1)", "bracket where a name"),
        ("(is_open", "never closed"),
    ],
)
def test_what_is_no_form_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(FormulaError, match=why):
        canonical(text)


@given(st.text(alphabet="() agentgoalisopencontrols_01", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        again = canonical(text)
    except FormulaError:
        return
    assert [form for one in again for form in canonical(one)] == list(again)
