"""What an agent believes, as the plain JSON that it observes: only what has changed is built anew."""

from __future__ import annotations

from copy import copy
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from otherminds.household.house import House
from otherminds.household.rules.rule import bits

Objects: TypeAlias = dict[str, list[str]]
States: TypeAlias = dict[str, list[str]]


class ShownFacts:
    """The facts of a house in the form in which they are shown.

    ``places`` are by the number of a fact about the place of an object. All other facts are numbered from ``first``, and
    their masks are shifted by it: of the facts that agents are in rooms (``anyone``, and by agent ``rooms``), and of
    states (``turned``). ``states`` has, for each thing, by how much its states are shifted further, and the states that
    are shown for each of their combinations. ``begun`` is, once an episode has begun, what each agent believes after its
    first look. Nothing refers to the house, so that a cache by house can hold it.
    """

    def __init__(self, house: House) -> None:
        self.objects, self.owner, self.rests = house.objects, house.owner, house.rests
        self.carried, self.locations = house.carried, house.locations
        self.places = [[*place] for place in house.places]
        self.first = len(self.places)
        self.named = house.facts.named[self.first :]
        self.anyone, self.turned = house.anyone >> self.first, house.states >> self.first
        self.rooms = {agent: mask >> self.first for agent, mask in house.rooms_mask.items()}
        self.states: dict[str, tuple[int, list[list[str]]]] = {}
        for entity, mask in house.turned.items():
            numbers = bits(mask >> self.first)
            predicates = [self.named[number][0] for number in numbers]
            sets = range(1 << len(numbers))
            self.states[entity] = numbers[0], [[predicates[k] for k in bits(chosen)] for chosen in sets]
        self.begun: tuple[BeliefGraph, ...] = ()


_KNOWN: WeakKeyDictionary[House, ShownFacts] = WeakKeyDictionary()


def shown_of(house: House) -> ShownFacts:
    """The facts of a house as they are shown, cached."""
    facts = _KNOWN.get(house)
    if facts is None:
        facts = _KNOWN[house] = ShownFacts(house)
    return facts


class BeliefGraph:
    """What one agent believes in one episode.

    ``believed`` are the facts that are shown, ``known`` all places that objects were ever believed to be at. ``graph`` is as in :class:`~.world.HouseholdWorld`, ``holding`` are the objects in its hand. Parts that have not
    changed are the same objects as before; a part that was shown is never modified afterwards.
    """

    def __init__(self, facts: ShownFacts, seat: str) -> None:
        self._facts = facts
        self._others = facts.anyone & ~facts.rooms[seat]
        self.believed = self.known = 0
        self._objects: Objects = {}
        self._states: States = {}
        self._carried = facts.carried[seat]
        self.holding: list[str] = []
        self.graph: dict[str, Any] = {"objects": self._objects, "states": self._states, "agents": {}}

    def fresh(self) -> BeliefGraph:
        """A copy for another episode."""
        return copy(self)

    def update(self, believed: int, known_places: int) -> None:
        """Shows other facts."""
        facts, changed = self._facts, believed ^ self.believed
        graph = dict(self.graph)
        moved = changed & facts.locations
        if known_places is not self.known:
            moved |= known_places ^ self.known
        if moved:
            graph["objects"] = self._objects = self._place_objects(moved, believed, known_places)
            if moved & self._carried:
                self.holding = sorted(facts.owner[number] for number in bits(believed & self._carried))
        if others := changed >> facts.first:
            beliefs = believed >> facts.first
            if turned := others & facts.turned:
                graph["states"] = self._states = self._update_states(turned, beliefs)
            if others & self._others:
                rooms = [facts.named[number] for number in bits(beliefs & self._others)]
                graph["agents"] = {agent: {"room": room} for _, agent, room in rooms}
        self.believed, self.known, self.graph = believed, known_places, graph

    def _place_objects(self, moved: int, believed: int, known_places: int) -> Objects:
        """The places of all known objects, in the order of the scene."""
        facts, objects = self._facts, dict(self._objects)
        fresh = False
        for number in bits(moved):
            o = facts.owner[number]
            at = believed & facts.rests[o]
            fresh |= o not in objects
            if known_places & facts.rests[o]:
                objects[o] = facts.places[at.bit_length() - 1] if at else []
            else:
                objects.pop(o, None)
        return {o: objects[o] for o in facts.objects if o in objects} if fresh else objects

    def _update_states(self, turned: int, beliefs: int) -> States:
        """The states of all things, in the order of the scene; both masks are shifted."""
        facts, states = self._facts, dict(self._states)
        fresh = False
        for entity in {facts.named[number][1] for number in bits(turned)}:
            first, subsets = facts.states[entity]
            predicates = subsets[beliefs >> first & len(subsets) - 1]
            fresh |= entity not in states
            if predicates:
                states[entity] = predicates
            else:
                states.pop(entity, None)
        return {entity: states[entity] for entity in facts.states if entity in states} if fresh else states
