"""A mind that plays at random, and one that follows a script."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Behaviour, Brief, Invalid, Moment, Question, SkillChoice


def chosen(brief: Brief, behaviour: Behaviour) -> Action | SkillChoice:
    """The choice of ``behaviour``: a skill if it is one, else its index."""
    if behaviour in brief.skills:
        return SkillChoice(behaviour)
    return brief.behaviours[brief.seat].index(behaviour)


class RandomMind(Mind):
    """Plays legal actions and answers options uniformly at random.

    It chooses among its skills, or among all primitive actions if it has none. The answer to the
    next question is drawn in ``perceive``, so that asking draws nothing.
    """

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        self._space = deepcopy(brief.action_space)
        self._space.seed(self._rng.getrandbits(31))
        own = brief.behaviours.get(brief.seat, ())
        self._skills = [SkillChoice(name) for name in own if name in brief.skills]

    async def perceive(self, moment: Moment) -> None:
        self._luck = self._rng.random()

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._skills:
            return self._rng.choice(self._skills)
        action: Any = self._space.sample()
        return int(action) if hasattr(action, "__index__") and not getattr(action, "shape", ()) else action

    async def answer(self, question: Question) -> Answer | Invalid:
        if not question.options:
            return Invalid("a random mind has nothing to choose from")
        return question.options[int(self._luck * len(question.options))]


class ScriptedMind(Mind):
    """Plays the behaviours of ``script`` in order, then repeats the last one."""

    def __init__(self, script: Sequence[Behaviour]) -> None:
        self.script = tuple(script)

    def begin(self, brief: Brief, context: MindContext) -> None:
        self.context = context
        self._choices = [chosen(brief, behaviour) for behaviour in self.script]
        self._played = 0

    async def perceive(self, moment: Moment) -> None:
        """Ignores the moment."""

    async def act(self) -> Action | SkillChoice | Invalid:
        self._played += 1
        return self._choices[min(self._played, len(self._choices)) - 1]

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a scripted mind is not asked")
