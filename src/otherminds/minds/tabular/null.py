"""Null minds: constant, echo and mirror play and predict without observing a partner."""

from __future__ import annotations

from otherminds.core.data import Moment
from otherminds.core.errors import StudyError
from otherminds.games.player import Player
from otherminds.minds.registry import minds


class Fixed(Player):
    """Shows one behaviour and predicts one, both set at the start."""

    several = True
    _choice: int
    _said: int

    def choose(self) -> int:
        return self._choice

    def predict(self) -> int:
        return self._said


@minds.register("constant")
class Constant(Fixed):
    """Shows ``behaviour`` in every encounter; in a grid, a collector of that class.

    It predicts ``prediction``, by default the partner's first behaviour.
    """

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


@minds.register("echo")
class Echo(Fixed):
    """Draws one behaviour at random, always plays it, and predicts it of its partner.

    Its predictions can be right against a partner that copies or answers the last move,
    without any knowledge of the partner.
    """

    def start(self, own: int, others: int) -> None:
        self._choice = self.context.rng.randrange(own)
        self._said = self._choice % others


@minds.register("mirror")
class Mirror(Fixed):
    """Plays uniformly at random, and predicts that its partner makes the same choice."""

    def start(self, own: int, others: int) -> None:
        self._own_n, self._others_n = own, others
        self._draw()

    async def perceive(self, moment: Moment) -> None:
        if moment.encounters:
            self._draw()

    def _draw(self) -> None:
        self._choice = self.context.rng.randrange(self._own_n)
        self._said = self._choice % self._others_n
