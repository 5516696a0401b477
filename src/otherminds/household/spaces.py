"""The spaces of the household (calls of tools, and observations as plain JSON), and what an observation shows of the house and of others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from gymnasium.spaces import Dict, Space

from otherminds.household.commands import EVERYBODY, LONGEST, TOOLS, Command, Malformed, parse
from otherminds.household.engine import Act
from otherminds.household.house import House

HALVES = re.compile("[\ud800-\udfff]")
"""Lone surrogates, which a record cannot store."""
WALKS = ("Navigate", "Explore")
"""The tools that an observed walk may belong to."""
ALONE = {tool: (tool,) for tool in TOOLS}
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
        return isinstance(x, str) and read_action(x) is not None

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


@lru_cache(maxsize=4096)
def read_action(text: str) -> Command | Malformed | None:
    """The call in a text; ``None`` if the text is no action (:class:`Commands`)."""
    return parse(text) if len(text) <= LONGEST and HALVES.search(text) is None else None


class ObservedAct(NamedTuple):
    """An act of another agent as an agent saw it: who acted, the act in words, and the tools that it may have been."""

    agent: int
    text: str
    tools: tuple[str, ...]


def observe_acts(house: House, acts: Iterable[Act], i: int) -> list[ObservedAct]:
    """The acts of others that agent ``i`` saw.

    The acting agent was visible before or after the act, and the act is observable. A walk is reduced to its visible part.
    """
    observed: list[ObservedAct] = []
    for j, command, before, after, spots in acts:
        if j == i:
            continue
        meets = house.meets[spots[i]]
        began = meets >> before & 1
        if before == after:
            if began and command.tool != "Navigate":
                observed.append(ObservedAct(j, str(command), ALONE[command.tool]))
        elif meets >> after & 1:
            text = f"went to {house.spots[after].partition(':')[2]}" if began else "came in"
            observed.append(ObservedAct(j, text, WALKS))
        elif began:
            observed.append(ObservedAct(j, "left", WALKS))
    return observed


def plan_of(house: House) -> dict[str, Any]:
    """What all agents know about the house from the start; ``statements`` is there if messages are limited to so many."""
    kinds = ("articulated", "surface", "container", "switch", "faucet", "floor")
    furniture = {
        f: {"room": room, "is": [kind for kind in kinds if (kind, f) in house.static]}
        for f, room in house.room_of.items()
    }
    rooms = {room: [*beyond] for room, beyond in house.doors.items()}
    limit = {} if house.statements is None else {"statements": house.statements}
    return {"rooms": rooms, "furniture": furniture} | limit
