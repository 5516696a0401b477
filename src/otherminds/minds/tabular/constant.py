"""One behaviour, whatever happens."""

from __future__ import annotations

from otherminds.core.errors import StudyError
from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("constant")
class Constant(Player):
    """Shows ``behaviour`` in every encounter; in a grid, a collector of that class.

    It predicts ``prediction``, the partner's first behaviour if none is given. It looks at nothing.
    """

    several = True

    def __init__(self, behaviour: str, prediction: str = "") -> None:
        self.behaviour = behaviour
        self.prediction = prediction

    def start(self, own: int, others: int) -> None:
        if self.behaviour not in self._own:
            raise StudyError(
                f"constant cannot show {self.behaviour!r}; seat {self.seat!r} shows {', '.join(self._own)}"
            )
        if self.prediction and self.prediction not in self._others:
            raise StudyError(
                f"constant cannot predict {self.prediction!r}; others show {', '.join(self._others)}"
            )
        self._choice = self._own[self.behaviour]
        self._said = self._others[self.prediction] if self.prediction else 0

    def learn(self, own: int, other: int, reward: float) -> None:
        """Nothing is learnt."""

    def choose(self) -> int:
        return self._choice

    def predict(self) -> int:
        return self._said
