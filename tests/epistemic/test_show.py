"""What is printed reads back as the very formula."""

from hypothesis import given

from otherminds.epistemic import PREDICATES, And, Atom, Formula, Know, Not, parse, pretty, show
from otherminds.epistemic.show import WIDTH
from tests.cases import for_each
from tests.epistemic import kit


@given(kit.formulas(tuple(PREDICATES)))
def test_what_is_shown_is_read_back_exactly(formula: Formula) -> None:
    assert parse(show(formula)) == formula
    assert parse(pretty(formula)) == formula


@given(kit.formulas())
def test_showing_is_stable_and_one_line(formula: Formula) -> None:
    text = show(formula)
    assert show(parse(text)) == show(parse(pretty(formula))) == text
    assert "\n" not in text


@given(kit.formulas())
def test_no_line_is_too_long_unless_it_is_one_literal(formula: Formula) -> None:
    for line in pretty(formula).splitlines():
        assert len(line) <= WIDTH or line.count("(") - line.count("(not") == 1


def test_one_line() -> None:
    formula = And((Know("agent_0", Not(Atom("is_open", ("cabinet_3",)))), Atom("is_clean", ("bowl_0",))))
    assert show(formula) == "(and (K agent_0 (not (is_open cabinet_3))) (is_clean bowl_0))"


def test_what_is_too_long_for_a_line_is_broken_inside_k() -> None:
    many = And(tuple(Atom("is_on_top", (f"bowl_{number}", "table_18")) for number in range(4)))
    text = pretty(And((Know("agent_0", many), Know("agent_1", Atom("is_clean", ("bowl_0",))))))
    assert text.splitlines() == [
        "(and",
        "  (K agent_0",
        "    (and",
        "      (is_on_top bowl_0 table_18)",
        "      (is_on_top bowl_1 table_18)",
        "      (is_on_top bowl_2 table_18)",
        "      (is_on_top bowl_3 table_18)))",
        "  (K agent_1 (is_clean bowl_0)))",
    ]


@for_each("length", range(40, 65))
def test_a_line_breaks_before_it_is_too_long(length: int) -> None:
    line = Know("agent_0", Atom("is_clean", ("a" * (length - 2) + "_0",)))
    text = pretty(And((And((line,)), Know("agent_1", And((line,))))))
    assert max(map(len, text.splitlines())) <= WIDTH
    alone = Know("agent_2", line)
    assert ("\n" in pretty(alone)) == (len(show(alone)) > WIDTH)
