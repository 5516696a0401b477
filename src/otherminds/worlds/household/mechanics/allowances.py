"""What several bindings together leave an agent: rooms, recipients, messages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from otherminds.epistemic.words import Budget, Reaches, Statement
from otherminds.worlds.household.mechanics.mechanic import Mechanic, mechanic, mechanics
from otherminds.worlds.household.task import Binding

Bound = Sequence[tuple[Mechanic, Binding]]


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
    counted = any(isinstance(one, Budget) and one.agent == agent for one in told)
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
