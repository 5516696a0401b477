"""The base of the reference minds: it plans with its knowledge, communicates, and answers from its beliefs."""

from __future__ import annotations

from types import MappingProxyType

from msgspec import structs

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import UNKNOWN, Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal
from otherminds.household.epistemic.words import Fact
from otherminds.household.epistemic.words.house_rule import Refusal
from otherminds.household.epistemic.words.sentences import read
from otherminds.household.probes import answer_of, foreseen
from otherminds.household.reference import sharing
from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import (
    Knowledge,
    ReceivedMessage,
    chain_of,
    seat_number,
    split_owner,
)
from otherminds.household.reference.plan import FloorPlan
from otherminds.household.reference.talking import Talker, TeamMessage, WholeMemory

WAIT, DONE = "Wait[]", "Done[]"


class Housemate(Mind):
    """One member of a team. The base class sends no messages: it is the mind ``no_message``.

    It uses its brief, its observations and its messages, which it believes. It is done if nothing new has happened, and
    it had nothing to do, for half of all turns.

    ``secret_statements`` are the secrets of all agents as statements, if the task has formulas. A mind uses only its own, or all with
    the grant ``secrets``. With ``whole_memory``, each message carries all that its sender knows.
    """

    _told: ReceivedMessage = MappingProxyType({})
    whole_memory: bool = False

    def __init__(self, secret_statements: ReceivedMessage = _told, whole_memory: bool = False) -> None:
        self._told = secret_statements
        self.whole_memory = whole_memory

    def usable_secrets(self, brief: Brief) -> ReceivedMessage:
        """The secrets that this mind may use, as statements."""
        everyone = sorted((brief.seat, *brief.others), key=seat_number)
        seats = everyone if "secrets" in self.grants else (brief.seat,)
        return {seat: self._told[seat] for seat in seats if seat in self._told}

    def begin(self, brief: Brief, context: MindContext) -> None:
        if "secrets" not in self.grants:
            own = tuple(text for text in brief.secrets if split_owner(text, "")[0] in ("", brief.seat))
            brief = structs.replace(brief, secrets=own)
        self.knowledge = Knowledge(brief, self.usable_secrets(brief))
        self.doer = Doer(self.knowledge)
        talker = self.talks()
        self.talker = WholeMemory(self.knowledge, talker) if self.whole_memory else talker
        self.patience = max(2, brief.horizon // 2)
        self._busy = 0
        self._over = False
        self._message: TeamMessage | None = None

    def talks(self) -> Talker:
        return Talker()

    async def perceive(self, moment: Moment) -> None:
        knowledge, observation = self.knowledge, moment.observation
        if not knowledge.plan.rooms:
            knowledge.turn = observation["turn"]
            knowledge.begin(FloorPlan(observation["house"]))
        knowledge.look(observation)
        self._record_delivery(observation["worked"], observation["result"])
        self.doer.settle(observation["worked"], observation["result"])
        for message in moment.told:
            knowledge.hear(message.sender, message.text)

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
        elif own := self.own():
            call = own
        elif self.finished(idle):
            self._over = True
            call = DONE
        self.doer.did(call or WAIT)
        return call or WAIT

    async def answer(self, question: Question) -> Answer | Invalid:
        return reported(self.knowledge, asked(question))

    def goals(self) -> list[Literal]:
        """The goals that this agent works on now."""
        knowledge = self.knowledge
        able = (goal for goal in knowledge.goals if sharing.able(knowledge, knowledge.me, goal))
        return [goal for goal in able if sharing.mine(knowledge, goal)]

    def chore(self) -> str | None:
        """A call for when no goal can be advanced."""
        return self.doer.tidy()

    def own(self) -> str | None:
        """A call for the agent's private goal, for when nothing can be done or said for the shared goal."""
        return None

    def _work(self) -> str | None:
        """The next call for a goal; goals about the agent's final room come last."""
        goals = self.goals()
        stays = [goal for goal in goals if isinstance(goal, Atom) and goal.predicate == "agent_in_room"]
        call = self.doer.next(goal for goal in goals if goal not in stays)
        return call or self.chore() or self.doer.next(stays)

    def finished(self, idle: int) -> bool:
        """Whether waiting longer is useless."""
        return idle >= self.patience

    def _record_delivery(self, worked: bool, text: str) -> None:
        """Processes the result of the last message, if there was one."""
        message, self._message = self._message, None
        if message is None:
            return
        knowledge = self.knowledge
        if worked:
            knowledge.record_sent(message.to, message.statements)
            return
        if not knowledge.learn_refusal(Refusal(knowledge.me, text)):
            # No messages left, or none allowed at all.
            knowledge.left = 0


def asked(question: Question) -> KnowledgeChain | None:
    """The chain of a probe, parsed from its text; ``None`` if it is not such a probe."""
    _, colon, sentence = question.text.partition("about: ")
    for statement in read(sentence) if colon else ():
        if isinstance(statement, Fact):
            inner = chain_of(statement.formula)
            return inner and KnowledgeChain((*foreseen(question), *inner.agents), inner.fact)
    return None


def reported(knowledge: Knowledge, chain: KnowledgeChain | None) -> Answer:
    """The answer to a probe: the belief attributed to the chain's agents, or the mind's own if there are none."""
    if chain is None:
        return dict(UNKNOWN)
    return answer_of(chain.fact, knowledge.models.holds(chain.agents, chain.fact))
