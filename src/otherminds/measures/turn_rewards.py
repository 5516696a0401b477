"""Rewards of single rounds for learners: exact, free of the partner's luck, with a sum that is the return.

The return of an episode is ``(E − B) / (I − B)``: E sums, over its rounds, the expected payoff of the choice under
the true policy of the partner met, and B and I are the ends of F (:mod:`otherminds.measures.basis`). Its mean over the
population is 0 for the best plan fixed in advance and 1 for best responses.

A round's reward is the difference of a potential, the payoff expected so far plus the Bayes-optimal value of the rounds
left (:mod:`otherminds.games.belief`). A choice that only finds out who the partner is therefore earns its reward in
the round in which it does, and the optimal policy is that of the return (Ng, Harada & Russell 1999).
"""

from __future__ import annotations

import numpy as np

from otherminds.core.errors import WorldError
from otherminds.core.record import Record
from otherminds.games.belief import valuation
from otherminds.measures.basis import share
from otherminds.measures.intervals import Numbers
from otherminds.measures.literal import rounds_played, setting
from otherminds.measures.registry import UNSTEADY, Inapplicable, Unknown, by_rounds, ego


def turn_rewards(record: Record, rounds: int) -> Numbers | Unknown:
    """The reward of each round, float64[rounds played], of an episode that was to have ``rounds`` rounds.

    An episode that stopped early is charged the least payoff for every round that it lacks, in a reward of its own at the
    end: stopping never pays.
    """
    if not by_rounds(record):
        return Inapplicable(UNSTEADY)
    matchup, ends = setting(record), share(record)
    if isinstance(matchup, Unknown):
        return matchup
    if isinstance(ends, Unknown):
        return ends
    gained, winnable = ends
    game, met = matchup.game, matchup.met
    try:
        valued = valuation(game, matchup.family, rounds)
    except WorldError as error:
        return Unknown(str(error))
    earned, belief, state = 0.0, valued.start, met.start
    potentials = [record.total(ego(record)) - gained]
    for t, played in enumerate(rounds_played(record)):
        pays = game.payoffs[played.own]
        earned += sum(p * pay for p, (pay, _) in zip(met.output[state], pays, strict=True))
        # Bots of some worlds miss what they aim at; no member does so, and the belief stays.
        belief = valued.after(belief, played.own, played.other) or belief
        state = met.next[state][played.other][played.own]
        potentials.append(earned + valued.value(t + 1, belief))
    lacking = rounds - len(potentials) + 1
    if lacking > 0:
        potentials.append(earned + lacking * min(cell[0] for row in game.payoffs for cell in row))
    return np.diff(potentials) / winnable
