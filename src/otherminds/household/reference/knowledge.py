"""What one agent knows: the house, the goals, what each agent can do, and what the others know.

All of it comes from the agent's own secrets, observations and messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from otherminds.core.data import Brief, Seat
from otherminds.household.epistemic import words
from otherminds.household.epistemic.formula import (
    And,
    Atom,
    Formula,
    Know,
    KnowledgeChain,
    Literal,
    Not,
    atom,
    chains,
    claims,
    physical,
)
from otherminds.household.epistemic.predicates import AXES, positive
from otherminds.household.epistemic.words import Refusal
from otherminds.household.epistemic.words.sentences import read
from otherminds.household.mechanics.mechanic import house_rules
from otherminds.household.reference.picture import FloorPlan, Key, Models, Picture, Value, Wiring, key_of

GRANTED = re.compile(r"(agent_[0-9]+) was told: (.*)", re.ASCII | re.DOTALL)
"""The form of a granted secret of another agent."""


@dataclass
class StatementOrigin:
    """The origin of a known statement.

    ``source`` is the agent that told it (the agent itself for its own secrets and findings), and ``turn`` the time.
    ``holders`` are the agents known to know it, including the agent itself; ``tellers`` are those that told it. A
    ``derived`` statement was never said but follows from others. ``passed`` is the turn in which the agent itself last
    told it.
    """

    source: Seat
    turn: int
    holders: set[Seat]
    tellers: set[Seat] = field(default_factory=set[Seat])
    derived: bool = False
    passed: int = 0


def derive_statements(statement: words.Statement) -> tuple[words.Statement, ...]:
    """The statements that a statement implies.

    A request, a promise, and that an agent was told a goal imply the goal. A goal that an agent knows a fact implies the goal that the fact holds.
    """
    if isinstance(statement, words.Asks | words.Doing | words.Aware):
        return (statement.goal,)
    if isinstance(statement, words.Must):
        return tuple(words.Must(positive(chain.fact)) for chain in chains(statement.formula))
    return ()


def chain_of(formula: Formula) -> KnowledgeChain | None:
    """A fact, or knowledge of one, as a chain; ``None`` for several facts at once."""
    agents: list[Seat] = []
    while isinstance(formula, Know):
        agents.append(formula.agent)
        formula = formula.inside
    return None if isinstance(formula, And) else KnowledgeChain(tuple(agents), formula)


def split_owner(text: str, seat: Seat) -> tuple[Seat, str]:
    """The owner of a secret, and its text."""
    granted = GRANTED.fullmatch(text)
    return (granted[1], granted[2]) if granted else (seat, text)


def seat_number(agent: Seat) -> int:
    """The number of a seat.

    >>> seat_number("agent_12")
    12
    """
    return int(agent.rpartition("_")[2])


ReceivedMessage: TypeAlias = Mapping[Seat, Sequence[words.Secret]]
"""The secrets of agents as statements and private goals, in the order of seats."""


class Knowledge:
    """The knowledge of agent ``me``; ``others`` are in the order of seats.

    It starts with ``secret_statements``, or else with the understood sentences of the secrets in the brief.

    ``statements`` are in the order in which they became known. ``wishes`` are the parts of the agent's own private goal. ``left`` is the number of remaining messages, ``None`` if
    unlimited. ``delays`` are the turns that messages of agents are known to take longer than usual. ``fresh`` is the last turn with a new observation or message.
    """

    def __init__(self, brief: Brief, secret_statements: ReceivedMessage | None = None) -> None:
        self.me = brief.seat
        self.others = brief.others
        self.agents = tuple(sorted((brief.seat, *brief.others), key=seat_number))
        self.statements: dict[words.Statement, StatementOrigin] = {}
        self.wiring = Wiring()
        self.goals: dict[Literal, StatementOrigin] = {}
        self.wishes: tuple[Literal, ...] = ()
        self.chains: dict[KnowledgeChain, StatementOrigin] = {}
        self.charged: dict[Literal, set[Seat]] = {}
        self.barred: dict[Seat, frozenset[str]] = {agent: frozenset() for agent in self.agents}
        self.reaches: dict[Seat, tuple[Seat, ...]] = {}
        self.left: int | None = None
        self.delays: dict[Seat, int] = {}
        self.turn = self.fresh = 0
        self.room = ""
        self.holding: tuple[str, ...] = ()
        self.picture = Picture({})
        self.models = Models(self.me, self.picture)
        self.plan = FloorPlan({"rooms": {}, "furniture": {}})
        self._graph: dict[Key, Value] = {}
        self._shown: Mapping[str, Any] | None = None
        self._visible: dict[Key, Value] = {}
        self._seen: dict[Key, int] = {}
        self._under_way: list[tuple[int, Seat, words.Statement]] = []
        owners = (split_owner(text, brief.seat) for text in brief.secrets)
        secrets = sorted(owners, key=lambda owned_text: seat_number(owned_text[0]))
        understood: dict[Seat, list[words.Secret]] = {}
        for owner, text in secrets:
            understood.setdefault(owner, []).extend(read(text, you=owner))
        self._told: ReceivedMessage = secret_statements or understood

    def begin(self, plan: FloorPlan) -> None:
        self.plan = plan
        self.picture = Picture(self.plan.room_of)
        self.models = Models(self.me, self.picture)
        for owner, statements in self._told.items():
            for statement in statements:
                if not isinstance(statement, words.Private):
                    self.learn(statement, owner)
                elif owner == self.me:
                    self.wishes += tuple(map(positive, physical(statement.formula)))

    def look(self, observation: Mapping[str, Any]) -> None:
        """Processes an observation: changes in the graph, and what is in this room now."""
        room = self.room
        self.turn, self.room, self.holding = (
            observation["turn"],
            observation["room"],
            tuple(observation["holding"]),
        )
        # A graph that was shown is never modified: the same one shows the same from the same room.
        same = observation["graph"] is self._shown and room == self.room
        if same:
            now, new = self._graph, self._visible
        else:
            now = {**dict(_facts(observation["graph"])), ("room", self.me): (self.room,)}
            self._shown, self._visible = observation["graph"], self._here(now)
            here, before = self._visible, self._graph
            new = {key: value for key, value in now.items() if key in here or before.get(key) != value}
        facts = self.picture.facts
        if any(facts.get(key) != value for key, value in new.items()):
            self.fresh = self.turn
        for key, value in () if same else self._graph.items():
            if key not in now and facts.get(key) == value:
                self.picture.forget(key)
        facts.update(new)
        self._graph = now
        company = [other for other in self.others if now.get(("room", other)) == (self.room,)]
        if company:
            self.models.seen_together(company, self._visible)
        if self.delays:
            for key in self._visible:
                self._seen[key] = self.turn
            for turn, other, statement in self._under_way:
                if turn == self.turn:
                    self.models.common((other,), statement)
            self._under_way = [delivery for delivery in self._under_way if delivery[0] > self.turn]

    def sees(self, name: str) -> Value | None:
        """The place of an object in the agent's own graph, without which the agent cannot act on it."""
        return self._graph.get(("at", name))

    def hear(self, sender: Seat, text: str) -> None:
        """Processes a message; sentences outside the controlled language are ignored.

        So are facts in a late message that the agent has seen for itself since it was sent.
        """
        since = self.turn - self.delays.get(sender, 0)
        for statement in read(text, me=sender, you=self.me):
            if since < self.turn and self._saw_since(since, statement):
                continue
            self.learn(statement, sender)
            self.models.common((sender,), statement)
            self.fresh = self.turn

    def _saw_since(self, turn: int, statement: words.Statement) -> bool:
        if not isinstance(statement, words.Fact):
            return False
        keys = (key_of(atom(positive(claim.fact))) for claim in claims(statement.formula))
        return any(self._seen.get(key, -1) >= turn for key in keys)

    def record_sent(self, to: Iterable[Seat], statements: Iterable[words.Statement]) -> None:
        to, late = tuple(to), self.delays.get(self.me, 0)
        if self.left is not None:
            self.left -= 1
        for statement in statements:
            for other in to:
                if late:
                    self._under_way.append((self.turn + late, other, statement))
                else:
                    self.models.common((other,), statement)
            for part in (statement, *derive_statements(statement)):
                provenance = self.statements.setdefault(part, StatementOrigin(self.me, self.turn, {self.me}))
                provenance.holders.update(to)
                provenance.passed = self.turn

    def learn(self, statement: words.Statement, source: Seat, derived: bool = False) -> None:
        """Learns a statement from a secret, a message or an observation, and what it implies."""
        if isinstance(statement, words.Must) and isinstance(statement.formula, Atom | Not):
            statement = words.Must(positive(statement.formula))
        provenance = self.statements.get(statement)
        if provenance is None:
            provenance = self.statements[statement] = StatementOrigin(
                source, self.turn, {self.me}, derived=derived
            )
            self._take(statement, provenance)
        elif isinstance(statement, words.Fact):
            self._take(statement, provenance)
        provenance.derived = provenance.derived and derived
        provenance.holders.add(source)
        if source != self.me:
            provenance.tellers.add(source)
        for part in derive_statements(statement):
            self.learn(part, source, derived=True)
        if isinstance(statement, words.Aware):
            for literal in map(positive, physical(statement.goal.formula)):
                self.statements[words.Must(literal)].holders.add(statement.agent)

    def learn_refusal(self, refusal: Refusal) -> bool:
        """Learns the mechanics that a refused act reveals; false if it reveals none."""
        revealed = [statement for rule in house_rules() if (statement := rule.revealed(refusal))]
        for statement in revealed:
            self.learn(statement, self.me)
        return bool(revealed)

    def targets(self, agent: Seat) -> tuple[Seat, ...]:
        """The known addressees of an agent; all, unless a statement restricts them."""
        reached = self.reaches.get(agent, self.agents)
        return tuple(other for other in self.agents if other in reached and other != agent)

    def rooms(self, agent: Seat) -> frozenset[str]:
        """The rooms that an agent can reach, as far as is known."""
        if agent == self.me:
            return self.plan.within(self.room, self.barred[agent])
        return self.plan.free(self.barred.get(agent, frozenset()))

    def source(self, fact: Literal) -> Seat:
        """The agent that told a fact, or this agent itself."""
        provenance = self.statements.get(words.Fact(fact))
        return provenance.source if provenance else self.me

    def achieved(self, literal: Literal) -> bool:
        return self.picture.holds(literal) is True

    def _take(self, statement: words.Statement, provenance: StatementOrigin) -> None:
        match statement:
            case words.Fact(formula):
                self._believe(formula)
            case words.Must(formula):
                for chain in chains(formula):
                    self.chains.setdefault(chain, provenance)
                for literal in physical(formula):
                    self.goals.setdefault(positive(literal), provenance)
            case words.HouseRule():
                self._take_rule(statement)
            case words.Asks(agent, goal) | words.Doing(agent, goal):
                for literal in map(positive, physical(goal.formula)):
                    self._take_back(agent, literal)
                    self.charged.setdefault(literal, set()).add(agent)
            case _:
                pass

    def _take_rule(self, rule: words.HouseRule) -> None:
        for agent, rooms in rule.barred().items():
            self.barred[agent] = self.barred.get(agent, frozenset()) | rooms
        self.reaches.update(rule.edges())
        self.left = rule.limits().get(self.me, self.left)
        self.delays |= {agent: late for agent in self.agents if (late := rule.delay(agent))}
        if rule.things:
            self.wiring.learn(rule)

    def _take_back(self, agent: Seat, literal: Literal) -> None:
        """Cancels earlier requests to an agent to bring the same thing to another place."""
        for earlier, charged in self.charged.items():
            moved = atom(earlier).predicate == atom(literal).predicate == "is_in_room"
            if moved and agent in charged and atom(earlier).args[0] == atom(literal).args[0]:
                charged.discard(agent)
                self.goals.pop(earlier, None)

    def _believe(self, formula: Formula) -> None:
        for claim in claims(formula):
            self.picture.note(claim.fact)
            self.models.record_chain(claim)

    def _here(self, now: Mapping[Key, Value]) -> dict[Key, Value]:
        """The part of the graph that is visible in this room."""
        here: dict[Key, Value] = {}
        room_of = self.plan.room_of
        for key, value in now.items():
            if key[0] == "at":
                inside = value[0] == "is_inside" and now.get(("is_open", value[1])) == ("is_closed",)
                carried = value[0] == "is_held_by" and value[1] == self.me
                if not inside and (carried or room_of.get(value[1]) == self.room):
                    here[key] = value
            elif (value == (self.room,)) if key[0] == "room" else room_of.get(key[1]) == self.room:
                here[key] = value
        return here


def _facts(graph: Mapping[str, Any]) -> Iterator[tuple[Key, Value]]:
    for name, place in graph["objects"].items():
        if place:
            yield ("at", name), tuple(place)
    for name, states in graph["states"].items():
        for state in states:
            if state in AXES:
                yield (AXES[state], name), (state,)
    for agent, about in graph["agents"].items():
        yield ("room", agent), (about["room"],)
