"""The best plan fixed in advance: R_blind of the functional score."""

from __future__ import annotations

from otherminds.core.data import Moment
from otherminds.core.errors import StudyError
from otherminds.games.blind import blind_plan
from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("blind")
class Blind(Player):
    """Plays the open-loop plan that is best against the reference population.

    Among several partners the plan goes on with every encounter, as if one partner
    had been met all the time. Its prediction is the behaviour that the population shows most often at the
    start: it never looks at its partner.
    """

    grants = frozenset({"payoffs", "reference"})
    several = True

    def start(self, own: int, others: int) -> None:
        game = self.brief.game
        if game is None or not self.brief.partners:
            raise StudyError("Blind needs the payoffs and the reference population granted")
        self._plan = blind_plan(game, self.brief.partners, self.brief.planned)
        self._round = 0
        opening = [
            sum(p.weight * p.automaton.output[p.automaton.start][b] for p in self.brief.partners)
            for b in range(others)
        ]
        self._guess = opening.index(max(opening))

    async def perceive(self, moment: Moment) -> None:
        self._round += len(moment.encounters)

    def learn(self, own: int, other: int, reward: float) -> None:
        """Nothing is learnt: it counts its encounters, whoever they are with."""

    def choose(self) -> int:
        return self._plan[min(self._round, len(self._plan) - 1)]

    def predict(self) -> int:
        return self._guess
