"""Household tasks in studies, and task files that are run without a study file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from otherminds.core.errors import StudyError
from otherminds.core.user_files import is_file, is_folder
from otherminds.studies.file import CellEntry, StudyFile
from otherminds.worlds.household.scenarios import ANY, named
from otherminds.worlds.household.scenes.load import shipped_scenes
from otherminds.worlds.household.tasks.load import is_shipped, playable, tasks_in

RUNS = 3
"""Runs of a task (Juneja et al. 2026, section 5)."""


def is_tasks(path: Path) -> bool:
    """Whether ``path`` is a task file, a folder of them or the name of a shipped task, not a study file."""
    return is_folder(path) or path.suffix == ".json" or (path.parent == Path() and _is_name(path))


def _is_name(path: Path) -> bool:
    """Whether ``path`` is the name of a shipped task and not of a file."""
    return not is_file(path) and not is_folder(path) and is_shipped(path.name)


def tasks_of(path: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """The tasks at ``path``: id, scenario, and the options of the scenario, which contain the task.

    A scene that is not shipped is read from ``SCENE.json`` or ``SCENE.json.gz`` beside the task.
    A name of a shipped task, which has its own scenario, is accepted too.

    Raises:
        TaskError: there are none, or a task or its scene is invalid.
    """
    if _is_name(path):
        return [(path.name, named(path.name), {})]
    found: list[tuple[str, str, dict[str, Any]]] = []
    for file in tasks_in(path):
        house = playable(file)
        options: dict[str, Any] = {"task": msgspec.to_builtins(house.task)}
        if house.task.scene_id not in shipped_scenes():
            options["scene"] = msgspec.to_builtins(house.scene)
        found.append((house.task.task_id, ANY, options))
    return found


def played_by(path: Path, minds: tuple[str, ...]) -> StudyFile:
    """The study that plays the tasks at ``path``: every task with every mind, three runs each.

    Raises:
        StudyError: no mind is given.
    """
    if not minds:
        raise StudyError(
            f"{path}: name the minds that play these tasks, such as --mind level_k --mind no_message, "
            "or --mind tool_loop@MODEL --model smollm2"
        )
    cell = CellEntry(tasks=[path.name], minds=list(minds))
    return StudyFile(name=path.resolve().stem, episodes=RUNS, cells=[cell])
