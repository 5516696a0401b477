"""Facts as bits: a state of the house is one whole number, and so is what an agent believes; rules as masks over them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from otherminds.worlds.household.rules.rule import Fact, Rule, bound, worded

DYNAMIC = frozenset(
    {
        *("at", "agent_in_room", "hand_empty", "left", "is_held_by", "is_on_top", "is_inside", "lies_on"),
        *(
            "is_open",
            "is_closed",
            "is_powered_on",
            "is_powered_off",
            "is_clean",
            "is_dirty",
            "is_filled",
            "is_empty",
        ),
    }
)
"""The predicates that rules change; all others are static."""


class Facts:
    """Numbers every fact that a task can have; bit ``i`` of a state says whether fact ``i`` holds."""

    def __init__(self) -> None:
        self.named: list[Fact] = []
        self._index: dict[Fact, int] = {}

    def index(self, fact: Fact) -> int:
        """The number of ``fact``; a new one for a new fact."""
        known = self._index.get(fact)
        if known is None:
            known = self._index[fact] = len(self.named)
            self.named.append(fact)
        return known

    def bit(self, fact: Fact) -> int:
        """``fact`` alone, as a mask."""
        return 1 << self.index(fact)

    def mask(self, facts: Iterable[Fact]) -> int:
        """All of ``facts``, as a mask."""
        whole = 0
        for fact in facts:
            whole |= self.bit(fact)
        return whole

    def get(self, fact: Fact) -> int:
        """The mask of ``fact``, 0 where the task cannot have it."""
        known = self._index.get(fact)
        return 0 if known is None else 1 << known

    def shown(self, state: int) -> Iterator[Fact]:
        """The facts of a state, by number."""
        while state:
            low = state & -state
            yield self.named[low.bit_length() - 1]
            state ^= low


class GroundRule(Struct, frozen=True):
    """A rule for one agent and its things.

    It works where ``possible`` and all of ``needs`` hold; then the state becomes
    ``state & keeps | adds``. ``first`` pairs every need, in order, with its text; the mask
    of a static one is 0 if it holds and -1 if it never does.
    """

    possible: bool
    needs: int
    keeps: int
    adds: int
    first: tuple[tuple[int, str], ...]
    says: str
    shown: bool = True

    def refusal(self, state: int) -> str:
        """Why it does not work in ``state``: the text of the first need that does not hold."""
        for mask, text in self.first:
            if mask < 0 or state & mask != mask:
                return text
        return ""


def ground(rule: Rule, values: Mapping[str, str], facts: Facts, static: set[Fact]) -> GroundRule:
    """``rule`` with ``values`` for all its parameters."""
    needs = 0
    possible = True
    first: list[tuple[int, str]] = []
    for need in rule.needs:
        fact = bound(need.pattern, values)
        if fact[0] in DYNAMIC:
            mask = facts.bit(fact)
            needs |= mask
        else:
            mask = 0 if fact in static else -1
            possible = possible and mask == 0
        first.append((mask, worded(need.text, values)))
    removes = facts.mask(bound(pattern, values) for pattern in rule.removes)
    adds = facts.mask(bound(pattern, values) for pattern in rule.adds)
    return GroundRule(possible, needs, ~removes, adds, tuple(first), worded(rule.says, values), rule.shown)
