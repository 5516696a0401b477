"""The housemate: a mind that plans with what it knows, talks in its own way, and answers from its beliefs."""

from __future__ import annotations

import re
from types import MappingProxyType

from msgspec import structs

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.epistemic.formula import Atom, KnowledgeChain, Literal
from otherminds.epistemic.household_facts import UNKNOWN
from otherminds.epistemic.words import Fact, Reaches, read
from otherminds.worlds.household.probes import answer_of, foreseen
from otherminds.worlds.household.reference.doing import Doer
from otherminds.worlds.household.reference.knowledge import (
    Knowledge,
    ReceivedMessage,
    chain_of,
    numbered,
    owned,
)
from otherminds.worlds.household.reference.plan import FloorPlan
from otherminds.worlds.household.reference.sharing import able, mine
from otherminds.worlds.household.reference.talking import Silent, Talker, TeamMessage

WAIT, DONE = "Wait[]", "Done[]"
ALLOWED = re.compile(r"You can only send messages to: (.*)\.")


class Housemate(Mind):
    """One member of a team. By itself it says nothing: the mind ``no_message``.

    It reads its brief, its observations and its messages. What it hears it believes. It
    is done when for half of all turns nothing new has happened and it has had nothing to do.

    ``told`` is what agents are told as formulas, where the task has them. A mind takes from it its
    own part alone, or with the grant ``secrets`` all.
    """

    _told: ReceivedMessage = MappingProxyType({})

    def __init__(self, told: ReceivedMessage = _told) -> None:
        self._told = told

    def heard(self, brief: Brief) -> ReceivedMessage:
        """What this mind was told, as formulas."""
        seats = (
            sorted((brief.seat, *brief.others), key=numbered) if "secrets" in self.grants else (brief.seat,)
        )
        return {seat: self._told[seat] for seat in seats if seat in self._told}

    def begin(self, brief: Brief, context: MindContext) -> None:
        if "secrets" not in self.grants:
            own = tuple(text for text in brief.secrets if owned(text, "")[0] in ("", brief.seat))
            brief = structs.replace(brief, secrets=own)
        self.knowledge = Knowledge(brief, self.heard(brief))
        self.doer = Doer(self.knowledge)
        self.talker: Talker = self.talks()
        self._rest = max(2, brief.horizon // 2)
        self._busy = 0
        self._over = False
        self._message: TeamMessage | None = None

    def talks(self) -> Talker:
        """How this mind talks."""
        return Silent()

    async def perceive(self, moment: Moment) -> None:
        knowledge, seen = self.knowledge, moment.observation
        if not knowledge.plan.rooms:
            knowledge.turn = seen["turn"]
            knowledge.begin(FloorPlan(seen["house"]))
        knowledge.look(seen)
        self._delivered(seen["worked"], seen["result"])
        self.doer.settle(seen["worked"], seen["result"])
        for told in moment.told:
            knowledge.hear(told.sender, told.text)

    async def act(self) -> Action | SkillChoice | Invalid:
        if self._over:
            return WAIT
        knowledge = self.knowledge
        idle = knowledge.turn - max(self._busy, knowledge.fresh)
        self._message = self.talker.now()
        call = self._message.call(knowledge.me) if self._message else self._work()
        if call is None:
            self._message = self.talker.later(idle)
            call = self._message.call(knowledge.me) if self._message else None
        if call:
            self._busy = knowledge.turn
        elif self.finished(idle):
            self._over = True
            call = DONE
        self.doer.did(call or WAIT)
        return call or WAIT

    async def answer(self, question: Question) -> Answer | Invalid:
        return reported(self.knowledge, asked(question))

    def goals(self) -> list[Literal]:
        """What this agent sees to now."""
        knowledge = self.knowledge
        return [
            goal for goal in knowledge.goals if able(knowledge, knowledge.me, goal) and mine(knowledge, goal)
        ]

    def chore(self) -> str | None:
        """What to do when nothing else is left to be done."""
        return self.doer.tidy()

    def _work(self) -> str | None:
        """The next thing to do; where one has to be in the end one goes last, with nothing left behind."""
        goals = self.goals()
        stays = [goal for goal in goals if isinstance(goal, Atom) and goal.predicate == "agent_in_room"]
        return (
            self.doer.next(goal for goal in goals if goal not in stays)
            or self.chore()
            or self.doer.next(stays)
        )

    def finished(self, idle: int) -> bool:
        """Whether there is no use in waiting longer."""
        return idle >= self._rest

    def _delivered(self, worked: bool, text: str) -> None:
        """How the last message went, if there was one."""
        message, self._message = self._message, None
        if message is None:
            return
        knowledge = self.knowledge
        if worked:
            knowledge.sent(message.to, message.statements)
            return
        allowed = ALLOWED.search(text)
        if allowed:
            knowledge.learn(Reaches(knowledge.me, tuple(allowed[1].split(", "))), knowledge.me)
        else:
            # No messages left, or none allowed at all.
            knowledge.left = 0


def asked(question: Question) -> KnowledgeChain | None:
    """What a probe is about, by its text: the next agents, and the fact; None if it is no such probe."""
    _, colon, said = question.text.partition("about: ")
    for statement in read(said) if colon else ():
        if isinstance(statement, Fact):
            inner = chain_of(statement.formula)
            return inner and KnowledgeChain((*foreseen(question), *inner.agents), inner.fact)
    return None


def reported(knowledge: Knowledge, chain: KnowledgeChain | None) -> Answer:
    """What the chain's agents are taken to believe; with no agents in it, what oneself believes."""
    if chain is None:
        return dict(UNKNOWN)
    return answer_of(chain.fact, knowledge.models.holds(chain.agents, chain.fact))
