"""What is said of a task file: faults with their places, what could not be checked, what was changed in reading."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from msgspec import Struct

LONGEST_NAME = 60
"""Characters of a name for which near matches are looked up: that work grows with the square."""


class Fault(Struct, frozen=True):
    """What is wrong and how to mend it. ``place`` is a path: ``mechanic_bindings[1].restricted_rooms[0]``.

    ``by`` are the other places that it was judged by: where one of them cannot be read, it is no fault.
    """

    place: str
    text: str
    by: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


class Account(Struct, frozen=True):
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
