"""The sound bindings of a task, however faulty the others are."""

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
