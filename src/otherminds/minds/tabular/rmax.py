"""The published tabular yardstick: RMax on the last joint action."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from otherminds.games.player import Player
from otherminds.minds.registry import minds

GAMMA = 0.9
START = -1
Known = tuple[tuple[tuple[int, int], tuple[int, float]], ...]
"""The transitions seen: ((state, action), (state after, reward)), sorted."""


@lru_cache(maxsize=4096)
def greedy(transitions: Known, rmax: float, actions: int) -> dict[int, tuple[int, ...]]:
    """The greedy actions of every state seen, with all ties, by value iteration.

    An action not tried in a state is worth rmax / (1 − γ).
    """
    model = dict(transitions)
    heaven = rmax / (1 - GAMMA)
    states = {START} | {s for s, _ in model} | {after for after, _ in model.values()}
    value = dict.fromkeys(states, heaven)

    def q(state: int, action: int) -> float:
        if (state, action) not in model:
            return heaven
        after, reward = model[state, action]
        return reward + GAMMA * value[after]

    iterate(value, q, actions)
    best = {s: max(q(s, a) for a in range(actions)) for s in states}
    return {s: tuple(a for a in range(actions) if q(s, a) > best[s] - 1e-6) for s in states}


def iterate(value: dict[int, float], q: Callable[[int, int], float], actions: int) -> None:
    """Value iteration in place, to 1e-9: each ``value[state]`` becomes the largest ``q(state, action)``."""
    change = 1.0
    while change > 1e-9:
        fresh = {s: max(q(s, a) for a in range(actions)) for s in value}
        change = max(abs(fresh[s] - value[s]) for s in value)
        value.update(fresh)


@minds.register("rmax")
class RMax(Player):
    """RMax (Brafman & Tennenholtz 2002) with m = 1, as the yardstick of Riemer et al. 2025.

    State: the last joint action, or the start. Value iteration after each new pair,
    γ = 0.9, greedy, ties uniformly at random. Prediction: the partner's most frequent
    behaviour in the state, index 0 without data. Of payoffs and partner it knows only
    the highest reward.

    The authors published no code. This reconstruction reproduces the printed numbers
    (``benchmarks/reproduce_riemer.py``); one-step optimistic Q-learning, states of own
    or partner's actions alone, lowest-index ties, m = 2 and random openings do not.
    """

    def start(self, own: int, others: int) -> None:
        self._actions_n, self._others_n = own, others
        self._rmax = self.brief.reward_range[1]
        self._state = START
        self._model: dict[tuple[int, int], tuple[int, float]] = {}
        self._greedy = greedy((), self._rmax, own)
        self._counts: dict[int, list[int]] = {}

    def learn(self, own: int, other: int, reward: float) -> None:
        after = own * self._others_n + other
        counts = self._counts.setdefault(self._state, [0] * self._others_n)
        counts[other] += 1
        if (self._state, own) not in self._model:
            self._model[self._state, own] = (after, reward)
            self._greedy = greedy(tuple(sorted(self._model.items())), self._rmax, self._actions_n)
        self._state = after

    def choose(self) -> int:
        best = self._greedy.get(self._state, tuple(range(self._actions_n)))
        return best[0] if len(best) == 1 else self.context.rng.choice(best)

    def predict(self) -> int:
        return self._most_frequent(self._state)

    def predict_after(self, own: int) -> int:
        return self._most_frequent(own * self._others_n + self.predict())

    def _most_frequent(self, state: int) -> int:
        counts = self._counts.get(state)
        return counts.index(max(counts)) if counts else 0
