"""What an agent believes, as the plain JSON that it observes: only what has changed is built anew."""

from __future__ import annotations

from typing import Any, TypeAlias

from otherminds.worlds.household.house import House
from otherminds.worlds.household.rules.rule import bits

Objects: TypeAlias = dict[str, list[str]]
States: TypeAlias = dict[str, list[str]]


class BeliefGraph:
    """What one agent believes in one episode.

    ``graph`` is as in :class:`~.world.HouseholdWorld`, ``holding`` are the objects in its hand. Parts that have not
    changed are the same objects as before; a part that was shown is never modified afterwards.
    """

    def __init__(self, house: House, seat: str) -> None:
        self._house = house
        self._others = house.anyone & ~house.rooms_mask[seat]
        self._believed = self._known = 0
        self._objects: Objects = {}
        self._states: States = {}
        self._carried = house.carried[seat]
        self.holding: list[str] = []
        self.graph: dict[str, Any] = {"objects": self._objects, "states": self._states, "agents": {}}

    def update(self, believed: int, known: int) -> None:
        """Shows the facts that are believed, and all places that objects were ever believed to be at."""
        if believed is self._believed and known is self._known:
            return
        changed = believed ^ self._believed
        house = self._house
        graph = dict(self.graph)
        if (changed & house.locations) or known != self._known:
            graph["objects"] = self._objects = self._placed(changed, believed, known)
        if changed & self._carried:
            self.holding = sorted(house.owner[number] for number in bits(believed & self._carried))
        if turned := changed & house.states:
            graph["states"] = self._states = self._turned(turned, believed)
        if changed & self._others:
            rooms = [house.facts.named[number] for number in bits(believed & self._others)]
            graph["agents"] = {agent: {"room": room} for _, agent, room in rooms}
        self._believed, self._known, self.graph = believed, known, graph

    def _placed(self, changed: int, believed: int, known: int) -> Objects:
        """The places of all known objects, in the order of the scene."""
        house, objects = self._house, dict(self._objects)
        fresh = False
        for number in bits(changed & house.locations | known ^ self._known):
            o = house.owner[number]
            at = believed & house.rests[o]
            fresh |= o not in objects
            if known & house.rests[o]:
                objects[o] = list(house.places[at.bit_length() - 1]) if at else []
            else:
                objects.pop(o, None)
        return {o: objects[o] for o in house.objects if o in objects} if fresh else objects

    def _turned(self, turned: int, believed: int) -> States:
        """The states of all things, in the order of the scene."""
        house, states = self._house, dict(self._states)
        named = house.facts.named
        fresh = False
        for thing in {named[number][1] for number in bits(turned)}:
            found = [named[number][0] for number in bits(believed & house.turned[thing])]
            fresh |= thing not in states
            if found:
                states[thing] = found
            else:
                states.pop(thing, None)
        return {thing: states[thing] for thing in house.turned if thing in states} if fresh else states
