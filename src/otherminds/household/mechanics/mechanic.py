"""The interface of mechanics, their registry, and the combined effect of several on an agent.

A mechanic changes rules in one of four ways: it reverses a thing, makes things follow one another, bars rooms, or limits
messages. It is not announced: an agent sees a changed thing only where it sees that thing, and learns about a mechanic
from secrets, messages and failures.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from otherminds.core.registry import Registry
from otherminds.household.epistemic.words import MessageBudget, Reaches, Statement
from otherminds.household.rules.rule import Fact
from otherminds.household.task import Binding

Value = str
"""``is_open``, ``is_closed``, ``is_powered_on`` or ``is_powered_off``."""

STATES: Mapping[str, Value] = {
    name: value
    for value in ("is_open", "is_closed", "is_powered_on", "is_powered_off")
    for name in (value.removeprefix("is_").removeprefix("powered_"), value.removeprefix("is_"), value)
}
"""The possible names of a value in ``target_state``."""


class Mechanic:
    """A mechanic that changes nothing; subclasses override what they change.

    ``fields`` are the required fields of a binding, ``optional`` the optional ones.
    """

    fields: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()

    def faults(self, binding: Binding) -> list[str]:
        """The faults of a binding besides missing fields and unknown names."""
        return []

    def reversed(self, binding: Binding) -> tuple[str, ...]:
        """The things that work in reverse."""
        return ()

    def follows(self, binding: Binding, thing: str, value: Value) -> tuple[tuple[str, Value], ...]:
        """The other things that change when ``thing`` takes ``value``, each with its new value."""
        return ()

    def triggers(self, binding: Binding) -> tuple[str, ...]:
        """The things that set others, even without a state of their own."""
        return ()

    def barred(self, binding: Binding) -> Mapping[str, frozenset[str]]:
        """The rooms that each agent may neither enter nor cross."""
        return {}

    def limits(self, binding: Binding) -> Mapping[str, int]:
        """The number of messages that each agent may send."""
        return {}

    def statements(self, binding: Binding) -> int | None:
        """The largest number of statements that a message conveys; ``None`` if there is no limit."""
        return None

    def edges(self, binding: Binding) -> Mapping[str, tuple[str, ...]]:
        """The agents that each restricted agent may write to."""
        return {}

    def facts(self, binding: Binding) -> tuple[Fact, ...]:
        """The mechanic in the vocabulary of Juneja et al. 2026, appendix H."""
        return ()

    def secrets(self, binding: Binding) -> tuple[Statement, ...]:
        """The statements by which a secret can describe it."""
        return ()


mechanics: Registry[type[Mechanic]] = Registry("mechanic", "otherminds.household.mechanics", "mechanics")


Bound = Sequence[tuple[Mechanic, Binding]]
"""Bindings, each with its mechanic."""


def mechanic(name: str) -> Mechanic:
    """The mechanic called ``name``.

    Raises:
        StudyError: there is none; the message names similar ones.
    """
    return mechanics.get(name)()


class Channel(NamedTuple):
    """What an agent is told about its own messages: how many it can send, and its addressees (``None`` if it is not told)."""

    limit: int | None
    reached: tuple[str, ...] | None


def sound(bindings: Iterable[Binding]) -> Bound:
    """The bindings of known mechanics that have all required fields and no fault."""
    known = [(mechanic(one.mechanic_type), one) for one in bindings if one.mechanic_type in mechanics]
    return [(m, b) for m, b in known if all(getattr(b, name) for name in m.fields) and not m.faults(b)]


def channel_of(told: Collection[Statement], agent: str) -> Channel:
    """What ``agent`` is told about its own messages by the statements in its secrets; of several limits the smallest."""
    edges = [one.targets for one in told if isinstance(one, Reaches) and one.agent == agent]
    limits = [one.messages for one in told if isinstance(one, MessageBudget) and one.agent == agent]
    limit = min(limits, default=None)
    return Channel(limit, tuple(to for to in edges[0] if all(to in e for e in edges)) if edges else None)


def barred(bound: Bound, agent: str) -> frozenset[str]:
    """The rooms that ``agent`` may not enter: the union over all bindings."""
    return frozenset(room for m, b in bound for room in m.barred(b).get(agent, ()))


def reached(bound: Bound, agents: Sequence[str], agent: str) -> tuple[str, ...]:
    """The agents that ``agent`` may write to: those that every binding allows."""
    edges = [m.edges(b)[agent] for m, b in bound if agent in m.edges(b)]
    return tuple(other for other in agents if other != agent and all(other in edge for edge in edges))


def budget(bound: Bound, agent: str) -> int | None:
    """The number of messages that ``agent`` may send, the minimum over all bindings; ``None`` if unlimited."""
    return min((m.limits(b)[agent] for m, b in bound if agent in m.limits(b)), default=None)


def statements_limit(bound: Bound) -> int | None:
    """The largest number of statements that a message conveys, the minimum over all bindings; ``None`` if unlimited."""
    limits = (m.statements(b) for m, b in bound)
    return min((limit for limit in limits if limit is not None), default=None)
