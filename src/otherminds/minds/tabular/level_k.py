"""Level-k reasoning over the last encounter (Stahl & Wilson 1994)."""

from __future__ import annotations

from otherminds.core.errors import StudyError
from otherminds.games.partners.level_k import level_k_reply
from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("level_k")
class LevelK(Player):
    """Best-responds to a partner of level ``level`` − 1.

    Level 0 repeats its own last behaviour; round 1 assumes behaviour 0 of both before it.
    Level 2 is optimal against tit-for-tat in RPS.
    """

    grants = frozenset({"payoffs"})

    def __init__(self, level: int = 2) -> None:
        if level < 1:
            raise StudyError(f"level_k needs a level of at least 1, not {level}")
        self.level = level

    def start(self, own: int, others: int) -> None:
        self._last = (0, 0)

    def learn(self, own: int, other: int, reward: float) -> None:
        self._last = (own, other)

    def choose(self) -> int:
        return level_k_reply(self.game, self.level, *self._last)

    def predict(self) -> int:
        own, other = self._last
        return level_k_reply(self.game.flipped(), self.level - 1, other, own)

    def predict_after(self, own: int) -> int:
        return level_k_reply(self.game.flipped(), self.level - 1, self.predict(), own)
