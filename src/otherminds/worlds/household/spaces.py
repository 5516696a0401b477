"""The spaces of the household (calls of tools, and observations as plain JSON), and what an observation shows of the house and of others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gymnasium.spaces import Dict, Space

from otherminds.worlds.household.commands import EVERYBODY, LONGEST, TOOLS
from otherminds.worlds.household.engine import Act
from otherminds.worlds.household.house import House

HALVES = re.compile("[\ud800-\udfff]")
"""Lone surrogates, which a record cannot store."""
HEARD = ("turn", "call", "result", "worked", "events", "room", "holding", "graph", "house")


class Commands(Space[str]):
    """Texts of at most ``LONGEST`` characters that UTF-8 can encode; a malformed call is rejected and costs the turn.

    :meth:`sample` draws a well-formed call with names from ``names``. These are the names that all agents know, since a
    space is part of the brief.
    """

    def __init__(self, names: Sequence[str], agents: Sequence[str], seed: int | None = None) -> None:
        super().__init__((), None, seed)
        self.names, self.agents = tuple(names), tuple(agents)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        tool = list(TOOLS.values())[int(self.np_random.integers(len(TOOLS)))]
        args = [self.names[int(self.np_random.integers(len(self.names)))] for _ in range(tool.arguments[0])]
        if tool.name == "Place":
            args[1] = ("on", "within")[int(self.np_random.integers(2))]
        if tool.name == "Communicate":
            args[0] = (EVERYBODY, *self.agents)[int(self.np_random.integers(len(self.agents) + 1))]
        return f"{tool.name}[{', '.join(args)}]"

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= LONGEST and HALVES.search(x) is None

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"Commands({len(self.names)} names, {', '.join(self.agents)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Commands) and (other.names, other.agents) == (self.names, self.agents)

    def __hash__(self) -> int:
        return hash((self.names, self.agents))


class ObservationSpace(Dict):
    """Mappings with the keys ``HEARD`` (:class:`~.world.HouseholdWorld` says what they hold)."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__({}, seed)

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        empty = {"call": "", "result": "", "worked": True, "events": [], "room": "room_1", "holding": []}
        graph = {"objects": {}, "states": {}, "agents": {}}
        house = {"rooms": {}, "furniture": {}}
        return {"turn": int(self.np_random.integers(100)), **empty, "graph": graph, "house": house}

    def contains(self, x: Any) -> bool:
        return isinstance(x, dict) and set(x) == set(HEARD)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ObservationSpace)

    def __hash__(self) -> int:
        return hash(ObservationSpace)


def watched(house: House, act: Act, i: int) -> bool:
    """Whether agent ``i`` saw ``act``: the acting agent was visible before or after it, and the act is observable."""
    _, command, before, after, spots = act
    if command.tool == "Navigate" and before == after:
        return False
    meets = house.meets[spots[i]]
    return bool(meets >> before & 1 or meets >> after & 1)


def shown(house: House, act: Act, i: int) -> str:
    """``act`` as agent ``i`` saw it: a walk is reduced to its visible part."""
    _, command, before, after, spots = act
    if before == after:
        return str(command)
    meets = house.meets[spots[i]]
    if not meets >> after & 1:
        return "left"
    return "came in" if not meets >> before & 1 else f"went to {house.spots[after].partition(':')[2]}"


def plan_of(house: House) -> dict[str, Any]:
    """What all agents know about the house from the start."""
    kinds = ("articulated", "surface", "container", "switch", "faucet", "floor")
    furniture = {
        f: {"room": room, "is": [kind for kind in kinds if (kind, f) in house.static]}
        for f, room in house.room_of.items()
    }
    rooms = {room: [*beyond] for room, beyond in house.doors.items()}
    return {"rooms": rooms, "furniture": furniture}
