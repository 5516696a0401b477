"""Strategies of Axelrod-Python as automata: ``axelrod-ipd-automata-v1``, which does not need the library.

The table holds the least automaton of every length-blind strategy that has one of at most 64 states, learnt
from the strategies themselves in the project's IPD (``tools/axelrod_automata``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from functools import cache, partial
from pathlib import Path

import msgspec
from msgspec import Struct

from otherminds.core.contracts import Mind
from otherminds.core.data import Automaton, Partner, Seat
from otherminds.core.errors import StudyError
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario
from otherminds.core.worlds import scenarios
from otherminds.games.automata import always
from otherminds.games.bounds import bound_by_partner, compute_bounds, weigh_policies
from otherminds.games.named.ipd import ipd
from otherminds.games.player import AutomatonPlayer
from otherminds.matrix.scenarios import build, constant
from otherminds.matrix.world import PARTNER

NAME = "axelrod-ipd-automata-v1"
STATES = 64
"""The most states of an automaton in the table: as many as a record lists for one partner."""
TABLE = Path(__file__).with_name("axelrod_automata.json")


class AutomatonTable(Struct, frozen=True):
    """The version of Axelrod-Python, the automata of its strategies, and why the other strategies have none."""

    version: str
    automata: dict[str, Automaton]
    others: dict[str, str]


@cache
def table() -> AutomatonTable:
    """The table of automata."""
    return msgspec.json.decode(TABLE.read_bytes(), type=AutomatonTable)


def against(
    native: Scenario, rounds: int, strategies: Sequence[str], automata: Mapping[str, Automaton]
) -> Scenario:
    """``native``, of the IPD, against ``strategies`` with equal weights; with exact references if ``automata`` has all of them.

    F and L refer to the strategies, or for a single one to its mixture with the constant partners.
    """
    met = Population(tuple((Fraction(1, len(strategies)), (SeatSpec(name),)) for name in strategies))
    unknown = [name for name in strategies if name not in automata]
    if unknown:
        reason = (
            f"{len(unknown)} of {len(strategies)} strategies have no known automaton, such as {unknown[0]}"
        )
        return replace(
            native,
            population=met,
            priors={"mixed": native.priors["mixed"]},
            bounds=lambda met: Bounds(None, None, None, reason=reason),
        )
    family = tuple(Member(1 / len(strategies), name, automata[name]) for name in strategies)
    title, reference = f"{len(family)} strategies of Axelrod-Python", family
    if len(family) == 1:
        title, reference = f"half single, half {strategies[0]}", _mixture(strategies[0], automata)

    @cache
    def ends(name: str) -> Bounds:
        return compute_bounds(ipd(), rounds, title, reference, automata[name])

    return replace(
        native,
        population=met,
        priors={
            "family": lambda: weigh_policies(family),
            "reference": lambda: weigh_policies(reference),
            "mixed": native.priors["mixed"],
        },
        bounds=bound_by_partner(PARTNER, lambda spec: ends(spec.mind)),
    )


def _mixture(strategy: str, automata: Mapping[str, Automaton]) -> tuple[Member, ...]:
    """Half constant partners, half ``strategy``."""
    columns = len(ipd().behaviours[1])
    constants = (
        Member(float(weight) / 2, spec.title, Automaton(0, (always(b, columns),), (((0, 0),) * columns,)))
        for b, (weight, spec) in enumerate(constant(ipd()))
    )
    return (*constants, Member(0.5, strategy, automata[strategy]))


def check_strategies(strategies: Sequence[str], catalogue: Mapping[str, object], kind: str) -> Sequence[str]:
    """``strategies``, which must be names in ``catalogue``, the strategies of this ``kind``.

    Raises:
        StudyError: they are not, or not different, or none.
    """
    if not strategies or len(set(strategies)) < len(strategies):
        raise StudyError(f"strategies must be different names, at least one, not {strategies!r}")
    for name in strategies:
        if name not in catalogue:
            near = " or ".join(get_close_matches(name, catalogue, 3))
            hint = f"did you mean {near}?" if near else "they are called as their classes, such as TitForTat"
            raise StudyError(f"Axelrod-Python has no {kind} strategy {name!r}; {hint}")
    return strategies


def without_params(spec: SeatSpec) -> str:
    """The strategy of a partner.

    Raises:
        StudyError: it has parameters.
    """
    if spec.params:
        raise StudyError(f"partner {spec.mind!r} has no parameters; leave out {', '.join(spec.params)}")
    return spec.mind


def every_automaton(
    rounds: int = 100,
    names: str | list[str] = "neutral",
    literal: str = "after",
    strategies: list[str] | None = None,
) -> Scenario:
    """The iterated Prisoner's Dilemma against automata of Axelrod-Python's strategies with equal weights.

    They are ``strategies``, in this order, or all in the table. Each may also play in the seat under test.

    Raises:
        StudyError: an option has a bad value.
    """
    automata = table().automata
    met = list(automata) if strategies is None else check_strategies(strategies, automata, "finite")

    def partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        automaton = automata[without_params(spec)]
        return AutomatonPlayer(automaton), Partner(spec.title, automaton)

    return replace(
        against(build(ipd(), "mixed", rounds, names, literal), rounds, met, automata),
        id=NAME,
        partner=partner,
        minds={name: partial(AutomatonPlayer, automaton) for name, automaton in automata.items()},
        description=f"ipd for {rounds} rounds against {len(met)} automata of Axelrod-Python's strategies",
    )


@scenarios.family
def scenarios_of_automata() -> Mapping[str, Callable[..., Scenario]]:
    """``axelrod-ipd-automata-v1``."""
    return {NAME: every_automaton}
