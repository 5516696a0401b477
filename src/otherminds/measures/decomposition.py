"""The exact decomposition of regret into five parts.

With Q and V of the Bayes-optimal play under the reference population (:mod:`otherminds.games.valuing`), y the
mind's prediction, y* the posterior's likeliest move and BR the best stage responses (ties averaged)::

    regret =  unknowable  I_p − V(h_0)
            + foresight   Σ [V(h_t) − Q(h_t, BR(y*_t))]
            + mistaken    Σ [Q(h_t, BR(y*_t)) − Q(h_t, BR(y_t))]
            + unused      Σ [Q(h_t, BR(y_t)) − Q(h_t, a_t)]
            − luck        Σ [r_t + V(h_{t+1}) − Q(h_t, a_t)]

The sum telescopes to the regret whatever Q is.
"""

from __future__ import annotations

from msgspec import Struct

from otherminds.core.errors import WorldError
from otherminds.core.record import Record
from otherminds.games.best_response import best_response
from otherminds.games.valuing import Worths, best_replies, dominant, valuation
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.population import rounds_played, setting
from otherminds.measures.registry import Unknown

TERMS = ("unknowable", "foresight", "mistaken", "unused", "luck")
DOMINANT = (
    "one behaviour is the best stage response to every prediction, so that no prediction matters in one "
    "round: see the gap, and foresight"
)
STRANGE = "the partner often did what no member of the population does"
TOLERATED = 0.1
"""The share of encounters in which the partner may do what no member would: bots miss what they aim at."""


class Decomposition(Struct, frozen=True, tag="parts"):
    """Regret and its parts in payoff per round: ``regret`` = the first four terms − ``luck``.

    ``exact``: Q is that of the exact Bayes-optimal play, not a posterior mean of the
    members' own. ``dominant``: no prediction matters in one round of this game.
    """

    regret: float
    unknowable: float
    foresight: float
    mistaken: float
    unused: float
    luck: float
    exact: bool
    dominant: bool


def decomposition(record: Record) -> Decomposition | Unknown:
    """The parts of one episode's regret; unknown where a policy or the predictions are missing.

    In worlds with encounters a behaviour's payoff is the game's table. An invalid prediction
    is charged the mean over all possible ones.
    """
    matchup = setting(record)
    if isinstance(matchup, Unknown):
        return matchup
    rounds = rounds_played(record)
    if not rounds or not all(played.asked for played in rounds):
        return Unknown(NOT_ASKED)
    try:
        valued = valuation(matchup.game, matchup.family, len(rounds))
        informed = best_response(matchup.game, matchup.met, len(rounds)).value
    except WorldError as error:
        return Unknown(str(error))
    replies, belief = best_replies(matchup.game), valued.start
    total = foresight = mistaken = unused = luck = 0.0
    strange = 0
    for t, played in enumerate(rounds):
        worths = valued.worths(t, belief)
        best, done = max(worths), worths[played.own]
        by_mode = _mean(worths, replies[valued.likeliest(belief)])
        by_word = (
            _mean(worths, replies[played.said])
            if played.said is not None
            else sum([_mean(worths, reply) for reply in replies]) / len(replies)
        )
        reward = matchup.game.payoffs[played.own][played.other][0]
        after = valued.after(belief, played.own, played.other)
        strange += not after
        belief = after or belief
        total += reward
        foresight += best - by_mode
        mistaken += by_mode - by_word
        unused += by_word - done
        luck += reward + valued.value(t + 1, belief) - done
    if strange > TOLERATED * len(rounds):
        return Unknown(STRANGE)
    n = len(rounds)
    unknowable = informed - valued.value(0, valued.start)
    return Decomposition(
        (informed - total) / n,
        unknowable / n,
        foresight / n,
        mistaken / n,
        unused / n,
        luck / n,
        valued.exact,
        dominant(matchup.game),
    )


def _mean(worths: Worths, behaviours: tuple[int, ...]) -> float:
    """The mean worth of behaviours that tie as stage responses."""
    return sum([worths[a] for a in behaviours]) / len(behaviours)
