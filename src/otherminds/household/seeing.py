"""What agents see, believe and look up: a graph of beliefs for each agent.

What holds, and what an agent believes, are sets of facts (:class:`~.rules.rule.Facts`). An observation replaces the beliefs
about what is seen and keeps all others, so that beliefs can be outdated or false.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from otherminds.household.belief_graph import BeliefGraph, shown_of
from otherminds.household.commands import Command
from otherminds.household.house_state import HouseState
from otherminds.household.rules.actions import WHERE
from otherminds.household.rules.rule import bits

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
