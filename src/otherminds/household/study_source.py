"""Household tasks in studies, and task files that are run without a study file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from otherminds.core.disk import resolve_path
from otherminds.core.errors import StudyError
from otherminds.core.user_files import check_utf8, is_file, is_folder
from otherminds.household.pool.splits import load_split
from otherminds.household.pool.store import PACKED, is_pool, read_pool
from otherminds.household.scenarios import ANY, named
from otherminds.household.scenes.load import shipped_scenes
from otherminds.household.tasks.load import is_shipped, playable, tasks_in
from otherminds.studies.file import CellEntry, StudyFile

RUNS = 3
"""Runs of a task (Juneja et al. 2026, section 5)."""


def is_tasks(path: Path) -> bool:
    """Whether ``path`` is a task file, a folder of them, a pool or the name of a shipped task, not a study file."""
    return (
        is_folder(path)
        or path.suffix == ".json"
        or path.name.endswith(PACKED)
        or (path.parent == Path() and _is_name(path))
    )


def _is_name(path: Path) -> bool:
    """Whether ``path`` is the name of a shipped task and not of a file."""
    return not is_file(path) and not is_folder(path) and is_shipped(path.name)


def tasks_of(path: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """The tasks at ``path``: id, scenario, and the options of the scenario, which contain the task.

    A scene that is not shipped is read from ``SCENE.json`` or ``SCENE.json.gz`` beside the task.
    A name of a shipped task, which has its own scenario, and a pool are accepted too.

    Raises:
        TaskError: there are none, or a task or its scene is invalid.
    """
    if _is_name(path):
        return [(path.name, named(path.name), {})]
    if path.name.endswith(PACKED) or is_pool(path):
        return [
            (pooled.task.task_id, ANY, {"task": msgspec.to_builtins(pooled.task)})
            for pooled in read_pool(path)
        ]
    found: list[tuple[str, str, dict[str, Any]]] = []
    for file in tasks_in(path):
        house = playable(file)
        options: dict[str, Any] = {"task": msgspec.to_builtins(house.task)}
        if house.task.scene_id not in shipped_scenes():
            options["scene"] = msgspec.to_builtins(house.scene)
        found.append((house.task.task_id, ANY, options))
    return found


def played_by(path: Path, minds: list[str]) -> StudyFile:
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


def in_splits(study: StudyFile, splits: tuple[str, ...], minds: list[str]) -> StudyFile:
    """``study``, of household tasks, with the tasks of shipped splits instead; ``minds`` replace its minds.

    Raises:
        StudyError: a cell of the study has other scenarios.
        TaskError: there is no such split.
    """
    if any(cell.tasks or not all(map(_is_ours, cell.scenarios)) for cell in study.cells):
        raise StudyError("--split replaces the tasks of a shipped study of the household, such as household")
    found = [named(task_id, split) for split in dict.fromkeys(splits) for task_id in load_split(split)]
    cells = [cell.model_copy(update={"scenarios": found}) for cell in study.cells]
    if minds:
        cells = [CellEntry(scenarios=found, minds=[*minds])]
    return study.model_copy(update={"name": f"{study.name} {' '.join(splits)}", "cells": cells})


def _is_ours(scenario: str) -> bool:
    return scenario.startswith("household-")
