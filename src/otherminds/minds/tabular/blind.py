"""The best plan fixed in advance: R_blind of the functional score."""

from __future__ import annotations

from otherminds.core.data import Moment
from otherminds.games.blind import blind_plan
from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("blind")
class Blind(Player):
    """Plays the open-loop plan that is best against the reference population.

    With several partners the plan advances with every encounter, whatever the partner. Its
    prediction is the population's most frequent first behaviour. It observes no partner.
    """

    grants = frozenset({"payoffs", "reference"})
    several = True

    def start(self, own: int, others: int) -> None:
        self._plan = blind_plan(self.game, self.family, self.brief.planned)
        self._round = 0
        opening = [
            sum(p.weight * p.automaton.output[p.automaton.start][b] for p in self.family)
            for b in range(others)
        ]
        self._guess = opening.index(max(opening))

    async def perceive(self, moment: Moment) -> None:
        self._round += len(moment.encounters)

    def choose(self) -> int:
        return self._plan[min(self._round, len(self._plan) - 1)]

    def predict(self) -> int:
        return self._guess
