"""The house during an episode, and what agents see, believe and look up in it.

What holds, and what an agent believes, are sets of facts (:class:`~.rules.Facts`). An observation replaces the beliefs about
what is seen and keeps all others, so that beliefs can be outdated or false. What an agent observes is its beliefs as plain
JSON, of which only what has changed is built anew."""

from __future__ import annotations

import re
from copy import copy
from functools import lru_cache
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from otherminds.household.commands import Command
from otherminds.household.house import House
from otherminds.household.rules import WHERE, Meaning, bits


class HouseState:
    """The facts that hold in ``house`` now, where agents stand, and where objects lie.

    ``facts`` is the mask of the facts that hold; ``spot[i]`` the position of agent ``i``, in the order of seats. ``handled``
    is the mask of all places of the objects whose states were changed. ``layout`` has the boxes of the objects.
    """

    def __init__(self, house: House) -> None:
        self.house = house
        self.reset()

    def reset(self) -> None:
        """Restores the start."""
        house = self.house
        self.facts = house.start
        self.spot = [house.start_spot[agent] for agent in house.agents]
        self.handled = 0
        self.layout = house.layout.fresh()

    def apply(self, i: int, meaning: Meaning) -> tuple[bool, str]:
        """Makes the changes of a call of agent ``i`` if its rule is applicable.

        Returns whether the agent is told that it succeeded, and the message for it.
        """
        rule = meaning.rule
        facts, needed = self.facts, rule.preconditions
        if facts & needed != needed:
            return False, rule.refusal(facts)
        self.facts = (facts | rule.effects) ^ rule.deleted
        self.spot[i] = meaning.spot
        if meaning.handled:
            self.handled |= meaning.handled
        if meaning.lifted:
            self.layout.lift(meaning.lifted)
        elif meaning.put:
            self.layout.put(*meaning.put)
        return rule.shown, rule.says

    def place_of(self, o: str) -> tuple[str, str]:
        """The place of object ``o``: a predicate and the furniture or agent."""
        return self.house.place_of(o, self.facts)

    def meets(self, i: int, j: int) -> bool:
        """Whether agent ``i`` sees agent ``j``."""
        return bool(self.house.meets[self.spot[i]] >> self.spot[j] & 1)

    def agents_at(self, spots: int) -> int:
        """The mask of the agents whose spots are in the mask ``spots``."""
        return sum([1 << j for j, spot in enumerate(self.spot) if spots >> spot & 1])

    def with_states(self, mask: int) -> int:
        """Facts that hold, together with the states of the objects whose places are among them."""
        return mask | self.facts & self.house.sight_tables.states_at(mask & self.house.locations)


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


NUMBERED, LAST_NUMBER = re.compile(r"_\d+"), re.compile(r"_\d+$")


class HouseSight:
    """What agents, numbered in the order of seats, see and believe of the ``state`` of a house.

    ``believed[i]`` is the graph of agent ``i``; ``known[i]`` all places that it ever believed objects to be at, and hence
    the objects that it knows. When all observed last, agent ``i`` saw the facts in the mask ``sights[i]``, whether or not
    they held, and the agents in the mask ``company[i]``.
    """

    def __init__(self, state: HouseState) -> None:
        self.state, self.house = state, state.house
        self.agents, self._tables = self.house.agents, self.house.sight_tables
        self.reset()

    def reset(self) -> None:
        """Restores the start, which the state is in; all agents have observed once."""
        facts = shown_of(self.house)
        self._graphs = [graph.fresh() for graph in facts.begun or self._unseeing()]
        self.believed = [graph.believed for graph in self._graphs]
        self.known = [graph.known for graph in self._graphs]
        self.sights: tuple[int, ...] = ()
        self.company: tuple[int, ...] = ()
        self._looked_from: tuple[int, ...] = ()
        self.look()
        if not facts.begun:
            facts.begun = tuple(self.shown(i).fresh() for i in range(len(self.agents)))

    def _unseeing(self) -> list[BeliefGraph]:
        """What the agents believe before they look."""
        return [BeliefGraph(shown_of(self.house), agent) for agent in self.agents]

    def where(self, i: int, o: str) -> tuple[str, str] | None:
        """The place where agent ``i`` believes ``o`` to be: a predicate and the furniture or agent; ``None`` if unknown."""
        believed = self.believed[i] & self.house.rests.get(o, 0)
        return self.house.places[believed.bit_length() - 1] if believed else None

    def knows(self, i: int, o: str) -> bool:
        """Whether the graph of agent ``i`` has ever held ``o``."""
        return bool(self.known[i] & self.house.rests.get(o, 0))

    def facts_in_view(self, i: int) -> int:
        """The mask of the facts that agent ``i`` sees now, whether or not they hold."""
        tables, spot = self._tables, self.state.spot[i]
        met = self.state.agents_at(self.house.meets[spot])
        return self._inside(tables.view(spot, met), tables.opens[spot])

    def seen_in(self, room: str) -> int:
        """The mask of the facts that an agent sees now from all spots of ``room`` together."""
        tables = self._tables
        view = tables.wide[room]
        met = self.state.agents_at(view.meets)
        return self._inside(tables.around(view.facts, met, view.absent), view.opens)

    def _inside(self, mask: int, opens: int) -> int:
        """``mask`` with the contents of what is open of ``opens``, and the changed states of visible objects."""
        state = self.state
        facts = state.facts
        if opened := facts & opens:
            mask |= self._tables.contents(opened)
        if state.handled and (near := facts & mask & state.handled):
            mask |= self._tables.states_at(near)
        return mask

    def look(self) -> None:
        """All agents observe."""
        state, spots = self.state, tuple(self.state.spot)
        if spots != self._looked_from:
            self._looked_from = spots
            meets, tables = self.house.meets, self._tables
            self.company = tuple([state.agents_at(meets[spot]) for spot in spots])
            self._views = list(map(tables.view, spots, self.company))
            self._opens = [tables.opens[spot] for spot in spots]
        self.sights = tuple(map(self._inside, self._views, self._opens))
        facts = state.facts
        for i, mask in enumerate(self.sights):
            if changed := (self.believed[i] ^ facts) & mask:
                self._change(i, changed)

    def learn(self, i: int, mask: int) -> None:
        """Updates the beliefs of agent ``i`` by the facts in ``mask``; an object that is seen is removed from its former place."""
        if changed := (self.believed[i] ^ self.state.facts) & mask:
            self._change(i, changed)

    def _change(self, i: int, changed: int) -> None:
        """Updates the beliefs of agent ``i`` by the facts about which it is wrong; see :meth:`learn`."""
        house, facts = self.house, self.state.facts
        new, fresh = self.believed[i] ^ changed, changed & facts
        if placed := fresh & house.locations:
            self.known[i] |= placed
            former = 0
            for number in bits(placed):
                former |= house.about[house.owner[number]]
            new = (new | former) ^ former | placed | facts & former & house.states
        if fresh & house.anyone:
            for rooms in house.rooms_mask.values():
                if arrival := fresh & rooms:
                    new = (new | rooms) ^ rooms | arrival
        self.believed[i] = new

    def shown(self, i: int) -> BeliefGraph:
        """What agent ``i`` believes now, in the form in which it is shown."""
        graph, believed, known_places = self._graphs[i], self.believed[i], self.known[i]
        if believed is not graph.believed or known_places is not graph.known:
            graph.update(believed, known_places)
        return graph

    def graph(self, i: int) -> dict[str, Any]:
        """What agent ``i`` believes, as plain JSON (see ``graph`` of :class:`~.world.HouseholdWorld`).

        It must not be modified: parts that do not change are shared with the graphs of other turns.
        """
        return self.shown(i).graph


def find(sight: HouseSight, i: int, command: Command) -> str:
    """The result of a find tool: what matches its text in the graph of agent ``i``, in the order of the scene."""
    text = command.args[0].lower()
    house = sight.house
    if command.tool == "FindRoomTool":
        kind, matches = "room", [room for room in house.rooms if fits(room, text)]
    elif command.tool == "FindReceptacleTool":
        rooms = house.room_of.items()
        kind = "furniture"
        matches = [f"{f} in {room}" for f, room in rooms if fits(f, text) or _names(text, room)]
    else:
        objects = (o for o in house.objects if sight.knows(i, o) and fits(o, text))
        kind, matches = "object", [f"{o} is {_place(sight, i, o)}" for o in objects]
    return "; ".join(matches) or f"Found no {kind} that fits {text[:40]!r} in what you know."


def fits(name: str, text: str) -> bool:
    """Whether ``text`` matches ``name``: by the name, its kind, or a part of either.

    >>> fits("chest_of_drawers_34", "the chest of drawers"), fits("bowl_0", "bowl_1")
    (True, False)
    """
    if NUMBERED.search(text):
        return _names(text, name)
    kind = _kind(name)
    query = text.replace("_", " ")
    if kind in query and re.search(rf"(?<!\w){re.escape(kind)}s?(?!\w)", query):
        return True
    return len(query) > 2 and query.strip() in kind


@lru_cache(maxsize=4096)
def _kind(name: str) -> str:
    """The words of a name without its number."""
    return LAST_NUMBER.sub("", name).replace("_", " ")


def _names(text: str, name: str) -> bool:
    """Whether ``name`` occurs in ``text`` as a whole word: ``kitchen_1`` does not in ``kitchen_10``."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _place(sight: HouseSight, i: int, o: str) -> str:
    place = sight.where(i, o)
    if place is None:
        return "somewhere you do not know"
    predicate, where = place
    if predicate == "is_held_by":
        return f"held by {'you' if where == sight.agents[i] else where}"
    return f"{WHERE[predicate]} {where} in {sight.house.room_of[where]}"
