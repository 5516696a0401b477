"""Formulas and statements drawn at random, of all that can be written and said."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

from hypothesis import strategies as st

from otherminds.household.epistemic.formula import And, Atom, Formula, Know, Literal, Not
from otherminds.household.epistemic.predicates import PREDICATES
from otherminds.household.epistemic.words import Asks, Aware, Doing, Fact, HouseRule, Must, Statement
from otherminds.household.mechanics.mechanic import house_rules

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

FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "agent": AGENTS,
    "targets": st.lists(AGENTS, max_size=4).map(tuple),
    "rooms": st.lists(THINGS, max_size=4).map(tuple),
    **dict.fromkeys(("thing", "one", "other", "trigger", "target"), THINGS),
}
"""The values of the fields of what mechanics say, by name; numbers and choices are drawn by their types."""


def rules(rule: type[HouseRule]) -> st.SearchStrategy[HouseRule]:
    """All statements of a mechanic."""
    types = get_type_hints(rule)
    return st.builds(
        rule,
        **{name: FIELDS[name] if name in FIELDS else _values(types[name]) for name in rule.__struct_fields__},
    )


def _values(kind: Any) -> st.SearchStrategy[Any]:
    return st.integers(0, 12) | st.just(999_999_999) if kind is int else st.sampled_from(get_args(kind))


HOUSE_RULES: st.SearchStrategy[HouseRule] = st.one_of(*map(rules, house_rules()))
"""What the registered mechanics say."""

STATEMENTS: st.SearchStrategy[Statement] = st.one_of(
    st.builds(Fact, SAYABLE),
    MUSTS,
    st.builds(Aware, AGENTS, st.builds(Must, literals())),
    HOUSE_RULES,
    st.builds(Doing, AGENTS, MUSTS),
    st.builds(Asks, AGENTS, MUSTS),
)
