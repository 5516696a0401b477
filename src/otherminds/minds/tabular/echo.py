"""A null mind: plays its own last behaviour again, and predicts the same of its partner."""

from __future__ import annotations

from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("echo")
class Echo(Player):
    """Opens with a behaviour drawn at random, repeats it for ever, and predicts it of its partner.

    It looks at nothing that its partner does. Against a partner that copies or answers the
    last move its predictions are regular for no merit of its own.
    """

    several = True

    def start(self, own: int, others: int) -> None:
        self._choice = self.bench.rng.randrange(own)
        self._said = self._choice % others

    def learn(self, own: int, other: int, reward: float) -> None:
        """Nothing is learnt."""

    def choose(self) -> int:
        return self._choice

    def predict(self) -> int:
        return self._said
