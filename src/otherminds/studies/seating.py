"""Who is under test: a mind of the project's, or one that the scenario's world brings."""

from __future__ import annotations

from otherminds.core.contracts import Mind
from otherminds.core.record import SeatSpec
from otherminds.core.registry import call
from otherminds.core.scenario import Scenario
from otherminds.minds.registry import make_mind


def seated(built: Scenario, spec: SeatSpec) -> Mind:
    """The mind that ``spec`` names; the scenario's own come first.

    Raises:
        StudyError: no such mind, or a bad parameter.
    """
    if not spec.model and spec.mind in built.minds:
        return call(f"mind {spec.mind!r} of {built.id!r}", built.minds[spec.mind], spec.params)
    return make_mind(spec)
