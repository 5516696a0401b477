"""Sections of a problem are found, taken out and put back, whatever stands between them."""

from __future__ import annotations

import pytest

from otherminds.household.epistemic.formula import Atom, FormulaError, Not
from otherminds.household.epistemic.parse import (
    INIT,
    OWNERS,
    drop_section,
    goal_of,
    is_whole_problem,
    parse,
    read_owners,
    section,
    start_facts,
    write_owners,
)
from tests.cases import for_each

TEXT = """(define (problem tea)
  (:domain emtom) ; (:init (is_open no_1))
  (:objects agent_0 - agent)
  (:init
    (is_on_top tray_0 desk_6)
    (not (is_open cabinet_9))
    (unheard_of tray_0)
  )
  (:goal (and (is_open cabinet_9) (K agent_0 (is_open cabinet_9))))
  (:goal-owners
    (agent_0 (is_on_top book_3 shelves_2))
    (agent_1 (is_open cabinet_9) (is_in_room book_3 study_1))
  )
)"""


def test_private_goals_are_found_with_their_owners() -> None:
    found = read_owners(TEXT)
    assert found["agent_0"] == Atom("is_on_top", ("book_3", "shelves_2"))
    assert found["agent_1"] == parse("(and (is_open cabinet_9) (is_in_room book_3 study_1))")
    assert read_owners("(is_open cabinet_9)") == {}


def test_the_start_is_read_and_what_is_not_known_left_out() -> None:
    assert start_facts(TEXT) == (
        Atom("is_on_top", ("tray_0", "desk_6")),
        Not(Atom("is_open", ("cabinet_9",))),
    )
    assert start_facts("(:goal (is_open cabinet_9))") == ()


def test_a_section_is_taken_out_and_nothing_else() -> None:
    plain = drop_section(TEXT, OWNERS)
    assert section(plain, OWNERS) is None
    assert start_facts(plain) == start_facts(TEXT)
    assert goal_of(plain) == goal_of(TEXT)
    assert drop_section(plain, OWNERS) == plain


def test_private_goals_are_put_in_and_replace_those_that_were_there() -> None:
    goals = {"agent_1": parse("(is_open fridge_1)")}
    for text in (TEXT, drop_section(TEXT, OWNERS)):
        assert read_owners(write_owners(text, goals)) == goals
    assert read_owners(write_owners(TEXT, read_owners(TEXT))) == read_owners(TEXT)


@for_each(
    "inside",
    [
        "(agent_0)) (:goal-owners",
        "(agent_0)",
        "agent_0 (is_open a_1)",
        "(agent_0 (is_opn a_1))",
        "((agent_0) (is_open a_1))",
        "(agent_0 (is_open a_1)) (agent_0 (is_open b_1))",
    ],
)
def test_private_goals_that_are_none_are_refused(inside: str) -> None:
    with pytest.raises(FormulaError):
        read_owners(f"(define (problem p) (:goal (is_open a_1)) (:goal-owners {inside}))")


def test_a_goal_alone_is_no_whole_problem() -> None:
    assert is_whole_problem(TEXT)
    assert not is_whole_problem("(:goal (is_open cabinet_9))")
    assert section(TEXT, INIT) is not None
