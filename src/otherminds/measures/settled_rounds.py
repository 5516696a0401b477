"""The informative rounds of the settled half of an episode: see :mod:`otherminds.measures.evidence`."""

from __future__ import annotations

from msgspec import Struct

from otherminds.games.valuing import Valuation, best_replies
from otherminds.measures.decomposition import STRANGE, TOLERATED
from otherminds.measures.population import Matchup, Round
from otherminds.measures.registry import Unknown

INFORMATIVE = 0.9
"""A round is informative where the posterior gives one behaviour at least this probability."""
SEEN = 2
"""The encounters that come before an informative round."""


class SettledRound(Struct, frozen=True):
    """An informative round with a prediction: what was said, and what was lost by not acting on it.

    ``said`` and ``shown`` are the partner's behaviours as predicted and as played; ``accuracy`` is the share of right
    answers, ``correct`` says whether the prediction is the best one. ``unused`` is what the mind's action loses against
    the best reply to the right prediction, ``winnable`` what a random action loses on average: in payoff.
    """

    said: int | None
    shown: int
    accuracy: float
    correct: bool
    unused: float
    winnable: float


def settled_rounds(
    matchup: Matchup, valued: Valuation, rounds: list[Round], length: int
) -> list[SettledRound] | Unknown:
    """The informative rounds of the settled half in which there was a prediction."""
    replies, belief, state = best_replies(matchup.game), valued.start, matchup.met.start
    settled: list[SettledRound] = []
    strange = 0
    for t, played in enumerate(rounds):
        if t >= max(length // 2, SEEN) and played.asked and max(valued.chances(belief)) >= INFORMATIVE:
            output = matchup.met.output[state]
            likeliest = output.index(max(output))
            worths = valued.worths(t, belief)
            by_word = sum(worths[a] for a in replies[likeliest]) / len(replies[likeliest])
            losses = [max(0.0, by_word - worth) for worth in worths]
            settled.append(
                SettledRound(
                    said=played.said,
                    shown=played.other,
                    accuracy=float(played.said == played.other),
                    correct=played.said == likeliest,
                    unused=losses[played.own],
                    winnable=sum(losses) / len(losses),
                )
            )
        after = valued.after(belief, played.own, played.other)
        strange += not after
        belief = after or belief
        state = matchup.met.next[state][played.other][played.own]
    return Unknown(STRANGE) if strange > TOLERATED * len(rounds) else settled
