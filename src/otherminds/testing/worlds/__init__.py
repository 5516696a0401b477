"""The checks of the conformance kit on worlds."""

from __future__ import annotations

from otherminds.testing.worlds.actions import ActionPromises, SecrecyPromises, WorldDeterminismPromises
from otherminds.testing.worlds.case import Variant
from otherminds.testing.worlds.forms import FormPromises, PettingZooPromises

__all__ = ["Variant", "WorldConformance"]


class WorldConformance(
    FormPromises, ActionPromises, WorldDeterminismPromises, SecrecyPromises, PettingZooPromises
):
    """Inherit this in a test class and write ``make_world``.

    :class:`~otherminds.testing.worlds.case.WorldCase` has the optional declarations: randomness,
    private state, questions and grants.
    """
