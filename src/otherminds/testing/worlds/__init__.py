"""What every world keeps."""

from __future__ import annotations

from otherminds.testing.worlds.actions import ActionPromises, WorldDeterminismPromises
from otherminds.testing.worlds.case import Variant
from otherminds.testing.worlds.forms import FormPromises, PettingZooPromises
from otherminds.testing.worlds.secrecy import SecrecyPromises

__all__ = ["Variant", "WorldConformance"]


class WorldConformance(
    FormPromises, ActionPromises, WorldDeterminismPromises, SecrecyPromises, PettingZooPromises
):
    """Inherit this in a test class and write ``make_world``.

    What else a world has to say for itself is in
    :class:`~otherminds.testing.worlds.case.WorldCase`: whether chance plays a
    part, its private state, the questions whose truth it tells, its grants.
    """
