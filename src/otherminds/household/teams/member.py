"""A member of a cheap team: a rule for talking and a rule for acting, on the body of the reference minds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeAlias

from otherminds.core.contracts import MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Question, SkillChoice
from otherminds.household.epistemic.formula import KnowledgeChain, Literal
from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import Knowledge, ReceivedMessage
from otherminds.household.reference.mind import WAIT, Housemate, asked, reported
from otherminds.household.reference.talking import Talker
from otherminds.household.teams.acting.own_goals import OwnGoals

TalkingRule: TypeAlias = Callable[[Knowledge, Doer, Random], Talker]
ActingRule: TypeAlias = Callable[[Knowledge, Doer], OwnGoals]


class CheapMember(Housemate):
    """Talks by one rule and acts by another; it is never done, and takes others to believe what it believes itself."""

    def __init__(self, told: ReceivedMessage, talking: TalkingRule, acting: ActingRule) -> None:
        super().__init__(told)
        self._talking = talking
        self._acting = acting

    def begin(self, brief: Brief, context: MindContext) -> None:
        self._rng = context.rng
        super().begin(brief, context)
        self._acts = self._acting(self.knowledge, self.doer)

    async def act(self) -> Action | SkillChoice | Invalid:
        call = await super().act()
        idle = self._acts.idle() if call == WAIT else None
        if idle is None:
            return call
        self.doer.did(idle)
        return idle

    def talks(self) -> Talker:
        return self._talking(self.knowledge, self.doer, self._rng)

    def goals(self) -> list[Literal]:
        return self._acts.goals()

    def chore(self) -> str | None:
        return self._acts.chore()

    def finished(self, idle: int) -> bool:
        return False

    async def answer(self, question: Question) -> Answer | Invalid:
        chain = asked(question)
        return reported(self.knowledge, chain and KnowledgeChain((), chain.fact))
