"""A null mind: predicts of its partner what it is about to play itself."""

from __future__ import annotations

from otherminds.core.data import Moment
from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("mirror")
class Mirror(Player):
    """Plays uniformly at random, and predicts of its partner its own choice of the same encounter."""

    several = True

    def start(self, own: int, others: int) -> None:
        self._own_n, self._others_n = own, others
        self._choice = self.bench.rng.randrange(own)

    async def perceive(self, moment: Moment) -> None:
        if moment.encounters:
            self._choice = self.bench.rng.randrange(self._own_n)

    def learn(self, own: int, other: int, reward: float) -> None:
        """Nothing is learnt."""

    def choose(self) -> int:
        return self._choice

    def predict(self) -> int:
        return self._choice % self._others_n
