"""The sound bindings of a task, however faulty the others are, and what they allow."""

from __future__ import annotations

from otherminds.core.errors import StudyError
from otherminds.worlds.household.mechanics.mechanic import Mechanic, mechanic
from otherminds.worlds.household.task import Binding, Task

Bound = list[tuple[Mechanic, Binding]]


def bound(task: Task) -> Bound:
    """The bindings of known mechanics that have their fields and contradict nothing by themselves."""
    found: Bound = []
    for binding in task.mechanic_bindings:
        try:
            made = mechanic(binding.mechanic_type)
        except StudyError:
            continue
        if all(getattr(binding, name) for name in made.fields) and not made.faults(binding):
            found.append((made, binding))
    return found


def barred(task: Task, agent: str) -> frozenset[str]:
    """The rooms that ``agent`` may not enter."""
    return frozenset[str]().union(*(m.barred(b).get(agent, ()) for m, b in bound(task)))


def reached(task: Task, agent: str) -> tuple[str, ...]:
    """Whom ``agent`` may write to."""
    edges = [m.edges(b)[agent] for m, b in bound(task) if agent in m.edges(b)]
    return tuple(other for other in task.agents if other != agent and all(other in edge for edge in edges))


def budget(task: Task, agent: str) -> int | None:
    """How many messages ``agent`` may send; ``None``: as many as turns allow."""
    return min((m.limits(b)[agent] for m, b in bound(task) if agent in m.limits(b)), default=None)
