"""What every scenario keeps."""

from __future__ import annotations

from otherminds.testing.scenarios.episodes import EpisodePromises
from otherminds.testing.scenarios.population import PopulationPromises
from otherminds.testing.scenarios.probes import ProbePromises
from otherminds.testing.scenarios.telling import TellingPromises

__all__ = ["ScenarioConformance"]


class ScenarioConformance(PopulationPromises, EpisodePromises, ProbePromises, TellingPromises):
    """Inherit this in a test class and write ``make_scenario``.

    See :class:`~otherminds.testing.scenarios.case.ScenarioCase`.
    """
