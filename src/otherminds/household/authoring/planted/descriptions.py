"""Faults of the public description: leaks, and stories that the goal does not tell."""

from __future__ import annotations

from msgspec import structs

from otherminds.household.authoring.planted.edits import needed_rooms, open_goals
from otherminds.household.authoring.planted.registry import planted
from otherminds.household.task import Task

DESCRIPTION = "task:"


@planted("task_naturalness", DESCRIPTION)
def leaked_name(task: Task) -> Task | None:
    """The public description names a thing of the goal."""
    names = open_goals(task)
    return _extend_description(task, f"Nobody has looked at {names[0]} for a while.") if names else None


@planted("task_naturalness", DESCRIPTION)
def leaked_state(task: Task) -> Task | None:
    """The public description says which state a thing must have at the end."""
    names = open_goals(task)
    return _extend_description(task, f"In the end, {names[-1]} has to be open.") if names else None


@planted("task_naturalness")
def leaked_room(task: Task) -> Task | None:
    """The public description says in which rooms there is something to do."""
    rooms = ", ".join(sorted(needed_rooms(task)))
    return _extend_description(task, f"What has to be done is in these rooms: {rooms}.") if rooms else None


@planted("task_naturalness")
def strategy_in_description(task: Task) -> Task | None:
    """The public description says how to proceed."""
    return _extend_description(
        task, "Tell one another your secrets first, and only then go to work, one room after the other."
    )


@planted("narrative_consistency")
def invented_requirement(task: Task) -> Task | None:
    """The public description asks for something that is not in the goal."""
    return _extend_description(
        task, "All windows have to be cleaned as well, and everybody should feel welcome."
    )


@planted("narrative_consistency")
def other_story(task: Task) -> Task | None:
    """The public description tells a story that has nothing to do with the goal."""
    story = "You are on a boat in a storm, and the crew has to find the leak before the night."
    return structs.replace(task, title="The leak", task=story)


def _extend_description(task: Task, sentence: str) -> Task:
    return structs.replace(task, task=f"{task.task} {sentence}")
