"""Facts as bits: a state of the house is one whole number, and so is what an agent believes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from otherminds.worlds.household.rules.rule import Fact


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
