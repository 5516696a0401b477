"""What a map shows of one moment beside the scene: where things and agents are, and what each agent believes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from otherminds.worlds.household.scenes.scene import Point, Triple

How = Literal["on", "within", "floor", "held"]
EYE = 1.5
"""Metres: the height of an agent's eye."""
SHOWN: Mapping[How, str] = {"on": "on", "within": "in", "floor": "on", "held": "held by"}


class Rest(Struct, frozen=True):
    """Where an object is: ``how`` it rests, on or in which furniture, or by which agent it is held.

    >>> str(Rest("within", "cabinet_3"))
    'in cabinet_3'
    """

    how: How
    where: str

    def __str__(self) -> str:
        return f"{SHOWN[self.how]} {self.where}"


class Thing(Struct, frozen=True):
    """An object: where it rests, and the middle of its box in metres; ``None`` where it is held."""

    rest: Rest
    at: Triple | None


class AgentState(Struct, frozen=True):
    """An agent: where it stands on the plan, which way it looks, and its beliefs.

    ``facing`` is in radians in (x, z); ``gaze`` in radians above the horizon.
    ``objects`` are those it knows of, ``None`` where it does not know where they are;
    ``turned`` the predicates that it believes of things (``is_open``); ``others`` the
    rooms where it believes the other agents to be.
    """

    at: Point
    room: str
    facing: float
    gaze: float = 0.0
    objects: dict[str, Rest | None] = field(default_factory=dict[str, Rest | None])
    turned: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    others: dict[str, str] = field(default_factory=dict[str, str])


class MapState(Struct, frozen=True):
    """One moment of a house. ``turned`` are the predicates that hold of furniture and objects."""

    objects: dict[str, Thing]
    turned: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    agents: dict[str, AgentState] = field(default_factory=dict[str, AgentState])


class Falsehood(Struct, frozen=True):
    """A belief that does not hold: of what, what is believed, and how it is.

    ``kind`` says which belief: where an object is (``rest`` is that place), how a
    thing is turned, or in which room (``believed``) another agent is.
    """

    kind: Literal["place", "turned", "room"]
    about: str
    believed: str
    true: str
    rest: Rest | None = None


def falsehoods(state: MapState, agent: str) -> tuple[Falsehood, ...]:
    """All false beliefs of ``agent``: of places, then of states, then of other agents' rooms."""
    mind = state.agents[agent]
    found = [
        Falsehood("place", o, str(rest), str(state.objects[o].rest), rest)
        for o, rest in mind.objects.items()
        if rest is not None and rest != state.objects[o].rest
    ]
    for thing, believed in mind.turned.items():
        true = state.turned.get(thing, frozenset())
        if believed - true:
            found.append(Falsehood("turned", thing, words(believed - true), words(true - believed)))
    for other, room in mind.others.items():
        if room != state.agents[other].room:
            found.append(Falsehood("room", other, room, state.agents[other].room))
    return tuple(found)


def words(predicates: frozenset[str]) -> str:
    """Predicates as one reads them.

    >>> words(frozenset({"is_open", "is_powered_on"}))
    'open, powered on'
    """
    return ", ".join(sorted(name.removeprefix("is_").replace("_", " ") for name in predicates))
