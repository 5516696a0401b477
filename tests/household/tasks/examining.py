"""JSON data of a task, examined in a scene."""

from __future__ import annotations

from otherminds.household.task import Task
from otherminds.household.tasks import load
from otherminds.household.tasks.diagnostics import Diagnostics, Things


def examined(data: object, things: Things | None = None) -> tuple[Task, Diagnostics]:
    """The task, and what is wrong with it in the scene of ``things``, by default the shipped one that it names."""
    found = load.examined(data, (things, ()) if things else None)
    return found.task, found.account
