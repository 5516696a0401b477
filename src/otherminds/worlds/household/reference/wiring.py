"""How things hang together, as far as one knows: what works in reverse, moves together, or is controlled."""

from __future__ import annotations

from otherminds.epistemic.predicates import ACTIVE, MEANT, OPPOSITES, TOOLS
from otherminds.epistemic.words import Controls, Inverse, Mirrors

Wire = Inverse | Mirrors | Controls


class Wiring:
    """The mechanics that an agent has been told of, or found out."""

    def __init__(self) -> None:
        self.known: list[Wire] = []

    def learn(self, wire: Wire) -> None:
        """One more."""
        if wire not in self.known:
            self.known.append(wire)

    def effects(self, thing: str, value: str) -> dict[str, str]:
        """What else takes which value when ``thing`` takes ``value``, itself first.

        >>> wiring = Wiring()
        >>> wiring.learn(Controls("cabinet_3", "fridge_5", "open"))
        >>> wiring.effects("cabinet_3", "is_closed")
        {'cabinet_3': 'is_closed', 'fridge_5': 'is_closed'}
        """
        found = {thing: value}
        edge = [thing]
        for one in edge:
            for other, follows in self._follows(one, found[one]):
                if other not in found:
                    found[other] = follows
                    edge.append(other)
        return found

    def ways(self, thing: str, value: str) -> list[tuple[str, str]]:
        """What can be turned, and to which value, so that ``thing`` takes ``value``; itself first."""
        found = [(thing, value)]
        for wire in self.known:
            for one in (wire.trigger,) if isinstance(wire, Controls) else _pair(wire):
                tries = [value, OPPOSITES[value], *TOOLS]
                for tried in dict.fromkeys(tries):
                    if (
                        (one, tried) not in found
                        and one != thing
                        and self.effects(one, tried).get(thing) == value
                    ):
                        found.append((one, tried))
        return found

    def used(self, thing: str, way: str) -> tuple[Wire, ...]:
        """The mechanics that somebody must know in order to set ``thing`` by turning ``way``."""
        reached = {one for value in TOOLS for one in self.effects(way, value)}
        return tuple(
            wire
            for wire in self.known
            if (
                wire.thing == way
                if isinstance(wire, Inverse)
                else way != thing and set(_ends(wire)) <= reached
            )
        )

    def call(self, thing: str, value: str) -> str:
        """The call that gives ``thing`` the value ``value`` by hand."""
        reverse = Inverse(thing) in self.known
        return f"{TOOLS[OPPOSITES[value] if reverse else value]}[{thing}]"

    def _follows(self, thing: str, value: str) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for wire in self.known:
            if isinstance(wire, Mirrors) and thing in _pair(wire):
                found.append((wire.other if thing == wire.one else wire.one, value))
            if isinstance(wire, Controls) and thing == wire.trigger:
                state = MEANT[wire.state]
                found.append((wire.target, state if value in ACTIVE else OPPOSITES[state]))
        return found


def _pair(wire: Wire) -> tuple[str, ...]:
    return (wire.one, wire.other) if isinstance(wire, Mirrors) else ()


def _ends(wire: Wire) -> tuple[str, ...]:
    return (wire.trigger, wire.target) if isinstance(wire, Controls) else _pair(wire)
