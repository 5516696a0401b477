"""What a seat of the household observes: in words (:data:`OBSERVATIONS`) and as a Gymnasium space.

Observations are plain JSON. Gymnasium has no spaces for lists, for mappings with open keys, or for texts in any alphabet, so
three small ones stand here. No space names an object of the house, since objects have to be seen.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

from gymnasium.spaces import Dict, Discrete, Space

from otherminds.core.data import Seat

OBSERVATIONS = {
    "turn": "the number of the turn, from 0",
    "call": "its own last call of a tool, as text; empty at first",
    "result": "what the call returned, as text",
    "worked": "whether the call worked",
    "events": "the observed acts of others, a list of [agent, call or movement]",
    "room": "the room that it is in",
    "holding": "the list of the objects in its hand",
    "graph": "its beliefs: `objects` {object: [predicate, furniture or agent], or [] if its place is unknown}, `states` "
    "{thing: [predicates]}, `agents` {agent: {'room': room}}, the last observation of each other agent",
    "house": "what all know from the start: `rooms` {room: [adjacent rooms]}, `furniture` {name: {'room': room, 'is': "
    "[properties]}}; `statements` is there where the task limits the statements of a message",
}
MOST = 3
"""The most elements of a sample."""


class JsonSpace(Space[Any]):
    """A space of JSON values; two of one class with equal attributes are equal."""

    def __init__(self) -> None:
        super().__init__((), None)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def _parts(self) -> tuple[Any, ...]:
        return ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, JsonSpace) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self), *(part for part in self._parts() if isinstance(part, Hashable))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._parts()))})"


class AnyText(JsonSpace):
    """Every text."""

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        return "text"

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)


class OneOf(JsonSpace):
    """``values``, and nothing else."""

    def __init__(self, *values: Any) -> None:
        super().__init__()
        self.values = values

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.values[int(self.np_random.integers(len(self.values)))]

    def contains(self, x: Any) -> bool:
        return x in self.values

    def _parts(self) -> tuple[Any, ...]:
        return self.values


class Listing(JsonSpace):
    """Lists whose elements are in ``item``; of ``lengths`` elements where these are given."""

    def __init__(self, item: Space[Any], *lengths: int) -> None:
        super().__init__()
        self.item, self.lengths = item, lengths

    def sample(self, mask: Any = None, probability: Any = None) -> list[Any]:
        lengths = self.lengths or range(MOST + 1)
        return [self.item.sample() for _ in range(lengths[int(self.np_random.integers(len(lengths)))])]

    def contains(self, x: Any) -> bool:
        return (
            isinstance(x, list)
            and (not self.lengths or len(x) in self.lengths)
            and all(map(self.item.contains, x))
        )

    def _parts(self) -> tuple[Any, ...]:
        return self.item, *self.lengths


class Table(JsonSpace):
    """Mappings from some of ``keys`` to values in ``item``."""

    def __init__(self, keys: OneOf | AnyText, item: Space[Any]) -> None:
        super().__init__()
        self.keys, self.item = keys, item

    def sample(self, mask: Any = None, probability: Any = None) -> dict[str, Any]:
        return {self.keys.sample(): self.item.sample() for _ in range(MOST)}

    def contains(self, x: Any) -> bool:
        return (
            isinstance(x, dict)
            and all(map(self.keys.contains, x))
            and all(map(self.item.contains, x.values()))
        )

    def _parts(self) -> tuple[Any, ...]:
        return self.keys, self.item


def observation_space(agents: tuple[Seat, ...], plan: Mapping[str, Any], turns: int) -> Dict:
    """The space of the observations of a house with ``agents`` in an episode of at most ``turns`` turns; ``plan`` is ``house``."""
    text, agent, room = AnyText(), OneOf(*agents), OneOf(*plan["rooms"])
    return Dict(
        {
            "turn": Discrete(turns + 1),
            "call": text,
            "result": text,
            "worked": OneOf(False, True),
            "events": Listing(Listing(text, 2)),
            "room": room,
            "holding": Listing(text),
            "graph": Dict(
                {
                    "objects": Table(text, Listing(text, 0, 2)),
                    "states": Table(text, Listing(text)),
                    "agents": Table(agent, Dict({"room": room})),
                }
            ),
            "house": OneOf(plan),
        }
    )
