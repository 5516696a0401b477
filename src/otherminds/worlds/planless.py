"""The base of scaffolds for worlds without plans."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Invalid, Moment, SkillChoice
from otherminds.core.errors import InternalError
from otherminds.core.scaffold import Scaffold, Seen, Sighting


class Planless(Scaffold):
    """A scaffold of a world in which the chosen behaviour is the decision.

    Methods about places and plans raise :class:`~otherminds.core.errors.InternalError`:
    a mind that calls them has ignored ``manner.plans``.
    """

    def scene(self, moment: Moment) -> str:
        raise _unplanned("scene")

    def state(self, moment: Moment) -> str:
        raise _unplanned("state")

    def sightings(self, moment: Moment) -> tuple[Sighting, ...]:
        raise _unplanned("sightings")

    def recall(self, seen: Sequence[Seen], moment: Moment) -> str:
        raise _unplanned("recall")

    def skills(self) -> str:
        raise _unplanned("skills")

    def plans(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        raise _unplanned("plans")

    def plan(self, calls: Sequence[str]) -> tuple[SkillChoice, ...] | Invalid:
        raise _unplanned("plan")


def _unplanned(what: str) -> InternalError:
    return InternalError(f"{what}() was asked of a scaffold of a world without plans")
