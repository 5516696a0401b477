"""What a goal is made of, whichever way it is written."""

from itertools import pairwise

import msgspec
from hypothesis import given

from otherminds.household.epistemic.formula import (
    And,
    Atom,
    Formula,
    Know,
    KnowledgeChain,
    Not,
    agents,
    chains,
    conjuncts,
    depth,
    names,
    physical,
    show,
    suffixes,
)
from otherminds.household.epistemic.parse import parse
from tests.cases import for_each
from tests.household.epistemic import kit

BOWL = Atom("is_on_top", ("bowl_1", "table_22"))
OPEN = Atom("is_open", ("cabinet_34",))

PAPER = "(and (is_on_top bowl_1 table_22) (K agent_0 (K agent_1 (is_on_top bowl_1 table_22))) (is_open cabinet_34))"
"""The goal of Juneja et al. 2026, appendix E."""


def test_the_papers_goal_in_parts() -> None:
    goal = parse(PAPER)
    assert physical(goal) == (BOWL, OPEN)
    assert chains(goal) == (KnowledgeChain(("agent_0", "agent_1"), BOWL),)
    assert depth(goal) == 2
    assert agents(goal) == ("agent_0", "agent_1")
    assert names(goal) == ("bowl_1", "table_22", "cabinet_34")


def test_what_is_only_known_is_no_physical_goal() -> None:
    goal = parse("(K agent_0 (and (is_open cabinet_34) (not (is_dirty bowl_1))))")
    assert physical(goal) == ()
    assert chains(goal) == (
        KnowledgeChain(("agent_0",), OPEN),
        KnowledgeChain(("agent_0",), Not(Atom("is_dirty", ("bowl_1",)))),
    )


def normal(formula: Formula) -> Formula:
    """The conjuncts as one goal; a single one without ``and``."""
    parts = conjuncts(formula)
    return parts[0] if len(parts) == 1 else And(parts)


@for_each(
    ("text", "same"),
    [
        ("(K agent_0 (K agent_0 (is_open c_1)))", "(K agent_0 (is_open c_1))"),
        (
            "(K agent_0 (and (is_open c_1) (K agent_0 (is_open c_2))))",
            "(and (K agent_0 (is_open c_1)) (K agent_0 (is_open c_2)))",
        ),
        ("(and (and (is_open c_1)) (and (is_open c_2)))", "(and (is_open c_1) (is_open c_2))"),
        ("(and (is_open c_2) (is_open c_1) (is_open c_2))", "(and (is_open c_2) (is_open c_1))"),
        ("(and (is_open c_1))", "(is_open c_1)"),
        ("(K agent_0 (K agent_1 (K agent_0 (is_open c_1))))", "(K agent_0 (K agent_1 (K agent_0 (is_open c_1))))"),
    ],
)  # fmt: skip
def test_normal_form(text: str, same: str) -> None:
    assert show(normal(parse(text))) == same


@for_each(
    ("text", "deep"),
    [
        ("(is_open c_1)", 0),
        ("(K agent_0 (is_open c_1))", 1),
        ("(K agent_0 (K agent_0 (is_open c_1)))", 1),
        ("(K agent_0 (and (K agent_0 (is_open c_1)) (K agent_1 (is_open c_2))))", 2),
        ("(K agent_0 (K agent_1 (K agent_0 (is_open c_1))))", 3),
    ],
)
def test_depth_counts_agents_who_know_of_one_another(text: str, deep: int) -> None:
    assert depth(parse(text)) == deep


def test_nothing_is_asked_for_by_an_empty_goal() -> None:
    assert (normal(And(())), depth(And(())), physical(And(())), chains(And(()))) == (And(()), 0, (), ())


def test_a_chain_that_no_text_could_hold_is_still_measured() -> None:
    formula: Formula = OPEN
    for level in range(3_000):
        formula = Know(f"agent_{level % 2}", formula)
    assert depth(formula) == 3_000


@given(kit.formulas())
def test_normalising_keeps_what_is_asked_and_is_done_once(formula: Formula) -> None:
    done = normal(formula)
    assert normal(done) == done
    assert (physical(done), chains(done), depth(done)) == (physical(formula), chains(formula), depth(formula))
    assert (
        len(set(conjuncts(formula)))
        == len(conjuncts(formula))
        == len(physical(formula)) + len(chains(formula))
    )


@given(kit.formulas())
def test_no_chain_repeats_an_agent_next_to_itself(formula: Formula) -> None:
    for chain in chains(formula):
        assert all(one != other for one, other in pairwise(chain.agents))
        assert chains(chain.formula) == (chain,)


@given(kit.formulas())
def test_suffixes_grow_by_one_agent_up_to_the_whole(formula: Formula) -> None:
    for chain in chains(formula):
        parts = suffixes(chain)
        assert parts[0].agents == ()
        assert parts[-1] == chain
        for inner, outer in pairwise(parts):
            assert outer.formula == Know(outer.agents[0], inner.formula)


@given(kit.formulas())
def test_a_formula_survives_json_and_is_a_key(formula: Formula) -> None:
    again = msgspec.json.decode(msgspec.json.encode(formula), type=Formula)
    assert again == formula
    assert {formula: 1}[again] == 1
