"""The conformance kit: checks for every world, mind, partner and scenario.

A test class inherits a mixin and says how to make the object; pytest then runs every check on
it::

    from otherminds.testing import WorldConformance


    class TestMyWorld(WorldConformance):
        def make_world(self):
            return MyWorld(rounds=6)

The factories take no fixtures, because some checks make the object again in another process
(see :mod:`otherminds.testing.episodes`). The checks of a class share the episodes that they only
read. The docstring of a check states the promise, its error message what happened instead.
"""

from __future__ import annotations

from otherminds.testing.episodes import RandomMind, ScriptedMind
from otherminds.testing.minds import MindConformance
from otherminds.testing.partners import PartnerConformance, StageWorld
from otherminds.testing.scenarios import ScenarioConformance
from otherminds.testing.worlds import Variant, WorldConformance

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
