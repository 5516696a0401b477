"""What agents see, believe and look up: the state of the house, and a graph of beliefs for each agent.

A state, and what an agent believes, are sets of facts (:class:`~.rules.rule.Facts`). An observation replaces the beliefs
about what is seen and keeps all others, so that beliefs can be outdated or false.
"""

from __future__ import annotations

import re
from typing import Any

from otherminds.worlds.household.commands import Command
from otherminds.worlds.household.house import House
from otherminds.worlds.household.rules.actions import WHERE


class HouseSight:
    """The state of ``house`` and the beliefs of agents, numbered in the order of seats.

    ``state`` is the set of facts that hold; ``spot[i]`` the position of agent ``i``; ``believed[i]`` its graph;
    ``known[i]`` all places that it ever believed objects to be at, and hence the objects that it knows. ``handled`` are
    the objects whose states were changed.
    """

    def __init__(self, house: House) -> None:
        self.house = house
        self.agents = house.agents
        self._inside: dict[int, int] = {}
        self._shows = [house.shows[agent] for agent in self.agents]

    def begin(self) -> None:
        """Restores the start, before any observation."""
        self.state = self.house.start
        self.spot = [self.house.start_spot[agent] for agent in self.agents]
        self.believed = [0] * len(self.agents)
        self.known = [0] * len(self.agents)
        self.handled: set[str] = set()

    def where(self, i: int, o: str) -> tuple[str, str] | None:
        """The place where agent ``i`` believes ``o`` to be: a predicate and the furniture or agent; ``None`` if unknown."""
        believed = self.believed[i] & self.house.rests.get(o, 0)
        return self.house.places[believed.bit_length() - 1] if believed else None

    def is_at(self, o: str) -> tuple[str, str]:
        """The place of ``o``."""
        return self.house.place_of(o, self.state)

    def knows(self, i: int, o: str) -> bool:
        """Whether the graph of agent ``i`` has ever held ``o``."""
        return bool(self.known[i] & self.house.rests.get(o, 0))

    def meets(self, i: int, j: int) -> bool:
        """Whether agent ``i`` sees agent ``j`` now."""
        return bool(self.house.meets[self.spot[i]] >> self.spot[j] & 1)

    def seen(self, i: int) -> int:
        """The mask of the facts that agent ``i`` sees now, whether or not they hold."""
        house, spot = self.house, self.spot[i]
        mask = house.views[spot]
        opened = self.state & house.opens[spot]
        if opened:
            mask |= self._inside.get(opened) or self._insides(opened)
        meets, absent = house.meets[spot], house.absent[spot]
        for j, other in enumerate(self.spot):
            mask |= self._shows[j] if meets >> other & 1 else absent[j]
        for o in self.handled:
            if self.state & mask & house.rests[o]:
                mask |= house.turned[o]
        return mask

    def look(self) -> None:
        """All agents observe."""
        for i in range(len(self.agents)):
            self.learn(i, self.seen(i))

    def learn(self, i: int, mask: int) -> None:
        """Updates the beliefs of agent ``i`` by the facts in ``mask``; an object that is seen is removed from its former place."""
        house, old = self.house, self.believed[i]
        new = old & ~mask | self.state & mask
        if new == old:
            return
        fresh = new & ~old
        moved = fresh & house.locations
        while moved:
            low = moved & -moved
            o = house.owner[low.bit_length() - 1]
            turned = house.turned.get(o, 0)
            new = new & ~(house.rests[o] | turned) | low | self.state & turned
            moved ^= low
        if fresh & house.anyone:
            for rooms in house.rooms_mask.values():
                came = fresh & rooms
                if came:
                    new &= ~rooms | came
        self.believed[i] = new
        self.known[i] |= new & house.locations

    def _insides(self, opened: int) -> int:
        """The mask of the facts about contents of the furniture in ``opened``, a mask of ``is_open`` facts."""
        mask = sum(self.house.inside[f] for _, f in self.house.facts.shown(opened))
        self._inside[opened] = mask
        return mask

    def with_states(self, mask: int) -> int:
        """Facts that hold, together with the states of the objects whose places are among them."""
        house, at = self.house, mask & self.house.locations
        while at:
            low = at & -at
            mask |= self.state & house.turned.get(house.owner[low.bit_length() - 1], 0)
            at ^= low
        return mask

    def graph(self, i: int) -> dict[str, Any]:
        """What agent ``i`` believes, as plain JSON (see ``graph`` of :class:`~.world.HouseholdWorld`)."""
        house, believed = self.house, self.believed[i]
        objects: dict[str, list[str]] = {}
        for o, rests in house.rests.items():
            if self.known[i] & rests:
                at = believed & rests
                objects[o] = list(house.places[at.bit_length() - 1]) if at else []
        states: dict[str, list[str]] = {}
        agents: dict[str, dict[str, str]] = {}
        for predicate, thing, *where in house.facts.shown(believed & ~house.locations):
            if predicate == "agent_in_room" and thing != self.agents[i]:
                agents[thing] = {"room": where[0]}
            elif predicate.startswith("is_"):
                states.setdefault(thing, []).append(predicate)
        return {"objects": objects, "states": states, "agents": agents}


def find(sight: HouseSight, i: int, command: Command) -> str:
    """The result of a find tool: what matches its text in the graph of agent ``i``, in the order of the scene."""
    text = command.args[0].lower()
    house = sight.house
    if command.tool == "FindRoomTool":
        kind, found = "room", [room for room in house.rooms if fits(room, text)]
    elif command.tool == "FindReceptacleTool":
        rooms = house.room_of.items()
        kind = "furniture"
        found = [f"{f} in {room}" for f, room in rooms if fits(f, text) or _names(text, room)]
    else:
        known = (o for o in house.objects if sight.knows(i, o) and fits(o, text))
        kind, found = "object", [f"{o} is {_place(sight, i, o)}" for o in known]
    return "; ".join(found) or f"Found no {kind} that fits {text[:40]!r} in what you know."


def fits(name: str, text: str) -> bool:
    """Whether ``text`` matches ``name``: by the name, its kind, or a part of either.

    >>> fits("chest_of_drawers_34", "the chest of drawers"), fits("bowl_0", "bowl_1")
    (True, False)
    """
    if re.search(r"_\d+", text):
        return _names(text, name)
    kind = re.sub(r"_\d+$", "", name).replace("_", " ")
    wanted = text.replace("_", " ")
    return re.search(rf"(?<!\w){re.escape(kind)}s?(?!\w)", wanted) is not None or (
        len(wanted) > 2 and wanted.strip() in kind
    )


def _names(text: str, name: str) -> bool:
    """Whether ``name`` occurs in ``text`` as a whole word: ``kitchen_1`` does not in ``kitchen_10``."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _place(sight: HouseSight, i: int, o: str) -> str:
    place = sight.where(i, o)
    if place is None:
        return "somewhere you do not know"
    predicate, where = place
    if predicate == "is_held_by":
        return f"held by {'you' if where == sight.agents[i] else where}"
    return f"{WHERE[predicate]} {where} in {sight.house.room_of[where]}"
