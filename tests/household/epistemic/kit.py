"""Formulas and statements drawn at random, of all that can be written and said."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from otherminds.household.epistemic.formula import And, Atom, Formula, Know, Literal, Not
from otherminds.household.epistemic.predicates import PREDICATES
from otherminds.household.epistemic.words import (
    Asks,
    Aware,
    Barred,
    By,
    Controls,
    Doing,
    Fact,
    Inverse,
    MessageBudget,
    Mirrors,
    Must,
    Reaches,
    State,
    Statement,
)

AGENTS = st.integers(0, 3).map("agent_{}".format)
THINGS = st.from_regex(r"[a-z][a-z0-9_]{0,6}_[0-9]{1,3}", fullmatch=True).filter(
    lambda name: not (name.startswith("agent_") and name[6:].isdigit())
)


def atoms(names: tuple[str, ...]) -> st.SearchStrategy[Atom]:
    """Atoms of these predicates, with arguments that can be theirs."""

    def of(name: str) -> st.SearchStrategy[Atom]:
        kinds = PREDICATES[name].kinds
        args = st.tuples(*(AGENTS if kind == "agent" else THINGS for kind in kinds))
        return args.map(lambda args: Atom(name, args))

    return st.sampled_from(names).flatmap(of)


GOAL = tuple(name for name, predicate in PREDICATES.items() if predicate.use == "goal")


def literals(names: tuple[str, ...] = GOAL) -> st.SearchStrategy[Literal]:
    return st.one_of(atoms(names), atoms(names).map(Not))


def formulas(names: tuple[str, ...] = GOAL) -> st.SearchStrategy[Formula]:
    """Every shape of formula; by default of predicates that goals may have."""
    return st.recursive(
        literals(names),
        lambda inner: st.one_of(
            st.builds(Know, AGENTS, inner),
            st.lists(inner, min_size=1, max_size=4).map(lambda parts: And(tuple(parts))),
        ),
        max_leaves=8,
    )


SAYABLE: st.SearchStrategy[Formula] = st.recursive(
    literals(), lambda inner: st.builds(Know, AGENTS, inner), max_leaves=4
)
"""Literals and nested knowledge of them: what one sentence can say."""

MUSTS = st.builds(Must, SAYABLE)

STATEMENTS: st.SearchStrategy[Statement] = st.one_of(
    st.builds(Fact, SAYABLE),
    MUSTS,
    st.builds(Aware, AGENTS, st.builds(Must, literals())),
    st.builds(Barred, AGENTS, st.lists(THINGS, max_size=4).map(tuple)),
    st.builds(Reaches, AGENTS, st.lists(AGENTS, max_size=4).map(tuple)),
    st.builds(MessageBudget, AGENTS, st.integers(0, 12) | st.just(999_999_999)),
    st.builds(Inverse, THINGS),
    st.builds(Mirrors, THINGS, THINGS),
    st.builds(Controls, THINGS, THINGS, st.sampled_from(get_args(State)), st.sampled_from(get_args(By))),
    st.builds(Doing, AGENTS, MUSTS),
    st.builds(Asks, AGENTS, MUSTS),
)
