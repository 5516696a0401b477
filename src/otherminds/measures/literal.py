"""The accuracy of predictions about others, their Brier score, and the ends of L in the reference population.

L is computed from such accuracies elsewhere: that of a verdict in :mod:`otherminds.measures.evidence`, that of a report's
tables in :mod:`otherminds.measures.basis`."""

from __future__ import annotations

from functools import lru_cache
from math import exp

from msgspec import Struct

from otherminds.core.data import HELPER, UNKNOWN, Automaton, Game, WeightedPolicy
from otherminds.core.record import Asked, Bounds, Call, Record
from otherminds.games.blind import blind_predictor
from otherminds.measures.registry import (
    NO_GAME,
    Accuracy,
    Inapplicable,
    Unknown,
    ego,
    literals,
    measures,
    other,
    shown_labels,
    under_test,
)

NOT_ASKED = "no question with a known truth was put"


def answers(record: Record) -> list[Asked]:
    """The questions to the seats under test that have a true answer, without auxiliary questions.

    In a game, where each seat has a score of its own, those to the first of these seats.
    A question about another's report has none where that report is "unknown": two minds that know
    nothing would otherwise be right by agreeing on that.
    """
    mine = under_test(record) if record.game is None else (ego(record),)
    counts = [question.seat in mine and not question.id.startswith(HELPER) for question in record.questions]
    return [
        answer for answer in record.asked if counts[answer.question] and answer.truth not in (None, UNKNOWN)
    ]


def right(answer: Asked) -> bool:
    """Whether the answer is the truth. An invalid answer is not."""
    return answer.invalid is None and answer.answer == answer.truth


@measures.register("tom_percent")
def tom_percent(record: Record) -> float | Unknown:
    """``ToM %``: 100 × right answers / questions put with a known truth.

    Riemer et al. 2025, section 2.1. An invalid answer counts as not right.
    """
    answered = answers(record)
    return 100 * sum(map(right, answered)) / len(answered) if answered else Unknown(NOT_ASKED)


@measures.register("tom_above_chance")
def tom_above_chance(record: Record) -> float | Unknown:
    """(accuracy − chance) / (1 − chance).

    Chance is the mean accuracy of random guesses: the value is 1 for always right, 0 for guessing.
    A mind whose own play determines its partner's can reach 1 without observing it; L cannot.
    """
    answered = answers(record)
    if not answered:
        return Unknown(NOT_ASKED)
    chance = sum(record.questions[answer.question].chance for answer in answered) / len(answered)
    if chance >= 1:
        return Unknown("every answer is right by chance")
    return (sum(map(right, answered)) / len(answered) - chance) / (1 - chance)


@measures.register("tom_slope")
def tom_slope(record: Record) -> float | Unknown:
    """How ``ToM %`` changes within an episode: the least-squares slope, in percentage points for 10 steps.

    Above 0 for a mind that learns to predict its partner; 0 where it predicts equally well throughout.
    """
    answered = [answer for answer in answers(record) if record.questions[answer.question].when != "end"]
    steps = [answer.step for answer in answered]
    if len(set(steps)) < 2:
        return Inapplicable("predictions at several steps are needed for a slope")
    middle = sum(steps) / len(steps)
    spread = sum((step - middle) ** 2 for step in steps)
    return 1000 * sum((answer.step - middle) * right(answer) for answer in answered) / spread


NO_PROBABILITIES = "predictions come without probabilities"
PREDICTIONS = ("predict", "expect")
"""The purposes of calls that score predictions: to answer a question, and before a choice that rests on it."""


@measures.register("brier")
def brier(record: Record) -> float | Unknown:
    """The mean squared distance between the predicted distribution and the partner's behaviour (Brier 1950).

    ``mean of Σ_x (p_x − 1[x = truth])²`` over the predictions with probabilities: 0 for certain and right, 2 for
    certain and wrong, (n − 1)/n for all of n options equally likely. Probabilities are those of the labels as
    continuations, normalised over the options.
    """
    labels = shown_labels(record)
    scored = {call.step: call for call in record.calls if call.scores and _is_prediction(call, record)}
    if not scored or record.game is None or labels is None:
        return Inapplicable(NO_PROBABILITIES)
    behaviours = dict(zip(labels.names[1], record.game.behaviours[1], strict=True))
    distances: list[float] = []
    for answer in answers(record):
        call = scored.get(answer.step)
        if call is not None and record.questions[answer.question].when != "end":
            distances.append(_distance(call, behaviours, answer.truth))
    return sum(distances) / len(distances) if distances else Inapplicable(NO_PROBABILITIES)


def _is_prediction(call: Call, record: Record) -> bool:
    return call.seat == ego(record) and call.purpose in PREDICTIONS


def _distance(call: Call, behaviours: dict[str, str], truth: str) -> float:
    """The squared distance of one prediction."""
    most = max(call.scores)
    weights = [exp(score - most) for score in call.scores]
    predicted = [behaviours.get(label.strip()) for label in call.continuations]
    return sum(
        (weight / sum(weights) - (behaviour == truth)) ** 2
        for weight, behaviour in zip(weights, predicted, strict=True)
    )


NO_POPULATION = "the population that the scores refer to is not listed"
NOT_A_MEMBER = "the partner met is not in the population that the scores refer to"
UNKNOWN_POLICY = "the partner is a mind, and its policy is not known"
NO_POLICY = "the policies of the population are not recorded"
SEVERAL = "several partners are met at once"


class Round(Struct, frozen=True):
    """One encounter, with behaviours as indices into the game's: own, the partner's, the predicted one.

    ``asked`` says whether there was a prediction; ``said`` is ``None`` for an invalid one.
    ``right`` is ``None`` where the true answer is unknown.
    """

    own: int
    other: int
    asked: bool = False
    said: int | None = None
    right: bool | None = None


class Matchup(Struct, frozen=True):
    """A game, a population as automata with their weights, and the member met."""

    game: Game
    family: tuple[WeightedPolicy, ...]
    met: Automaton


def member(record: Record) -> str:
    """The name of the partner, if there is exactly one; else empty."""
    names = [partner.name for partner in record.partners.values()]
    return names[0] if len(names) == 1 else ""


def setting(record: Record) -> Matchup | Unknown:
    """The matchup that exact scores need; unknown where a policy is not recorded."""
    if record.game is None:
        return Inapplicable(NO_GAME)
    bounds = record.bounds
    if not record.partners and len(record.seats) > 1:
        return Unknown(UNKNOWN_POLICY)
    if bounds is None or not bounds.population:
        return Unknown(SEVERAL if len(record.partners) > 1 else NO_POPULATION)
    if len(record.partners) != 1:
        return Unknown(SEVERAL if record.partners else NO_POPULATION)
    if record.seats.index(ego(record)) != 0:
        return Unknown("the mind under test does not sit in the row seat of the game")
    met = next((candidate for candidate in bounds.population if candidate.name == member(record)), None)
    if met is None:
        return Unknown(NOT_A_MEMBER)
    family = _family(bounds)
    if family is None or met.automaton is None:
        return Unknown(NO_POLICY)
    return Matchup(record.game, family, met.automaton)


def rounds_played(record: Record) -> list[Round]:
    """The encounters with the partner, in order, each with the prediction about it.

    Where inventories tie in a duel, the behaviour that comes first in the record is taken.
    A prediction belongs to the first encounter that ends at its step or later.
    """
    assert record.game is not None, "the caller has checked it"
    mine, theirs = ego(record), other(record)
    own, others = ({name: i for i, name in enumerate(names)} for names in record.game.behaviours)
    about = [
        question.seat == mine and question.about == theirs and question.when != "end"
        for question in record.questions
    ]
    predictions = [prediction for prediction in record.asked if about[prediction.question]]
    their_encounters = record.met.get(theirs, ())
    played: list[Round] = []
    at = 0
    for n, encounter in enumerate(record.met[mine]):
        behaviours = (
            their_encounters[n].did[theirs]
            if n < len(their_encounters) and theirs in their_encounters[n].did
            else encounter.did[theirs]
        )
        a, b = own[encounter.did[mine][0]], others[behaviours[0]]
        prediction: Asked | None = None
        while at < len(predictions) and predictions[at].step <= encounter.step:
            prediction, at = predictions[at], at + 1
        if prediction is None:
            played.append(Round(a, b))
            continue
        predicted = others.get(prediction.answer) if prediction.invalid is None else None
        played.append(Round(a, b, True, predicted, None if prediction.truth is None else right(prediction)))
    return played


@lru_cache(maxsize=64)
def _family(bounds: Bounds) -> tuple[WeightedPolicy, ...] | None:
    policies = [
        WeightedPolicy(partner.weight, partner.automaton)
        for partner in bounds.population
        if partner.automaton
    ]
    return tuple(policies) if len(policies) == len(bounds.population) else None


@literals.register("next_behaviour")
def next_behaviour(record: Record) -> Accuracy | Unknown:
    """A, b and u of one episode, over the encounters with a prediction and a known truth.

    The blind predictor predicts the most probable behaviour under the prior, given the mind's own actions so
    far: each member's automaton is run against these, and its accuracy is the weighted mean over members. The
    upper end is the probability of the most probable behaviour in the partner's true state.
    """
    matchup = setting(record)
    if isinstance(matchup, Unknown):
        return matchup
    rounds = rounds_played(record)
    if not any(played.right is not None for played in rounds):
        return Unknown(NOT_ASKED)
    unseen = blind_predictor(matchup.game, matchup.family).accuracies([played.own for played in rounds])
    stated = blind = informed = counted = 0.0
    state = matchup.met.start
    for played, likeliest in zip(rounds, unseen, strict=True):
        if played.right is not None:
            counted += 1
            stated += played.right
            blind += likeliest
            informed += max(matchup.met.output[state])
        state = matchup.met.next[state][played.other][played.own]
    return Accuracy(stated / counted, blind / counted, informed / counted)
