"""What is seen from where in a house: masks of facts by spot, by room, and by the furniture that is open."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from otherminds.household.house_plan import HousePlan
from otherminds.household.rules.grounding import BoundedCache
from otherminds.household.rules.rule import Facts, bits
from otherminds.household.rules.sights import HERE, MET, OPENED, PLACED, visible


class SightView(NamedTuple):
    """What is seen from a place.

    ``facts`` are seen whether or not furniture is open; ``opens`` are the ``is_open`` facts of the furniture whose contents
    are seen if they hold; ``meets`` are the spots that are seen; ``absent`` has for each agent the fact that is seen not
    to hold if the agent is not met.
    """

    facts: int
    opens: int
    meets: int
    absent: tuple[int, ...]


class SightTables:
    """The masks of what is seen, for a ``plan`` whose facts about places are the first of ``facts``.

    ``places`` and ``owner`` are the place and the object of each of these facts. ``views`` and ``opens`` are lists by spot.
    A view is the mask of the facts that are seen from the spot whether or not furniture is open; ``inside[f]`` is seen if
    ``f`` is open; ``wide`` has what is seen from all spots of a room together. Only caches change.
    """

    def __init__(
        self, plan: HousePlan, facts: Facts, places: Sequence[tuple[str, str]], owner: Sequence[str]
    ) -> None:
        self._plan, self._facts, self._places, self._owner = plan, facts, places, owner
        tables, sees = visible(facts), plan.scene.tables.sees
        self.inside, self.shows = tables[OPENED], tables[MET]
        self._beside = {place[0]: tables[*needs, place] for place, needs in PLACED.items()}
        self.views = tuple(
            reduce(or_, (tables[HERE].get(f, 0) for f in sees[spot]), 0) for spot in plan.spots
        )
        self.opens = tuple(
            facts.mask(("is_open", f) for f in sees[spot] if f in self.inside) for spot in plan.spots
        )
        self.absent = tuple(self._absent(i) for i in range(len(plan.spots)))
        self.wide = {room: self._wide(room) for room in plan.rooms}
        self._contents: BoundedCache[int, int] = BoundedCache()
        self._near: BoundedCache[int, int] = BoundedCache()
        self._met: BoundedCache[tuple[int, int], int] = BoundedCache()

    def contents(self, opened: int) -> int:
        """The mask of the facts about the contents of the furniture in ``opened``, a mask of ``is_open`` facts."""
        # The facts about places come first: without them the key is short.
        key = opened >> len(self._places)
        mask = self._contents.get(key)
        if mask is None:
            mask = self._contents.keep(key, sum(self.inside[f] for _, f in self._facts.shown(opened)))
        return mask

    def states_at(self, placed: int) -> int:
        """The mask of the states of the objects that are at the places in ``placed``."""
        mask = self._near.get(placed)
        if mask is None:
            mask = 0
            for number in bits(placed):
                mask |= self._beside[self._places[number][0]].get(self._owner[number], 0)
            self._near.keep(placed, mask)
        return mask

    def view(self, spot: int, met: int) -> int:
        """The mask of what is seen from a spot whether or not furniture is open, with the agents in the mask ``met``."""
        mask = self._met.get((spot, met))
        if mask is None:
            mask = self._met.keep((spot, met), self.around(self.views[spot], met, self.absent[spot]))
        return mask

    def around(self, views: int, met: int, absent: tuple[int, ...]) -> int:
        """``views`` with the facts about the agents in ``met``, and for each other agent the fact in ``absent``."""
        for i, agent in enumerate(self._plan.agents):
            views |= self.shows[agent] if met >> i & 1 else absent[i]
        return views

    def _absent(self, spot: int) -> tuple[int, ...]:
        """For each agent, the fact that it is in this room if the whole room is visible (so that its absence is seen), else 0."""
        plan = self._plan
        room = plan.spot_room[spot]
        visible = all(plan.meets[spot] >> k & 1 for k, other in enumerate(plan.spot_room) if other == room)
        return tuple(
            self._facts.bit(("agent_in_room", agent, room)) if visible else 0 for agent in plan.agents
        )

    def _wide(self, room: str) -> SightView:
        """What is seen from all spots of a room together."""
        plan = self._plan
        views = opens = meets = 0
        absent = [0] * len(plan.agents)
        for i, inside in enumerate(plan.spot_room):
            if inside == room:
                views |= self.views[i]
                opens |= self.opens[i]
                meets |= plan.meets[i]
                absent = [fact | other for fact, other in zip(absent, self.absent[i], strict=True)]
        return SightView(views, opens, meets, tuple(absent))
