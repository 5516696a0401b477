"""The ends of L in one episode: what can be predicted without looking, and with the partner's policy."""

from __future__ import annotations

from otherminds.core.record import Record
from otherminds.games.blind import blind_predictor
from otherminds.measures.literal import NOT_ASKED
from otherminds.measures.population import rounds_played, setting
from otherminds.measures.registry import Accuracy, Unknown, literals


@literals.register("next_behaviour")
def next_behaviour(record: Record) -> Accuracy | Unknown:
    """A, b and u of one episode, over the encounters that a prediction with a known truth was asked of.

    The blind predictor says the likeliest behaviour under the prior after the mind's own
    actions so far: every member's automaton is run against these, and its accuracy is the
    weighted mean over members. The accuracy of one who knows the partner's policy is the
    probability of the likeliest behaviour in the partner's true state.
    """
    found = setting(record)
    if isinstance(found, Unknown):
        return found
    rounds = rounds_played(record)
    if not any(one.right is not None for one in rounds):
        return Unknown(NOT_ASKED)
    unseen = blind_predictor(found.game, found.family).accuracies([one.own for one in rounds])
    told = blind = known = asked = 0.0
    state = found.met.start
    for one, likeliest in zip(rounds, unseen, strict=True):
        if one.right is not None:
            asked += 1
            told += one.right
            blind += likeliest
            known += max(found.met.output[state])
        state = found.met.next[state][one.other][one.own]
    return Accuracy(told / asked, blind / asked, known / asked)
