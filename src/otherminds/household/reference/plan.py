"""The house as an agent knows it: rooms, doors and furniture (:class:`FloorPlan`), and known mechanics (:class:`Wiring`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otherminds.household.epistemic.predicates import OPPOSITES, TOOLS, TURNS
from otherminds.household.epistemic.words import HouseRule


class FloorPlan:
    """The mapping ``house`` of an observation (:class:`~..world.HouseholdWorld`), as look-ups.

    ``room_of`` gives the room of each piece of furniture, floors included; ``statements`` is the largest number of
    statements of a message, ``None`` if unlimited.
    """

    def __init__(self, house: Mapping[str, Any]) -> None:
        self.statements: int | None = house.get("statements")
        self.rooms: tuple[str, ...] = tuple(house["rooms"])
        self._doors: dict[str, tuple[str, ...]] = {
            room: tuple(beyond) for room, beyond in house["rooms"].items()
        }
        self.room_of: dict[str, str] = {f: about["room"] for f, about in house["furniture"].items()}
        self._kinds: dict[str, frozenset[str]] = {
            f: frozenset(d["is"]) for f, d in house["furniture"].items()
        }
        # Caches: these are queried in every turn.
        self._hops: dict[tuple[str, frozenset[str]], dict[str, int]] = {}
        self._within: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        self._free: dict[frozenset[str], frozenset[str]] = {}

    def hops(self, start: str, barred: frozenset[str] = frozenset()) -> Mapping[str, int]:
        """The number of doors from ``start`` to each reachable room, avoiding the barred rooms."""
        if (start, barred) in self._hops:
            return self._hops[start, barred]
        distances = self._hops[start, barred] = {start: 0}
        edge = [start]
        for room in edge:
            for beyond in self._doors.get(room, ()):
                if beyond not in distances and beyond not in barred:
                    distances[beyond] = distances[room] + 1
                    edge.append(beyond)
        return distances

    def within(self, start: str, barred: frozenset[str]) -> frozenset[str]:
        """The rooms that can be reached from ``start`` without the barred rooms."""
        rooms = self._within.get((start, barred))
        if rooms is None:
            rooms = self._within[start, barred] = frozenset(self.hops(start, barred))
        return rooms

    def free(self, barred: frozenset[str]) -> frozenset[str]:
        """The likely rooms of an agent with these ``barred`` rooms: the largest connected set of others."""
        if barred not in self._free:
            parts = (self.within(room, barred) for room in self.rooms if room not in barred)
            self._free[barred] = max(parts, key=len, default=frozenset[str]())
        return self._free[barred]

    def is_a(self, furniture: str, kind: str) -> bool:
        """Whether furniture is articulated, a surface, a container, a switch, a faucet or a floor."""
        return kind in self._kinds.get(furniture, ())

    def turns(self, furniture: str, value: str) -> bool:
        """Whether ``furniture`` can take the state ``value`` (``is_open``, ...)."""
        return any(value in states and self.is_a(furniture, kind) for kind, states in TURNS.items())

    def all_that(self, kind: str) -> tuple[str, ...]:
        return tuple(f for f, kinds in self._kinds.items() if kind in kinds)


class Wiring:
    """The mechanics that an agent knows."""

    def __init__(self) -> None:
        self.known: list[HouseRule] = []
        # Both are asked for in every turn, and change only with what is known.
        self._effects: dict[tuple[str, str], dict[str, str]] = {}
        self._ways: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {}

    def learn(self, wire: HouseRule) -> None:
        if wire not in self.known:
            self.known.append(wire)
            self._effects.clear()
            self._ways.clear()

    def effects(self, furniture: str, value: str) -> Mapping[str, str]:
        """The values of all things that change when ``furniture`` takes ``value``, itself first.

        >>> from otherminds.household.mechanics.remote_control import Controls
        >>> wiring = Wiring()
        >>> wiring.learn(Controls("cabinet_3", "fridge_5", "open"))
        >>> wiring.effects("cabinet_3", "is_closed")
        {'cabinet_3': 'is_closed', 'fridge_5': 'is_closed'}
        """
        if (furniture, value) in self._effects:
            return self._effects[furniture, value]
        changes = self._effects[furniture, value] = {furniture: value}
        edge = [furniture]
        for changed in edge:
            for other, follows in self._follows(changed, changes[changed]):
                if other not in changes:
                    changes[other] = follows
                    edge.append(other)
        return changes

    def ways(self, furniture: str, value: str) -> tuple[tuple[str, str], ...]:
        """The changes (furniture and value) that give ``furniture`` the state ``value``; the direct one first."""
        if (furniture, value) in self._ways:
            return self._ways[furniture, value]
        ways = [(furniture, value)]
        for wire in self.known:
            for handle, _ in wire.drives:
                for tried in dict.fromkeys([value, OPPOSITES[value], *TOOLS]) if handle != furniture else ():
                    if (handle, tried) not in ways and self.effects(handle, tried).get(furniture) == value:
                        ways.append((handle, tried))
        self._ways[furniture, value] = tuple(ways)
        return self._ways[furniture, value]

    def used(self, furniture: str, way: str) -> tuple[HouseRule, ...]:
        """The mechanics that explain how ``furniture`` is set by changing ``way``."""
        reached = {affected for value in TOOLS for affected in self.effects(way, value)}

        def explains(wire: HouseRule) -> bool:
            return (
                way in wire.reversed()
                if wire.reversed()
                else way != furniture and reached.issuperset(wire.things)
            )

        return tuple(filter(explains, self.known))

    def call(self, furniture: str, value: str) -> str:
        """The call that sets ``furniture`` to ``value`` directly."""
        reverse = any(furniture in wire.reversed() for wire in self.known)
        return f"{TOOLS[OPPOSITES[value] if reverse else value]}[{furniture}]"

    def _follows(self, furniture: str, value: str) -> list[tuple[str, str]]:
        return [change for wire in self.known for change in wire.follows(furniture, value)]
