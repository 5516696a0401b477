"""Bayes-optimal play: the upper bound for a mind that knows its partner's family."""

from __future__ import annotations

from otherminds.core.errors import StudyError
from otherminds.games.belief import FamilyPlan
from otherminds.games.player import Player
from otherminds.minds.registry import minds


@minds.register("bayes")
class Bayes(Player):
    """Exact belief dynamic programming over ``prior``.

    ``prior`` is ``family`` (the population it meets) or ``mixed`` (half constant
    partners, half tit-for-tat). Its regret is the least that any mind with that
    prior can expect. With partners that draw at random the beliefs are too many for
    an exact plan, and a study refuses it before it starts. A partner outside the
    family empties the belief; a note says so, and it keeps its last belief.
    """

    def __init__(self, prior: str = "family") -> None:
        if prior not in ("family", "mixed"):
            raise StudyError(f"the prior of bayes must be 'family' or 'mixed', not {prior!r}")
        self.grants = frozenset({"payoffs", prior})

    def start(self, own: int, others: int) -> None:
        self._plan = FamilyPlan(self.game, self.family, self.brief.planned)

    def learn(self, own: int, other: int, reward: float) -> None:
        if not self._plan.learn(own, (other,)):
            self.context.note("belief emptied", {"own": own, "other": other})

    def choose(self) -> int:
        return self._plan.act()

    def predict(self) -> int:
        chances = self._plan.chances()
        return chances.index(max(chances))

    def predict_after(self, own: int) -> int:
        chances = self._plan.chances_after(own)
        return chances.index(max(chances))
