"""Things that work in reverse, move together, or set others: what the rules of ``secrets.txt`` make of such sentences.

A sentence about a trigger and its target names two acts, each with its result. They make a statement only if the acts are
opposites, the results are opposites, and the same two things are meant both times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic import words
from otherminds.household.epistemic.predicates import State

Told: TypeAlias = tuple[words.Secret, ...]
Names: TypeAlias = str | tuple[str, ...]

REFERRED = "it"
STATES: Mapping[str, State] = {"open": "open", "closed": "closed", "on": "switched on", "off": "switched off"}
"""The states by the words of actions in ``secrets.txt``."""
OPPOSITE: Mapping[State, State] = {
    **{"open": "closed", "closed": "open", "switched on": "switched off", "switched off": "switched on"}
}
BY: Mapping[State, words.By] = {"open": "opening", "switched on": "switching on"}


class Change(Struct, frozen=True):
    """An act on a thing, or the state that a thing takes; ``thing`` is a name or "it"."""

    state: State
    thing: str


class Consequence(Struct, frozen=True):
    """A change and the change that it causes; ``None``: the opposite of what the opposite act causes."""

    cause: Change
    result: Change | None


def _inverse(thing: str) -> Told:
    return (words.Inverse(thing),)


def _mirrors(one: Names, other: str = "") -> Told:
    first, second = (one, other) if isinstance(one, str) else one
    return (words.Mirrors(first, second),) if first != second else ()


def _it() -> str:
    return REFERRED


def _act(state: str) -> Callable[..., Change]:
    def made(thing: str = REFERRED) -> Change:
        return Change(STATES[state], thing)

    return made


def _link(cause: Change, result: Change) -> Consequence:
    return Consequence(cause, result)


def _link_back(result: Change, cause: Change) -> Consequence:
    return Consequence(cause, result)


def _link_undone(cause: Change) -> Consequence:
    return Consequence(cause, None)


def _links(one: Consequence, other: Consequence) -> tuple[Consequence, Consequence]:
    return one, other


def _effects(one: str, other: str) -> Callable[..., tuple[Consequence, Consequence]]:
    """Two effects on the same thing, each with its cause."""

    def made(thing: str, first: Change, second: Change) -> tuple[Consequence, Consequence]:
        return Consequence(first, Change(STATES[one], thing)), Consequence(
            second, Change(STATES[other], thing)
        )

    return made


def _linked(links: tuple[Consequence, Consequence]) -> Told:
    return _wired((), links)


def _inverse_linked(thing: str, links: tuple[Consequence, Consequence]) -> Told:
    return _wired((thing, thing), links)


def _wired(between: tuple[str, ...], links: tuple[Consequence, Consequence]) -> Told:
    """The statement of two effects, if they are opposites; ``between``: the trigger and the target, if they were named."""
    (one, first), (other, second) = ((link.cause, link.result) for link in links)
    if (
        first is None
        or one.state != OPPOSITE[other.state]
        or (second and first.state != OPPOSITE[second.state])
    ):
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


PLAIN: tuple[Callable[..., Any], ...] = (
    *(_inverse, _inverse_linked, _it, _link, _link_back, _link_undone, _linked, _links, _mirrors, _wired),
)
WITH_WORDS: tuple[Callable[..., Any], ...] = (_act, _effects)
