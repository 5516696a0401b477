"""The mind that does nothing at all: the floor beside random play."""

from __future__ import annotations

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.worlds.grid.actions import NOOP


class Noop(Mind):
    """Stands where it is, whatever happens; answers nothing."""

    answers = False

    def begin(self, brief: Brief, context: MindContext) -> None:
        """Keeps nothing."""

    async def perceive(self, moment: Moment) -> None:
        """Hears nothing."""

    async def act(self) -> Action | SkillChoice | Invalid:
        return NOOP

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a mind that does nothing answers nothing")
