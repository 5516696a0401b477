"""The scenarios of word games: ``GAME-POPULATION-v1`` for each game and each population."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from otherminds.core.contracts import Mind, Probe
from otherminds.core.data import Moment, Partner, Question, Seat
from otherminds.core.options import check_slip, check_whole
from otherminds.core.record import Bounds, Member, SeatSpec
from otherminds.core.scenario import Population, Scenario, scenarios
from otherminds.wordgames.evidence import is_asked
from otherminds.wordgames.exact import DECK
from otherminds.wordgames.game import EGO, PARTNER
from otherminds.wordgames.minds import IGNORANT, POLICIES, PartnerMind, PolicyMind
from otherminds.wordgames.partners import POPULATIONS, list_members, make_listener
from otherminds.wordgames.questions import name_answer, name_slot
from otherminds.wordgames.rules import GAMES, GameRules
from otherminds.wordgames.words import GameVerbalizer, make_form
from otherminds.wordgames.world import WordGameWorld

FEWEST = 4
"""The smallest number of boards; the largest is that of the deck."""
MOST_DAYS = 10**9


def build(game: str, population: str, boards: int = 24, slip: float = 0.05) -> Scenario:
    """The scenario of ``game`` with ``population``: a round for each of ``boards`` boards. ``slip`` is the probability that a partner makes any choice at random.

    Raises:
        StudyError: an option has a bad value.
    """
    check_whole("boards", boards, FEWEST, DECK)
    check_slip(slip)
    rules = GameRules(game, population, float(slip), ())
    members = list_members(population, curves=GAMES[game].calibrated)

    def seat_partner(spec: SeatSpec, seat: Seat) -> tuple[Mind, Partner]:
        listener = make_listener(rules.tables.lexicon, spec)
        return PartnerMind(rules, make_form(rules, boards), listener), Partner(spec.title)

    def make_policy(name: str) -> Mind:
        return PolicyMind(rules, make_form(rules, boards), name)

    return Scenario(
        id=name_scenario(game, population),
        world=partial(WordGameWorld, rules, boards),
        population=Population(tuple((weight, (spec,)) for weight, spec in members)),
        partner=seat_partner,
        focal=(EGO,),
        probes=lambda drawn: _list_probes(rules, boards),
        # Boards are drawn by the world; a number of the draw tells episodes apart.
        draw=lambda rng: {"day": rng.randrange(MOST_DAYS)},
        verbalizer=lambda drawn, seat: GameVerbalizer(rules, make_form(rules, boards), boards, seat),
        minds={name: partial(make_policy, name) for name in POLICIES},
        ignorant=IGNORANT,
        bounds=lambda met: find_bounds(rules, boards, met.get(PARTNER)),
        description=f"{boards} rounds of {game.replace('-', ', ')}, with partners of the population {population}",
    )


def find_bounds(rules: GameRules, rounds: int, met: SeatSpec | None) -> Bounds:
    """The expected points of an episode: of one who knows the partner, its mean over the population, and of the best blind mind."""
    tables = rules.tables
    ends = tables.ends
    informed = None
    if met is not None and met.title in tables.names:
        informed = float(ends.informed[tables.names.index(met.title)])
    return Bounds(
        informed=None if informed is None else rounds * informed,
        best=rounds * float(tables.weights @ ends.informed),
        blind=rounds * float(tables.weights @ ends.blind),
        reference=rules.population,
        population=tuple(
            Member(float(weight), name) for weight, name in zip(tables.weights, tables.names, strict=True)
        ),
    )


def name_scenario(game: str, population: str) -> str:
    """The scenario of a game and a population.

    >>> name_scenario("wavelength-giver", "mixed")
    'wavelength-giver-mixed-v1'
    """
    return f"{game}-{population}-v1"


@scenarios.family
def every_word_game() -> Mapping[str, Callable[..., Scenario]]:
    """A scenario for every game and every population."""
    return {
        name_scenario(game, population): partial(build, game, population)
        for population in POPULATIONS
        for game in GAMES
    }


def _list_probes(rules: GameRules, rounds: int) -> tuple[Probe, ...]:
    """The questions before ego's first choice of each round of the second half."""
    game, form = rules.rules, make_form(rules, rounds)

    def is_due(slot: int, moment: Moment) -> bool:
        view = form.read(moment.observation)
        if not is_asked(view.round, rounds) or game.mover(view.moves) != EGO:
            return False
        first = all(mover != EGO for mover, _, _ in game.unfold(view.moves))
        return first and slot < game.count_slots(view.moves)

    return tuple(
        Probe(
            Question(
                id=name_slot(slot),
                seat=EGO,
                when="before",
                text=f"what {PARTNER} associates, question {slot + 1}",
                options=tuple(map(name_answer, range(game.answers))),
                chance=1 / game.answers,
                about=PARTNER,
            ),
            partial(is_due, slot),
        )
        for slot in range(game.slots)
    )
