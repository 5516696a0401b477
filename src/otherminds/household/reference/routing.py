"""Messages that depend on the partners: what information others need to achieve goals (goals, things out of reach, controls and
places), and the most important of it for the agents that can use it, also through third parties."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from otherminds.core.data import Seat
from otherminds.household.epistemic.formula import Atom, Know, KnowledgeChain, Literal, atom, chains
from otherminds.household.epistemic.predicates import ACTIVE, AXES
from otherminds.household.epistemic.words import Asks, Fact, HouseRule, Must, Statement
from otherminds.household.reference import sharing
from otherminds.household.reference.doing import Doer
from otherminds.household.reference.knowledge import Knowledge, StatementOrigin, chain_of
from otherminds.household.reference.sharing import able, select_suited
from otherminds.household.reference.talking import Talker, TeamMessage, limit_statements


class Weight(IntEnum):
    """The importance of a need, in ascending order; limited messages are not used for weights below ``STUCK`` at first."""

    GOSSIP = 1
    """Statements of others."""
    REST = 2
    """Own knowledge."""
    KEEP = 3
    """A goal that this agent cannot achieve but that probably holds: closed and switched-off furniture stays so."""
    REFUSAL = 4
    """That this agent cannot do what it was told."""
    REPORT = 5
    """That something is done."""
    CHAIN = 6
    """Knowledge that a goal requires of an agent."""
    STUCK = 7
    """A goal that this agent cannot advance."""
    PLACE = 8
    """The place of the thing of another agent's goal."""
    WIRE = 9
    """The mechanic of the furniture of another agent's goal."""
    FETCH = 10
    """A thing that this agent must move and cannot reach."""
    GOAL = 11
    """A goal that this agent cannot achieve."""


@dataclass(frozen=True)
class InfoNeed:
    """A ``statement`` that all ``users`` could use; with ``charge`` they are asked by name to achieve it."""

    weight: Weight
    users: tuple[Seat, ...]
    statement: Statement
    charge: bool = False


@dataclass(frozen=True)
class TeamView:
    """What an agent knows, and the agents that it can reach; with ``hearsay`` it also relays statements of others."""

    knowledge: Knowledge
    reached: tuple[Seat, ...]
    hearsay: bool

    def tells(self, provenance: StatementOrigin) -> bool:
        """Whether this agent tells a statement of that origin."""
        return self.hearsay or provenance.source == self.knowledge.me

    def unaware(self, statement: Statement, agents: Iterable[Seat]) -> tuple[Seat, ...]:
        """Those of ``agents`` that are not known to know ``statement``."""
        provenance = self.knowledge.statements.get(statement)
        return tuple(agent for agent in agents if provenance is None or agent not in provenance.holders)


def goal_needs(view: TeamView, stuck: tuple[Literal, ...]) -> Iterator[InfoNeed]:
    """Goals that this agent cannot achieve or advance, for agents that can help."""
    knowledge = view.knowledge
    me = knowledge.me
    for goal, provenance in knowledge.goals.items():
        if knowledge.achieved(goal) or not view.tells(provenance):
            continue
        others = [other for other in view.reached if other not in provenance.holders]
        if sharing.able(knowledge, me, goal) and not (goal in stuck and sharing.mine(knowledge, goal)):
            continue
        handles = _handles(view, goal)
        charged = knowledge.charged.get(goal, set[Seat]()) - {me}
        if charged:
            yield InfoNeed(
                Weight.GOAL, tuple(other for other in others if other in charged), Must(goal), charge=True
            )
        elif handles:
            yield handles
        elif not any(
            sharing.able(knowledge, other, goal) for other in provenance.holders - provenance.tellers - {me}
        ):
            likely = _likely_holds(knowledge, goal)
            if likely and knowledge.left is not None:
                continue  # No counted message is spent on what most likely holds.
            weight = Weight.STUCK if goal in stuck else Weight.KEEP if likely else Weight.GOAL
            yield InfoNeed(
                weight, tuple(sharing.select_suited(knowledge, others, goal)), _wish(knowledge, goal)
            )


def _likely_holds(knowledge: Knowledge, goal: Literal) -> bool:
    """Whether ``goal`` wants furniture closed or off whose state is unknown, and no goal requires knowledge of it."""
    fact = atom(goal)
    furniture = fact.predicate in AXES and fact.args[0] in knowledge.plan.room_of
    if not furniture or any(chain.fact == goal for chain in knowledge.chains):
        return False
    return fact.predicate not in ACTIVE and knowledge.picture.state(fact.args[0], fact.predicate) is None


def _wish(knowledge: Knowledge, goal: Literal) -> Must:
    """The statement for a goal: the required knowledge of it, if there is any, since that implies the goal."""
    return next((Must(chain.formula) for chain in knowledge.chains if chain.fact == goal), Must(goal))


def _handles(view: TeamView, goal: Literal) -> InfoNeed | None:
    """The need for a goal that is achieved by changing other furniture: a request for that change.

    ``None`` if no other furniture is known to help; a need without users if an agent knows already.
    """
    knowledge = view.knowledge
    if not isinstance(goal, Atom) or goal.predicate not in AXES or goal.args[0] not in knowledge.plan.room_of:
        return None
    furniture, value = goal.args[0], goal.predicate
    requests: dict[Must, list[Seat]] = {}
    for other in view.reached:
        handle, turned = next(iter(sharing.ways(knowledge, other, furniture, value)), (furniture, value))
        if handle == furniture:
            continue
        # Of two mirrored things, one must be changed directly.
        back = sharing.ways(knowledge, other, handle, turned)[0][0] == furniture
        if not (back and Atom(turned, (handle,)) in knowledge.goals):
            requests.setdefault(Must(Atom(turned, (handle,))), []).append(other)
    for must, users in requests.items():
        if must.formula in knowledge.goals or view.unaware(must, users) != tuple(users):
            return InfoNeed(Weight.GOAL, (), must)
    return next(
        (InfoNeed(Weight.GOAL, tuple(users), must, charge=True) for must, users in requests.items()), None
    )


def fetch_needs(view: TeamView) -> Iterator[InfoNeed]:
    """Things that this agent must move and cannot reach, for agents that can bring them to a shared room."""
    knowledge = view.knowledge
    for goal in knowledge.goals:
        target = sharing.wanted_in(knowledge, goal)
        if not isinstance(goal, Atom) or target is None or knowledge.achieved(goal):
            continue
        o = goal.args[0]
        place = knowledge.picture.place(o)
        if place is None or place[0] == "is_held_by" or sharing.fetches(knowledge, knowledge.me, goal):
            continue
        if not sharing.able(knowledge, knowledge.me, goal) or not sharing.mine(knowledge, goal):
            continue
        for giver in view.reached:
            room = sharing.meeting(knowledge, giver, (knowledge.me,), target)
            if room and knowledge.picture.room(o) in knowledge.rooms(giver):
                must = Must(Atom("is_in_room", (o, room)))
                if must not in knowledge.statements:
                    yield InfoNeed(Weight.FETCH, (giver,), must, charge=True)


def work_needs(view: TeamView) -> Iterator[InfoNeed]:
    """The mechanics and places that agents need for their goals."""
    knowledge = view.knowledge
    for goal in knowledge.goals:
        if knowledge.achieved(goal) or not isinstance(goal, Atom):
            continue
        for doer in _doers(knowledge, goal):
            for wire in _wires(knowledge, doer, goal):
                if view.tells(knowledge.statements[wire]):
                    yield InfoNeed(Weight.WIRE, view.unaware(wire, (doer,)), wire)
            moved = goal.predicate in sharing.MOVED and sharing.fetches(knowledge, doer, goal)
            place = _place(view, goal) if moved else None
            if place and not knowledge.models.holds((doer,), place):
                yield InfoNeed(Weight.PLACE, (doer,), Fact(place))


def _doers(knowledge: Knowledge, goal: Literal) -> tuple[Seat, ...]:
    provenance = knowledge.goals[goal]
    doers = knowledge.charged.get(goal) or provenance.holders - provenance.tellers
    return tuple(
        doer for doer in sorted(doers) if doer != knowledge.me and sharing.able(knowledge, doer, goal)
    )


def _wires(knowledge: Knowledge, doer: Seat, goal: Atom) -> tuple[HouseRule, ...]:
    if goal.predicate not in AXES:
        return ()
    changes = sharing.ways(knowledge, doer, goal.args[0], goal.predicate)
    return knowledge.wiring.used(goal.args[0], changes[0][0]) if changes else ()


def _place(view: TeamView, goal: Atom) -> Atom | None:
    """The place of the thing of a goal, as a fact; ``None`` if unknown, or not for this agent to tell."""
    knowledge = view.knowledge
    fact = knowledge.picture.lying(goal.args[0])
    provenance = knowledge.statements.get(Fact(fact)) if fact else None
    return fact if provenance is None or view.tells(provenance) else None


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
        candidates = [*goal_needs(view, stuck), *fetch_needs(view), *work_needs(view)]
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
