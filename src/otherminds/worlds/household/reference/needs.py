"""What others need in order to bring about what is wanted: goals, things out of reach, handles and places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from otherminds.core.data import Seat
from otherminds.epistemic.formula import Atom, Literal, atom
from otherminds.epistemic.predicates import ACTIVE, AXES
from otherminds.epistemic.words import Fact, Must, Statement
from otherminds.worlds.household.reference.knowledge import Knowledge, Provenance
from otherminds.worlds.household.reference.picture import LYING
from otherminds.worlds.household.reference.plan import Wire
from otherminds.worlds.household.reference.sharing import (
    MOVED,
    able,
    fetches,
    meeting,
    mine,
    suited,
    wanted_in,
    ways,
)


class Weight(IntEnum):
    """How much a need matters, the least first; scarce messages wait with what is lighter than ``STUCK``."""

    GOSSIP = 1
    """Anything that others told."""
    REST = 2
    """Anything that one knows by oneself."""
    KEEP = 3
    """A goal that one cannot reach and that most likely holds: what is shut or off stays so."""
    REFUSAL = 4
    """That one cannot do what one was told."""
    REPORT = 5
    """That something is done."""
    CHAIN = 6
    """What somebody is to know in the end."""
    STUCK = 7
    """A goal that one does not get on with."""
    PLACE = 8
    """Where the thing of somebody's goal is."""
    WIRE = 9
    """How the handle of somebody's goal works."""
    FETCH = 10
    """A thing that one is to move and cannot come to."""
    GOAL = 11
    """A goal that one cannot reach."""


@dataclass(frozen=True)
class InfoNeed:
    """``users`` could all use ``statement`` alike; with ``charge`` they are asked by name to see to it."""

    weight: Weight
    users: tuple[Seat, ...]
    statement: Statement
    charge: bool = False


@dataclass(frozen=True)
class TeamView:
    """What an agent knows, and whom it can reach; with ``hearsay`` it tells what others told it too."""

    knowledge: Knowledge
    reached: tuple[Seat, ...]
    hearsay: bool

    def tells(self, heard: Provenance) -> bool:
        """Whether something known in this way is for oneself to tell."""
        return self.hearsay or heard.source == self.knowledge.me

    def unaware(self, statement: Statement, agents: Iterable[Seat]) -> tuple[Seat, ...]:
        """Those of ``agents`` who are not known to know ``statement``."""
        heard = self.knowledge.statements.get(statement)
        return tuple(agent for agent in agents if heard is None or agent not in heard.holders)


def goals(view: TeamView, stuck: tuple[Literal, ...]) -> Iterator[InfoNeed]:
    """What one cannot do, for who can; what one does not get on with, for all who might help."""
    knowledge = view.knowledge
    me = knowledge.me
    for goal, heard in knowledge.goals.items():
        if knowledge.achieved(goal) or not view.tells(heard):
            continue
        others = [other for other in view.reached if other not in heard.holders]
        if able(knowledge, me, goal) and not (goal in stuck and mine(knowledge, goal)):
            continue
        handles = _handles(view, goal)
        charged = knowledge.charged.get(goal, set[Seat]()) - {me}
        if charged:
            yield InfoNeed(
                Weight.GOAL, tuple(other for other in others if other in charged), Must(goal), charge=True
            )
        elif handles:
            yield handles
        elif not any(able(knowledge, other, goal) for other in heard.holders - heard.tellers - {me}):
            kept = _kept(knowledge, goal)
            if kept and knowledge.left is not None:
                continue  # No counted message is spent on what most likely holds.
            weight = Weight.STUCK if goal in stuck else Weight.KEEP if kept else Weight.GOAL
            yield InfoNeed(weight, tuple(suited(knowledge, others, goal)), _wish(knowledge, goal))


def _kept(knowledge: Knowledge, goal: Literal) -> bool:
    """Whether ``goal`` asks for furniture to be shut or off that nobody is known to have turned, and nobody to know of."""
    fact = atom(goal)
    furniture = fact.predicate in AXES and fact.args[0] in knowledge.plan.room_of
    if not furniture or any(chain.fact == goal for chain in knowledge.chains):
        return False
    return fact.predicate not in ACTIVE and knowledge.picture.state(fact.args[0], fact.predicate) is None


def _wish(knowledge: Knowledge, goal: Literal) -> Must:
    """What is said of a goal: where somebody is to know it in the end, that says it all."""
    return next((Must(chain.formula) for chain in knowledge.chains if chain.fact == goal), Must(goal))


def _handles(view: TeamView, goal: Literal) -> InfoNeed | None:
    """A goal that is reached by turning something else: that is asked for, so that nobody has to know why.

    None where nothing else is known to be of use; a need of nobody where somebody knows already.
    """
    knowledge = view.knowledge
    if not isinstance(goal, Atom) or goal.predicate not in AXES or goal.args[0] not in knowledge.plan.room_of:
        return None
    thing, value = goal.args[0], goal.predicate
    found: dict[Must, list[Seat]] = {}
    for other in view.reached:
        handle, turned = next(iter(ways(knowledge, other, thing, value)), (thing, value))
        if handle == thing:
            continue
        # Of two things that move each other one has to be turned for its own sake.
        back = ways(knowledge, other, handle, turned)[0][0] == thing
        if not (back and Atom(turned, (handle,)) in knowledge.goals):
            found.setdefault(Must(Atom(turned, (handle,))), []).append(other)
    for must, users in found.items():
        if must.formula in knowledge.goals or view.unaware(must, users) != tuple(users):
            return InfoNeed(Weight.GOAL, (), must)
    return next(
        (InfoNeed(Weight.GOAL, tuple(users), must, charge=True) for must, users in found.items()), None
    )


def fetching(view: TeamView) -> Iterator[InfoNeed]:
    """What one is to move and cannot come to, for who can bring it to where one can."""
    knowledge = view.knowledge
    for goal in knowledge.goals:
        target = wanted_in(knowledge, goal)
        if not isinstance(goal, Atom) or target is None or knowledge.achieved(goal):
            continue
        o = goal.args[0]
        place = knowledge.picture.place(o)
        if place is None or place[0] == "is_held_by" or fetches(knowledge, knowledge.me, goal):
            continue
        if not able(knowledge, knowledge.me, goal) or not mine(knowledge, goal):
            continue
        for giver in view.reached:
            room = meeting(knowledge, giver, (knowledge.me,), target)
            if room and knowledge.picture.room(o) in knowledge.rooms(giver):
                must = Must(Atom("is_in_room", (o, room)))
                if must not in knowledge.statements:
                    yield InfoNeed(Weight.FETCH, (giver,), must, charge=True)


def working(view: TeamView) -> Iterator[InfoNeed]:
    """What those need who see to a goal: how its handle works, where its thing is."""
    knowledge = view.knowledge
    for goal in knowledge.goals:
        if knowledge.achieved(goal) or not isinstance(goal, Atom):
            continue
        for doer in _doers(knowledge, goal):
            for wire in _wires(knowledge, doer, goal):
                if view.tells(knowledge.statements[wire]):
                    yield InfoNeed(Weight.WIRE, view.unaware(wire, (doer,)), wire)
            place = _place(view, goal) if goal.predicate in MOVED and fetches(knowledge, doer, goal) else None
            if place and not knowledge.models.holds((doer,), place):
                yield InfoNeed(Weight.PLACE, (doer,), Fact(place))


def _doers(knowledge: Knowledge, goal: Literal) -> tuple[Seat, ...]:
    """Who sees to a goal, as far as is known, beside oneself."""
    heard = knowledge.goals[goal]
    doers = knowledge.charged.get(goal) or heard.holders - heard.tellers
    return tuple(one for one in sorted(doers) if one != knowledge.me and able(knowledge, one, goal))


def _wires(knowledge: Knowledge, doer: Seat, goal: Atom) -> tuple[Wire, ...]:
    """What a doer must know of how things work in order to reach ``goal``."""
    if goal.predicate not in AXES:
        return ()
    found = ways(knowledge, doer, goal.args[0], goal.predicate)
    return knowledge.wiring.used(goal.args[0], found[0][0]) if found else ()


def _place(view: TeamView, goal: Atom) -> Atom | None:
    """Where the thing of a goal is, as a fact to be said; None if not known, or not one's own to tell."""
    knowledge = view.knowledge
    o = goal.args[0]
    place = knowledge.picture.place(o)
    if place is None or place[0] not in LYING:
        return None
    how, where = place
    fact = (
        Atom("is_in_room", (o, knowledge.plan.room_of[where])) if how == "lies_on" else Atom(how, (o, where))
    )
    heard = knowledge.statements.get(Fact(fact))
    return fact if heard is None or view.tells(heard) else None
