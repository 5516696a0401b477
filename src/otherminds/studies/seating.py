"""Makes the setup of a planned episode from its spec."""

from __future__ import annotations

from collections.abc import Mapping

from otherminds.core.contracts import Mind
from otherminds.core.errors import StudyError
from otherminds.core.model import Model
from otherminds.core.record import EpisodeSpec, SeatSpec
from otherminds.core.scenario import Scenario
from otherminds.core.setup import Participant, Setup
from otherminds.core.worlds import scenario
from otherminds.minds.making import make_mind
from otherminds.minds.registry import minds, strategies


def prepare_setup(spec: EpisodeSpec, models: Mapping[str, Model] | None = None) -> Setup:
    """The setup of ``spec``; ``models`` are open models by their names in ``spec``.

    Raises:
        StudyError: the episode would differ from the planned one, since a plugin's mind or model
            has another name than the one it was requested by.
    """
    setup = setup_of(spec, scenario(spec.scenario, spec.options), models or {})
    if setup.spec != spec:
        raise StudyError(
            f"{setup.spec.title} with {', '.join(seat.called for seat in setup.spec.seats.values())} would be "
            f"played, and {spec.title} with {', '.join(seat.called for seat in spec.seats.values())} was planned; "
            "a registered thing must return a new object, and a model must have the name it is opened by as its spec"
        )
    return setup


def setup_of(spec: EpisodeSpec, built: Scenario, models: Mapping[str, Model]) -> Setup:
    """The setup of ``spec`` in its ``built`` scenario, with ``models`` by the names in ``spec``."""
    return Setup(
        built,
        {
            seat: Participant(make_seated(built, who), models[who.model] if who.model else None, who.label)
            for seat, who in spec.seats.items()
            if seat in built.focal
        },
        spec.seed,
        {seat: who for seat, who in spec.seats.items() if seat not in built.focal},
        spec.grants,
        spec.ask,
        spec.label,
    )


def models_of(spec: EpisodeSpec) -> tuple[str, ...]:
    """The language models of an episode, each once, in the order of seats."""
    return tuple(dict.fromkeys(seat.model for seat in spec.seats.values() if seat.model))


def make_seated(built: Scenario, spec: SeatSpec) -> Mind:
    """The mind that ``spec`` names; the scenario's own minds take precedence.

    Raises:
        StudyError: no such mind, or a bad parameter.
    """
    if not spec.model and spec.mind in built.minds:
        return built.make(spec.mind, spec.params)
    if not spec.model and built.minds and spec.mind not in minds and spec.mind not in strategies:
        own = ", ".join(sorted(built.minds))
        raise StudyError(
            f"no mind is called {spec.mind!r}; {built.id} has its own ({own}), and see `otherminds list minds`"
        )
    return make_mind(spec)
