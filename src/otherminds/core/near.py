"""Unknown names in messages: quoted and cut, with the names that were probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_NAME = 60
"""The longest name for which similar names are looked up, since the cost grows with the square of the length."""
FEW = 12
"""Messages list at most this many names."""


def quoted(name: str) -> str:
    """A name as it is quoted in messages: ASCII, on one line, truncated."""
    return ascii(name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}...")


def near(name: str, candidates: Iterable[str]) -> str:
    """A hint with names similar to an unknown name, as the end of a sentence; empty if there is none.

    >>> near("kitchen_9", ("kitchen_1", "bedroom_2"))
    '; did you mean kitchen_1?'
    """
    matches = get_close_matches(name, list(candidates), 3) if len(name) <= LONGEST_NAME else []
    return f"; did you mean {' or '.join(matches)}?" if matches else ""


def hint(name: str, candidates: Iterable[str], where: str = "") -> str:
    """As :func:`near`; where no name is similar, all if they are few, else ``where`` they are listed.

    >>> hint("fern", ("oak", "elm")), hint("fern", (), "see the catalogue")
    ('; there are oak, elm', '; there are none')
    """
    names = list(candidates)
    listed = "there are " + (", ".join(names) or "none")
    return near(name, names) or f"; {listed if len(names) <= FEW or not where else where}"
