"""The exact ends of F in a repeated game whose partners are automata, for :attr:`~otherminds.core.scenario.Scenario.bounds`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from otherminds.core.data import Automaton, Game, Seat, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.games.best_response import best_response
from otherminds.games.blind import blind_value

STATES = 1024
"""Reference populations with more states than this together are recorded by name alone."""


def compute_bounds(
    game: Game, rounds: int, name: str, population: tuple[Member, ...], met: Automaton
) -> Bounds:
    """The ends of F for a partner ``met``, where F and L refer to ``population``, whose members are automata.

    ``name`` is what reports call the population. An end that cannot be computed is ``None``, with the reason.
    """
    likely = weigh_policies(population)
    small = sum(len(member.automaton.output) for member in likely) <= STATES
    recorded = population if small else tuple(Member(m.weight, m.name) for m in population)
    try:
        informed = best_response(game, met, rounds).value
        best = sum(m.weight * best_response(game, m.automaton, rounds).value for m in likely)
    except WorldError as error:
        return Bounds(None, None, None, name, recorded, str(error))
    blind, reason = _value_blind_plan(game, likely, rounds)
    return Bounds(informed, best, blind, name, recorded, reason)


def bound_by_partner(
    seat: Seat, ends: Callable[[SeatSpec], Bounds]
) -> Callable[[Mapping[Seat, SeatSpec]], Bounds]:
    """A scenario's ``bounds`` from the ends for each partner in ``seat``; unknown where a mind under test sits there."""

    def bounds(met: Mapping[Seat, SeatSpec]) -> Bounds:
        if seat not in met:
            return Bounds(
                None, None, None, reason=f"a mind under test sits in {seat!r}, not one of the population"
            )
        return ends(met[seat])

    return bounds


def weigh_policies(population: tuple[Member, ...]) -> tuple[WeightedPolicy, ...]:
    """The members that are automata, as a prior."""
    return tuple(WeightedPolicy(member.weight, member.automaton) for member in population if member.automaton)


@cache
def _value_blind_plan(
    game: Game, likely: tuple[WeightedPolicy, ...], rounds: int
) -> tuple[float | None, str]:
    """The blind plan's return, or why it is not known; computed once for all partners of a population."""
    try:
        return blind_value(game, likely, rounds), ""
    except WorldError as error:
        return None, f"the best plan fixed in advance is not known: {error}"
