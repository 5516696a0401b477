"""Rooms that are barred, and where agents may go without some of these bars."""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct

from otherminds.household.epistemic.certificate import Words
from otherminds.household.house import House


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
