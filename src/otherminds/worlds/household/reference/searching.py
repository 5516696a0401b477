"""Looking for an object: room by room, then behind closed doors, and again later, for things get moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherminds.worlds.household.reference.knowledge import Knowledge

if TYPE_CHECKING:
    from otherminds.worlds.household.reference.hands import Hands

SWEEPS = 4
"""How often the house is looked through for one object before it is given up."""
PAUSE = 3
"""Turns between two sweeps."""


class Search:
    """What one agent has looked through in this sweep."""

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._done: set[str] = set()
        self._sweeps: dict[str, int] = {}
        self._looked: set[str] = set()
        self._ended = -PAUSE

    def walked(self, room: str) -> None:
        """A room has been explored."""
        self._done.add(room)

    def over(self, o: str) -> bool:
        """Whether ``o`` has been given up."""
        return self._sweeps.get(o, 0) >= SWEEPS

    def looked(self, o: str) -> bool:
        """Whether every room was looked through once, though not yet behind closed doors."""
        return o in self._looked

    def swept(self, o: str) -> bool:
        """Whether every place was looked at once, without finding ``o``."""
        return self._sweeps.get(o, 0) > 0

    def next(self, hands: Hands, o: str, said: str | None = None) -> str | None:
        """The next call in search of ``o``; None during a pause, and in the end.

        ``said`` is the room in which it is said to be. Rooms where somebody may have left
        it in the meantime are looked at again before anything closed is opened.
        """
        knowledge = self._knowledge
        if self.over(o) or knowledge.turn < self._ended + PAUSE:
            return None
        hops = knowledge.plan.hops(knowledge.room, knowledge.barred[knowledge.me])
        confined = hands.confined.get(o)
        rooms = [room for room in hops if said in (None, room) and (confined is None or room in confined)]
        call = self._look(rooms)
        if call is None:
            self._looked.add(o)
            call = self._again(hands, o) or self._open(hands, rooms)
        if call is None:
            self._sweeps[o] = self._sweeps.get(o, 0) + 1
            self._ended = knowledge.turn
            self._done.clear()
            if said:
                knowledge.picture.forget(("at", o))
        return call

    def _look(self, rooms: list[str]) -> str | None:
        return next((f"Explore[{room}]" for room in rooms if room not in self._done), None)

    def _again(self, hands: Hands, o: str) -> str | None:
        for room in hands.again.get(o, ()):
            if (again := f"again {room}") not in self._done:
                self._done.add(again)
                return f"Explore[{room}]"
        return None

    def _open(self, hands: Hands, rooms: list[str]) -> str | None:
        """Opens what is closed in these rooms, the nearest first."""
        knowledge = self._knowledge
        for room in rooms:
            for f in knowledge.plan.all_that("container"):
                shut = knowledge.picture.state(f, "is_open") == "is_closed"
                if knowledge.plan.room_of[f] == room and shut and f not in self._done:
                    call = hands.access(f)
                    if call is None or not call.startswith("Navigate"):
                        self._done.add(f)
                    if call:
                        return call
        return None
