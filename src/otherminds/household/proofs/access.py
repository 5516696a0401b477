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
        self.changes = {agent: self.closed(found) for agent, found in self.reaches.items()}

    def actors(self, thing: str) -> tuple[str, ...]:
        """The agents that reach a thing."""
        return tuple(agent for agent, found in self.reaches.items() if thing in found)

    def seers(self, thing: str) -> tuple[str, ...]:
        """The agents that see a thing."""
        return tuple(agent for agent, found in self.sees.items() if thing in found)

    def closed(self, things: Iterable[str]) -> set[str]:
        """``things`` and all that mechanics set with them, directly or in a chain."""
        found = set(things)
        waiting = [*found]
        while waiting:
            fresh = {effect.thing for effect in self.sets.get(waiting.pop(), ())} - found
            found |= fresh
            waiting += fresh
        return found

    def sources(self, agent: str) -> set[str]:
        """``agent``, and all agents whose acts may have an effect on what it observes, directly or through others."""
        found, waiting = {agent}, [agent]
        while waiting:
            one = waiting.pop()
            fresh = {
                other
                for other in self.spots.keys() - found
                if self.spots[other] & self.meets[one] or self.changes[other] & self.sees[one]
            }
            found |= fresh
            waiting += fresh
        return found


def _triggers(house: House) -> Iterator[tuple[str, tuple[Effect, ...]]]:
    """Each trigger with its direct effects."""
    turnable = house.plan.turnable()
    triggers = {thing for m, b in house.bound for thing in m.triggers(b)}
    for thing in dict.fromkeys((*turnable, *sorted(triggers))):
        effects = tuple(
            Effect(taken, other, value)
            for taken in turnable.get(thing, TOUCHED)
            for m, b in house.bound
            for other, value in m.follows(b, thing, taken)
            if value in turnable.get(other, ())
        )
        if effects:
            yield thing, effects


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
    found: set[Words] = set()
    for agent in {one.agent for one in without}:
        freed = {one.room for one in without if one.agent == agent}
        near = house.plan.walkable(agent, house.barred[agent] - freed)
        found |= {
            ("may_go", agent, spot)
            for spot, room in zip(house.spots, house.spot_room, strict=True)
            if room in near
        }
    return frozenset(found - house.static)
