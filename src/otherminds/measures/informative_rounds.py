"""The informative rounds of the settled half of an episode: see :mod:`otherminds.measures.evidence`.

In games with a dominant action they come from policy questions. A policy question asks what the partner will do in the next
round if the mind chooses a given behaviour in this one. Its answers are scored against the partner's known policy, also for
the behaviour that the mind does not choose. The best plan against the right answers takes the place of the best stage reply
to a right prediction.
"""

from __future__ import annotations

from msgspec import Struct

from otherminds.core.data import Game
from otherminds.core.record import Asked, Record
from otherminds.games.belief import Belief
from otherminds.games.said_policy import Response, planned_actions, response_of
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


def policy_answers(record: Record) -> dict[int, tuple[int | None, ...]]:
    """The stated policies by step: for each own behaviour the partner's in the round after, ``None`` if unread."""
    assert record.game is not None, "the caller has checked it"
    own, others = record.game.behaviours
    supposed = {
        i: own.index(question.supposed) for i, question in enumerate(record.questions) if question.supposed
    }
    answers: dict[int, dict[int, Asked]] = {}
    for answer in record.asked:
        if answer.question in supposed:
            answers.setdefault(answer.step, {})[supposed[answer.question]] = answer
    return {
        step: tuple(_answer(stated.get(a), others) for a in range(len(own)))
        for step, stated in answers.items()
    }


def policy_rounds(
    record: Record, matchup: Matchup, valued: Valuation, rounds: list[Round], response: Response
) -> list[SettledRound]:
    """The informative rounds in which policy questions were asked, with the partner's true ``response``."""
    answers = policy_answers(record)
    settled: list[SettledRound] = []
    belief = valued.start
    for t, played in enumerate(rounds):
        policy = answers.get(t)
        if policy is not None and t >= SEEN and _is_informative(valued, belief):
            worths = valued.worths(t, belief)
            plan = planned_actions(matchup.game, played.other, response, valued.rounds - t)
            by_plan = sum(worths[a] for a in plan) / len(plan)
            losses = [max(0.0, by_plan - worth) for worth in worths]
            settled.append(
                SettledRound(
                    said=_number(policy, matchup.game),
                    shown=played.other,
                    accuracy=sum(a == b for a, b in zip(policy, response, strict=True)) / len(response),
                    correct=policy == response and (not played.asked or played.said == played.other),
                    unused=losses[played.own],
                    winnable=sum(losses) / len(losses),
                )
            )
        belief = valued.after(belief, played.own, played.other) or belief
    return settled


def _answer(answer: Asked | None, others: tuple[str, ...]) -> int | None:
    return others.index(answer.answer) if answer is not None and answer.invalid is None else None


def _number(policy: tuple[int | None, ...], game: Game) -> int:
    """One number for a stated policy, to tell policies apart."""
    number = 0
    for answer in policy:
        number = number * (len(game.behaviours[1]) + 1) + (0 if answer is None else answer + 1)
    return number


def _is_informative(valued: Valuation, belief: Belief) -> bool:
    """Whether the posterior gives one way of answering at least the probability of an informative round."""
    mass: dict[Response | None, float] = {}
    for i, weight, _ in belief:
        response = response_of(valued.hypotheses[i].automaton)
        mass[response] = mass.get(response, 0.0) + weight
    return max(mass.values()) >= INFORMATIVE
