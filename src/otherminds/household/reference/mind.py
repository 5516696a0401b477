"""The reference minds by level of communication; each plans with its knowledge, and answers from its beliefs.

Level 0 acts on what it knows. Level 1 sends its knowledge to every agent. Level 2 considers what each partner knows,
needs and can do. Level 3 also relies on partners to relay messages.

Agents of levels 2 and 3 pursue their private goals, too: when their own parts of the shared goal are achieved and nothing is
left to say, or half of the turns have passed without such a part; and never against a part of the shared goal that they know."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import structs

from otherminds.core.contracts import Mind, MindContext
from otherminds.core.data import UNKNOWN, Action, Answer, Brief, Invalid, Moment, Question, SkillChoice
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal, atom
from otherminds.household.epistemic.words import Fact, Refusal
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
from otherminds.household.reference.picture import FloorPlan
from otherminds.household.reference.routing import Router
from otherminds.household.reference.sharing import able, meeting, permits_act, wanted_in
from otherminds.household.reference.talking import Broadcast, First, Talker, TeamMessage, WholeMemory

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


LATE = 6
"""Turns after which an agent brings a thing nearer that another agent might have fetched."""


class Broadcaster(Housemate):
    """Tells everything to all agents."""

    def talks(self) -> Talker:
        return Broadcast(self.knowledge)


class LevelOne(Housemate):
    """Tells what it knows about the goal."""

    def talks(self) -> Talker:
        return First(self.knowledge)


class LevelTwo(Housemate):
    """Tells the most important things that it knows by itself to the agents that can use them.

    It leaves things where others can take them, and is not done before all known goals are achieved.
    """

    relays = False

    def talks(self) -> Talker:
        return Router(self.knowledge, self.doer, self.relays)

    def goals(self) -> list[Literal]:
        """The goals that it can achieve by itself, and handovers for others."""
        knowledge, goals = self.knowledge, super().goals()
        moved = {atom(goal).args[0] for goal in goals if not knowledge.achieved(goal)}
        for goal in knowledge.goals:
            brought = None if able(knowledge, knowledge.me, goal) else find_handover(knowledge, goal)
            if brought and atom(brought).args[0] not in moved:
                goals.append(brought)
        return goals

    def own(self) -> str | None:
        """A call for a part of its private goal that no known part of the shared goal excludes."""
        knowledge = self.knowledge
        if not knowledge.wishes:
            return None
        share = self.goals()
        # Who has had nothing to do so far may be told of something yet; who waits for a thing has to stay where it is brought.
        if (not share and knowledge.turn < self.patience) or not all(map(knowledge.achieved, share)):
            return None
        return self.doer.next(wish for wish in knowledge.wishes if permits_act(knowledge, wish))

    def finished(self, idle: int) -> bool:
        knowledge = self.knowledge
        return super().finished(idle) and all(knowledge.achieved(goal) for goal in knowledge.goals)


class LevelThree(LevelTwo):
    """Relays what it hears, and relies on the others to do so."""

    relays = True


LEVELS: Mapping[int, type[Housemate]] = MappingProxyType(
    {0: Housemate, 1: LevelOne, 2: LevelTwo, 3: LevelThree}
)


def find_handover(knowledge: Knowledge, goal: Literal) -> Literal | None:
    """The part of a goal that an agent can do if it cannot finish it: bring the thing to where another agent can take it.

    A held thing is brought at once; any other thing only if no other agent seems able to fetch it, or none has done so
    for some turns.
    """
    target = wanted_in(knowledge, goal)
    if target is None or not isinstance(goal, Atom):
        return None
    o = goal.args[0]
    takers = [other for other in knowledge.others if able(knowledge, other, goal)]
    room = meeting(knowledge, knowledge.me, takers, target)
    if room is None:
        return None
    brought = Atom("is_in_room", (o, room))
    if o in knowledge.holding:
        return brought
    lies = knowledge.picture.room(o)
    hops = knowledge.plan.hops(target)
    if lies is None or lies == room or lies not in knowledge.rooms(knowledge.me):
        return None
    fetched = any(lies in knowledge.rooms(taker) for taker in takers)
    if fetched and hops.get(lies, 0) <= hops.get(room, 0):
        return None
    provenance = knowledge.goals[goal]
    late = knowledge.turn - max(provenance.turn, provenance.passed) >= LATE
    return brought if late or not fetched else None
