"""Who is under test: a mind of the project's, or one that the scenario's world brings."""

from __future__ import annotations

from otherminds.core.contracts import Mind
from otherminds.core.errors import StudyError
from otherminds.core.record import SeatSpec
from otherminds.core.registry import call
from otherminds.core.scenario import Scenario
from otherminds.minds.registry import make_mind, minds, strategies


def seated(built: Scenario, spec: SeatSpec) -> Mind:
    """The mind that ``spec`` names; the scenario's own come first.

    Raises:
        StudyError: no such mind, or a bad parameter.
    """
    if not spec.model and spec.mind in built.minds:
        return call(f"mind {spec.mind!r} of {built.id!r}", built.minds[spec.mind], spec.params)
    if not spec.model and built.minds and spec.mind not in minds and spec.mind not in strategies:
        own = ", ".join(sorted(built.minds))
        raise StudyError(
            f"no mind is called {spec.mind!r}; {built.id} has its own ({own}), and see `otherminds list minds`"
        )
    return make_mind(spec)
