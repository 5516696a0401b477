"""The value that determines an episode, from which the spec in its record is derived."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import msgspec

from otherminds.core.contracts import Mind
from otherminds.core.data import Seat
from otherminds.core.errors import StudyError
from otherminds.core.model import Model
from otherminds.core.record import BY_HAND, EpisodeSpec, SeatSpec
from otherminds.core.registry import Origin, parameters
from otherminds.core.scenario import Scenario

SEATED = ("mind", "strategy")
"""The kinds of registries whose names a record may use for minds."""
PLAIN = (bool, int, float, str)


@dataclass(frozen=True)
class Participant:
    """The mind under test in one seat, its language model, and its label in reports.

    Raises:
        StudyError: a model is given to a mind that uses none.
    """

    mind: Mind
    model: Model | None = None
    label: str = ""

    def __post_init__(self) -> None:
        if self.model is not None and not self.mind.suspends:
            raise StudyError(
                f"mind {_by_class(self.mind)!r} uses no language model; leave out {self.model.spec!r}"
            )

    def spec(self, scenario: Scenario) -> SeatSpec:
        """Its entry in a record: under its registered name, or under its class if it was made by hand."""
        origin = _name_origin(self.mind, scenario)
        name, params = (
            (origin.name, deepcopy(origin.params))
            if origin
            else (_by_class(self.mind), _plain_parameters(self.mind))
        )
        return SeatSpec(name, params, self.model.spec if self.model else "", self.label)

    def sit(self, scenario: Scenario) -> Mind:
        """The mind that plays in ``scenario``: made again if it has a registered name, else itself."""
        origin = _name_origin(self.mind, scenario)
        return origin.again() if origin else self.mind


@dataclass(frozen=True)
class Setup:
    """Everything that determines an episode. Played twice, it gives equal records.

    ``minds`` fill the seats under test. ``partners`` are members of the population, by seat; by default those
    that the population assigns to episode ``seed``. ``grants`` are the privileges of seats that differ from
    what their minds need. ``ask`` switches the probes; ``label`` is the scenario's name in reports.

    Raises:
        StudyError: a seat is empty, unknown or filled twice, or a partner has a model.
    """

    scenario: Scenario
    minds: Mapping[Seat, Mind | Participant]
    seed: int = 0
    partners: Mapping[Seat, SeatSpec] | None = None
    grants: Mapping[Seat, tuple[str, ...]] = field(default_factory=dict[Seat, tuple[str, ...]])
    ask: bool = True
    label: str = ""

    def __post_init__(self) -> None:
        scenario, seats = self.scenario, self.scenario.seats
        partners = dict(self._met() if self.partners is None else self.partners)
        for seat in (*self.minds, *partners, *self.grants):
            if seat not in seats:
                raise StudyError(f"scenario {scenario.id!r} has no seat {seat!r}; it has {', '.join(seats)}")
        for seat in seats:
            if (seat in self.minds) == (seat in partners):
                fault = "has two minds" if seat in partners else "has no mind"
                raise StudyError(f"seat {seat!r} of scenario {scenario.id!r} {fault}")
        for seat, member in partners.items():
            if member.model:
                raise StudyError(
                    f"partner {member.mind!r} in seat {seat!r} uses no model; leave out {member.model!r}"
                )
        object.__setattr__(self, "partners", MappingProxyType(partners))
        object.__setattr__(self, "minds", MappingProxyType(dict(self.minds)))
        object.__setattr__(self, "grants", MappingProxyType(dict(self.grants)))

    @cached_property
    def participants(self) -> Mapping[Seat, Participant]:
        """The participants under test, by seat."""
        minds = self.minds.items()
        return {seat: who if isinstance(who, Participant) else Participant(who) for seat, who in minds}

    @cached_property
    def spec(self) -> EpisodeSpec:
        """The spec of the episode, as it is recorded."""
        scenario, origin = self.scenario, self.scenario.origin
        is_registered = origin is not None and origin.registered("scenario")
        partners = self.partners or {}
        grants = {seat: tuple(sorted(who.mind.grants)) for seat, who in self.participants.items()}
        grants |= {
            seat: scenario.needs(member, seat) for seat, member in partners.items() if seat not in self.grants
        }
        grants |= self.grants
        return EpisodeSpec(
            scenario=origin.name if origin and is_registered else BY_HAND + scenario.id,
            seats={
                **{seat: who.spec(scenario) for seat, who in self.participants.items()},
                **{
                    seat: msgspec.convert(msgspec.to_builtins(member), SeatSpec)
                    for seat, member in partners.items()
                },
            },
            seed=self.seed,
            options=deepcopy(origin.params) if origin and is_registered else {},
            grants={seat: names for seat, names in grants.items() if names},
            ask=self.ask,
            label=self.label,
        )

    def _met(self) -> Mapping[Seat, SeatSpec]:
        """The population's partners for this seed, in the seats without a mind under test."""
        empty = [seat for seat in self.scenario.others if seat not in self.minds]
        if not empty:
            return {}
        met = zip(self.scenario.others, self.scenario.population.met(self.seed), strict=True)
        return {seat: member for seat, member in met if seat in empty}


def _name_origin(mind: Mind, scenario: Scenario) -> Origin | None:
    """The origin of a mind that a record may name: registered, or one of its registered scenario's own."""
    origin = mind.origin
    if origin is None or origin.registered(*SEATED):
        return origin
    own = origin.maker is scenario and scenario.origin is not None and scenario.origin.registered("scenario")
    return origin if own else None


def _by_class(mind: Mind) -> str:
    """The name of a mind made by hand: its class, in the form of an entry point."""
    return f"{type(mind).__module__}:{type(mind).__qualname__}"


def _plain_parameters(mind: Mind) -> dict[str, Any]:
    """The plain parameters of its class that a mind made by hand has as attributes."""
    attributes = ((p.name, getattr(mind, p.name, None)) for p in parameters(type(mind)))
    return {name: value for name, value in attributes if isinstance(value, PLAIN)}
