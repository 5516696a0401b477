"""The floor plan as everybody is told it: rooms, doors and furniture, and who can come where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otherminds.epistemic.predicates import TURNS


class FloorPlan:
    """The mapping ``house`` of an observation (:class:`~..world.HouseholdWorld`), as look-ups.

    ``room_of`` gives the room of each piece of furniture, floors included.
    """

    def __init__(self, house: Mapping[str, Any]) -> None:
        self.rooms: tuple[str, ...] = tuple(house["rooms"])
        self._doors: dict[str, tuple[str, ...]] = {
            room: tuple(beyond) for room, beyond in house["rooms"].items()
        }
        self.room_of: dict[str, str] = {f: about["room"] for f, about in house["furniture"].items()}
        self._kinds: dict[str, frozenset[str]] = {
            f: frozenset(d["is"]) for f, d in house["furniture"].items()
        }
        # Asked for at every turn, and always the same.
        self._hops: dict[tuple[str, frozenset[str]], dict[str, int]] = {}
        self._free: dict[frozenset[str], frozenset[str]] = {}

    def hops(self, start: str, barred: frozenset[str] = frozenset()) -> Mapping[str, int]:
        """How many doors away each room is that can be come to from ``start`` round the barred ones."""
        if (start, barred) in self._hops:
            return self._hops[start, barred]
        found = self._hops[start, barred] = {start: 0}
        edge = [start]
        for room in edge:
            for beyond in self._doors.get(room, ()):
                if beyond not in found and beyond not in barred:
                    found[beyond] = found[room] + 1
                    edge.append(beyond)
        return found

    def free(self, barred: frozenset[str]) -> frozenset[str]:
        """Where who is kept out of ``barred`` can likely go: the most rooms that hang together."""
        if barred not in self._free:
            parts = (frozenset(self.hops(room, barred)) for room in self.rooms if room not in barred)
            self._free[barred] = max(parts, key=len, default=frozenset[str]())
        return self._free[barred]

    def is_a(self, thing: str, kind: str) -> bool:
        """Whether furniture is articulated, a surface, a container, a switch, a faucet or a floor."""
        return kind in self._kinds.get(thing, ())

    def turns(self, thing: str, value: str) -> bool:
        """Whether a hand can give furniture ``thing`` the value ``value`` (``is_open``, ...)."""
        return any(value in states and self.is_a(thing, kind) for kind, states in TURNS.items())

    def all_that(self, kind: str) -> tuple[str, ...]:
        """The furniture of a kind, in the order of the plan."""
        return tuple(f for f, kinds in self._kinds.items() if kind in kinds)
