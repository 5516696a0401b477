"""Bayes-optimal play: the ceiling of what a mind can do that knows its partner's family."""

from __future__ import annotations

from otherminds.core.errors import StudyError
from otherminds.games.belief import PartnerHypothesis, after, belief_plan, initial, prediction
from otherminds.games.player import Player
from otherminds.minds.registry import minds


class Planner(Player):
    """Plays the exact plan over beliefs about the partners it was granted.

    Where an encounter pays mixtures of the game's payoffs, as duels do, it learns
    from the behaviours alone. A partner outside the granted family empties the
    belief, which is noted; from there on it plays, and predicts, by its last one.
    """

    def start(self, own: int, others: int) -> None:
        game = self.brief.game
        if game is None or not self.brief.partners:
            raise StudyError(f"{type(self).__name__} needs the payoffs and a family of partners granted")
        self._hypotheses = tuple(PartnerHypothesis(p.weight, game, p.automaton) for p in self.brief.partners)
        self._plan = belief_plan(self._hypotheses, self.brief.planned)
        self._belief = initial(self._hypotheses)
        self._round = 0

    def learn(self, own: int, other: int, reward: float) -> None:
        if self.brief.rounds:
            reward = self._hypotheses[0].game.payoffs[own][other][0]
        belief = after(self._hypotheses, self._belief, own, other, reward)
        if not belief:
            self.context.note("belief emptied", {"own": own, "other": other})
        self._belief = belief or self._belief
        self._round += 1

    def choose(self) -> int:
        return self._plan.act(min(self._round, self._plan.rounds - 1), self._belief)

    def predict(self) -> int:
        chances = prediction(self._hypotheses, self._belief)
        return chances.index(max(chances))


@minds.register("bayes")
class Bayes(Planner):
    """Exact belief dynamic programming over ``prior``.

    ``prior`` is ``family`` (the population it meets) or ``mixed`` (half constant
    partners, half tit-for-tat). Its regret is the least that any mind with that
    prior can expect. Partners that draw at random make the beliefs too many for
    an exact plan; a study that asks for one says so before anything is played.
    """

    def __init__(self, prior: str = "family") -> None:
        if prior not in ("family", "mixed"):
            raise StudyError(f"the prior of bayes must be 'family' or 'mixed', not {prior!r}")
        self.grants = frozenset({"payoffs", prior})
