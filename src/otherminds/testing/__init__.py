"""The conformance kit: what every world, mind, partner and scenario must keep.

A test class inherits a mixin and says how to make the thing; pytest then runs
every check on it::

    from otherminds.testing import WorldConformance


    class TestMyWorld(WorldConformance):
        def make_world(self):
            return MyWorld(rounds=6)

The factories take no fixtures, because some checks make the thing again in
another process (see :mod:`otherminds.testing.elsewhere`). The checks of a class
share the episodes that they only read. Each check says in its docstring what is
promised, and in its message what happened instead.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otherminds.testing.minds import MindConformance as MindConformance
    from otherminds.testing.partners import PartnerConformance as PartnerConformance
    from otherminds.testing.scenarios import ScenarioConformance as ScenarioConformance
    from otherminds.testing.simple import RandomMind as RandomMind
    from otherminds.testing.simple import ScriptedMind as ScriptedMind
    from otherminds.testing.stage import StageWorld as StageWorld
    from otherminds.testing.worlds import Variant as Variant
    from otherminds.testing.worlds import WorldConformance as WorldConformance

_HOMES = {
    "MindConformance": "minds",
    "PartnerConformance": "partners",
    "RandomMind": "simple",
    "ScenarioConformance": "scenarios",
    "ScriptedMind": "simple",
    "StageWorld": "stage",
    "Variant": "worlds",
    "WorldConformance": "worlds",
}

__all__ = [
    "MindConformance",
    "PartnerConformance",
    "RandomMind",
    "ScenarioConformance",
    "ScriptedMind",
    "StageWorld",
    "Variant",
    "WorldConformance",
]


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used, as in the package above."""
    if name not in _HOMES:
        raise AttributeError(f"module 'otherminds.testing' has no attribute {name!r}")
    return getattr(import_module(f"otherminds.testing.{_HOMES[name]}"), name)
