"""Abilities of agents, turn taking, and places of handovers, as far as one agent knows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from otherminds.core.data import Seat
from otherminds.household.epistemic.formula import Atom, Literal, atom
from otherminds.household.epistemic.predicates import AXES
from otherminds.household.reference.knowledge import Knowledge, seat_number

PATIENCE = 3
"""Turns after which the next agent takes over a goal that is not achieved."""
MOVED = ("is_on_top", "is_inside", "is_in_room")


def able(knowledge: Knowledge, agent: Seat, goal: Literal) -> bool:
    """Whether ``agent`` can reach the place where ``goal`` is achieved, regardless of where things are now."""
    if not isinstance(goal, Atom):
        return True
    rooms = knowledge.rooms(agent)
    room_of = knowledge.plan.room_of
    name, *others = goal.args
    match goal.predicate:
        case "is_in_room":
            return others[0] in rooms
        case "is_on_top" | "is_inside":
            return room_of.get(others[0]) in rooms
        case "is_held_by":
            return others[0] == agent
        case "agent_in_room":
            return name == agent and others[0] in rooms
        case "is_next_to":
            return all(knowledge.picture.room(name) in (None, *rooms) for name in goal.args)
        case "is_filled":
            return any(room_of[faucet] in rooms for faucet in knowledge.plan.all_that("faucet"))
        case value if value in AXES and name in room_of:
            return any(_find_changes(knowledge, rooms, name, value))
        case _:
            return knowledge.picture.room(name) in (None, *rooms)


def ways(knowledge: Knowledge, agent: Seat, furniture: str, value: str) -> list[tuple[str, str]]:
    """The changes (furniture and value) by which ``agent`` can give ``furniture`` the value, the best first.

    Changes that undo the fewest goals come first; for this agent itself, the direct change precedes others. For another
    agent, furniture whose state a goal requires to be known comes first and the direct change last (there is usually a
    reason why another way is known), then furniture in rooms that are barred to the fewest agents.
    """
    plan = knowledge.plan
    changes = [*_find_changes(knowledge, knowledge.rooms(agent), furniture, value)]
    if agent == knowledge.me:
        return sorted(changes, key=lambda way: _undone(knowledge, way))

    def doubt(way: tuple[str, str]) -> tuple[int, bool, bool, int]:
        required = any(chain.fact == Atom(way[1], (way[0],)) for chain in knowledge.chains)
        kept_out = sum(1 for barred in knowledge.barred.values() if plan.room_of[way[0]] in barred)
        return _undone(knowledge, way), not required, way[0] == furniture, kept_out

    return sorted(changes, key=doubt)


def _find_changes(
    knowledge: Knowledge, rooms: Collection[str], furniture: str, value: str
) -> Iterator[tuple[str, str]]:
    """The changes of furniture in ``rooms`` that give ``furniture`` the value."""
    plan = knowledge.plan
    for way in knowledge.wiring.ways(furniture, value):
        if plan.room_of.get(way[0]) in rooms and plan.turns(*way):
            yield way


def _undone(knowledge: Knowledge, way: tuple[str, str]) -> int:
    effects = knowledge.wiring.effects(*way)
    state_goals = [goal for goal in knowledge.goals if isinstance(goal, Atom) and goal.predicate in AXES]
    turned = [(goal.predicate, effects[goal.args[0]]) for goal in state_goals if goal.args[0] in effects]
    return sum(new != old and AXES.get(new) == AXES[old] for old, new in turned)


def permits_act(knowledge: Knowledge, wish: Literal) -> bool:
    """Whether the agent can bring about a part of its private goal without an act against a known part of the shared goal.

    An agent that holds something else does not put it down for a wish about another object.
    """
    fact = atom(wish)
    if not able(knowledge, knowledge.me, wish):
        return False
    if fact.predicate in AXES and fact.args[0] in knowledge.plan.room_of:
        return any(
            not _undone(knowledge, way)
            for way in ways(knowledge, knowledge.me, fact.args[0], fact.predicate)[:1]
        )
    if set(knowledge.holding) - set(fact.args):
        return False
    places = [goal for goal in knowledge.goals if atom(goal).args[:1] == fact.args[:1]]
    return not any(
        knowledge.picture.would(goal, (fact.predicate, *fact.args[1:])) is False for goal in places
    )


def fetches(knowledge: Knowledge, agent: Seat, goal: Literal) -> bool:
    """Whether ``agent`` can reach the thing that ``goal`` moves, as far as its place is known."""
    if not isinstance(goal, Atom) or goal.predicate not in MOVED:
        return True
    place = knowledge.picture.place(goal.args[0])
    if place is not None and place[0] == "is_held_by":
        return place[1] == agent
    return knowledge.picture.room(goal.args[0]) in (None, *knowledge.rooms(agent))


def select_suited(knowledge: Knowledge, agents: Iterable[Seat], goal: Literal) -> list[Seat]:
    """Those of ``agents`` that are most suitable: able, can fetch the thing, and may enter the most rooms."""
    fit = (agent for agent in agents if able(knowledge, agent, goal))
    marks = {agent: (fetches(knowledge, agent, goal), len(knowledge.rooms(agent))) for agent in fit}
    best = max(marks.values(), default=None)
    return [agent for agent, mark in marks.items() if mark == best]


def mine(knowledge: Knowledge, goal: Literal) -> bool:
    """Whether it is this agent's turn to work on ``goal``.

    Agents that were asked, or promised it, go first; then the others that know it and can do it, by their number. Agents
    that told the goal are excluded: one that could do it would have done it. An agent waits ``PATIENCE`` turns for each
    agent ahead of it.
    """
    me = knowledge.me
    provenance = knowledge.goals[goal]
    charged = knowledge.charged.get(goal, set[Seat]())
    if me in charged:
        return True
    first = {
        other for other in provenance.holders - provenance.tellers if seat_number(other) < seat_number(me)
    }
    ahead = [other for other in first | charged if able(knowledge, other, goal)]
    return knowledge.turn - provenance.turn >= PATIENCE * len(ahead)


def meeting(knowledge: Knowledge, giver: Seat, takers: Iterable[Seat], room: str) -> str | None:
    """The room where ``giver`` leaves a thing for ``room``: the nearest one that a taker can reach too."""
    reached = [knowledge.rooms(taker) for taker in takers]
    hops = knowledge.plan.hops(room)
    own = (candidate for candidate in knowledge.plan.rooms if candidate in knowledge.rooms(giver))
    shared = [candidate for candidate in own if any(candidate in rooms for rooms in reached)]
    return min(shared, key=lambda candidate: hops.get(candidate, len(hops)), default=None)


def wanted_in(knowledge: Knowledge, goal: Literal) -> str | None:
    """The room of the final place of the thing of ``goal``."""
    if not isinstance(goal, Atom) or goal.predicate not in MOVED:
        return None
    where = goal.args[1]
    return where if goal.predicate == "is_in_room" else knowledge.plan.room_of.get(where)
