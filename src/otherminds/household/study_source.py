"""Household tasks in studies, task files that are run without a study file, and the shipped splits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from otherminds.core.disk import resolve_path
from otherminds.core.errors import StudyError
from otherminds.core.user_files import check_utf8, is_file, is_folder
from otherminds.household.pool.store import PACKED, is_pool, load_split, read_pool
from otherminds.household.scenarios import ANY, named
from otherminds.household.scenes.load import shipped_scenes
from otherminds.household.tasks.load import SUFFIX, is_shipped, playable, tasks_in
from otherminds.studies.file import CellEntry, SourceClaim, StudyFile, TaskScenario, study_sources

RUNS = 3
"""Runs of a task (Juneja et al. 2026, section 5)."""


class HouseholdTasks:
    """The study source of task files, folders of them, pools, and the names of shipped tasks."""

    splits_of = "a shipped study of the household, such as household"

    def claim(self, name: Path, folder: Path) -> SourceClaim:
        path = folder / name
        if path.suffix == SUFFIX or path.name.endswith(PACKED) or is_pool(path):
            return SourceClaim.SURE
        if is_folder(path):
            return SourceClaim.POSSIBLE
        return SourceClaim.SURE if name.parent == Path() and _is_task_name(path) else SourceClaim.NONE

    def study_of(self, path: Path, minds: list[str]) -> StudyFile:
        """The study that plays the tasks at ``path``: every task with every mind, three runs each.

        Raises:
            StudyError: no mind is given.
        """
        if not minds:
            raise StudyError(
                f"{path}: name the minds that play these tasks, such as --mind level_k --mind no_message, "
                "or --mind tool_loop@MODEL --model smollm2"
            )
        check_utf8(name := resolve_path(path).name)
        cell = CellEntry(tasks=[path.name], minds=[*minds])
        return StudyFile(name=Path(name.removesuffix(PACKED)).stem, episodes=RUNS, cells=[cell])

    def scenarios_of(self, path: Path) -> list[TaskScenario]:
        """The tasks at ``path``, with options that contain the task; a shipped one has its own scenario.

        A scene that is not shipped is read from ``SCENE.json`` or ``SCENE.json.gz`` beside the task.

        Raises:
            TaskError: there are none, or a task or its scene is invalid.
        """
        if _is_task_name(path):
            return [TaskScenario(path.name, named(path.name), {})]
        if path.name.endswith(PACKED) or is_pool(path):
            return [
                TaskScenario(pooled.task.task_id, ANY, {"task": msgspec.to_builtins(pooled.task)})
                for pooled in read_pool(path)
            ]
        tasks: list[TaskScenario] = []
        for file in tasks_in(path):
            house = playable(file)
            options: dict[str, Any] = {"task": msgspec.to_builtins(house.task)}
            if house.task.scene_id not in shipped_scenes():
                options["scene"] = msgspec.to_builtins(house.scene)
            tasks.append(TaskScenario(house.task.task_id, ANY, options))
        return tasks

    def has_scenario(self, scenario: str) -> bool:
        return scenario.startswith("household-")

    def split_scenarios(self, split: str) -> list[str]:
        """The scenarios of the tasks of a shipped split.

        Raises:
            TaskError: there is no such split.
        """
        return [named(task_id, split) for task_id in load_split(split)]


def _is_task_name(path: Path) -> bool:
    """Whether ``path`` is the name of a shipped task and not of a file."""
    return not is_file(path) and not is_folder(path) and is_shipped(path.name)


study_sources.add("household", HouseholdTasks())
