"""The registries of worlds and scenarios."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otherminds.core.registry import Registry
from otherminds.core.scenario import Scenario
from otherminds.core.world import World

SCENARIO = ("id", "world", "focal", "population", "minds")
"""Attributes of every scenario that is used while a study is planned."""

worlds: Registry[type[World]] = Registry("world")
scenarios: Registry[Callable[..., Scenario]] = Registry("scenario", made=SCENARIO)
"""Each entry makes its scenario from named options (``rounds``, ``names``, ...)."""


def scenario(name: str, options: dict[str, Any]) -> Scenario:
    """The scenario ``name`` under ``options``.

    Raises:
        StudyError: no such scenario, an option it does not take, or a bad value.
    """
    return scenarios.make(name, options)
