"""Diagnostics of a task file: faults with their places, what could not be checked, and changes made in conversion."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from otherminds.core.near import near, quoted
from otherminds.household.tasks.things import Things

Kind = Literal["agent", "room", "furniture", "object"]
ARTICLES: dict[Kind, str] = {
    "agent": "an agent",
    "room": "a room",
    "furniture": "furniture",
    "object": "an object",
}


BY = ("mechanic_bindings",)
"""The other place that a fault depends on if it compares bindings with another field."""


class Fault(Struct, frozen=True):
    """A fault with a remedy. ``place`` is a path: ``mechanic_bindings[1].restricted_rooms[0]``.

    ``by`` are the other places that the fault depends on; if one of them could not be decoded, the fault is dropped.
    """

    place: str
    text: str
    by: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class Diagnostics(Struct, frozen=True):
    """A task with ``faults`` cannot be used; ``missing`` says what was not checked, and why.

    ``notes`` list changes made in conversion, unknown fields, and what is unusual and no fault.
    """

    faults: tuple[Fault, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Faults:
    """The faults ``found`` so far in a task of these ``agents``, in order, and ``notes`` on what is no fault.

    ``things`` is the known part of its scene; ``names`` are those of all rooms, furniture and objects in it.
    """

    def __init__(self, agents: tuple[str, ...], contents: Things | None) -> None:
        self.agents, self.things = agents, contents
        self.found: list[Fault] = []
        self.notes: list[str] = []
        self.names: tuple[str, ...] = ()
        self._kinds: dict[Kind, Collection[str]] = {"agent": agents}
        if contents:
            self._kinds |= {
                "room": contents.rooms,
                "furniture": contents.furniture,
                "object": contents.objects,
            }
            self.names = (*contents.rooms, *contents.furniture, *contents.objects)

    def add(self, place: str, text: str, by: tuple[str, ...] = ()) -> None:
        self.found.append(Fault(place, text, by))

    def note(self, place: str, text: str) -> None:
        """Adds what is unusual, and no fault."""
        self.notes.append(f"{place}: {text}")

    def check_name(self, place: str, kind: Kind, name: str) -> bool:
        """Whether ``name`` can be a name of that kind; adds a fault if not."""
        text = self.unknown(kind, name)
        if text:
            self.add(place, text)
        return not text

    def unknown(self, kind: Kind, name: str) -> str:
        """The fault of ``name`` as a name of that kind; empty if it is valid or cannot be checked."""
        names = self._kinds.get(kind)
        if names is not None and name in names:
            return ""
        for other, others in self._kinds.items():
            if other != kind and name in others:
                return f"{name} is {ARTICLES[other]}, not {ARTICLES[kind]}"
        if names is None:
            return ""
        if kind == "agent":
            return f"no agent {quoted(name)} in this task; they are {self.agents[0]} to {self.agents[-1]}"
        assert self.things, "without a scene only agents have names"
        hint = (
            near(name, names) or f"; see its list of {'rooms' if kind == 'room' else kind.removesuffix('s')}"
        )
        return f"no {kind} {quoted(name)} in {self.things.called}{hint}"

    def cannot(self, entity: str, flag: str) -> bool:
        """Whether it is known that ``entity`` does not have a flag."""
        return self.things is not None and self.things.can(entity, flag) is False
