"""The regrets of Riemer et al. 2025, as defined and as printed, and best responses to predictions.

The printed numbers of the ``paper_`` measures do not fit the definitions. Their conventions are
inferred from the numbers, not stated in the paper; reports show them as separate columns, named
``paper convention``, to be compared with the printed rows.

Best responses are counted to the mind's own predictions, and to the partner before and after a correct prediction."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.data import Automaton, Behaviour, Game
from otherminds.core.record import Asked, Record
from otherminds.games.automata import best_reply, deterministic
from otherminds.games.belief import best_replies
from otherminds.games.best_response import TIE, best_response
from otherminds.measures.literal import answers, right
from otherminds.measures.registry import (
    NO_GAME,
    Inapplicable,
    Unknown,
    by_rounds,
    ego,
    measures,
    other,
    partner_met,
    rounds,
)

NO_OPTIMUM = "the best response to this partner is not known"
NO_ROUNDS = "nothing was played"
NO_ROUNDS_HERE = "regret a round is for matrix games"
NOT_PREDICTED = "the partner's next behaviour was not asked for"

Losses: TypeAlias = tuple[tuple[float, ...], ...]


@measures.register("delta_functional")
def delta_functional(record: Record) -> float | Unknown:
    """``Δ_Functional/T``: (optimal T-step return − return) / T, per round.

    The optimum is the best response to the partner met, by backward induction (definition 2.2). Against a
    partner that plays at random it is an expectation, and a lucky episode can be below 0.
    """
    if not by_rounds(record) and record.rewards:
        return Inapplicable(NO_ROUNDS_HERE)
    if record.bounds is None or record.bounds.informed is None:
        return Unknown((record.bounds and record.bounds.reason) or NO_OPTIMUM)
    if not record.rewards:
        return Unknown(NO_ROUNDS)
    return (record.bounds.informed - record.total(ego(record))) / len(record.rewards)


@measures.register("delta_tom")
def delta_tom(record: Record) -> float | Unknown:
    """``Δ_ToM/T``: mean over rounds of max_a r(a, b) − r(BR(b̂), b).

    The regret of the policy that best-responds, with the true payoffs, to the literal predictions b̂
    (first behaviour on ties), against the partner's behaviour b in each round. An invalid prediction
    costs the mean over all possible predictions.
    """
    if record.game is None:
        return Inapplicable(NO_GAME)
    predicted = predictions(record)
    if not predicted:
        return Unknown(NOT_PREDICTED)
    number = {name: i for i, name in enumerate(record.game.behaviours[1])}
    loss = losses(record.game)
    silent = len(number)
    total = 0.0
    for answer in predicted:
        prediction = silent if answer.invalid is not None else number.get(answer.answer, silent)
        total += loss[prediction][number[answer.truth]]
    return total / len(predicted)


def predictions(record: Record) -> list[Asked]:
    """Ego's answers about the other's behaviour in the current round."""
    if record.game is None:
        return []
    theirs, names = other(record), record.game.behaviours[1]
    about = [
        question.about == theirs and question.when != "end" and set(question.options) <= set(names)
        for question in record.questions
    ]
    return [answer for answer in answers(record) if about[answer.question]]


@lru_cache(maxsize=64)
def losses(game: Game) -> Losses:
    """``losses[predicted][did]``: the payoff lost by best-responding to the prediction ``predicted`` when the other does ``did``.

    The last row is for invalid predictions: the mean over all others.
    """
    columns = range(len(game.behaviours[1]))
    most = [max(row[did][0] for row in game.payoffs) for did in columns]
    replies = [game.payoffs[best_reply(game, predicted)] for predicted in columns]
    table = [tuple(best - cell[0] for best, cell in zip(most, row, strict=True)) for row in replies]
    return (*table, tuple(sum(row[did] for row in table) / len(columns) for did in columns))


RANDOM = "the paper has no partner that plays at random"


@measures.register("paper_delta_tom")
def paper_delta_tom(record: Record) -> float | Unknown:
    """Wrong predictions × c / T, where a wrong prediction costs :func:`cost`."""
    met = _steady(record)
    if isinstance(met, Unknown):
        return met
    predicted = predictions(record)
    if not predicted:
        return Unknown(NOT_PREDICTED)
    wrong = sum(not right(answer) for answer in predicted)
    return wrong * cost(*met) / len(predicted)


@measures.register("paper_delta_functional")
def paper_delta_functional(record: Record) -> float | Unknown:
    """(T × :func:`gain` − return) / T: regret against the optimal long-run average.

    It differs from the true regret by the gain of the last rounds: 800 instead of 802 against
    tit-for-tat in the Prisoner's Dilemma, where the optimum defects in the last round. All other
    cells of the paper are equal.
    """
    met = _steady(record)
    if isinstance(met, Unknown):
        return met
    if not record.rewards:
        return Unknown(NO_ROUNDS)
    rounds = len(record.rewards)
    return (rounds * gain(*met) - record.total(ego(record))) / rounds


@lru_cache(maxsize=256)
def cost(game: Game, automaton: Automaton) -> float:
    """c: best payoff − mean of the other payoffs, averaged over the behaviours that the partner can show."""
    possible = {b for s in reachable(automaton) for b, p in enumerate(automaton.output[s]) if p}
    costs: list[float] = []
    for b in possible:
        *worse, best = sorted(row[b][0] for row in game.payoffs)
        costs.append(best - sum(worse) / len(worse) if worse else 0.0)
    return sum(costs) / len(costs)


@lru_cache(maxsize=256)
def gain(game: Game, automaton: Automaton) -> float:
    """The optimal long-run average reward a round against a deterministic partner.

    The largest mean of a cycle among the states that can be reached (Karp 1978):
    ``best[k][s]`` is the largest return of k rounds from the start to state s.
    """
    states = reachable(automaton)
    n = len(states)
    edges = [
        (s, automaton.next[s][b][a], row[b][0])
        for s in states
        for b in (automaton.output[s].index(1.0),)
        for a, row in enumerate(game.payoffs)
    ]
    best: list[dict[int, float]] = [{automaton.start: 0.0}]
    for _ in range(n):
        after: dict[int, float] = {}
        for s, to, reward in edges:
            if s in best[-1]:
                after[to] = max(after.get(to, float("-inf")), best[-1][s] + reward)
        best.append(after)
    return max(
        min((last - best[k][s]) / (n - k) for k in range(n) if s in best[k]) for s, last in best[n].items()
    )


def reachable(automaton: Automaton) -> list[int]:
    """The states that the automaton can reach; the start first."""
    states = [automaton.start]
    for s in states:
        for b, p in enumerate(automaton.output[s]):
            if p:
                states += [to for to in dict.fromkeys(automaton.next[s][b]) if to not in states]
    return states


def _steady(record: Record) -> tuple[Game, Automaton] | Unknown:
    """The game and the partner's automaton, if it is deterministic as all in the paper."""
    if not by_rounds(record):
        return Inapplicable(NO_ROUNDS_HERE)
    met = partner_met(record)
    return met if isinstance(met, Unknown) or deterministic(met[1]) else Unknown(RANDOM)


class Profile(Struct, frozen=True):
    """The numbers of rounds, and of best responses, before the first correct prediction and from it on."""

    before: int
    before_best: int
    after: int
    after_best: int


def profile(record: Record) -> Profile | Unknown:
    """Counts best responses before and after the first correct prediction.

    A behaviour is a best response if the optimal plan against this partner, from
    the partner's state in that round, loses nothing by it: against tit-for-tat
    in the Prisoner's Dilemma that is cooperation, the last round excepted.
    """
    met = partner_met(record)
    if isinstance(met, Unknown):
        return met
    game, partner = met
    behaviours = rounds(record, game)
    if isinstance(behaviours, Unknown):
        return behaviours
    predicted = predictions(record)
    if not predicted:
        return Unknown(NOT_PREDICTED)
    first = min((answer.step for answer in predicted if right(answer)), default=len(behaviours))
    optimal = optimal_behaviours(game, partner, len(behaviours))
    best: list[bool] = []
    state = partner.start
    for t, (a, b) in enumerate(behaviours):
        best.append(a in optimal[t][state])
        state = partner.next[state][b][a]
    return Profile(first, sum(best[:first]), len(best) - first, sum(best[first:]))


@lru_cache(maxsize=256)
def optimal_behaviours(
    game: Game, automaton: Automaton, horizon: int
) -> tuple[dict[int, frozenset[int]], ...]:
    """The optimal behaviours in round t (from 0), by the possible states of the partner."""
    plan = best_response(game, automaton, horizon)
    table: list[dict[int, frozenset[int]]] = []
    states = {automaton.start}
    for t in range(horizon):
        table.append({})
        reached: set[int] = set()
        for s in states:
            worth = [0.0] * len(game.payoffs)
            for b, p in enumerate(automaton.output[s]):
                if p:
                    for a, to in enumerate(automaton.next[s][b]):
                        worth[a] += p * (game.payoffs[a][b][0] + plan.values[t + 1, plan.number[to]])
                        reached.add(to)
            table[t][s] = frozenset(a for a, w in enumerate(worth) if w >= max(worth) - TIE)
        states = reached
    return tuple(table)


@measures.register("best_response_rate")
def best_response_rate(record: Record) -> float | Unknown:
    """Share (0 to 1) of predictions to which the mind then played the best response.

    The best response of the stage game, with the true payoffs; any of several best ones counts.
    It is compared with the behaviour in the next encounter with the predicted seat. Invalid
    predictions are left out.
    """
    game = record.game
    if game is None:
        return Inapplicable(NO_GAME)
    view = game if record.seats.index(ego(record)) == 0 else game.flipped()
    own, others = view.behaviours
    replies = best_replies(view)
    done = [
        own.index(behaviour) in replies[others.index(answer.answer)]
        for answer in answers(record)
        if answer.invalid is None and (behaviour := _next_own_behaviour(record, answer)) is not None
    ]
    return sum(done) / len(done) if done else Unknown("no prediction was made")


def _next_own_behaviour(record: Record, answer: Asked) -> Behaviour | None:
    """Ego's behaviour in the next encounter with the seat that the question is about."""
    mine = ego(record)
    about = record.questions[answer.question].about or other(record)
    return next(
        (met.did[mine][0] for met in record.met[mine] if met.step >= answer.step and about in met.did), None
    )
