"""Search for an object: room by room, then inside closed furniture, and again later, since things get moved."""

from __future__ import annotations

from collections.abc import Collection

from otherminds.household.reference.knowledge import Knowledge

SWEEPS = 4
"""The number of sweeps through the house before an object is given up."""
PAUSE = 3
"""Turns between two sweeps."""


class Search:
    """The search state of one agent in this sweep."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._done: set[str] = set()
        self._sweeps: dict[str, int] = {}
        self._looked: set[str] = set()
        self._ended = -PAUSE

    def looked_at(self, place: str) -> None:
        """Records that a room was explored, or furniture opened or given up, in this sweep."""
        self._done.add(place)

    def over(self, o: str) -> bool:
        return self._sweeps.get(o, 0) >= SWEEPS

    def has_explored(self, o: str) -> bool:
        """Whether every room was explored once, though not all closed furniture."""
        return o in self._looked

    def swept(self, o: str) -> bool:
        """Whether every place was searched once without finding ``o``."""
        return self._sweeps.get(o, 0) > 0

    def next(
        self, o: str, stated_room: str | None, again: Collection[str], confined: Collection[str] | None
    ) -> str | None:
        """The next place to search for ``o``: a room to explore, or furniture to open; ``None`` in a pause and at the end.

        ``stated_room`` is the room named by a statement, ``confined`` the only rooms to search. The rooms ``again``, where another
        agent may have left it in the meantime, are explored once more before closed furniture is opened. A target is
        repeated until :meth:`looked_at` records it.
        """
        knowledge = self._knowledge
        if self.over(o) or knowledge.turn < self._ended + PAUSE:
            return None
        hops = knowledge.plan.hops(knowledge.room, knowledge.barred[knowledge.me])
        rooms = [
            room for room in hops if stated_room in (None, room) and (confined is None or room in confined)
        ]
        target = next((room for room in rooms if room not in self._done), None)
        if target is None:
            self._looked.add(o)
            target = self._again(again) or self._next_closed(rooms)
        if target is None:
            self._sweeps[o] = self._sweeps.get(o, 0) + 1
            self._ended = knowledge.turn
            self._done.clear()
            if stated_room:
                knowledge.picture.forget(("at", o))
        return target

    def _again(self, rooms: Collection[str]) -> str | None:
        for room in rooms:
            if (again := f"again {room}") not in self._done:
                self._done.add(again)
                return room
        return None

    def _next_closed(self, rooms: list[str]) -> str | None:
        """The next closed furniture in these rooms, the nearest first."""
        plan, picture = self._knowledge.plan, self._knowledge.picture
        for room in rooms:
            inside = (f for f in plan.all_that("container") if plan.room_of[f] == room)
            for f in inside:
                if f not in self._done and picture.state(f, "is_open") == "is_closed":
                    return f
        return None
