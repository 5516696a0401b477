"""The registry of planted faults, and :func:`plant`, which plants one at random."""

from __future__ import annotations

import random
from collections.abc import Callable
from inspect import getdoc
from typing import TypeAlias

from msgspec import Struct, structs

from otherminds.core.registry import Registry
from otherminds.household.authoring.results import Criterion
from otherminds.household.task import Task

Planting: TypeAlias = Callable[[Task], Task | None]
"""The task with the fault, or ``None`` if it cannot be planted in this task."""


class PlantedFault(Struct, frozen=True):
    """A fault: the ``criterion`` that it harms, and what it is ``about``, a sentence.

    ``seen`` is the beginning of the fault, finding or verdict that a check without a model has against it; empty if no check
    sees it, so that only a judge can.
    """

    name: str
    criterion: Criterion
    seen: str
    about: str
    planting: Planting

    def plant_in(self, task: Task) -> Task | None:
        """``task`` with this fault and without a calibration; ``None`` if it cannot be planted in it.

        A fault is planted only where secrets have formulas, so that checks can see it.
        """
        faulty = self.planting(task) if task.verified else None
        return None if faulty is None or faulty == task else structs.replace(faulty, calibration=None)


planted_faults: Registry[PlantedFault] = Registry(
    "planted_fault",
    "otherminds.household.authoring.planted",
    fits=lambda entry: isinstance(entry, PlantedFault),
)


def planted(criterion: Criterion, seen: str = "") -> Callable[[Planting], Planting]:
    """A decorator that registers a function as a fault under its name; its docstring says what the fault is."""

    def register(planting: Planting) -> Planting:
        name = planting.__name__
        planted_faults.add(name, PlantedFault(name, criterion, seen, getdoc(planting) or "", planting))
        return planting

    return register


def plant(task: Task, draw: random.Random) -> Task | None:
    """``task`` with one of the faults that can be planted in it, drawn at random; ``None`` if there is none."""
    names = list(planted_faults)
    draw.shuffle(names)
    return next((faulty for name in names if (faulty := planted_faults.get(name).plant_in(task))), None)
