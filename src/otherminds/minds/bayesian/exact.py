"""The exact plan over a granted family, as long as nothing contradicts it."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Game, Likely
from otherminds.core.errors import WorldError
from otherminds.games.belief import Hypothesis, after, belief_plan, initial, prediction


class Exact:
    """Follows :func:`~otherminds.games.belief.belief_plan` over ``family`` for ``rounds`` rounds.

    ``holds`` is false where no such plan can be made, and from when on the partner has
    done what nobody in the family does.
    """

    def __init__(self, game: Game, family: Sequence[Likely], rounds: int) -> None:
        self._game = game
        self._hypotheses = tuple(Hypothesis(member.weight, game, member.automaton) for member in family)
        self._belief = initial(self._hypotheses)
        self._round = 0
        try:
            self._plan = belief_plan(self._hypotheses, rounds)
        except WorldError:
            self._plan = None

    @property
    def holds(self) -> bool:
        """Whether there is a plan, and somebody left in the family who it may be."""
        return self._plan is not None and bool(self._belief)

    def learn(self, own: int, could: Sequence[int]) -> None:
        """An encounter: the own behaviour, and what the partner may have shown, the likeliest first."""
        if self.holds:
            foreseen = prediction(self._hypotheses, self._belief)
            shown = max(could, key=foreseen.__getitem__)
            reward = self._game.payoffs[own][shown][0]
            self._belief = after(self._hypotheses, self._belief, own, shown, reward)
            self._round += 1

    def act(self) -> int:
        """The optimal behaviour now; only while it ``holds``."""
        assert self._plan is not None
        return self._plan.act(min(self._round, self._plan.rounds - 1), self._belief)
