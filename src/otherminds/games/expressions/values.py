"""The values of programs: their kinds, names of behaviours, and a bounded memory of encounters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple, TypeAlias

from otherminds.core.data import Game

Side: TypeAlias = int
THEIR, MINE = 0, 1
UNKNOWN = -1
"""The behaviour of an encounter that has not happened, and all that follows from it."""


class ValueKind(Enum):
    """A kind of value, in the words of error messages."""

    NUMBER = "a number"
    TRUTH = "true or false"
    BEHAVIOUR = "a behaviour"
    CHANCES = "a distribution"
    SIDE = "`their` or `mine`"
    SPAN = "a whole number of encounters that is written out, 1 to 40"


LONGEST = 40
"""The largest :attr:`ValueKind.SPAN`, in encounters."""


@dataclass(frozen=True)
class Takes:
    """The arguments of a function: ``needed``, then any of ``more`` in this order.

    With ``repeats`` the needed ones may repeat, in the same order.
    """

    needed: tuple[ValueKind, ...] = ()
    more: tuple[ValueKind, ...] = ()
    repeats: bool = False

    def kinds(self, count: int) -> tuple[ValueKind, ...] | None:
        """The kinds of ``count`` arguments; ``None`` if the function takes another number."""
        if self.repeats:
            rounds, remainder = divmod(count, len(self.needed))
            return self.needed * rounds if rounds and not remainder else None
        kinds = (self.needed + self.more)[:count]
        return kinds if len(self.needed) <= count == len(kinds) else None


@dataclass(frozen=True)
class BehaviourNames:
    """The names that behaviours have in programs.

    ``theirs`` are the partner's, ``own`` those of the predicting seat, both by index; a name in both is one
    behaviour. ``game``, where the payoffs are known, is seen from the own (row) seat.
    """

    own: tuple[str, ...]
    theirs: tuple[str, ...]
    game: Game | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names; the partner's first, so that their numbers are its indices."""
        return tuple(dict.fromkeys(self.theirs + self.own))

    @cached_property
    def number_of_own(self) -> tuple[int, ...]:
        """The number in :attr:`names` of each own behaviour."""
        return tuple(map(self.names.index, self.own))

    @cached_property
    def theirs_replies(self) -> tuple[int, ...]:
        """By number of an own behaviour: the partner's best reply, the lowest on ties; else unknown."""
        game = self._require_game()
        best = [_largest([pays for _, pays in row]) for row in game.payoffs]
        return tuple(best[self.own.index(name)] if name in self.own else UNKNOWN for name in self.names)

    @cached_property
    def own_replies(self) -> tuple[int, ...]:
        """By number of a partner's behaviour: the own best reply; else unknown."""
        game = self._require_game().flipped()
        best = [self.number_of_own[_largest([pays for _, pays in row])] for row in game.payoffs]
        return tuple(best[i] if i < len(self.theirs) else UNKNOWN for i in range(len(self.names)))

    @cached_property
    def payoffs(self) -> tuple[dict[tuple[int, int], float], ...]:
        """By side: the payoff by the numbers (theirs, own)."""
        game = self._require_game()
        cells = {
            (j, number): pays
            for number, row in zip(self.number_of_own, game.payoffs, strict=True)
            for j, pays in enumerate(row)
        }
        return {at: pays[1] for at, pays in cells.items()}, {at: pays[0] for at, pays in cells.items()}

    def _require_game(self) -> Game:
        assert self.game is not None, "programs that need the payoffs are refused where there are none"
        return self.game


class Memory(NamedTuple):
    """The state of a predictor: the part of the history that its program uses.

    ``round`` is the number of encounters so far. ``recent[side]`` are the last behaviours of
    that side, oldest first; ``counts[side][i]`` is how often it showed behaviour ``i``,
    ``runs[side]`` how often it has repeated the last one.
    """

    round: int
    recent: tuple[tuple[int, ...], tuple[int, ...]]
    counts: tuple[tuple[int, ...], ...]
    runs: tuple[int, int]


def _largest(pays: Sequence[float]) -> int:
    return list(pays).index(max(pays))
