"""What an agent is shown: what it saw others do, what it believes, and the house as all know it."""

from __future__ import annotations

from typing import Any

from otherminds.worlds.household.engine import Act, HouseEngine
from otherminds.worlds.household.house import House


def watched(house: House, act: Act, i: int) -> bool:
    """Whether agent ``i`` saw ``act``: its actor was in sight before it or after it, and did something that shows."""
    _, command, before, after, spots = act
    if command.tool == "Navigate" and before == after:
        return False
    meets = house.meets[spots[i]]
    return bool(meets >> before & 1 or meets >> after & 1)


def shown(house: House, act: Act, i: int) -> str:
    """``act`` as agent ``i`` saw it: of a walk only what happened in its sight."""
    _, command, before, after, spots = act
    if before == after:
        return str(command)
    meets = house.meets[spots[i]]
    if not meets >> after & 1:
        return "left"
    return "came in" if not meets >> before & 1 else f"went to {house.spots[after].partition(':')[2]}"


def graph(engine: HouseEngine, i: int) -> dict[str, Any]:
    """What agent ``i`` believes, as plain JSON."""
    house, believed = engine.house, engine.believed[i]
    objects: dict[str, list[str]] = {}
    for o, rests in house.rests.items():
        if engine.known[i] & rests:
            at = believed & rests
            objects[o] = list(house.places[at.bit_length() - 1]) if at else []
    states: dict[str, list[str]] = {}
    agents: dict[str, dict[str, str]] = {}
    rest = believed & ~house.locations
    for predicate, thing, *where in house.facts.shown(rest):
        if predicate == "agent_in_room" and thing != engine.agents[i]:
            agents[thing] = {"room": where[0]}
        elif predicate.startswith("is_"):
            states.setdefault(thing, []).append(predicate)
    return {"objects": objects, "states": states, "agents": agents}


def plan_of(house: House) -> dict[str, Any]:
    """What everybody knows of the house from the start."""
    rooms: dict[str, list[str]] = {room: [] for room in house.rooms}
    for door in house.scene.geometry.doors:
        if not door.closed:
            one, other = door.rooms
            rooms[one].append(other)
            rooms[other].append(one)
    kinds = ("articulated", "surface", "container", "switch", "faucet", "floor")
    furniture = {
        f: {"room": room, "is": [kind for kind in kinds if (kind, f) in house.static]}
        for f, room in house.room_of.items()
    }
    return {"rooms": rooms, "furniture": furniture}
