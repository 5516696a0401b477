"""Exact optima of a game: best responses to automata, equilibria, and short courses with a known best choice.

All exact plans use one finite-horizon dynamic programme.

A problem is a start key and ``expand(key)``: for each action the expected reward and the
transitions, ``(reward, ((probability, key), ...))``. Keys are hashable; the reachable ones are
enumerated, then solved by backward induction."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Automaton, Game, WeightedPolicy
from otherminds.core.errors import WorldError
from otherminds.games.registry import automaton

K = TypeVar("K", bound=Hashable)
Branch: TypeAlias = tuple[float, tuple[tuple[float, K], ...]]

LIMIT = 250_000
"""The most reachable keys of an exact plan."""
Tables: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]
"""Of each expanded key and action: reward [K, A], and chance and number of each key that follows [K, A, W]."""
ENDLESS = 200
"""Encounters for which minds plan where chance ends an episode: more than there can be."""
TIE = 1e-9
"""The tolerance of ties, which the lowest action wins."""


@dataclass(frozen=True)
class Solution(Generic[K]):
    """An optimal plan for ``rounds`` rounds.

    ``policy[t, k]`` int16[rounds, K] is the action in round t (0-based) at key number
    ``number[key]``; ``values[t, k]`` float64[rounds + 1, K] the expected return from there on. ``number`` may
    have keys from K on, which cannot be reached in ``rounds`` rounds.
    """

    rounds: int
    number: dict[K, int]
    policy: NDArray[np.int16]
    values: NDArray[np.float64]

    @property
    def value(self) -> float:
        """The expected total return from the start."""
        return float(self.values[0, 0])

    def act(self, t: int, key: K) -> int:
        """The optimal action in round ``t`` (0-based) at ``key``."""
        return int(self.policy[t, self.number[key]])


class Reachable(Generic[K]):
    """The keys that can be reached from ``start``, with what :func:`solve` needs of them.

    They are enumerated to the depth that a plan needs, once: a plan for fewer rounds uses a part of what a plan
    for more rounds has enumerated, and is the same plan as without it.
    """

    def __init__(self, start: K, expand: Callable[[K], Sequence[Branch[K]]]) -> None:
        self._expand = expand
        self._number: dict[K, int] = {start: 0}
        self._branches: list[Sequence[Branch[K]]] = []
        self._frontier = [start]
        self._sizes = [1]
        """The number of keys that can be reached within 0, 1, ... rounds."""
        self._tables: Tables | None = None

    def plan(self, rounds: int, limit: int = LIMIT) -> Solution[K]:
        """The optimal plan for ``rounds`` rounds, by backward induction.

        Raises:
            WorldError: more than ``limit`` keys can be reached.
        """
        while len(self._sizes) <= rounds and self._sizes[-1] <= limit:
            self._deepen()
        depth = min(rounds, len(self._sizes) - 1)
        if self._sizes[depth] > limit:
            raise WorldError(f"an exact plan would visit more than {limit} situations")
        if self._tables is None:
            self._tables = _tables(self._number, self._branches)
        expanded, size = self._sizes[rounds - 1], self._sizes[rounds]
        reward, chance, after = self._tables
        tables = reward[:expanded], chance[:expanded], after[:expanded]
        return Solution(rounds, self._number, *_backwards(tables, rounds, size))

    def _deepen(self) -> None:
        reached: list[K] = []
        for key in self._frontier:
            branches = self._expand(key)
            self._branches.append(branches)
            for _, leads in branches:
                for _, after in leads:
                    if after not in self._number:
                        self._number[after] = len(self._number)
                        reached.append(after)
        self._frontier = reached
        self._sizes.append(len(self._number))
        self._tables = None


def solve(
    start: K, expand: Callable[[K], Sequence[Branch[K]]], rounds: int, limit: int = LIMIT
) -> Solution[K]:
    """Solves the problem exactly by backward induction.

    Raises:
        WorldError: more than ``limit`` keys can be reached.
    """
    return Reachable(start, expand).plan(rounds, limit)


def _tables(number: Mapping[K, int], branches: Sequence[Sequence[Branch[K]]]) -> Tables:
    actions = len(branches[0])
    width = max(len(leads) for row in branches for _, leads in row)
    reward = np.zeros((len(branches), actions))
    chance = np.zeros((len(branches), actions, width))
    after = np.zeros((len(branches), actions, width), dtype=np.int64)
    for k, row in enumerate(branches):
        for a, (gain, leads) in enumerate(row):
            reward[k, a] = gain
            for o, (p, key) in enumerate(leads):
                chance[k, a, o] = p
                after[k, a, o] = number[key]
    return reward, chance, after


def _backwards(tables: Tables, rounds: int, size: int) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Policy and values over the first ``size`` keys, of which those in ``tables`` come first."""
    reward, chance, after = tables
    # Keys reached in the last round were never expanded: only their value 0 is needed.
    values = np.zeros((rounds + 1, size))
    policy = np.zeros((rounds, size), dtype=np.int16)
    for t in range(rounds - 1, -1, -1):
        q = reward + (chance * values[t + 1][after]).sum(axis=2)
        best = q.max(axis=1)
        values[t, : len(reward)] = best
        policy[t, : len(reward)] = (q >= best[:, None] - TIE).argmax(axis=1)
    return policy, values


@lru_cache(maxsize=256)
def best_response(game: Game, automaton: Automaton, rounds: int) -> Solution[int]:
    """The row seat's optimal plan for ``rounds`` rounds, over the automaton's states.

    Riemer et al. 2025, definition 2.2: the optimal T-step response. The plan also covers
    states that this partner never reaches, so that it can be followed against another partner.

    Raises:
        WorldError: the automaton is too large to solve exactly.
    """
    rows = range(len(game.behaviours[0]))

    def expand(state: int) -> list[Branch[int]]:
        output = automaton.output[state]
        after = automaton.next[state]
        branches: list[Branch[int]] = []
        for a in rows:
            reward = sum(p * game.payoffs[a][b][0] for b, p in enumerate(output) if p)
            leads = dict.fromkeys((after[b][a] for b in range(len(output))), 0.0)
            for b, p in enumerate(output):
                leads[after[b][a]] += p
            branches.append((reward, tuple((p, n) for n, p in leads.items())))
        return branches

    return solve(automaton.start, expand, rounds)


@lru_cache(maxsize=256)
def optimal_rewards(game: Game, automaton: Automaton, rounds: int) -> tuple[float, ...]:
    """The expected reward of each round under :func:`best_response`."""
    return tuple(_expect_rewards(game, automaton, automaton, rounds))


def interest(game: Game, family: tuple[WeightedPolicy, ...], rounds: int) -> float:
    """E[Δ_Functional(π′*, π″)/T] over two independent draws π′, π″ of ``family``.

    π′* is the optimal response to π′, with its regret against π″. Zero means that one plan is
    best for all partners. Riemer et al. 2025, section 2.1. Exact, by expectation over both automata.
    """
    return sum(
        first.weight * second.weight * misplaced(game, first.automaton, second.automaton, rounds)
        for first in family
        for second in family
    )


def misplaced(game: Game, supposed: Automaton, actual: Automaton, rounds: int) -> float:
    """The regret per round of the best response to ``supposed`` when the partner is ``actual``."""
    earned = sum(_expect_rewards(game, supposed, actual, rounds))
    return (best_response(game, actual, rounds).value - earned) / rounds


def _expect_rewards(game: Game, supposed: Automaton, actual: Automaton, rounds: int) -> list[float]:
    """The expected reward of each round against ``actual`` of the best response to ``supposed``."""
    plan = best_response(game, supposed, rounds)
    at: dict[tuple[int, int], float] = {(supposed.start, actual.start): 1.0}
    rewards: list[float] = []
    for t in range(rounds):
        gain = 0.0
        after: dict[tuple[int, int], float] = {}
        for (imagined, real), weight in at.items():
            a = plan.act(t, imagined)
            for b, p in enumerate(actual.output[real]):
                if p:
                    gain += weight * p * game.payoffs[a][b][0]
                    key = (supposed.next[imagined][b][a], actual.next[real][b][a])
                    after[key] = after.get(key, 0.0) + weight * p
        rewards.append(gain)
        at = after
    return rewards


Mixed = tuple[float, ...]
SLACK = 1e-9


@lru_cache(maxsize=64)
def nash(game: Game) -> tuple[Mixed, Mixed]:
    """The equilibrium with the largest supports, as (row, column) mixtures.

    In RPS the uniform one, in the Battle of the Sexes the mixed one, in the Prisoner's Dilemma
    mutual defection. Equal supports: the first in lexicographic order. A finite game always has
    one (Nash 1951); degenerate games may have none with equal support sizes, so all are tried.
    """
    rows = np.array([[cell[0] for cell in row] for row in game.payoffs])
    columns = np.array([[cell[1] for cell in row] for row in game.payoffs])
    n, m = rows.shape
    sizes = sorted(
        ((i, j) for i in range(1, n + 1) for j in range(1, m + 1)), key=lambda s: (-s[0] - s[1], s)
    )
    for i, j in sizes:
        for support in combinations(range(n), i):
            for against in combinations(range(m), j):
                q = _indifferent(rows[list(support)][:, list(against)], against, m)
                p = _indifferent(columns[list(support)][:, list(against)].T, support, n)
                if p is not None and q is not None and _stable(rows, columns, p, q):
                    return tuple(p.tolist()), tuple(q.tolist())
    raise AssertionError("every finite game has an equilibrium")


def _indifferent(
    pays: NDArray[np.float64], support: tuple[int, ...], size: int
) -> NDArray[np.float64] | None:
    """The mixture over ``support`` that makes all rows of ``pays`` equal, or ``None``."""
    rows, columns = pays.shape
    system = np.zeros((rows + 1, columns + 1))
    system[:rows, :columns] = pays
    system[:rows, columns] = -1.0
    system[rows, :columns] = 1.0
    target = np.zeros(rows + 1)
    target[rows] = 1.0
    solution, _, _, _ = np.linalg.lstsq(system, target, rcond=None)
    if not np.allclose(system @ solution, target, atol=SLACK) or solution[:columns].min() < -SLACK:
        return None
    mixture = np.zeros(size)
    mixture[list(support)] = np.clip(solution[:columns], 0.0, None)
    return mixture / mixture.sum()


def _stable(
    rows: NDArray[np.float64], columns: NDArray[np.float64], p: NDArray[np.float64], q: NDArray[np.float64]
) -> bool:
    """Whether neither seat gains by leaving (p, q)."""
    return bool((rows @ q).max() <= p @ rows @ q + SLACK and (p @ columns).max() <= p @ columns @ q + SLACK)


PLAYED = 3
"""Rounds that an example shows; it asks about the next one."""
TOTAL = 10
"""Rounds of an imagined game: enough of them remain to make it worth keeping a partner friendly."""

Habit = Literal["constant", "copies", "best_responds", "alternates"]


@dataclass(frozen=True)
class Example:
    """A course of ``PLAYED`` rounds against a partner with a ``habit``, and what to make of it.

    ``own`` and ``others`` are the behaviours shown, by index; ``coming`` is what the partner does next, and
    ``following[i]`` what it does in the round after, if own behaviour i comes next.
    ``now[i]`` is what own behaviour i brings in the next round, ``worth[i]`` the most that can follow from it
    up to round ``TOTAL``. ``best`` has the highest worth; ``tied`` says that another has it too.
    """

    habit: Habit
    partner: Automaton
    own: tuple[int, ...]
    others: tuple[int, ...]
    coming: int
    following: tuple[int, ...]
    now: tuple[float, ...]
    worth: tuple[float, ...]
    best: int
    tied: bool

    @property
    def answers(self) -> bool:
        """Whether the partner answers what was chosen, so that a choice also decides what follows."""
        return self.habit in ("copies", "best_responds")


def imagine(game: Game, own: Sequence[int], others: Sequence[int], copying: bool) -> tuple[Example, ...]:
    """A constant partner, one that answers the last choice, and one that alternates.

    ``game`` is seen from the seat that is to learn; ``own`` and ``others`` list the behaviours in the order
    in which they are shown, which decides what each example is about. ``copying`` says that a copy can be
    seen as one: both seats' behaviours have the same names. The one that answers is tit-for-tat where that
    can be seen, else it best-responds.

    The three choices are as different as the game permits; the three predictions are never all alike. Empty
    where a seat has a single behaviour: there is nothing to weigh or to predict.
    """
    if len(own) < 2 or len(others) < 2:
        return ()
    habit, answering = _answering(game, copying)
    constant = {b: _single(game, b, own) for b in others}
    turns = zip(own, [*own[1:], own[0]], strict=True)
    reacting = [_example(game, habit, answering, (x, y, x), own) for x, y in turns]
    alternating = {b: _alternating(game, b, own, others) for b in others}
    triples = [
        (constant[b], answers, alternating[c])
        for answers in reacting
        for b in others
        for c in others
        if b != c
    ]
    return max(triples, key=lambda three: len({example.best for example in three}))


def _single(game: Game, behaviour: int, own: Sequence[int]) -> Example:
    partner = automaton("single", game, TOTAL, {"behaviour": behaviour})
    return _example(game, "constant", partner, (own[0], own[1], own[0]), own)


def _alternating(game: Game, coming: int, own: Sequence[int], others: Sequence[int]) -> Example:
    """Against an unchanging choice, so that a change cannot be an answer to it."""
    first = next(b for b in others if b != coming)
    partner = automaton("cycler", game, TOTAL, {"pattern": [first, coming]})
    return _example(game, "alternates", partner, (own[0],) * PLAYED, own)


def _answering(game: Game, copying: bool) -> tuple[Habit, Automaton]:
    best = automaton("level_k", game, TOTAL, {"level": 1})
    if not copying:
        return "best_responds", best
    partner = automaton("tit_for_tat", game, TOTAL, {})
    copies = all(partner.output[partner.next[0][0][i]][i] for i in range(len(game.behaviours[0])))
    return ("copies" if copies else "best_responds"), partner


def _example(
    game: Game, habit: Habit, partner: Automaton, course: tuple[int, ...], own: Sequence[int]
) -> Example:
    state = partner.start
    others: list[int] = []
    for a in course:
        b = partner.output[state].index(1.0)
        others.append(b)
        state = partner.next[state][b][a]
    coming = partner.output[state].index(1.0)
    plan = best_response(game, partner, TOTAL)
    reached = partner.next[state][coming]
    following = tuple(partner.output[after].index(1.0) for after in reached)
    now = tuple(row[coming][0] for row in game.payoffs)
    worth = tuple(
        gain + float(plan.values[PLAYED + 1, plan.number[after]])
        for gain, after in zip(now, reached, strict=True)
    )
    optimal = [a for a in own if worth[a] >= max(worth) - TIE]
    return Example(
        habit, partner, course, tuple(others), coming, following, now, worth, optimal[0], len(optimal) > 1
    )
