"""F of decisions: how well a mind chooses what to show, apart from how fast it brings encounters about.

Where avatars gather what they show, a return mixes two abilities: to choose a behaviour, and to collect it and find the
other. A mind that collects faster than ``informed`` earns more than it, whatever it knows. Here the encounters that a mind brings about are
taken as given, n in an episode, and paid by the table of the game::

    F of decisions = Σ_p w_p · (expected(p) − blind) / Σ_p w_p · (informed − blind)

in payoff an encounter. ``informed`` follows the best response to the partner's automaton for :data:`~.best_response.ENDLESS` encounters,
since nobody can know the last one, and is cut off after n. ``blind`` is the repeated pattern of at most four behaviours that earns most in n
encounters with the population: no fixed pattern is above 0. ``expected`` is what the mind's behaviours earn on average over the
partner's chances; what an act costs is what it costs in the encounters that the episode still has. Only who uses the end of an
episode, which ``informed`` does not know, is above 1.

An episode with fewer than :data:`FEWEST` encounters counts as 0: so few can end before an act has its consequences, and nobody
gains by keeping away from partners that it does not know, or by stopping after a lucky encounter."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.core.record import Record
from otherminds.games.best_response import ENDLESS, best_response
from otherminds.games.blind import LONGEST, USUAL, blind_pattern, open_loop_return, repeat
from otherminds.measures.basis import LEAST_TO_WIN, NOTHING_TO_WIN
from otherminds.measures.literal import rounds_played, setting
from otherminds.measures.registry import Inapplicable, Unknown, by_rounds, ratios
from otherminds.measures.weighed_acts import find_exchange

MATRIX = "encounters are single steps, and F is of decisions already"
SWAPPED = "the partner was exchanged"
FEWEST = 8
"""Encounters of an episode by which its decisions are judged."""


@ratios.register("decision_functional")
def decision_functional(record: Record) -> tuple[float, float] | Unknown:
    """(expected − blind, informed − blind) of one episode, in payoff an encounter; unknown without the partners' policies.

    ``informed`` and ``blind`` are those of the population, so that the ratio of sums over a cell is its F of decisions.
    """
    if by_rounds(record):
        return Inapplicable(MATRIX)
    matchup = setting(record)
    if isinstance(matchup, Unknown):
        return matchup
    if find_exchange(record) is not None:
        return Unknown(SWAPPED)
    played = tuple((encounter.own, encounter.other) for encounter in rounds_played(record))
    game, family = matchup.game, matchup.family
    payoffs = [cell[0] for row in game.payoffs for cell in row]
    try:
        usual = compute_winnable(game, family, USUAL) / USUAL
        if usual < LEAST_TO_WIN * (max(payoffs) - min(payoffs)):
            return Unknown(NOTHING_TO_WIN)
        if len(played) < FEWEST:
            return 0.0, usual
        winnable = compute_winnable(game, family, len(played))
        lost = sum_losses(game, matchup.met, played)
    except WorldError as error:
        return Unknown(str(error))
    return (winnable - lost) / len(played), winnable / len(played)


def sum_losses(game: Game, automaton: Automaton, played: tuple[tuple[int, int], ...]) -> float:
    """What the behaviours in ``played``, (own, other) an encounter, are expected to earn less than ``informed``.

    Raises:
        WorldError: the automaton is too large to solve exactly.
    """
    values, pays = _value_plan(game, automaton, len(played)), _list_pays(game)
    state, lost = automaton.start, 0.0
    for t, (own, other) in enumerate(played):
        chances, after = automaton.output[state], automaton.next[state]
        lost += float(values[t, state]) - sum(
            chance * float(pays[own, b] + values[t + 1, after[b][own]]) for b, chance in enumerate(chances)
        )
        state = after[other][own]
    return lost


@lru_cache(maxsize=256)
def compute_winnable(game: Game, family: tuple[WeightedPolicy, ...], encounters: int) -> float:
    """What ``informed`` is expected to earn more than the best repeated pattern in so many encounters with ``family``.

    Raises:
        WorldError: an automaton is too large to solve exactly.
    """
    plan = repeat(blind_pattern(game, family, encounters, LONGEST), encounters)
    return sum(
        member.weight
        * (
            float(_value_plan(game, member.automaton, encounters)[0, member.automaton.start])
            - open_loop_return(game, member.automaton, plan)
        )
        for member in family
    )


@lru_cache(maxsize=256)
def _value_plan(game: Game, automaton: Automaton, encounters: int) -> NDArray[np.float64]:
    """What ``informed`` earns from encounter t on, [encounters + 1, states]: it plans for more encounters than these."""
    plan = best_response(game, automaton, max(ENDLESS, encounters))
    policy = np.zeros((encounters, len(automaton.output)), dtype=int)
    for state, number in plan.number.items():
        if number < plan.policy.shape[1]:  # the others are never reached
            policy[:, state] = plan.policy[:encounters, number]
    chances, after = np.array(automaton.output), np.array(automaton.next)
    states = np.arange(len(automaton.output))
    values = np.zeros((encounters + 1, len(states)))
    reward = chances @ _list_pays(game).T
    for t in range(encounters - 1, -1, -1):
        acts = policy[t]
        ahead = values[t + 1][after[states, :, acts]]
        values[t] = reward[states, acts] + (chances * ahead).sum(axis=1)
    return values


def _list_pays(game: Game) -> NDArray[np.float64]:
    """The row seat's payoffs, [own, other]."""
    return np.array([[cell[0] for cell in row] for row in game.payoffs], dtype=float)
