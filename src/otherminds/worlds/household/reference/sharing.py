"""Who can do what, who goes first, and where a thing changes hands: as far as one agent knows."""

from __future__ import annotations

from collections.abc import Iterable

from otherminds.core.data import Seat
from otherminds.epistemic.formula import Atom, Literal
from otherminds.epistemic.predicates import AXES
from otherminds.worlds.household.reference.knowledge import Knowledge, numbered

PATIENCE = 3
"""Turns after which the next takes over what does not get done."""
MOVED = ("is_on_top", "is_inside", "is_in_room")


def able(knowledge: Knowledge, agent: Seat, goal: Literal) -> bool:
    """Whether ``agent`` can come to where ``goal`` is brought about; where things are now is not asked."""
    if not isinstance(goal, Atom):
        return True
    rooms = knowledge.rooms(agent)
    room_of = knowledge.plan.room_of
    thing, *rest = goal.args
    match goal.predicate:
        case "is_in_room":
            return rest[0] in rooms
        case "is_on_top" | "is_inside":
            return room_of.get(rest[0]) in rooms
        case "is_held_by":
            return rest[0] == agent
        case "agent_in_room":
            return thing == agent and rest[0] in rooms
        case "is_next_to":
            return all(knowledge.picture.room(one) in (None, *rooms) for one in goal.args)
        case "is_filled":
            return any(room_of[faucet] in rooms for faucet in knowledge.plan.all_that("faucet"))
        case value if value in AXES and thing in room_of:
            return bool(ways(knowledge, agent, thing, value))
        case _:
            return knowledge.picture.room(thing) in (None, *rooms)


def ways(knowledge: Knowledge, agent: Seat, thing: str, value: str) -> list[tuple[str, str]]:
    """What ``agent`` can turn, and how, to give ``thing`` the value.

    First what undoes the fewest goals; for oneself then the thing itself. For another what
    somebody is to know of in the end, and the thing itself last: it is for some reason
    that one knows of another way; then what stands where the fewest are known to be kept out.
    """
    plan, rooms = knowledge.plan, knowledge.rooms(agent)
    found = [
        (one, tried)
        for one, tried in knowledge.wiring.ways(thing, value)
        if plan.room_of.get(one) in rooms and plan.turns(one, tried)
    ]
    if agent == knowledge.me:
        return sorted(found, key=lambda way: _undone(knowledge, way))

    def doubt(way: tuple[str, str]) -> tuple[int, bool, bool, int]:
        known = any(chain.fact == Atom(way[1], (way[0],)) for chain in knowledge.chains)
        kept_out = sum(1 for barred in knowledge.barred.values() if plan.room_of[way[0]] in barred)
        return _undone(knowledge, way), not known, way[0] == thing, kept_out

    return sorted(found, key=doubt)


def _undone(knowledge: Knowledge, way: tuple[str, str]) -> int:
    """How many goals turning a thing this way would undo."""
    effects = knowledge.wiring.effects(*way)
    return sum(
        1
        for goal in knowledge.goals
        if isinstance(goal, Atom)
        and goal.predicate in AXES
        and effects.get(goal.args[0], goal.predicate) not in (goal.predicate,)
        and AXES.get(effects[goal.args[0]]) == AXES[goal.predicate]
    )


def fetches(knowledge: Knowledge, agent: Seat, goal: Literal) -> bool:
    """Whether ``agent`` can also come to the thing that ``goal`` moves, as far as its place is known."""
    if not isinstance(goal, Atom) or goal.predicate not in MOVED:
        return True
    place = knowledge.picture.place(goal.args[0])
    if place is not None and place[0] == "is_held_by":
        return place[1] == agent
    return knowledge.picture.room(goal.args[0]) in (None, *knowledge.rooms(agent))


def suited(knowledge: Knowledge, agents: Iterable[Seat], goal: Literal) -> list[Seat]:
    """Of ``agents`` those who can do it and fit best: who can fetch, and then who may enter most rooms."""
    marks = {
        agent: (fetches(knowledge, agent, goal), len(knowledge.rooms(agent)))
        for agent in agents
        if able(knowledge, agent, goal)
    }
    best = max(marks.values(), default=None)
    return [agent for agent, mark in marks.items() if mark == best]


def mine(knowledge: Knowledge, goal: Literal) -> bool:
    """Whether it is one's own turn to see to ``goal``.

    Who was asked for it, or said that it would do it, goes first; then the lowest in number
    of those who know of it and can do it. Who told of it is counted out: one who could
    would have done it. Whoever stands back does so for so many turns.
    """
    me = knowledge.me
    heard = knowledge.goals[goal]
    charged = knowledge.charged.get(goal, set[Seat]())
    if me in charged:
        return True
    ahead = {
        other
        for other in heard.holders - heard.tellers
        if numbered(other) < numbered(me) and able(knowledge, other, goal)
    }
    ahead |= {other for other in charged if able(knowledge, other, goal)}
    return knowledge.turn - heard.turn >= PATIENCE * len(ahead)


def meeting(knowledge: Knowledge, giver: Seat, takers: Iterable[Seat], room: str) -> str | None:
    """Where ``giver`` leaves a thing that is wanted in ``room``: as near as can be, where a taker comes."""
    reached = [knowledge.rooms(taker) for taker in takers]
    hops = knowledge.plan.hops(room)
    shared = [
        one
        for one in knowledge.plan.rooms
        if one in knowledge.rooms(giver) and any(one in r for r in reached)
    ]
    return min(
        shared, key=lambda one: (hops.get(one, len(hops)), knowledge.plan.rooms.index(one)), default=None
    )


def wanted_in(knowledge: Knowledge, goal: Literal) -> str | None:
    """The room in which ``goal`` wants its thing to end."""
    if not isinstance(goal, Atom) or goal.predicate not in MOVED:
        return None
    where = goal.args[1]
    return where if goal.predicate == "is_in_room" else knowledge.plan.room_of.get(where)
