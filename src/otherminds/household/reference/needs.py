"""The information that others need to achieve goals: goals, things out of reach, controls and places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from otherminds.core.data import Seat
from otherminds.household.epistemic.formula import Atom, Literal, atom
from otherminds.household.epistemic.predicates import ACTIVE, AXES
from otherminds.household.epistemic.words import Fact, HouseRule, Must, Statement
from otherminds.household.reference import sharing
from otherminds.household.reference.knowledge import Knowledge, Provenance


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

    def tells(self, provenance: Provenance) -> bool:
        """Whether this agent tells a statement of that origin."""
        return self.hearsay or provenance.source == self.knowledge.me

    def unaware(self, statement: Statement, agents: Iterable[Seat]) -> tuple[Seat, ...]:
        """Those of ``agents`` that are not known to know ``statement``."""
        provenance = self.knowledge.statements.get(statement)
        return tuple(agent for agent in agents if provenance is None or agent not in provenance.holders)


def goals(view: TeamView, stuck: tuple[Literal, ...]) -> Iterator[InfoNeed]:
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


def fetching(view: TeamView) -> Iterator[InfoNeed]:
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


def working(view: TeamView) -> Iterator[InfoNeed]:
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
