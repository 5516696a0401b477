"""The grammar of secrets, read from ``secrets.txt``, and what its rules make of the values of their symbols.

Names are strings, lists of names are tuples, clauses are tuples of formulas, and a whole sentence is a tuple of statements.
A clause without a meaning (a thing on itself, an effect that contradicts the other) is an empty tuple, and so is all that
contains it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias, cast

from msgspec import Struct

from otherminds.epistemic import words
from otherminds.epistemic.formula import Atom, Formula, Know, Literal, Not
from otherminds.epistemic.predicates import PREDICATES, State, positive
from otherminds.epistemic.words.free.grammar import language_of
from otherminds.epistemic.words.free.parser import Build, Grammar

KINDS = ("THING", "ROOM", "AGENT", "YOU", "YOUR", "NUMBER")
"""The classes of tokens; the text of ``YOU`` and ``YOUR`` is the name of the reader."""
REFERRED = "it"
STATES: Mapping[str, State] = {
    **{"open": "open", "closed": "closed", "on": "switched on", "off": "switched off"}
}
OPPOSITE: Mapping[State, State] = {
    **{"open": "closed", "closed": "open", "switched on": "switched off", "switched off": "switched on"}
}
BY: Mapping[State, words.By] = {"open": "opening", "switched on": "switching on"}

Formulas: TypeAlias = tuple[Formula, ...]
Told: TypeAlias = tuple[words.Secret, ...]
Names: TypeAlias = str | tuple[str, ...]


class At(Struct, frozen=True):
    """A state or place: a predicate, and its other argument if it has one."""

    predicate: str
    other: str = ""


class Change(Struct, frozen=True):
    """An act on a thing, or the state that a thing takes; ``thing`` is a name or "it"."""

    state: State
    thing: str


class Effect(Struct, frozen=True):
    """A change and the change that it causes; ``None``: the opposite of what the opposite act causes."""

    cause: Change
    result: Change | None


@cache
def secrets() -> Grammar:
    """All rules; the value of ``secret`` is a tuple of statements."""
    made = Grammar()
    for kind in KINDS:
        made.kind(kind, lambda token, kind=kind: token.kind == kind)
    for name, symbols, action in language_of("secrets.txt").rules:
        made.add(name, symbols, _builder(action) if action else None)
    return made


def _builder(action: str) -> Build:
    name, *args = action.split()
    return WITH_WORDS[name](*args) if args else PLAIN[name]


# Names


def _one(name: str) -> tuple[str, ...]:
    return (name,)


def _pair(one: str, other: str) -> tuple[str, ...]:
    return (one, other)


def _first(name: str, more: tuple[str, ...]) -> tuple[str, ...]:
    return (name, *more)


def _swapped(one: str, other: str) -> tuple[str, ...]:
    return (other, one)


def _it() -> str:
    return REFERRED


# Clauses


def _at(predicate: str) -> Callable[..., At]:
    return lambda other="": At(predicate, other)


def _holds(about: Names, at: At) -> Formulas:
    return tuple(_fact(name, at) for name in _names(about)) if at.other not in _names(about) else ()


def _denies(about: str, at: At) -> Formulas:
    return tuple(positive(Not(fact)) for fact in _holds(about, at) if isinstance(fact, Atom))


def _placed(at: At, about: str) -> Formulas:
    return _holds(about, at)


def _in_room(room: str, agent: str) -> Formulas:
    return _holds(agent, At("agent_in_room", room))


def _holds_open(about: str) -> Formulas:
    return _holds(about, At("is_open"))


def _held(agent: str, thing: str) -> Formulas:
    return _holds(thing, At("is_held_by", agent))


def _knows(agent: str, told: Formulas) -> Formulas:
    return tuple(Know(agent, formula) for formula in told)


def _fact(name: str, at: At) -> Literal:
    assert len(PREDICATES[at.predicate].kinds) == (2 if at.other else 1), at.predicate
    return Atom(at.predicate, (name, at.other) if at.other else (name,))


def _names(about: Names) -> tuple[str, ...]:
    return (about,) if isinstance(about, str) else about


# Statements


def _facts(told: Formulas) -> Told:
    return tuple(map(words.Fact, told))


def _goals(told: Formulas) -> Told:
    return tuple(map(words.Must, told))


def _private(told: Formulas) -> Told:
    return tuple(map(words.Private, told))


def _both(some: Told, more: Told) -> Told:
    return (*some, *more) if some and more else ()


def _barred(agent: str, rooms: tuple[str, ...]) -> Told:
    return (words.Barred(agent, rooms),)


def _barred_to(rooms: tuple[str, ...], agent: str) -> Told:
    return _barred(agent, rooms)


def _barred_two(one: str, other: str, agent: str) -> Told:
    return _barred(agent, (one, other))


def _two_barred(agent: str, one: str, other: str) -> Told:
    return _barred(agent, (one, other))


def _free(agent: str) -> Told:
    return _barred(agent, ())


def _reaches(agent: str, targets: tuple[str, ...]) -> Told:
    return (words.Reaches(agent, targets),) if agent not in targets else ()


def _reached(targets: tuple[str, ...], agent: str) -> Told:
    return _reaches(agent, targets)


def _mute(agent: str) -> Told:
    return _reaches(agent, ())


def _count(number: str) -> int:
    return int(number)


def _times(number: str) -> Callable[[], int]:
    return lambda: int(number)


def _budget(agent: str, count: int | str) -> Told:
    return (words.MessageBudget(agent, int(count)),)


def _budget_of(count: int | str, agent: str) -> Told:
    return _budget(agent, count)


def _budget_none(agent: str) -> Told:
    return _budget(agent, 0)


# Things that change together


def _inverse(thing: str) -> Told:
    return (words.Inverse(thing),)


def _mirrors(one: Names, other: str = "") -> Told:
    first, second = (one, other) if isinstance(one, str) else one
    return (words.Mirrors(first, second),) if first != second else ()


def _act(state: str) -> Callable[..., Change]:
    return lambda thing=REFERRED: Change(STATES[state], thing)


def _link(cause: Change, result: Change) -> Effect:
    return Effect(cause, result)


def _link_back(result: Change, cause: Change) -> Effect:
    return Effect(cause, result)


def _link_undone(cause: Change) -> Effect:
    return Effect(cause, None)


def _links(one: Effect, other: Effect) -> tuple[Effect, Effect]:
    return one, other


def _effects(one: str, other: str) -> Callable[..., tuple[Effect, Effect]]:
    """Two effects on the same thing, each with its cause."""

    def made(thing: str, first: Change, second: Change) -> tuple[Effect, Effect]:
        return Effect(first, Change(STATES[one], thing)), Effect(second, Change(STATES[other], thing))

    return made


def _linked(links: tuple[Effect, Effect]) -> Told:
    return _wired((), links)


def _inverse_linked(thing: str, links: tuple[Effect, Effect]) -> Told:
    return _wired((thing, thing), links)


def _wired(between: tuple[str, ...], links: tuple[Effect, Effect]) -> Told:
    """The statement of two effects, if they are opposites; ``between``: the trigger and the target, if they were named."""
    (one, first), (other, second) = ((link.cause, link.result) for link in links)
    if first is None or one.state != OPPOSITE[other.state] or (second and first.state != OPPOSITE[second.state]):
        return ()
    causes = {change.thing for change in (one, other)} - {REFERRED}
    results = {change.thing for change in (first, second) if change} - {REFERRED}
    trigger, target = between or (_only(causes) or _only(results), _only(results) or _only(causes))
    unclear = not between and trigger != target and second is not None and second.thing == REFERRED
    if not trigger or not target or not causes <= {trigger} or not results <= {target} or unclear:
        return ()
    state = first.state if one.state in BY else OPPOSITE[first.state]
    if trigger != target:
        return (words.Controls(trigger, target, state, BY[one.state if one.state in BY else other.state]),)
    return (words.Inverse(trigger),) if {state, one.state} <= {"open", "closed"} and state == "closed" else ()


def _only(names: set[str]) -> str:
    return next(iter(names)) if len(names) == 1 else ""


_ACTIONS: tuple[Callable[..., Any], ...] = (
    *(_barred, _barred_to, _barred_two, _both, _budget, _budget_none, _budget_of, _count, _denies, _facts, _first),
    *(_free, _goals, _held, _holds, _holds_open, _in_room, _inverse, _inverse_linked, _it, _knows, _link, _link_back),
    *(_link_undone, _linked, _links, _mirrors, _mute, _one, _pair, _placed, _private, _reached, _reaches, _swapped),
    *(_two_barred, _wired),
)
PLAIN: Mapping[str, Build] = {made.__name__[1:]: cast(Build, made) for made in _ACTIONS}
WITH_WORDS: Mapping[str, Callable[..., Build]] = {
    made.__name__[1:]: cast(Callable[..., Build], made) for made in (_act, _at, _effects, _times)
}
