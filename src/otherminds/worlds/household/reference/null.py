"""Minds that know nothing of others: yardsticks on which no measure of theory of mind may lie above 0.

They act as level 3 does, so that there is something to be known, or not at all; what they answer
owes nothing to what anybody else saw or was told.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from otherminds.core.contracts import Bench, Mind
from otherminds.core.data import Action, Answer, Brief, Do, Invalid, Moment, Question
from otherminds.epistemic.formula import Chain
from otherminds.worlds.household.reference.answering import asked, reported
from otherminds.worlds.household.reference.levels import LevelThree

HOLDS, FAILS, UNKNOWN = range(3)
"""The options of a probe, in their order."""


class Egocentric(LevelThree):
    """Answers for others as if they believed what it believes itself."""

    async def answer(self, question: Question) -> Answer | Invalid:
        chain = asked(question)
        return reported(self.knowledge, chain and Chain((), chain.fact))


class Constant(LevelThree):
    """Gives the same answer to every probe: the option ``said``."""

    said: int

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[self.said]


class AlwaysHolds(Constant):
    """Says that it holds."""

    said = HOLDS


class AlwaysFails(Constant):
    """Says that it does not hold."""

    said = FAILS


class AlwaysUnknown(Constant):
    """Says that it is not known."""

    said = UNKNOWN


class SilentAndDone(Mind):
    """Is done at once, says nothing, and then says that everything holds."""

    def begin(self, brief: Brief, bench: Bench) -> None:
        self._over = False

    async def perceive(self, moment: Moment) -> None:
        self._over = moment.step > 0

    async def act(self) -> Action | Do | Invalid:
        return "Wait[]" if self._over else "Done[]"

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[HOLDS]


NULL: Mapping[str, type[Mind]] = MappingProxyType(
    {
        "egocentric": Egocentric,
        "always_holds": AlwaysHolds,
        "always_fails": AlwaysFails,
        "always_unknown": AlwaysUnknown,
        "silent_and_done": SilentAndDone,
    }
)
"""Every null mind of the household by its name."""
