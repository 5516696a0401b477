"""The grammar of secrets, read from ``secrets.txt`` and from mechanics, and what its rules make of the values of their symbols.

Names are strings, lists of names are tuples, clauses are tuples of formulas, and a whole sentence is a tuple of statements.
A clause without a meaning (a thing on itself, a result that contradicts another) is an empty tuple, and so is all that
contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import Atom, Formula, Know, Literal, Not
from otherminds.household.epistemic.predicates import PREDICATES, positive
from otherminds.household.epistemic.words import linking
from otherminds.household.epistemic.words.free.grammar import language_in, language_of
from otherminds.household.epistemic.words.free.parser import Build, Grammar, build_of
from otherminds.household.epistemic.words.house_rule import HouseRule
from otherminds.household.mechanics.mechanic import house_rules

Names: TypeAlias = str | tuple[str, ...]
Told: TypeAlias = tuple[words.Secret, ...]

KINDS = ("THING", "ROOM", "AGENT", "YOU", "YOUR", "NUMBER")
"""The classes of tokens; the text of ``YOU`` and ``YOUR`` is the name of the reader."""
Formulas: TypeAlias = tuple[Formula, ...]


class At(Struct, frozen=True):
    """A state or place: a predicate, and its other argument if it has one."""

    predicate: str
    other: str = ""


def secrets() -> Grammar:
    """All rules, those of the registered mechanics among them; the value of ``Secret`` is a tuple of statements."""
    return _secrets(house_rules())


@cache
def _secrets(rules: tuple[type[HouseRule], ...]) -> Grammar:
    grammar = Grammar()
    for kind in KINDS:
        grammar.kind(kind, lambda token, kind=kind: token.kind == kind)
    add_rules(grammar, language_of("secrets.txt").rules, PLAIN, WITH_WORDS)
    add_house_rules(grammar, rules)
    return grammar


def add_house_rules(grammar: Grammar, rules: Iterable[type[HouseRule]]) -> None:
    """Adds the rules of mechanics; each calls its own actions, and those of ``secrets.txt``."""
    for rule in rules:
        own = {action.__name__[1:]: action for action in rule.actions}
        add_rules(grammar, language_in(rule.grammar).rules, {**PLAIN, **own}, WITH_WORDS)


def add_rules(
    grammar: Grammar,
    rules: Iterable[tuple[str, str, str]],
    plain: Mapping[str, Build],
    with_words: Mapping[str, Callable[..., Build]],
) -> None:
    """Adds rules (name, symbols, action), each with the function of its action."""
    for rule, symbols, action in rules:
        grammar.add(rule, symbols, build_of(action, plain, with_words))


# Names


def _one(name: str) -> tuple[str, ...]:
    return (name,)


def _pair(first: str, second: str) -> tuple[str, ...]:
    return (first, second)


def _first(name: str, others: tuple[str, ...]) -> tuple[str, ...]:
    return (name, *others)


# Clauses


def _at(predicate: str) -> Callable[..., At]:
    def build_place(other: str = "") -> At:
        return At(predicate, other)

    return build_place


def state_facts(about: Names, at: At) -> Formulas:
    """That things are in a state or at a place; empty if one would be at itself."""
    return tuple(_fact(name, at) for name in _names(about)) if at.other not in _names(about) else ()


def _denies(about: str, at: At) -> Formulas:
    return tuple(positive(Not(fact)) for fact in state_facts(about, at) if isinstance(fact, Atom))


def _in_room(room: str, agent: str) -> Formulas:
    return state_facts(agent, At("agent_in_room", room))


def _holds_open(about: str) -> Formulas:
    return state_facts(about, At("is_open"))


def _held(agent: str, name: str) -> Formulas:
    return state_facts(name, At("is_held_by", agent))


def _knows(agent: str, formulas: Formulas) -> Formulas:
    return tuple(Know(agent, formula) for formula in formulas)


def _fact(name: str, at: At) -> Literal:
    assert len(PREDICATES[at.predicate].kinds) == (2 if at.other else 1), at.predicate
    return Atom(at.predicate, (name, at.other) if at.other else (name,))


def _names(about: Names) -> tuple[str, ...]:
    return (about,) if isinstance(about, str) else about


# Statements


def _facts(formulas: Formulas) -> Told:
    return tuple(map(words.Fact, formulas))


def _goals(formulas: Formulas) -> Told:
    return tuple(map(words.Must, formulas))


def _aware(agent: str, formulas: Formulas) -> Told:
    """Another agent was told goals, which are facts: nobody is said to know what somebody must come to know."""
    if any(isinstance(formula, Know) for formula in formulas):
        return ()
    return tuple(words.Aware(agent, words.Must(formula)) for formula in formulas)


def _private(formulas: Formulas) -> Told:
    return tuple(map(words.Private, formulas))


def _both(statements: Told, more_statements: Told) -> Told:
    return (*statements, *more_statements) if statements and more_statements else ()


def _count(number: str) -> int:
    return int(number)


def _times(number: str) -> Callable[[], int]:
    return lambda: int(number)


_ACTIONS: tuple[Callable[..., Any], ...] = (
    *(_aware, _both, _count, _denies, _facts, _first, _goals, _held, _holds_open, _in_room, _knows, _one),
    *(_pair, _private),
)
PLAIN: Mapping[str, Build] = {
    **{action.__name__[1:]: action for action in (*_ACTIONS, *linking.PLAIN)},
    "holds": state_facts,
}
WITH_WORDS: Mapping[str, Callable[..., Build]] = {
    action.__name__[1:]: action for action in (_at, _times, *linking.WITH_WORDS)
}
