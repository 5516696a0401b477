"""What a seat of the household observes: in words (:data:`OBSERVATIONS`) and as a Gymnasium space.

Observations are plain JSON. Gymnasium has no spaces for lists, for mappings with open keys, or for texts in any alphabet;
:class:`JsonSpace` is the space of a type. No space names an object of the house, since objects have to be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
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
Placed: TypeAlias = Annotated[list[str], msgspec.Meta(max_length=2)]
"""Where an object is: a predicate and a place, or nothing."""


class JsonSpace(Space[Any]):
    """The JSON values of a type, such as ``list[str]``, as msgspec checks them. ``sample`` draws one of ``examples``."""

    def __init__(self, kind: Any, *examples: Any) -> None:
        super().__init__((), None)
        self.kind, self.examples = kind, examples

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        return self.examples[int(self.np_random.integers(len(self.examples)))]

    def contains(self, x: Any) -> bool:
        try:
            msgspec.convert(x, self.kind)
        except msgspec.ValidationError:
            return False
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JsonSpace) and (self.kind, self.examples) == (other.kind, other.examples)

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        return f"JsonSpace({self.kind})"


def observation_space(agents: tuple[Seat, ...], plan: Mapping[str, Any], turns: int) -> Dict:
    """The space of the observations of a house with ``agents`` in an episode of at most ``turns`` turns; ``plan`` is ``house``."""
    room, agent = Literal[tuple(plan["rooms"])], Literal[agents]
    first = next(iter(plan["rooms"]))
    return Dict(
        {
            "turn": Discrete(turns + 1),
            "call": JsonSpace(str, "", "Wait[]"),
            "result": JsonSpace(str, "", "text"),
            "worked": JsonSpace(bool, False, True),
            "events": JsonSpace(list[tuple[str, str]], [], [[agents[0], "Wait[]"]]),
            "room": JsonSpace(room, *plan["rooms"]),
            "holding": JsonSpace(list[str], [], ["object"]),
            "graph": Dict(
                {
                    "objects": JsonSpace(dict[str, Placed], {}, {"object": []}),
                    "states": JsonSpace(dict[str, list[str]], {}, {"object": ["is_clean"]}),
                    "agents": JsonSpace(
                        dict[agent, dict[Literal["room"], room]], {}, {agents[0]: {"room": first}}
                    ),
                }
            ),
            "house": JsonSpace(dict[str, Any], plan),
        }
    )
