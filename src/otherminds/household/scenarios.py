"""The scenarios of the household: one per task, all seats under test.

``household-TASK-v1`` for each shipped task, ``household-SPLIT-TASK-v1`` for each task of a shipped split, and
``household-task-v1`` for any other task. The options of the latter
contain the whole task (and its scene, if that is not shipped), so that a record needs no file.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from msgspec import structs

from otherminds.core.errors import StudyError, TaskError
from otherminds.core.scenario import Scenario, scenarios
from otherminds.household.calibrate import make_unprobed, references, turns_of
from otherminds.household.generating.wording import free_secrets
from otherminds.household.pool.store import load_split, shipped_splits
from otherminds.household.probes import cut_turn, probes_of
from otherminds.household.reference.roster import ROSTER
from otherminds.household.scenes.load import load_scene
from otherminds.household.scenes.load import of_data as scene_of_data
from otherminds.household.scenes.scene import Scene
from otherminds.household.shared import house_of
from otherminds.household.task import Task
from otherminds.household.tasks.load import load_task, of_data, shipped_tasks
from otherminds.household.teams import PANEL
from otherminds.household.verbalizer import HouseholdVerbalizer

ANY = "household-task-v1"
CONTROLLED, FREE = WORDINGS = ("controlled", "free")
"""The wordings of secrets."""


def named(task_id: str, split: str = "") -> str:
    """The scenario of the shipped task ``task_id``, or of the task of a shipped split.

    >>> named("one_shot_relay"), named("relay_1042", "hard")
    ('household-one_shot_relay-v1', 'household-hard-relay_1042-v1')
    """
    return f"household-{split}-{task_id}-v1" if split else f"household-{task_id}-v1"


def build(
    name: str,
    task: Task,
    scene: Scene,
    turns: int | None = None,
    split: str = "",
    wording: str = CONTROLLED,
) -> Scenario:
    """The scenario of one task, of a shipped ``split`` if it is part of one.

    ``turns`` replaces the length given by the calibration. With the ``wording`` ``free``, each secret is in one of
    several free wordings, the same in each episode; ``controlled`` leaves the sentences of the task.

    Raises:
        StudyError: ``turns`` is not a positive integer, or there is no such wording.
        TaskError: the task contradicts itself or its scene.
    """
    if turns is not None and (isinstance(turns, bool) or not isinstance(turns, int) or turns < 1):
        raise StudyError(f"turns must be a whole number of at least 1, not {turns!r}")
    house = house_of(_reword_task(task, wording), scene)
    limit = turns or turns_of(house)
    return replace(
        make_unprobed(name, house, limit, split),
        probes=lambda draw: probes_of(house).probes(draw["cut"]),
        arrange=lambda meeting: {"cut": cut_turn(task.task_id, limit, meeting.cycle)},
        verbalizer=lambda draw, seat: HouseholdVerbalizer(house, seat, limit),
        minds={mind: partial(make, house) for mind, make in ROSTER.items()},
        ignorant=("random", "silent_and_done", *PANEL),
        bounds=lambda met: references(house, limit),
        caution="; ".join(f"{word}: {why}" for word, why in task.lacks.items()),
        description=describe_task(task),
    )


def describe_task(task: Task) -> str:
    """A task in a line of a list."""
    return f"{task.title or task.task_id}: {task.num_agents} agents, {task.category}"


@scenarios.register(ANY)
def any_task(
    task: dict[str, Any],
    scene: dict[str, Any] | None = None,
    turns: int | None = None,
    wording: str = CONTROLLED,
) -> Scenario:
    """A user-defined task, given in full; ``wording`` as in :func:`build`."""
    own = scene_of_data(scene, "options.scene") if scene else None
    read = of_data(task, "options.task", own)
    return build(ANY, read, own or _scene(read), turns, wording=wording)


@scenarios.family
def every_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The shipped tasks."""
    return {named(task_id): partial(_build_shipped, task_id) for task_id in shipped_tasks()}


class SplitScenario(NamedTuple):
    """Makes the scenario of a task of a shipped split, whose description needs no compiled house."""

    split: str
    task_id: str

    def __call__(self, turns: int | None = None, wording: str = CONTROLLED) -> Scenario:
        """The scenario; see :func:`build`.

        Raises:
            StudyError: ``turns`` is not a positive integer, or there is no such wording.
        """
        name = named(self.task_id, self.split)
        return build(name, self._task, _scene(self._task), turns, self.split, wording)

    @property
    def description(self) -> str:
        """As that of the scenario."""
        return describe_task(self._task)

    @property
    def _task(self) -> Task:
        return load_split(self.split)[self.task_id].task


@scenarios.family
def every_split_scenario() -> Mapping[str, Callable[..., Scenario]]:
    """The tasks of the shipped splits."""
    return {
        named(task_id, split): SplitScenario(split, task_id)
        for split in shipped_splits()
        for task_id in load_split(split)
    }


def _build_shipped(task_id: str, turns: int | None = None, wording: str = CONTROLLED) -> Scenario:
    task = load_task(task_id)
    return build(named(task_id), task, _scene(task), turns, wording=wording)


def _reword_task(task: Task, wording: str) -> Task:
    if wording not in WORDINGS:
        raise StudyError(f"wording must be {' or '.join(WORDINGS)}, not {wording!r}")
    if wording == CONTROLLED:
        return task
    return structs.replace(task, agent_secrets=free_secrets(task, random.Random(task.task_id)))


def _scene(task: Task) -> Scene:
    try:
        return load_scene(task.scene_id)
    except TaskError as error:
        raise TaskError(f"task {task.task_id!r} cannot be played: {error}") from error
