"""What is said of a text that is no goal, and of a statement that has no words."""

from __future__ import annotations

from otherminds.core.errors import TaskError

SHOWN = 40
"""Characters of somebody's text that a message quotes."""


class FormulaError(TaskError):
    """A formula or a text of one that cannot be used; names the place and the mend.

    ``places`` are the faults' (line, column), both from 1, in the order of the
    text; empty where the formula does not come from a text.
    """

    def __init__(self, text: str, places: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(text)
        self.places = places


def shown(text: str) -> str:
    """``text`` as a message quotes it: ASCII, on one line, cut to :data:`SHOWN` characters.

    >>> shown("is_open")
    '`is_open`'
    """
    cut = text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
    return f"`{ascii(cut)[1:-1]}`"
