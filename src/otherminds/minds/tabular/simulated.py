"""A mind of known ability, to validate the measures."""

from __future__ import annotations

from otherminds.core.data import Moment
from otherminds.core.errors import StudyError
from otherminds.games.automata import best_reply
from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("simulated")
class Simulated(Player):
    """Predicts right with probability ``accuracy``, and best-responds to that with ``rationality``.

    Otherwise the prediction is one of the other behaviours, uniformly, and so is the
    choice. It knows its partner's policy (a grant), and draws before it is asked. Its answers to policy
    questions are right where its prediction is.
    """

    grants = frozenset({"payoffs", "policy"})

    def __init__(self, accuracy: float = 1.0, rationality: float = 1.0) -> None:
        for name, share in (("accuracy", accuracy), ("rationality", rationality)):
            if not 0.0 <= share <= 1.0:
                raise StudyError(f"the {name} of simulated must lie in 0..1, not {share}")
        self.accuracy = accuracy
        self.rationality = rationality

    def start(self, own: int, others: int) -> None:
        self._automaton = self.family[0].automaton
        self._state = self._automaton.start
        self._own_n, self._others_n = own, others

    async def perceive(self, moment: Moment) -> None:
        await super().perceive(moment)
        output = self._automaton.output[self._state]
        actual = self.context.rng.choices(range(self._others_n), output)[0]
        self._actual = actual
        self._prediction = self._slip(actual, self._others_n, self.accuracy)
        best = best_reply(self.game, self._prediction)
        self._choice = self._slip(best, self._own_n, self.rationality)

    def learn(self, own: int, other: int, reward: float) -> None:
        self._state = self._automaton.next[self._state][other][own]

    def choose(self) -> int:
        return self._choice

    def predict(self) -> int:
        return self._prediction

    def predict_after(self, own: int) -> int:
        output = self._automaton.output[self._automaton.next[self._state][self._actual][own]]
        missed = self._prediction - self._actual
        return (output.index(max(output)) + missed) % self._others_n

    def _slip(self, right: int, of: int, share: float) -> int:
        rng = self.context.rng
        if rng.random() < share or of == 1:
            return right
        return rng.choice([i for i in range(of) if i != right])
