"""The scenarios of Hanabi: ``hanabi-SIZE-PLAYERSp-POPULATION-v1``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

from otherminds.core.contracts import Mind, Probe
from otherminds.core.data import Moment, Partner, Question, Seat
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario, scenarios
from otherminds.hanabi.conventions.convention import conventions
from otherminds.hanabi.minds import RANDOM, ConventionMind
from otherminds.hanabi.rules import size_rules
from otherminds.hanabi.words import HanabiVerbalizer
from otherminds.hanabi.world import EGO, KINDS, NEXT, SCORES, HanabiWorld, name_seats

POPULATIONS = {
    "mixed": ("iggi", "outer", "piers", "van_den_bergh", "simple", "holmes", "smart"),
    "inferring": ("simple", "holmes", "smart"),
}
"""The conventions of each population, equally likely; all partners of an episode play the same. ``inferring`` ones read more into
hints than they say."""
TABLES = (("full", 2), ("full", 3), ("full", 4), ("full", 5), ("small", 2), ("small", 3), ("minimal", 2))
"""Sizes with numbers of players."""
NOT_EXACT = "the best score with these partners is unknown: Hanabi of this size cannot be solved"
NO_VERDICT = "a verdict needs the worth of every choice, which takes minutes to compute with these partners"
INFORMED = {
    "iggi": 3.055536,
    "outer": 3.147321,
    "piers": 3.148214,
    "van_den_bergh": 3.151786,
    "simple": 2.932143,
    "holmes": 3.433036,
    "smart": 3.660714,
}
"""The mean score of the best response to each convention in the size ``minimal`` (``benchmarks/hanabi_exact.py``)."""
BLIND = {"mixed": 3.135372, "inferring": 3.219643}
"""That of the best response to a partner whose convention is any of a population, and shows in its moves alone."""
MOST_DAYS = 10**9


def build(size: str, players: int, population: str) -> Scenario:
    """The scenario in which ego plays the first seat of a game of ``size`` with ``players`` players."""
    rules = size_rules(size, players)
    names = POPULATIONS[population]
    weight = Fraction(1, len(names))
    members = tuple(Member(float(weight), name) for name in names)

    def bound_score(met: Mapping[Seat, SeatSpec]) -> Bounds:
        if size != "minimal":
            return Bounds(None, None, None, reason=NOT_EXACT, reference=population, population=members)
        best = sum(INFORMED[name] for name in names) / len(names)
        return Bounds(INFORMED[met[seats[1]].mind], best, BLIND[population], population, members)

    def seat_partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return ConventionMind(rules, spec.mind), Partner(spec.mind)

    seats = name_seats(players)
    return Scenario(
        id=name_scenario(size, players, population),
        world=partial(HanabiWorld, rules),
        population=Population(tuple((weight, (SeatSpec(name),) * (players - 1)) for name in names)),
        partner=seat_partner,
        focal=(EGO,),
        probes=_list_probes(seats[1], players),
        # The deck is shuffled by the world; a number of the draw tells episodes apart.
        draw=lambda rng: {"day": rng.randrange(MOST_DAYS)},
        verbalizer=lambda drawn, seat: HanabiVerbalizer(rules, seat),
        minds={name: partial(ConventionMind, rules, name) for name in (*conventions, RANDOM)},
        ignorant=(RANDOM,),
        bounds=bound_score,
        description=f"Hanabi ({size}) with {players - 1} partner{'s' * (players > 2)} of the population {population}",
    )


def name_scenario(size: str, players: int, population: str) -> str:
    """The scenario of a size, a number of players and a population.

    >>> name_scenario("full", 2, "mixed"), name_scenario("small", 3, "mixed")
    ('hanabi-2p-mixed-v1', 'hanabi-small-3p-mixed-v1')
    """
    return "-".join(["hanabi", *([size] if size != "full" else []), f"{players}p", population, "v1"])


@scenarios.family
def every_table() -> Mapping[str, Callable[..., Scenario]]:
    """A scenario for every table and every population."""
    return {
        name_scenario(size, players, population): partial(build, size, players, population)
        for size, players in TABLES
        for population in POPULATIONS
    }


def _list_probes(following: Seat, players: int) -> tuple[Probe, ...]:
    """In the own turn: whether an own card would score, and what the next player does then."""

    def is_own_turn(moment: Moment) -> bool:
        return not moment.last and moment.step % players == 0

    own = Question(SCORES, EGO, "before", "Would that card score if you played it now?", ("yes", "no"), 0.5)
    text = f"What will {following} do in its next turn?"
    coming = Question(NEXT + following, EGO, "after", text, KINDS, 1 / len(KINDS), about=following)
    return tuple(Probe(question, is_own_turn) for question in (own, coming))
