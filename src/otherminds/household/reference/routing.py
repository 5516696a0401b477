"""Messages that depend on the partners: the most important content for the agents that can use it, also through third parties."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.core.data import Seat
from otherminds.household.epistemic.formula import Atom, Know, KnowledgeChain, Literal, atom, chains
from otherminds.household.epistemic.words import Asks, Fact, HouseRule, Must, Statement
from otherminds.household.reference import needs
from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import Knowledge, chain_of
from otherminds.household.reference.needs import InfoNeed, TeamView, Weight
from otherminds.household.reference.sharing import able, select_suited
from otherminds.household.reference.talking import Talker, TeamMessage, limit_statements

LONG = 3
"""Idle turns after which limited messages are used for the least important needs."""

Paths = dict[Seat, tuple[Seat, ...]]


class Router(Talker):
    """Sends one statement per message, the most important need first, to the agents that need it.

    A message that needs two statements (a fact, and whom to tell it) has the fact alone where only one arrives.

    While messages are limited, less important needs wait until there is nothing else to do. With ``relays`` it relays
    statements of others and relies on others to do the same: a message for an agent out of reach goes to the next agent
    on the shortest path.
    """

    def __init__(self, knowledge: Knowledge, doer: Doer, relays: bool) -> None:
        self._knowledge = knowledge
        self._doer = doer
        self._relays = relays
        self._entrusted: set[tuple[Statement, Seat]] = set()

    def now(self) -> TeamMessage | None:
        return self._next(Weight.STUCK)

    def later(self, idle: int) -> TeamMessage | None:
        if idle >= LONG:
            return self._next(Weight.GOSSIP)
        return self._next(Weight.REST if self._knowledge.left is None else Weight.REPORT)

    def _next(self, least: Weight) -> TeamMessage | None:
        """A message for the most important need of at least that weight."""
        if self._knowledge.left == 0:
            return None
        paths = self._paths()
        view = TeamView(self._knowledge, tuple(paths), self._relays)
        for need in sorted(self._needs(view), key=lambda need: -need.weight):
            if need.weight < least:
                break
            message = self._message(need, paths)
            if message:
                self._record_agreement(need)
                return message
        return None

    def _needs(self, view: TeamView) -> list[InfoNeed]:
        stuck = tuple(goal for goal in self._knowledge.goals if self._doer.stuck(goal))
        candidates = [*needs.goals(view, stuck), *needs.fetching(view), *needs.working(view)]
        candidates += [*confirmations(view), *reports(view), *refusals(view), *rest(view)]
        return [need for need in candidates if any(user in view.reached for user in need.users)]

    def _message(self, need: InfoNeed, paths: Paths) -> TeamMessage | None:
        """A message for the need; ``None`` if one was entrusted to a relay already."""
        users = [user for user in need.users if user in paths]
        direct = [user for user in users if len(paths[user]) == 1]
        if need.charge and self._knowledge.plan.statements is not None:
            direct = direct[: self._knowledge.plan.statements]
        if direct:
            to = self._knowledge.targets(self._knowledge.me) if len(direct) > 1 else (direct[0],)
            return self._fit_message(to, _asking(direct, need) if need.charge else (need.statement,))
        if any((need.statement, user) in self._entrusted for user in users):
            return None
        user = min(users, key=lambda candidate: len(paths[candidate]))
        self._entrusted.add((need.statement, user))
        hop = paths[user][0]
        return self._fit_message((hop,), _through(hop, user, need, alone=len(users) == 1))

    def _fit_message(self, to: tuple[Seat, ...], statements: tuple[Statement, ...]) -> TeamMessage:
        return TeamMessage(to, limit_statements(statements, self._knowledge))

    def _record_agreement(self, need: InfoNeed) -> None:
        """Records the room where a requested thing will be left."""
        match need:
            case InfoNeed(Weight.FETCH, _, Must(Atom(_, (o, room)))):
                self._doer.hands.meet[o] = room
            case _:
                pass

    def _paths(self) -> Paths:
        """All agents that a message can reach, each with the path of relays, itself last."""
        knowledge = self._knowledge
        paths: Paths = {other: (other,) for other in knowledge.targets(knowledge.me)}
        # Breadth first, so that the first path found to an agent has the fewest relays.
        edge = list(paths) if self._relays else []
        for agent in edge:
            for beyond in knowledge.targets(agent):
                if beyond != knowledge.me and beyond not in paths:
                    paths[beyond] = (*paths[agent], beyond)
                    edge.append(beyond)
        return paths


def _asking(users: list[Seat], need: InfoNeed) -> tuple[Statement, ...]:
    return tuple(Asks(user, need.statement) for user in users if isinstance(need.statement, Must))


def _through(hop: Seat, user: Seat, need: InfoNeed, alone: bool) -> tuple[Statement, ...]:
    """The message for a relay, which shows the addressee; ``alone``: there is only one user."""
    statement = need.statement
    if isinstance(statement, Must) and (need.charge or (alone and not chains(statement.formula))):
        return (Asks(user, statement),)
    if isinstance(statement, Fact):
        return (statement, Asks(hop, Must(Know(user, statement.formula))))
    return (statement,)


def confirmations(view: TeamView) -> Iterator[InfoNeed]:
    """The next step towards the knowledge that goals require, as far as this agent has it."""
    knowledge = view.knowledge
    for chain in knowledge.chains:
        # From the inside out: what an inner agent does not know yet, nobody can confirm to an outer one.
        for start in range(len(chain.agents) - 1, -1, -1):
            inner = chain.agents[start + 1 :]
            if not knowledge.models.holds(inner, chain.fact):
                break
            if not knowledge.models.holds(chain.agents[start:], chain.fact):
                content = KnowledgeChain(inner[1:] if inner[:1] == (knowledge.me,) else inner, chain.fact)
                hearer = chain.agents[start]
                yield InfoNeed(Weight.CHAIN, (hearer,), _state_fact(view, content, hearer))
                break


def reports(view: TeamView) -> Iterator[InfoNeed]:
    """Achieved goals, for the agents that told them."""
    knowledge = view.knowledge
    for goal, provenance in knowledge.goals.items():
        if knowledge.achieved(goal):
            for other in sorted(provenance.tellers):
                if not knowledge.models.holds((other,), goal):
                    yield InfoNeed(
                        Weight.REPORT, (other,), _state_fact(view, KnowledgeChain((), goal), other)
                    )


def refusals(view: TeamView) -> Iterator[InfoNeed]:
    """Bars that prevent this agent from achieving a goal, for the agents that told it, if no other agent can do it."""
    knowledge = view.knowledge
    me = knowledge.me
    for goal, provenance in knowledge.goals.items():
        if not provenance.tellers or able(knowledge, me, goal) or knowledge.achieved(goal):
            continue
        others = [other for other in view.reached if other not in provenance.holders and view.hearsay]
        if any(able(knowledge, other, goal) for other in provenance.holders - provenance.tellers - {me}):
            continue
        for statement in () if select_suited(knowledge, others, goal) else tuple(knowledge.statements):
            if isinstance(statement, HouseRule) and me in statement.barred():
                for bar in _bars(knowledge, statement, goal):
                    yield InfoNeed(Weight.REFUSAL, view.unaware(bar, sorted(provenance.tellers)), bar)


def _bars(knowledge: Knowledge, bar: HouseRule, goal: Literal) -> Iterator[HouseRule]:
    """The bars as they are told: all at once, or, where statements are limited, the one that prevents a goal alone."""
    if knowledge.plan.statements is None:
        yield bar
        return
    rooms = {knowledge.plan.room_of.get(name, name) for name in atom(goal).args}
    for part in bar.parts():
        if any(room in rooms for barred in part.barred().values() for room in barred):
            yield part


def rest(view: TeamView) -> Iterator[InfoNeed]:
    """All else that may be useful: facts, mechanics, and required knowledge."""
    knowledge = view.knowledge
    for statement, provenance in tuple(knowledge.statements.items()):
        own = provenance.source == knowledge.me
        if not view.tells(provenance) or provenance.derived:
            continue
        weight = Weight.REST if own else Weight.GOSSIP
        unaware = view.unaware(statement, view.reached)
        match statement:
            case Fact(formula):
                chain = chain_of(formula)
                if chain is None or not knowledge.achieved(chain.fact):
                    continue
                for other in unaware:
                    if not knowledge.models.holds((other,), chain.fact):
                        yield InfoNeed(weight, (other,), _state_fact(view, chain, other))
            case HouseRule() if statement.things:
                yield InfoNeed(weight, unaware, statement)
            case Must(formula) if own and chains(formula):
                yield InfoNeed(weight, unaware, statement)
            case _:
                pass


def _state_fact(view: TeamView, content: KnowledgeChain, hearer: Seat) -> Fact:
    """The statement for a fact; for a relayed fact it names the agent that knows it, which is more informative."""
    knowledge = view.knowledge
    source = knowledge.source(content.fact)
    if content.agents or source in (knowledge.me, hearer):
        return Fact(content.formula)
    return Fact(KnowledgeChain((source,), content.fact).formula)
