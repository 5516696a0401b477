"""What every scenario keeps."""

from __future__ import annotations

from otherminds.testing.scenarios.declared import EpisodePromises, PopulationPromises, ProbePromises
from otherminds.testing.scenarios.messages import MessagePromises
from otherminds.testing.scenarios.scaffold import ScaffoldPromises

__all__ = ["ScenarioConformance"]


class ScenarioConformance(
    PopulationPromises, EpisodePromises, ProbePromises, MessagePromises, ScaffoldPromises
):
    """Inherit this in a test class and write ``make_scenario``.

    See :class:`~otherminds.testing.scenarios.case.ScenarioCase`.
    """
