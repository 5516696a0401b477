"""F of decisions: how well a mind chooses what to show, apart from how fast it brings encounters about.

Where avatars gather what they show, a return mixes two abilities: to choose a behaviour, and to collect it and find the
other. A mind that collects faster than ``informed`` earns more than it, whatever it knows. Here every encounter counts
once, with the payoffs of the game's table at the behaviours shown, and collecting is taken as given::

    F of decisions = 1 − Σ_p w_p · loss(p) / Σ_p w_p · blind(p)

``loss`` is the mean over an episode's encounters of V(h) − Q(h, a), with Q of the best response to the partner's automaton
(:func:`~.weighed_acts.weigh_game_acts`); no loss is negative, so that nobody is above 1, and who plays the best response is at
1. ``blind`` is what the best repeated pattern of at most four behaviours loses against the same partners: it is at 0, as in F.
An episode without an encounter counts as one of ``blind``, so that nobody gains by keeping away from partners that it does not know."""

from __future__ import annotations

from functools import lru_cache

from otherminds.core.data import Game, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.core.record import Record
from otherminds.games.best_response import ENDLESS
from otherminds.games.blind import LONGEST, USUAL, blind_pattern, lose_blindly, repeat
from otherminds.measures.basis import LEAST_TO_WIN, NOTHING_TO_WIN
from otherminds.measures.literal import setting
from otherminds.measures.registry import Inapplicable, Unknown, by_rounds, ratios
from otherminds.measures.weighed_acts import weigh_game_acts

MATRIX = "encounters are single steps, and F is of decisions already"


@ratios.register("decision_functional")
def decision_functional(record: Record) -> tuple[float, float] | Unknown:
    """(blind − loss, blind) of one episode, in payoff an encounter; unknown without the partners' policies.

    ``blind`` is the population's, so that the ratio of sums over a cell is its F of decisions.
    """
    if by_rounds(record):
        return Inapplicable(MATRIX)
    matchup = setting(record)
    if isinstance(matchup, Unknown):
        return matchup
    acts = weigh_game_acts(record)
    if isinstance(acts, Unknown):
        return acts
    try:
        blind = mean_blind_loss(matchup.game, matchup.family)
    except WorldError as error:
        return Unknown(str(error))
    payoffs = [cell[0] for row in matchup.game.payoffs for cell in row]
    if blind < LEAST_TO_WIN * (max(payoffs) - min(payoffs)):
        return Unknown(NOTHING_TO_WIN)
    lost = sum(act.loss for act in acts) / len(acts) if acts else blind
    return blind - lost, blind


@lru_cache(maxsize=64)
def mean_blind_loss(game: Game, family: tuple[WeightedPolicy, ...]) -> float:
    """What the best repeated pattern is expected to lose in an encounter, on average over ``family``.

    Raises:
        WorldError: an automaton is too large to solve exactly.
    """
    plan = repeat(blind_pattern(game, family, USUAL, LONGEST), USUAL)
    losses = lose_blindly(game, family, plan, ENDLESS)
    return sum(member.weight * loss for member, loss in zip(family, losses, strict=True))
