"""What is printed reads back as the very formula."""

from hypothesis import given

from otherminds.household.epistemic.formula import And, Atom, Formula, Know, Not, show
from otherminds.household.epistemic.parse import parse
from otherminds.household.epistemic.predicates import PREDICATES
from tests.household.epistemic import kit


@given(kit.formulas(tuple(PREDICATES)))
def test_what_is_shown_is_read_back_exactly(formula: Formula) -> None:
    assert parse(show(formula)) == formula


@given(kit.formulas())
def test_showing_is_stable_and_one_line(formula: Formula) -> None:
    text = show(formula)
    assert show(parse(text)) == text
    assert "\n" not in text


def test_one_line() -> None:
    formula = And((Know("agent_0", Not(Atom("is_open", ("cabinet_3",)))), Atom("is_clean", ("bowl_0",))))
    assert show(formula) == "(and (K agent_0 (not (is_open cabinet_3))) (is_clean bowl_0))"
