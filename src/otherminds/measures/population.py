"""The reference population of a record, the rounds that were played, and the ends of L."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.core.record import Asked, Bounds, Record
from otherminds.games.blind import blind_predictor
from otherminds.measures.literal import NOT_ASKED, right
from otherminds.measures.registry import Accuracy, Inapplicable, Unknown, literals
from otherminds.measures.seats import NO_GAME, ego, other

NO_POPULATION = "the population that the scores refer to is not listed"
NOT_A_MEMBER = "the partner met is not in the population that the scores refer to"
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
