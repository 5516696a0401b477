"""Acts on furniture and their effects, for mechanics: what the rules of ``secrets.txt`` make of such sentences.

A sentence about a trigger and its target names two acts, each with its result. They make a link only if the acts are
opposites, the results are opposites, and the same two things are meant both times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import Struct

from otherminds.household.epistemic.predicates import State

By: TypeAlias = Literal["opening", "switching on"]
"""An act on a trigger."""
Pair: TypeAlias = tuple[str, str] | tuple[()]

REFERRED = "it"
STATES: Mapping[str, State] = {"open": "open", "closed": "closed", "on": "switched on", "off": "switched off"}
"""The states by the words of actions in ``secrets.txt``."""
OPPOSITE: Mapping[State, State] = {
    **{"open": "closed", "closed": "open", "switched on": "switched off", "switched off": "switched on"}
}
BY: Mapping[State, By] = {"open": "opening", "switched on": "switching on"}


class Change(Struct, frozen=True):
    """An act on a thing, or the state that a thing takes; ``thing`` is a name or "it"."""

    state: State
    thing: str


class Consequence(Struct, frozen=True):
    """A change and the change that it causes; ``None``: the opposite of what the opposite act causes."""

    cause: Change
    result: Change | None


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


class Link(NamedTuple):
    """What two opposite effects say: ``by`` is the state of the trigger that sets the target to ``state``."""

    trigger: str
    target: str
    state: State
    by: State


def opposed(between: Pair, links: tuple[Consequence, Consequence]) -> Link | None:
    """The link that two effects state, if they are opposites; ``between``: the trigger and the target, if they were named."""
    (one, first), (other, second) = ((link.cause, link.result) for link in links)
    if (
        first is None
        or one.state != OPPOSITE[other.state]
        or (second and first.state != OPPOSITE[second.state])
    ):
        return None
    causes = {change.thing for change in (one, other)} - {REFERRED}
    results = {change.thing for change in (first, second) if change} - {REFERRED}
    trigger, target = between or (_only(causes) or _only(results), _only(results) or _only(causes))
    unclear = not between and trigger != target and second is not None and second.thing == REFERRED
    if not trigger or not target or not causes <= {trigger} or not results <= {target} or unclear:
        return None
    state = first.state if one.state in BY else OPPOSITE[first.state]
    return Link(trigger, target, state, one.state if one.state in BY else other.state)


def _only(names: set[str]) -> str:
    return next(iter(names)) if len(names) == 1 else ""


PLAIN: tuple[Callable[..., Any], ...] = (_it, _link, _link_back, _link_undone, _links)
WITH_WORDS: tuple[Callable[..., Any], ...] = (_act, _effects)
