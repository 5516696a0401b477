"""Uniformly random primitive actions: the lower bound of every world."""

from __future__ import annotations

from copy import deepcopy

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.minds.registry import minds


@minds.register("random")
class Random(Mind):
    """Samples its action space, and answers questions uniformly.

    In a grid that is a random walk; :class:`~otherminds.minds.tabular.nash.Uniform`
    chooses among behaviours instead. Answers are drawn before they are asked for.
    """

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        self._space = deepcopy(brief.action_space)
        self._space.seed(self._rng.getrandbits(31))

    async def perceive(self, moment: Moment) -> None:
        self._luck = self._rng.random()

    async def act(self) -> Action | SkillChoice | Invalid:
        action: Action = self._space.sample()
        return int(action) if getattr(action, "shape", None) == () else action

    async def answer(self, question: Question) -> Answer | Invalid:
        if not question.options:
            return Invalid("a random mind has nothing to choose from")
        return question.options[int(self._luck * len(question.options))]
