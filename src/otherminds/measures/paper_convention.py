"""What the printed tables of Riemer et al. 2025 hold where they differ from its text.

Inferred from the printed numbers, not stated in the paper: its tables fit these
two conventions and not its definitions. Reports show them as columns of their
own, named ``paper convention``, so that a run can be set beside the paper.
"""

from __future__ import annotations

from functools import lru_cache

from otherminds.core.data import Automaton, Game
from otherminds.core.record import Record
from otherminds.games.automata import deterministic
from otherminds.measures.literal import right
from otherminds.measures.registry import Inapplicable, Unknown, measures
from otherminds.measures.regret import NO_ROUNDS, NO_ROUNDS_HERE, NOT_PREDICTED, predictions
from otherminds.measures.seats import by_rounds, ego, partner_met

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
    wrong = sum(not right(asked) for asked in predicted)
    return wrong * cost(*met) / len(predicted)


@measures.register("paper_delta_functional")
def paper_delta_functional(record: Record) -> float | Unknown:
    """(T × :func:`gain` − return) / T: regret against the optimal long-run average.

    It differs from the true regret by what the last rounds can gain: 800 instead
    of 802 against tit-for-tat in the Prisoner's Dilemma, where the optimum defects
    in the last round. All other cells of the paper are the same.
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
    """c: best payoff − mean of the other payoffs against the partner's behaviour.

    Averaged over the behaviours that the partner can ever show.
    """
    shown = {b for s in reachable(automaton) for b, p in enumerate(automaton.output[s]) if p}
    costs: list[float] = []
    for b in shown:
        *worse, best = sorted(row[b][0] for row in game.payoffs)
        costs.append(best - sum(worse) / len(worse) if worse else 0.0)
    return sum(costs) / len(costs)


@lru_cache(maxsize=256)
def gain(game: Game, automaton: Automaton) -> float:
    """The optimal long-run average reward a round against a deterministic partner.

    The largest mean of a cycle among the states that can be reached (Karp 1978):
    ``best[k][s]`` is the most that k rounds from the start to state s can bring.
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
    """The states that the automaton can come to, whatever is done to it; the start first."""
    found = [automaton.start]
    for s in found:
        for b, p in enumerate(automaton.output[s]):
            if p:
                found += [to for to in dict.fromkeys(automaton.next[s][b]) if to not in found]
    return found


def _steady(record: Record) -> tuple[Game, Automaton] | Unknown:
    """The game and the partner's automaton, where it is the paper's kind."""
    if not by_rounds(record):
        return Inapplicable(NO_ROUNDS_HERE)
    met = partner_met(record)
    return met if isinstance(met, Unknown) or deterministic(met[1]) else Unknown(RANDOM)
