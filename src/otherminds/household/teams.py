"""Cheap teams: a rule for talking and a rule for acting, and none with a model of its partners.

No rule depends on what a particular partner knows, needs or may do. A member knows its own secrets, observations and
messages, and who told it something; it may speak about itself, and ask all for something. A task that such teams solve
does not show that an agent uses what it knows about others.

A talking rule says when a member speaks and to whom (a :class:`Speaker`), and which statement it says first if a message
conveys only some (a :data:`Choice`). :data:`PANEL` has every pair of a talking rule and an acting rule, the pairs that solve
most first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from random import Random
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from otherminds.core.contracts import MindContext
from otherminds.core.data import Action, Answer, Brief, Invalid, Question, Seat, SkillChoice
from otherminds.household.commands import LONGEST
from otherminds.household.epistemic.formula import Atom, KnowledgeChain, Literal, atom, physical
from otherminds.household.epistemic.predicates import ACTIVE, AXES
from otherminds.household.epistemic.words import Asks, Fact, HouseRule, Must, Statement
from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import Knowledge, ReceivedMessage
from otherminds.household.reference.mind import WAIT, Housemate, asked, reported
from otherminds.household.reference.sharing import MOVED, able
from otherminds.household.reference.talking import Talker, TeamMessage, fitting, memory

Choice: TypeAlias = "Callable[[Speaker, Sequence[Statement]], Sequence[Statement]]"
"""Those of the unsaid statements that a member wants to say, in its order."""


class Speaker(Talker):
    """One member's way of talking; each rule says when and to whom, and ``choose`` what.

    A message goes to all addressees, carries as many statements as the task lets it convey, and nothing twice. What is
    only seen is said along with other things: it is no reason for a message. ``spoke`` is the turn of the last message.
    """

    def __init__(self, knowledge: Knowledge, doer: Doer, rng: Random, choose: Choice) -> None:
        self.knowledge = knowledge
        self.doer = doer
        self.rng = rng
        self._choose = choose
        self._said: set[Statement] = set()
        self.spoke: int | None = None

    @property
    def last(self) -> bool:
        """Whether only one message is left."""
        return self.knowledge.left == 1

    @property
    def last_news_turn(self) -> int | None:
        """The turn in which something new was heard last; ``None`` if nothing was."""
        turns = [
            entry.turn for entry in self.knowledge.statements.values() if entry.source != self.knowledge.me
        ]
        return max(turns, default=None)

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        """What was not said yet and not told by all of ``to``, in the order in which it became known."""
        statements = dict.fromkeys(_wish(statement) for statement in memory(self.knowledge))
        return [
            statement
            for statement in statements
            if statement not in self._said and not self.came_from(statement, to)
        ]

    def came_from(self, statement: Statement, to: Sequence[Seat]) -> bool:
        """Whether all of ``to`` told it this statement."""
        entry = self.knowledge.statements.get(statement)
        return entry is not None and entry.tellers.issuperset(to)

    def message(self, to: Sequence[Seat] = ()) -> TeamMessage | None:
        """A message to ``to``, by default to all addressees; ``None`` if there is nothing to say or no message left."""
        knowledge = self.knowledge
        to = tuple(to or knowledge.targets(knowledge.me))
        if knowledge.left == 0 or not to:
            return None
        unsaid = self.unsaid(to)
        chosen = self._choose(self, [statement for statement in unsaid if self._matters(statement)])
        if not chosen:
            return None
        limit = knowledge.plan.statements
        if limit is None:
            room = LONGEST - len(TeamMessage(to, ()).call(knowledge.me))
            content = fitting((*chosen, *unsaid), room, knowledge)
        else:
            content = tuple(chosen[:limit])
        self._said.update(content)
        self.spoke = knowledge.turn
        return TeamMessage(to, content)

    def _matters(self, statement: Statement) -> bool:
        """Whether it is about goals, the state of the house, or mechanics of things, and not what agents may do."""
        about_things = isinstance(statement, HouseRule) and bool(statement.things)
        return (isinstance(statement, Must | Fact) or about_things) and statement in self.knowledge.statements


def _wish(statement: Statement) -> Statement:
    """What a member passes on of a statement: of a request, the goal."""
    return statement.goal if isinstance(statement, Asks) else statement


class AtOnce(Speaker):
    """Says each thing as soon as it knows it, until no message is left."""

    def now(self) -> TeamMessage | None:
        return self.message()


class OneByOne(Speaker):
    """Sends each message to the next one of its addressees, whoever that is."""

    _next = 0

    def now(self) -> TeamMessage | None:
        to = self.knowledge.targets(self.knowledge.me)
        message = self.message((to[self._next % len(to)],)) if to else None
        self._next += message is not None
        return message


PATIENCE = 6
"""Turns without news or work after which the last message is used all the same."""


class HoldTheLast(Speaker):
    """Says each thing as soon as it knows it, but its last message only after it has heard something."""

    def now(self) -> TeamMessage | None:
        return None if self.last and self.last_news_turn is None else self.message()

    def later(self, idle: int) -> TeamMessage | None:
        return self.message() if idle >= PATIENCE else None


QUIET = 2
"""Turns without anything new."""


class HoldUntilQuiet(Speaker):
    """Says each thing as soon as it knows it, but its last message only after it has heard something and then nothing new."""

    def now(self) -> TeamMessage | None:
        waits = self.last_news_turn is None or self.knowledge.turn < self.last_news_turn + QUIET
        return None if self.last and waits else self.message()


class Timetable(Speaker):
    """Speaks only in its own turns: of n agents, agent i in the turns i, i + n, i + 2n, and so on."""

    def now(self) -> TeamMessage | None:
        knowledge = self.knowledge
        mine = knowledge.turn % len(knowledge.agents) == knowledge.agents.index(knowledge.me)
        return self.message() if mine else None


TALKING_SHARE = 1 / 3
"""The probability of a message in a turn."""


class RandomMessages(Speaker):
    """Speaks in each turn with the same probability."""

    def now(self) -> TeamMessage | None:
        return self.message() if self.rng.random() < TALKING_SHARE else None


class RelayNewsOnly(Speaker):
    """Says only what has become known since its last message, and drops what it did not get to say."""

    def now(self) -> TeamMessage | None:
        return self.message()

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        since, statements = self.spoke, self.knowledge.statements
        unsaid = super().unsaid(to)
        return [
            statement
            for statement in unsaid
            if since is None or (statement in statements and statements[statement].turn > since)
        ]


class EchoSpeaker(Speaker):
    """Says one thing of its own, and then only repeats what it hears, even to those who said it."""

    def now(self) -> TeamMessage | None:
        return self.message()

    def unsaid(self, to: Sequence[Seat]) -> list[Statement]:
        statements, me = self.knowledge.statements, self.knowledge.me
        unsaid = super().unsaid(to)
        if self.spoke is None:
            return unsaid
        return [
            statement
            for statement in unsaid
            if statement in statements and statements[statement].source != me
        ]

    def came_from(self, statement: Statement, to: Sequence[Seat]) -> bool:
        return False


class AskFirst(Speaker):
    """Asks its addressees, in turn and with all others listening, to see to each goal that it says."""

    _requests = 0

    def now(self) -> TeamMessage | None:
        message = self.message()
        return message and TeamMessage(
            message.to, tuple(self._asking(message, statement) for statement in message.statements)
        )

    def _asking(self, message: TeamMessage, statement: Statement) -> Statement:
        if not isinstance(statement, Must):
            return statement
        self._requests += 1
        return Asks(message.to[self._requests % len(message.to)], statement)


def oldest_first(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """What became known first."""
    return unsaid


def newest_first(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """What became known last."""
    return unsaid[::-1]


def in_random_order(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """Any of them."""
    return speaker.rng.sample(unsaid, len(unsaid))


def goals_first(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """Goals before all else."""
    return sorted(unsaid, key=lambda statement: not isinstance(statement, Must))


def when_a_goal_is_new(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """What became known first, but nothing if no goal is among it."""
    return unsaid if any(isinstance(statement, Must) for statement in unsaid) else ()


def heard_first(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """What others said before what it was told at the start."""
    statements, me = speaker.knowledge.statements, speaker.knowledge.me
    return sorted(unsaid, key=lambda statement: statements[statement].source == me)


def beyond_me(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """Only goals that it cannot achieve itself, and mechanics of furniture that it cannot reach."""
    return [
        statement for statement in unsaid if _beyond(speaker, statement) or _elsewhere(speaker, statement)
    ]


def changes_beyond_me(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """As :func:`beyond_me`, without goals that furniture is closed or off, which mostly hold already."""
    return [statement for statement in beyond_me(speaker, unsaid) if not _asks_for_rest(statement)]


def changes_beyond_me_newest(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """As :func:`changes_beyond_me`, the newest first."""
    return changes_beyond_me(speaker, unsaid)[::-1]


def changes_beyond_me_random(speaker: Speaker, unsaid: Sequence[Statement]) -> Sequence[Statement]:
    """As :func:`changes_beyond_me`, in random order."""
    return in_random_order(speaker, changes_beyond_me(speaker, unsaid))


def _beyond(speaker: Speaker, statement: Statement) -> bool:
    """Whether it is a goal that the member cannot achieve, or whose thing it cannot find."""
    if not isinstance(statement, Must):
        return False
    goals = tuple(physical(statement.formula))
    knowledge = speaker.knowledge
    return any(not able(knowledge, knowledge.me, goal) or speaker.doer.stuck(goal) for goal in goals)


def _elsewhere(speaker: Speaker, statement: Statement) -> bool:
    """Whether it is about a mechanic of furniture that the member cannot reach."""
    entities = statement.things if isinstance(statement, HouseRule) else ()
    knowledge = speaker.knowledge
    rooms = knowledge.rooms(knowledge.me)
    return any(knowledge.plan.room_of.get(entity) not in rooms for entity in entities)


def _asks_for_rest(statement: Statement) -> bool:
    goals = map(atom, physical(statement.formula)) if isinstance(statement, Must) else ()
    return any(goal.predicate in AXES and goal.predicate not in ACTIVE for goal in goals)


class OwnGoals:
    """Does every goal that it can do itself, and waits otherwise."""

    def __init__(self, knowledge: Knowledge, doer: Doer) -> None:
        self.knowledge = knowledge
        self.doer = doer

    def goals(self) -> list[Literal]:
        """The goals to work on."""
        knowledge = self.knowledge
        return [goal for goal in knowledge.goals if able(knowledge, knowledge.me, goal)]

    def idle(self) -> str | None:
        """A call for a turn with nothing to do and nothing to say."""
        return None


class FirstGoalFirst(OwnGoals):
    """Works on the first goal that it knows and can do, until that is achieved."""

    def goals(self) -> list[Literal]:
        return [goal for goal in super().goals() if not self.knowledge.achieved(goal)][:1]


class ExploreWhenIdle(OwnGoals):
    """Does every goal that it can do itself, and otherwise looks into one room after another."""

    def idle(self) -> str | None:
        knowledge = self.knowledge
        rooms = sorted(knowledge.rooms(knowledge.me))
        return f"Explore[{rooms[knowledge.turn % len(rooms)]}]"


class Hallway(OwnGoals):
    """Puts the things of goals that it cannot do into the hallway, does its own goals, and when idle waits in the hallway."""

    def goals(self) -> list[Literal]:
        return [*super().goals(), *self.propose_handovers(located=True)]

    def idle(self) -> str | None:
        call = self.doer.next(self.propose_handovers(located=False))
        return call or (f"Explore[{self.hallway()}]" if self.waits() else None)

    def propose_handovers(self, located: bool) -> Iterator[Atom]:
        """Goals to put things into the hallway, for goals that it cannot do: things in its rooms, or not found yet."""
        knowledge = self.knowledge
        me = knowledge.me
        mine = {atom(goal).args[0] for goal in super().goals()}
        for goal in knowledge.goals:
            if isinstance(goal, Atom) and goal.predicate in MOVED and not able(knowledge, me, goal):
                o = goal.args[0]
                room = knowledge.picture.room(o)
                if o not in mine and (room in knowledge.rooms(me) if located else room is None):
                    yield Atom("is_in_room", (o, self.hallway()))

    def waits(self) -> bool:
        """Whether one of its own goals is not achieved."""
        return any(not self.knowledge.achieved(goal) for goal in super().goals())

    def hallway(self) -> str:
        """The hallway, if there is one that it may enter; else the room with the most doors."""
        plan = self.knowledge.plan
        rooms = sorted(self.knowledge.rooms(self.knowledge.me))
        halls = [room for room in rooms if room.startswith("hallway")]
        return halls[0] if halls else max(rooms, key=lambda room: list(plan.hops(room).values()).count(1))


class TalkingRule(NamedTuple):
    """When a member speaks, and to whom (``speaker``), and what it says first (``choice``)."""

    speaker: type[Speaker]
    choice: Choice


class CheapMember(Housemate):
    """Talks by one rule and acts by another; it is never done, and takes others to believe what it believes itself."""

    def __init__(self, secrets: ReceivedMessage, talking: TalkingRule, acting: type[OwnGoals]) -> None:
        super().__init__(secrets)
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
        return self._talking.speaker(self.knowledge, self.doer, self._rng, self._talking.choice)

    def goals(self) -> list[Literal]:
        return self._acts.goals()

    def finished(self, idle: int) -> bool:
        return False

    async def answer(self, question: Question) -> Answer | Invalid:
        chain = asked(question)
        return reported(self.knowledge, chain and KnowledgeChain((), chain.fact))


TALKING: Mapping[str, TalkingRule] = MappingProxyType(
    {
        "changes_beyond_me_newest": TalkingRule(HoldTheLast, changes_beyond_me_newest),
        "changes_beyond_me": TalkingRule(HoldTheLast, changes_beyond_me),
        "changes_beyond_me_random": TalkingRule(HoldTheLast, changes_beyond_me_random),
        "changes_beyond_me_late": TalkingRule(HoldUntilQuiet, changes_beyond_me),
        "changes_beyond_me_one_by_one": TalkingRule(OneByOne, changes_beyond_me),
        "beyond_me": TalkingRule(HoldTheLast, beyond_me),
        "ask_first": TalkingRule(AskFirst, beyond_me),
        "hold_the_last": TalkingRule(HoldTheLast, heard_first),
        "new_goals_hold_the_last": TalkingRule(HoldTheLast, when_a_goal_is_new),
        "hold_until_quiet": TalkingRule(HoldUntilQuiet, goals_first),
        "random_messages": TalkingRule(RandomMessages, in_random_order),
        "timetable": TalkingRule(Timetable, goals_first),
        "echo": TalkingRule(EchoSpeaker, heard_first),
        "relay_news_only": TalkingRule(RelayNewsOnly, newest_first),
        "relay_everything_once": TalkingRule(AtOnce, oldest_first),
        "broadcast_on_arrival": TalkingRule(AtOnce, newest_first),
    }
)
"""The talking rules by name."""
ACTING: Mapping[str, type[OwnGoals]] = MappingProxyType(
    {
        "hallway": Hallway,
        "explore_when_idle": ExploreWhenIdle,
        "first_goal_first": FirstGoalFirst,
    }
)
"""The acting rules by name."""


class CheapTeam(NamedTuple):
    """One rule for talking and one for acting, which each member follows."""

    talking: TalkingRule
    acting: type[OwnGoals]

    def member(self, secrets: ReceivedMessage) -> CheapMember:
        """A member; ``secrets`` are the secrets of all agents as statements, of which it uses its own."""
        return CheapMember(secrets, self.talking, self.acting)


PANEL: Mapping[str, CheapTeam] = MappingProxyType(
    {
        f"{talking}-{acting}": CheapTeam(TALKING[talking], ACTING[acting])
        for acting, talking in product(ACTING, TALKING)
    }
)
"""The teams by name, in the order in which they are tried."""
