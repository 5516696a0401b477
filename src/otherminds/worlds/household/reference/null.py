"""Minds that know nothing of others: yardsticks on which no measure of theory of mind may lie above 0.

They act as level 3 does, so that there is something to be known, at random, or not at all; what they answer
owes nothing to what anybody else saw or was told.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.core.seeds import derive
from otherminds.epistemic.formula import KnowledgeChain
from otherminds.worlds.household.reference.levels import LevelThree
from otherminds.worlds.household.reference.mind import asked, reported

HANDLED = ("Pick", "Clean", "Fill", "Pour", "PowerOn", "PowerOff")
TURNED = ("Open", "Close", "PowerOn", "PowerOff")
HOLDS, FAILS, UNKNOWN = range(3)
"""The options of a probe, in their order."""


class Egocentric(LevelThree):
    """Answers for others as if they believed what it believes itself."""

    async def answer(self, question: Question) -> Answer | Invalid:
        chain = asked(question)
        return reported(self.knowledge, chain and KnowledgeChain((), chain.fact))


class ConstantAnswer(LevelThree):
    """Gives the same answer to every probe: the option ``said``."""

    said: int

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[self.said]


class AlwaysHolds(ConstantAnswer):
    """Says that it holds."""

    said = HOLDS


class AlwaysFails(ConstantAnswer):
    """Says that it does not hold."""

    said = FAILS


class AlwaysUnknown(ConstantAnswer):
    """Says that it is not known."""

    said = UNKNOWN


class SilentAndDone(Mind):
    """Is done at once, says nothing, and then says that everything holds."""

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._over = False

    async def perceive(self, moment: Moment) -> None:
        self._over = moment.step > 0

    async def act(self) -> Action | SkillChoice | Invalid:
        return "Wait[]" if self._over else "Done[]"

    async def answer(self, question: Question) -> Answer | Invalid:
        return question.options[HOLDS]


class Chance(Mind):
    """The mind ``random``: draws a tool, then what to use it on, of names that its own graph holds.

    It says nothing, and guesses among a question's options.
    """

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        self._seed = context.rng.getrandbits(32)
        self._seen: dict[str, Any] = {}

    async def perceive(self, moment: Moment) -> None:
        self._seen = moment.observation

    async def act(self) -> Action | SkillChoice | Invalid:
        house, objects = self._seen["house"], sorted(self._seen["graph"]["objects"])
        rooms, furniture = list(house["rooms"]), list(house["furniture"])
        tools = ["Navigate", "Explore", "Turn", "Wait"] + (["Handle"] if objects else [])
        tool = self._rng.choice(tools + ["Place"] * bool(self._seen["holding"]))
        match tool:
            case "Navigate":
                return f"Navigate[{self._rng.choice(rooms + furniture + objects)}]"
            case "Explore":
                return f"Explore[{self._rng.choice(rooms)}]"
            case "Turn":
                return f"{self._rng.choice(TURNED)}[{self._rng.choice(furniture)}]"
            case "Handle":
                return f"{self._rng.choice(HANDLED)}[{self._rng.choice(objects)}]"
            case "Place":
                how = self._rng.choice(("on", "within"))
                return f"Place[{self._seen['holding'][0]}, {how}, {self._rng.choice(furniture)}]"
            case _:
                return "Wait[]"

    async def answer(self, question: Question) -> Answer | Invalid:
        # A stream of its own for each question: asking changes no later draw.
        return question.options[derive(self._seed, question.id) % len(question.options)]


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
