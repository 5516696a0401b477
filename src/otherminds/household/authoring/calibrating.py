"""The calibrator: whether a task can be solved with all secrets public, and how reference teams do with private ones.

The paper plays each candidate with all secrets shown to all agents, and rejects it if that fails (Juneja et al. 2026,
section 4.3). Here a central planner, which knows everything, looks for the shortest plan; the simulator replays it, and an
episode gets twice its turns. The standard condition is played by the reference teams (:mod:`.proofs.fairness`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec import structs

from otherminds.household.authoring.results import CalibrationReport
from otherminds.household.calibrate import in_words
from otherminds.household.house import House
from otherminds.household.planning.planned import CalibrationResult, planned
from otherminds.household.pool.entry import task_json
from otherminds.household.proofs.fairness import SEEDS
from otherminds.household.proofs.verdicts import verified
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.scenes.load import load_scene
from otherminds.household.task import Task

SECONDS = 1.0
"""The longest processor time of a search of the planner; what needs more is not found."""


class CalibratedTask(NamedTuple):
    """A task with its plan, if there is one, and what is proved about it; ``certificate`` is JSON."""

    task: Task
    certificate: bytes
    verdicts: tuple[ProofVerdict, ...]
    report: CalibrationReport


def calibrate_task(task: Task) -> CalibratedTask:
    """The task in its shipped scene with the shortest plan that is found, and all verdicts.

    A calibration that the task has is replaced. Equal tasks are calibrated once while few others are.

    Raises:
        StudyError: the planner is not installed.
        TaskError: the scene is not shipped, or the goal has a literal that plans or proofs do not have.
    """
    return _calibrate_json(task_json(structs.replace(task, calibration=None)))


@lru_cache(maxsize=8)
def _calibrate_json(raw: bytes) -> CalibratedTask:
    task = msgspec.json.decode(raw, type=Task)
    house = House(task, load_scene(task.scene_id))
    planning = planned(house, SECONDS, quick=True)
    # As it is stored: the evidence may depend on the order of names, which is sorted there.
    task = msgspec.json.decode(task_json(structs.replace(task, calibration=planning.calibration)), type=Task)
    proved = verified(House(task, house.scene), SECONDS)
    says = tuple(_describe_calibration(planning, proved.levels))
    report = CalibrationReport(
        planning.calibration is not None,
        planning.calibration.turns if planning.calibration else 0,
        proved.levels,
        says,
    )
    return CalibratedTask(task, msgspec.json.encode(proved.certificate), proved.verdicts, report)


def _describe_calibration(planning: CalibrationResult, levels: dict[str, int]) -> Iterator[str]:
    plan = planning.calibration
    if plan is None:
        yield f"with all secrets public, no plan reaches the goal: {planning.why}"
    else:
        yield f"with all secrets public: {in_words(plan)}"
        yield from (f"turn {turn}: {'; '.join(calls)}" for turn, calls in enumerate(plan.plan, 1))
    yield from (
        f"{team}: solves {solved} of {len(SEEDS)} runs with private secrets"
        for team, solved in levels.items()
    )
