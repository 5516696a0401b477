"""What a mechanic may change, where mechanics become known, and what several together leave an agent.

A mechanic changes rules in one of four ways: it reverses a thing, makes things follow
one another, bars rooms, or limits messages. Nothing else is shown to anyone because of
it: an agent sees the thing that changed where it sees that thing, and learns of a
mechanic from secrets, messages and failures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from otherminds.core.registry import Registry
from otherminds.epistemic.words import MessageBudget, Reaches, Statement
from otherminds.worlds.household.rules.rule import Fact
from otherminds.worlds.household.task import Binding

Value = str
"""``is_open``, ``is_closed``, ``is_powered_on`` or ``is_powered_off``."""

STATES: Mapping[str, Value] = {
    "open": "is_open",
    "is_open": "is_open",
    "closed": "is_closed",
    "is_closed": "is_closed",
    "on": "is_powered_on",
    "powered_on": "is_powered_on",
    "is_powered_on": "is_powered_on",
    "off": "is_powered_off",
    "powered_off": "is_powered_off",
    "is_powered_off": "is_powered_off",
}
"""How ``target_state`` may name a value."""


class Mechanic:
    """A mechanic that changes nothing; each of the six writes what it changes.

    ``fields`` are those of a binding that must be filled, ``optional`` those that may be.
    """

    fields: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def faults(self, binding: Binding) -> list[str]:
        """What is wrong with a binding beside missing fields and unknown names."""
        return []

    def reversed(self, binding: Binding) -> tuple[str, ...]:
        """The things whose affordances are exchanged."""
        return ()

    def follows(self, binding: Binding, thing: str, value: Value) -> tuple[tuple[str, Value], ...]:
        """What else takes which value when ``thing`` takes ``value``."""
        return ()

    def triggers(self, binding: Binding) -> tuple[str, ...]:
        """The things that set others, and need no state of their own for it."""
        return ()

    def barred(self, binding: Binding) -> Mapping[str, frozenset[str]]:
        """The rooms that an agent may neither enter nor cross."""
        return {}

    def limits(self, binding: Binding) -> Mapping[str, int]:
        """The messages that an agent may send."""
        return {}

    def edges(self, binding: Binding) -> Mapping[str, tuple[str, ...]]:
        """Whom an agent may write to, where that is restricted."""
        return {}

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        """The mechanic in the vocabulary of appendix H."""
        return ()

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        """How a secret may tell it."""
        return ()


mechanics: Registry[type[Mechanic]] = Registry(
    "mechanic", "otherminds.worlds.household.mechanics", "mechanics"
)


Bound = Sequence[tuple[Mechanic, Binding]]
"""Bindings, each with its mechanic."""


def mechanic(name: str) -> Mechanic:
    """The mechanic called ``name``.

    Raises:
        StudyError: there is none; the text names what comes near.
    """
    return mechanics.get(name)()


class Aware(NamedTuple):
    """What an agent was told of its own messages: that they are counted, and whom it may write to (None: nothing)."""

    counted: bool
    reached: tuple[str, ...] | None


def sound(bindings: Iterable[Binding]) -> Bound:
    """The bindings of known mechanics that have their fields and contradict nothing by themselves."""
    known = [(mechanic(one.mechanic_type), one) for one in bindings if one.mechanic_type in mechanics]
    return [(m, b) for m, b in known if all(getattr(b, name) for name in m.fields) and not m.faults(b)]


def aware(told: Collection[Statement], agent: str) -> Aware:
    """What ``agent``, from what it was ``told``, knows of its own messages."""
    edges = [one.targets for one in told if isinstance(one, Reaches) and one.agent == agent]
    counted = any(isinstance(one, MessageBudget) and one.agent == agent for one in told)
    return Aware(counted, tuple(to for to in edges[0] if all(to in e for e in edges)) if edges else None)


def barred(bound: Bound, agent: str) -> frozenset[str]:
    """The rooms that ``agent`` may not enter: all that any binding bars."""
    return frozenset[str]().union(*(m.barred(b).get(agent, frozenset[str]()) for m, b in bound))


def reached(bound: Bound, agents: Sequence[str], agent: str) -> tuple[str, ...]:
    """Whom ``agent`` may write to: everybody, less what each binding takes away."""
    edges = [m.edges(b)[agent] for m, b in bound if agent in m.edges(b)]
    return tuple(other for other in agents if other != agent and all(other in edge for edge in edges))


def budget(bound: Bound, agent: str) -> int | None:
    """How many messages ``agent`` may send, the least that any binding says; ``None``: as many as turns allow."""
    return min((m.limits(b)[agent] for m, b in bound if agent in m.limits(b)), default=None)
