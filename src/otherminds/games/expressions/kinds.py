"""What values there are, and what a function takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """A kind of value, in the words of error messages."""

    NUMBER = "a number"
    TRUTH = "true or false"
    BEHAVIOUR = "a behaviour"
    CHANCES = "a distribution"
    SIDE = "`their` or `mine`"
    SPAN = "a whole number of encounters that is written out, 1 to 40"


LONGEST = 40
"""The largest :attr:`Kind.SPAN`: how many encounters back a program can look one by one."""


@dataclass(frozen=True)
class Takes:
    """The arguments of a function: ``needed`` ones, then any of ``more`` in this order.

    With ``repeats`` the needed ones may come again and again, in the same order.
    """

    needed: tuple[Kind, ...] = ()
    more: tuple[Kind, ...] = ()
    repeats: bool = False

    def kinds(self, count: int) -> tuple[Kind, ...] | None:
        """The kinds of ``count`` arguments; ``None`` if so many do not fit."""
        if self.repeats:
            rounds, rest = divmod(count, len(self.needed))
            return self.needed * rounds if rounds and not rest else None
        kinds = (self.needed + self.more)[:count]
        return kinds if len(self.needed) <= count == len(kinds) else None
