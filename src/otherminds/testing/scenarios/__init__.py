"""What every scenario keeps."""

from __future__ import annotations

from otherminds.testing.scenarios.episodes import EpisodePromises
from otherminds.testing.scenarios.messages import MessagePromises
from otherminds.testing.scenarios.population import PopulationPromises
from otherminds.testing.scenarios.probes import ProbePromises
from otherminds.testing.scenarios.scaffold import ScaffoldPromises

__all__ = ["ScenarioConformance"]


class ScenarioConformance(
    PopulationPromises, EpisodePromises, ProbePromises, MessagePromises, ScaffoldPromises
):
    """Inherit this in a test class and write ``make_scenario``.

    See :class:`~otherminds.testing.scenarios.case.ScenarioCase`.
    """
