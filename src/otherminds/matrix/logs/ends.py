"""What could have been earned against partners that are known in part: bounds of the best response and of the best blind plan.

A partner is a set of automata, each known as far as its play showed. Every bound holds for each automaton of the set and for
each way to complete it: where a transition is not known, the best (or worst) of all states follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.matrix.logs.explanations import PartialAutomaton

Floats = NDArray[np.float64]
Payoffs: TypeAlias = tuple[tuple[float, ...], ...]
"""The player's payoffs, by its own behaviour and the partner's."""
SITUATIONS = 20_000
"""The most situations of an exact blind plan; of more partners it is bounded by parts."""
LONGEST, MOST_PATTERNS = 4, 256
"""The longest pattern that is tried as a blind plan besides, and the most patterns of a length."""


class Range(NamedTuple):
    """The lower and the upper bound of a number."""

    low: float
    high: float


class Opponent(Struct, frozen=True):
    """The automata that a partner may be, and how many episodes of which length were played with it."""

    automata: tuple[PartialAutomaton, ...]
    episodes: tuple[tuple[int, int], ...]
    """Pairs of rounds and number."""


@lru_cache(maxsize=4096)
def bound_best_response(payoffs: Payoffs, automaton: PartialAutomaton, rounds: int) -> Floats:
    """Bounds of the best response's return by the number of rounds: float64[rounds + 1, 2], low and high.

    The lower one is what can be earned if the unknown turns out worst (a robust decision process with rectangular
    uncertainty, Iyengar 2005), the upper one if it turns out best.
    """
    table = np.array(payoffs)
    states = automaton.states
    low, high = np.zeros(states), np.zeros(states)
    bounds = np.zeros((rounds + 1, 2))
    for t in range(1, rounds + 1):
        worst, best = low.min(), high.max()
        new_low = np.full(states, (table.max(0) + worst).min())
        new_high = np.full(states, (table.max(0) + best).max())
        for s, (behaviour, after) in enumerate(zip(automaton.output, automaton.next, strict=True)):
            gain = table[:, behaviour]
            new_low[s] = max(g + (low[n] if n >= 0 else worst) for g, n in zip(gain, after, strict=True))
            new_high[s] = max(g + (high[n] if n >= 0 else best) for g, n in zip(gain, after, strict=True))
        low, high = new_low, new_high
        bounds[t] = low[0], high[0]
    return bounds


def bound_informed(payoffs: Payoffs, opponents: Sequence[Opponent]) -> Range:
    """Bounds of the sum, over all episodes, of the return of the best response to each partner."""
    low = high = 0.0
    for opponent in opponents:
        longest = max(rounds for rounds, _ in opponent.episodes)
        bounds = np.array(
            [bound_best_response(payoffs, automaton, longest) for automaton in opponent.automata]
        )
        for rounds, number in opponent.episodes:
            low += number * float(bounds[:, rounds, 0].min())
            high += number * float(bounds[:, rounds, 1].max())
    return Range(low, high)


class BlindPlans:
    """Plans that are fixed in advance, for all episodes with ``opponents``; an episode follows one until it ends.

    A situation is, for every automaton of every partner, the set of states that it can be in after a sequence of own
    behaviours: a single automaton, until a transition that is not known.
    """

    def __init__(self, behaviours: int, opponents: Sequence[Opponent]) -> None:
        self._behaviours = behaviours
        self._opponents = opponents
        self.automata = tuple(
            dict.fromkeys(automaton for opponent in opponents for automaton in opponent.automata)
        )
        number = {automaton: i for i, automaton in enumerate(self.automata)}
        self._members = [
            np.array([number[automaton] for automaton in opponent.automata]) for opponent in opponents
        ]
        self._longest = max(rounds for opponent in opponents for rounds, _ in opponent.episodes)
        self._sets = 2 ** max(automaton.states for automaton in self.automata)
        self._after = np.stack(
            [_list_set_transitions(automaton, behaviours, self._sets) for automaton in self.automata]
        )
        self._situations = self._list_situations()

    def bound_returns(self, payoffs: Payoffs) -> Range:
        """Bounds of the return of the best plan."""
        return self._bound(np.array(payoffs), True)

    def bound_hits(self, partner_behaviours: int) -> Range:
        """Bounds of the number of rounds that the best plan of own behaviours and predictions foretells."""
        return self._bound(np.eye(partner_behaviours), False)

    def _bound(self, table: Floats, moves: bool) -> Range:
        """Bounds of the best sum of ``table[choice, the partner's behaviour]``; a choice is a move, or free in each round."""
        low, high = (
            np.stack([_gain_in_sets(automaton, table, best, self._sets) for automaton in self.automata])
            for best in (False, True)
        )
        if self._situations is not None:
            return Range(self._solve(low, False, moves), self._solve(high, True, moves))
        half = len(self._opponents) // 2
        parts = [
            BlindPlans(self._behaviours, part) for part in (self._opponents[:half], self._opponents[half:])
        ]
        upper = sum(part._bound(table, moves).high for part in parts)
        lower = max(self._follow(low, pattern, moves) for pattern in _list_patterns(self._behaviours))
        return Range(lower, upper)

    def _weights(self) -> Iterator[tuple[int, int, Floats]]:
        """Stretches of rounds with the same episodes, the last first: first round, end, and float64[opponents]."""
        lengths = sorted({rounds for opponent in self._opponents for rounds, _ in opponent.episodes})
        for begin, end in reversed(list(zip([0, *lengths], lengths, strict=False))):
            weights = [
                sum(n for rounds, n in opponent.episodes if rounds > begin) for opponent in self._opponents
            ]
            yield begin, end, np.array(weights, float)

    def _gain_by_opponent(self, gains: Floats, sets: NDArray[np.int8], high: bool) -> Floats:
        """The gain of each choice with each partner, in situations ``sets``: float64[opponents, situations, choices]."""
        choose = np.max if high else np.min
        return np.stack([choose(gains[members, sets[:, members]], axis=1) for members in self._members])

    def _solve(self, gains: Floats, high: bool, moves: bool) -> float:
        assert self._situations is not None
        sets, after = self._situations
        by_opponent = self._gain_by_opponent(gains, sets, high)
        values = np.zeros(len(sets))
        for begin, end, weights in self._weights():
            gain = np.tensordot(weights, by_opponent, 1)
            if not moves:
                gain = gain.max(1, keepdims=True)
            for _ in range(begin, end):
                values = (gain + values[after]).max(1)
        return float(values[0])

    def _follow(self, gains: Floats, pattern: Sequence[int], moves: bool) -> float:
        sets = np.ones((1, len(self.automata)), np.int8)
        each = np.arange(len(self.automata))
        total = 0.0
        for begin, end, weights in reversed(list(self._weights())):
            for t in range(begin, end):
                own = pattern[t % len(pattern)]
                gain = weights @ self._gain_by_opponent(gains, sets, False)[:, 0]
                total += float(gain[own] if moves else gain.max())
                sets = self._after[each, sets, own]
        return total

    def _list_situations(self) -> tuple[NDArray[np.int8], NDArray[np.int64]] | None:
        """The situations, int8[situations, automata], and what follows each own behaviour; ``None`` if there are too many."""
        each = np.arange(len(self.automata))
        salt = np.random.default_rng(0).integers(1, 2**63, len(self.automata), dtype=np.uint64)
        number: dict[int, int] = {}
        rows: list[NDArray[np.int8]] = []
        links: list[NDArray[np.int64]] = []
        frontier = np.ones((1, len(self.automata)), np.int8)
        number[int((frontier.astype(np.uint64) @ salt)[0])] = 0
        depth = 0
        while len(frontier):
            rows.append(frontier)
            depth += 1
            if depth >= self._longest:  # what follows the last round is worth nothing
                links.append(np.zeros((len(frontier), self._behaviours), np.int64))
                break
            reached = np.stack(
                [self._after[each, frontier, own] for own in range(self._behaviours)], axis=1
            ).reshape(-1, len(self.automata))
            keys = (reached.astype(np.uint64) @ salt).tolist()
            fresh: list[int] = []
            to: list[int] = []
            for i, key in enumerate(keys):
                if key not in number:
                    number[key] = len(number)
                    fresh.append(i)
                to.append(number[key])
            links.append(np.array(to, np.int64).reshape(-1, self._behaviours))
            if len(number) > SITUATIONS and len(self._opponents) > 1:
                return None
            frontier = reached[fresh]
        return np.concatenate(rows), np.concatenate(links)


def _list_set_transitions(automaton: PartialAutomaton, behaviours: int, sets: int) -> NDArray[np.int8]:
    """The set of states after a set of states and an own behaviour, int8[sets, behaviours]; a set is a number in binary."""
    everything = 2**automaton.states - 1
    after = np.zeros((sets, behaviours), np.int8)
    for states in range(1, everything + 1):
        for own in range(behaviours):
            for state in range(automaton.states):
                if states >> state & 1:
                    known = state < len(automaton.next) and automaton.next[state][own] >= 0
                    after[states, own] |= 1 << automaton.next[state][own] if known else everything
    return after


def _gain_in_sets(automaton: PartialAutomaton, table: Floats, high: bool, sets: int) -> Floats:
    """The largest or least ``table[choice, behaviour]`` over the states of a set: float64[sets, choices]."""
    choose = np.max if high else np.min
    by_state = [
        table[:, automaton.output[state]] if state < len(automaton.output) else choose(table, axis=1)
        for state in range(automaton.states)
    ]
    gains = np.zeros((sets, len(table)))
    for states in range(1, 2**automaton.states):
        gains[states] = choose([gain for state, gain in enumerate(by_state) if states >> state & 1], axis=0)
    return gains


def _list_patterns(behaviours: int) -> Iterator[tuple[int, ...]]:
    for length in range(1, LONGEST + 1):
        if behaviours**length <= MOST_PATTERNS:
            yield from product(range(behaviours), repeat=length)


def divide_by_room(earned: float, blind: Range, informed: Range, least_room: float) -> Range | None:
    """Bounds of (earned − blind) / (informed − blind), over all pairs that are at least ``least_room`` apart.

    ``None`` where no pair is. Both ends are at corners of what is possible, since the quotient is monotone in each number.
    """
    blinds = {blind.low, min(blind.high, informed.high - least_room)}
    corners: list[float] = []
    for b in blinds:
        if b < blind.low:
            return None
        tops = {informed.high, max(informed.low, b + least_room)}
        corners += [(earned - b) / (i - b) for i in tops if i - b >= least_room * (1 - 1e-9)]
    lowest = informed.low - least_room
    if blind.low < lowest < blind.high:
        corners.append((earned - lowest) / least_room)
    return Range(min(corners), max(corners)) if corners else None
