"""The scenarios of encounters: ``acted_beliefs-GAME-POPULATION-v1`` for each stage game and each population."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from otherminds.core import scenario
from otherminds.core.contracts import Mind, Probe
from otherminds.core.data import Moment, Partner, Question, Seat
from otherminds.core.errors import StudyError
from otherminds.core.options import check_slip, check_whole
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Meeting, Population, Scenario, scenarios
from otherminds.household.acted_beliefs.contexts import EGO, PARTNER
from otherminds.household.acted_beliefs.minds import (
    IGNORANT,
    POLICIES,
    PartnerMind,
    PolicyMind,
)
from otherminds.household.acted_beliefs.partner_types import POPULATIONS, find_type, list_members
from otherminds.household.acted_beliefs.played import PLACES, THING
from otherminds.household.acted_beliefs.rules import EncounterRules
from otherminds.household.acted_beliefs.stage_games import GAMES
from otherminds.household.acted_beliefs.words import EncounterVerbalizer
from otherminds.household.acted_beliefs.world import GOES, THINKS, THINKS_OF_EGO, EncounterWorld

FEWEST, MOST = 4, 100
"""The possible numbers of encounters in an episode."""
MOST_DAYS = 10**9


def build(
    game: str,
    population: str,
    encounters: int = 12,
    places: int = 3,
    slip: float = 0.0,
    literal: str = "before",
    belief_questions: bool = False,
) -> Scenario:
    """The scenario of stage game ``game`` with ``population``.

    ``places`` is 3 or 4, ``slip`` the probability that a partner goes to a place at random. ``literal`` puts the question where
    the partner goes ``before`` the own choice or ``after`` it. With ``belief_questions`` ego is also asked where the partner
    thinks that the thing is, and where it thinks that ego thinks so.

    Raises:
        StudyError: an option has a bad value.
    """
    _check_options(encounters, places, slip, literal, belief_questions)
    rules = EncounterRules(game, population, PLACES[:places], float(slip), ())
    members = list_members(population, places)
    bounds = Bounds(
        None,
        None,
        None,
        reason="the ends of F are those of each type of partner; see the chapter on encounters",
        reference=population,
        population=tuple(Member(float(weight), spec.title) for weight, spec in members),
    )

    def seat_partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        return PartnerMind(rules, find_type(spec)), Partner(spec.title)

    def arrange(meeting: Meeting) -> dict[str, Any]:
        return {"order": scenario.order(places, meeting)}

    def verbalize(drawn: dict[str, Any], seat: Seat) -> EncounterVerbalizer:
        return EncounterVerbalizer(rules, encounters, seat, tuple(drawn["order"]))

    return Scenario(
        id=name_scenario(game, population),
        world=partial(EncounterWorld, rules, encounters),
        population=Population(tuple((weight, (spec,)) for weight, spec in members)),
        partner=seat_partner,
        focal=(EGO,),
        probes=_list_probes(rules, literal, belief_questions),
        # Contexts are drawn by the world; a number of the draw tells episodes apart that have the same order of options.
        draw=lambda rng: {"day": rng.randrange(MOST_DAYS)},
        arrange=arrange,
        verbalizer=verbalize,
        minds={name: partial(PolicyMind, rules, name) for name in POLICIES},
        ignorant=IGNORANT,
        bounds=lambda met: bounds,
        description=f"{encounters} encounters of {game} with partners of the population {population}",
    )


def name_scenario(game: str, population: str) -> str:
    """The scenario of a stage game and a population.

    >>> name_scenario("meet", "first")
    'acted_beliefs-meet-first-v1'
    """
    return f"acted_beliefs-{game}-{population}-v1"


@scenarios.family
def every_encounter() -> Mapping[str, Callable[..., Scenario]]:
    """A scenario for every stage game and every population."""
    return {
        name_scenario(game, population): partial(build, game, population)
        for population in POPULATIONS
        for game in GAMES
    }


def _list_probes(rules: EncounterRules, literal: str, belief_questions: bool) -> tuple[Probe, ...]:
    """The questions at the start of each encounter."""
    unchanged = f", unless you tell it where {THING} is" if rules.game == "tell" else ""
    unchanged = ", if the door stays closed" if rules.game == "screen" else unchanged
    texts = {GOES: f"Where does {PARTNER} go{unchanged}?"}
    if belief_questions:
        texts[THINKS] = f"Where does {PARTNER} think that {THING} is?"
        texts[THINKS_OF_EGO] = f"Where does {PARTNER} think that you think {THING} is?"
    steps = rules.stage.steps

    def begins(moment: Moment) -> bool:
        return moment.step % steps == 0

    return tuple(
        Probe(
            Question(
                id=name,
                seat=EGO,
                when="before" if literal == "before" else "after",
                text=text,
                options=rules.names,
                chance=1 / len(rules.names),
                about=PARTNER if name == GOES else "",
            ),
            begins if steps > 1 else None,
        )
        for name, text in texts.items()
    )


def _check_options(encounters: int, places: int, slip: float, literal: str, belief_questions: bool) -> None:
    check_whole("encounters", encounters, FEWEST, MOST)
    if isinstance(places, bool) or places not in (3, 4):
        raise StudyError(f"places must be 3 or 4, not {places!r}")
    check_slip(slip)
    if literal not in ("before", "after"):
        raise StudyError(f"literal must be 'before' or 'after', not {literal!r}")
    if not isinstance(belief_questions, bool):
        raise StudyError(f"belief_questions must be true or false, not {belief_questions!r}")
