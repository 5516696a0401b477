"""Fictitious play (Brown 1951)."""

from __future__ import annotations

from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("fictitious_play")
class FictitiousPlay(Player):
    """Best-responds to the observed frequencies; lowest index on ties.

    Its prediction is the most frequent behaviour so far. Prediction and choice agree, and
    both ignore reactions to its own behaviour.
    """

    grants = frozenset({"payoffs"})

    def start(self, own: int, others: int) -> None:
        self._payoffs = self.game.payoffs
        self._counts = [0] * others

    def learn(self, own: int, other: int, reward: float) -> None:
        self._counts[other] += 1

    def choose(self) -> int:
        weights = self._counts if any(self._counts) else [1] * len(self._counts)
        worth = [sum(n * row[b][0] for b, n in enumerate(weights)) for row in self._payoffs]
        return worth.index(max(worth))

    def predict(self) -> int:
        return self._counts.index(max(self._counts))
