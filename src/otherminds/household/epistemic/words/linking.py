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
    def build(name: str = REFERRED) -> Change:
        return Change(STATES[state], name)

    return build


def _link(cause: Change, result: Change) -> Consequence:
    return Consequence(cause, result)


def _link_undone(cause: Change) -> Consequence:
    return Consequence(cause, None)


def _links(first: Consequence, second: Consequence) -> tuple[Consequence, Consequence]:
    return first, second


def _effects(first_state: str, second_state: str) -> Callable[..., tuple[Consequence, Consequence]]:
    """Two effects on the same thing, each with its cause."""

    def build(name: str, first: Change, second: Change) -> tuple[Consequence, Consequence]:
        return Consequence(first, Change(STATES[first_state], name)), Consequence(
            second, Change(STATES[second_state], name)
        )

    return build


class Link(NamedTuple):
    """What two opposite effects say: ``by`` is the state of the trigger that sets the target to ``state``."""

    trigger: str
    target: str
    state: State
    by: State


def join_opposites(between: Pair, links: tuple[Consequence, Consequence]) -> Link | None:
    """The link that two effects state, if they are opposites; ``between``: the trigger and the target, if they were named."""
    (first_cause, first_result), (second_cause, second_result) = ((link.cause, link.result) for link in links)
    if (
        first_result is None
        or first_cause.state != OPPOSITE[second_cause.state]
        or (second_result and first_result.state != OPPOSITE[second_result.state])
    ):
        return None
    causes = {change.thing for change in (first_cause, second_cause)} - {REFERRED}
    results = {change.thing for change in (first_result, second_result) if change} - {REFERRED}
    trigger, target = between or (_only(causes) or _only(results), _only(results) or _only(causes))
    unclear = (
        not between and trigger != target and second_result is not None and second_result.thing == REFERRED
    )
    if not trigger or not target or not causes <= {trigger} or not results <= {target} or unclear:
        return None
    state = first_result.state if first_cause.state in BY else OPPOSITE[first_result.state]
    return Link(trigger, target, state, first_cause.state if first_cause.state in BY else second_cause.state)


def _only(names: set[str]) -> str:
    return next(iter(names)) if len(names) == 1 else ""


PLAIN: tuple[Callable[..., Any], ...] = (_it, _link, _link_undone, _links)
WITH_WORDS: tuple[Callable[..., Any], ...] = (_act, _effects)
