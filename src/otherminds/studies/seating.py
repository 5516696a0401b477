"""Who is under test: minds of the project's, or such as the scenario's world brings; alone or as a team."""

from __future__ import annotations

from otherminds.core.contracts import Mind
from otherminds.core.data import Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import EpisodeSpec, SeatSpec
from otherminds.core.registry import call
from otherminds.core.scenario import Scenario
from otherminds.minds.registry import make_mind, minds, strategies


def team(built: Scenario, spec: EpisodeSpec) -> dict[Seat, Mind]:
    """The minds under test of an episode, by seat; see :func:`seated`."""
    return {seat: seated(built, spec.seats[seat]) for seat in built.focal}


def models_of(spec: EpisodeSpec) -> tuple[str, ...]:
    """The language models of an episode, each once, in the order of seats."""
    return tuple(dict.fromkeys(seat.model for seat in spec.seats.values() if seat.model))


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
