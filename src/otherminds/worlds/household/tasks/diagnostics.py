"""What is said of a task file: faults with their places, what could not be checked, what was changed in reading."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from typing import Literal

from msgspec import Struct

from otherminds.worlds.household.tasks.things import Things

LONGEST_NAME = 60
"""Characters of a name for which near matches are looked up: that work grows with the square."""

Kind = Literal["agent", "room", "furniture", "object"]
ARTICLES: dict[Kind, str] = {
    "agent": "an agent",
    "room": "a room",
    "furniture": "furniture",
    "object": "an object",
}


class Fault(Struct, frozen=True):
    """What is wrong and how to mend it. ``place`` is a path: ``mechanic_bindings[1].restricted_rooms[0]``.

    ``by`` are the other places that it was judged by: where one of them cannot be read, it is no fault.
    """

    place: str
    text: str
    by: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class Diagnostics(Struct, frozen=True):
    """``faults`` keep a task from being used; ``missing`` says what was not checked, and for want of what.

    ``notes`` say what was changed in reading, and which fields were left aside.
    """

    faults: tuple[Fault, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def near(name: str, known: Iterable[str]) -> str:
    """What may have been meant by an unknown name, as the end of a sentence; empty if nothing comes near.

    >>> near("kitchen_9", ("kitchen_1", "bedroom_2"))
    '; did you mean kitchen_1?'
    """
    found = get_close_matches(name, list(known), 3) if len(name) <= LONGEST_NAME else []
    return f"; did you mean {' or '.join(found)}?" if found else ""


def quoted(name: str) -> str:
    """A name from a file as a message quotes it: ASCII, on one line, cut."""
    return ascii(name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}...")


class Faults:
    """The faults ``found`` so far in a task of these ``agents``, in order.

    ``things`` is what is known of its scene; ``names`` are those of all rooms, furniture and objects in it.
    """

    def __init__(self, agents: tuple[str, ...], things: Things | None) -> None:
        self.agents, self.things = agents, things
        self.found: list[Fault] = []
        self.names: tuple[str, ...] = ()
        self._kinds: dict[Kind, Collection[str]] = {"agent": agents}
        if things:
            self._kinds |= {"room": things.rooms, "furniture": things.furniture, "object": things.objects}
            self.names = (*things.rooms, *things.furniture, *things.objects)

    def add(self, place: str, text: str, by: tuple[str, ...] = ()) -> None:
        """One more."""
        self.found.append(Fault(place, text, by))

    def check_name(self, place: str, kind: Kind, name: str) -> bool:
        """Whether ``name`` may be a name of that kind; adds a fault if it is none."""
        text = self.unknown(kind, name)
        if text:
            self.add(place, text)
        return not text

    def unknown(self, kind: Kind, name: str) -> str:
        """What is wrong with ``name`` as a name of that kind; empty if nothing is, or if it cannot be known.

        What is no name of an agent is looked for among the others all the same.
        """
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

    def cannot(self, thing: str, flag: str) -> bool:
        """Whether ``thing`` is known not to have a flag."""
        return self.things is not None and self.things.can(thing, flag) is False
