"""Minds that ignore their partner: the equilibrium, and uniform play."""

from __future__ import annotations

from otherminds.games.equilibrium import nash
from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("nash")
class Nash(Player):
    """Plays its side of the stage game's equilibrium, and predicts the partner's.

    The equilibrium with the largest supports (:func:`otherminds.games.equilibrium.nash`).
    """

    grants = frozenset({"payoffs"})
    several = True

    def start(self, own: int, others: int) -> None:
        self._mine, self._theirs = nash(self.game)

    def choose(self) -> int:
        return self.context.rng.choices(range(len(self._mine)), self._mine)[0]

    def predict(self) -> int:
        return self._theirs.index(max(self._theirs))


@minds.register("uniform")
class Uniform(Player):
    """Plays uniformly at random; predicts behaviour 0."""

    several = True

    def start(self, own: int, others: int) -> None:
        self._size = own

    def choose(self) -> int:
        return self.context.rng.randrange(self._size)

    def predict(self) -> int:
        return 0
