"""The mind that does nothing at all: the floor beside random play."""

from __future__ import annotations

from otherminds.core.contracts import Bench, Mind
from otherminds.core.data import Action, Answer, Brief, Do, Invalid, Moment, Question
from otherminds.worlds.grid.actions import NOOP


class Noop(Mind):
    """Stands where it is, whatever happens; answers nothing."""

    answers = False

    def begin(self, brief: Brief, bench: Bench) -> None:
        """Keeps nothing."""

    async def perceive(self, moment: Moment) -> None:
        """Hears nothing."""

    async def act(self) -> Action | Do | Invalid:
        return NOOP

    async def answer(self, question: Question) -> Answer | Invalid:
        return Invalid("a mind that does nothing answers nothing")
