"""What each agent can reach, change, see and meet in a house, wherever it walks, and who may have an effect on whom.

Also where agents may go without some of the bars of rooms.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from msgspec import Struct

from otherminds.household.epistemic.certificate import Words
from otherminds.household.house import House

TOUCHED = ("is_open", "is_closed")
"""The values that a trigger without a state of its own seems to take when an agent tries to open or close it."""


class Effect(NamedTuple):
    """When its trigger takes the value ``taken``, ``thing`` takes ``value``."""

    taken: str
    thing: str
    value: str


class HouseAccess:
    """For each agent: ``spots`` where it may be, what it ``reaches``, ``sees`` and ``changes``, and the spots that it ``meets``.

    ``spots`` has the start, even in a barred room. ``changes`` are the things in reach and all that mechanics set with them.
    ``sets`` has the direct effects of each trigger.
    """

    def __init__(self, house: House) -> None:
        tables, walks = house.scene.tables, house.static
        self.spots = {
            agent: {spot for spot in house.spots if ("may_go", agent, spot) in walks} | {house.spots[start]}
            for agent, start in house.start_spot.items()
        }
        self.reaches = {a: {f for s in spots for f in tables.reaches[s]} for a, spots in self.spots.items()}
        self.sees = {a: {f for s in spots for f in tables.sees[s]} for a, spots in self.spots.items()}
        self.meets = {a: {t for s in spots for t in tables.meets[s]} for a, spots in self.spots.items()}
        self.sets = dict(_triggers(house))
        self.changes = {agent: self.close_over(reachable) for agent, reachable in self.reaches.items()}

    def actors(self, entity: str) -> tuple[str, ...]:
        """The agents that reach a thing."""
        return tuple(agent for agent, reachable in self.reaches.items() if entity in reachable)

    def seers(self, entity: str) -> tuple[str, ...]:
        """The agents that see a thing."""
        return tuple(agent for agent, visible in self.sees.items() if entity in visible)

    def close_over(self, entities: Iterable[str]) -> set[str]:
        """``entities`` and all that mechanics set with them, directly or in a chain."""
        closure = set(entities)
        waiting = [*closure]
        while waiting:
            fresh = {effect.thing for effect in self.sets.get(waiting.pop(), ())} - closure
            closure |= fresh
            waiting += fresh
        return closure

    def sources(self, agent: str) -> set[str]:
        """``agent``, and all agents whose acts may have an effect on what it observes, directly or through others."""
        agents, waiting = {agent}, [agent]
        while waiting:
            observer = waiting.pop()
            fresh = {
                other
                for other in self.spots.keys() - agents
                if self.spots[other] & self.meets[observer] or self.changes[other] & self.sees[observer]
            }
            agents |= fresh
            waiting += fresh
        return agents


def _triggers(house: House) -> Iterator[tuple[str, tuple[Effect, ...]]]:
    """Each trigger with its direct effects."""
    turnable = house.plan.turnable()
    triggers = {entity for m, b in house.bound for entity in m.triggers(b)}
    for trigger in dict.fromkeys((*turnable, *sorted(triggers))):
        effects = tuple(
            Effect(state, other, value)
            for state in turnable.get(trigger, TOUCHED)
            for m, b in house.bound
            for other, value in m.follows(b, trigger, state)
            if value in turnable.get(other, ())
        )
        if effects:
            yield trigger, effects


class BarredRoom(Struct, frozen=True):
    """An agent cannot enter a room."""

    agent: str
    room: str

    def __str__(self) -> str:
        return f"{self.agent} cannot enter {self.room}"


def barred_rooms(house: House) -> list[BarredRoom]:
    """All bars of a task, in the order of its agents."""
    return [BarredRoom(agent, room) for agent in house.agents for room in sorted(house.barred[agent])]


def walks(house: House, without: Collection[BarredRoom]) -> frozenset[Words]:
    """The static facts that hold in addition without some bars: where agents may go then."""
    facts: set[Words] = set()
    for agent in {bar.agent for bar in without}:
        freed = {bar.room for bar in without if bar.agent == agent}
        near = house.plan.walkable(agent, house.barred[agent] - freed)
        facts |= {
            ("may_go", agent, spot)
            for spot, room in zip(house.spots, house.spot_room, strict=True)
            if room in near
        }
    return frozenset(facts - house.static)
