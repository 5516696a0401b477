"""Skills that end at once, because what they were given makes no sense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from otherminds.core.contracts import Controller
from otherminds.core.data import Ended


def refused(why: str) -> Controller:
    """A controller that ends at once, for that reason."""
    return lambda moment: Ended(False, why)


def shown(args: Sequence[Any]) -> str:
    """Arguments as they were given, for a reason."""
    return ", ".join(map(repr, args)) or "nothing"


def place(skill: str, args: Sequence[Any]) -> tuple[int, int] | str:
    """The cell that ``args`` name, else what is wrong with them.

    >>> place("move_to", (4, 2)), place("move_to", (True, 2.5))
    ((4, 2), 'move_to takes two whole numbers, x and y, not True, 2.5')
    """
    whole = [arg for arg in args if isinstance(arg, int) and not isinstance(arg, bool)]
    if len(args) != 2 or len(whole) != 2:
        return f"{skill} takes two whole numbers, x and y, not {shown(args)}"
    return whole[0], whole[1]
