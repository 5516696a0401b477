"""Who says what to do: the policies of Melting Pot's scripted background bots.

Each is a small automaton over duels. ``start`` gives its first state, ``hear``
the state after one step's news, ``plays`` the class that it raises in a state
and by what margin. Classes are numbered as in the inventory. Source: Melting Pot
2.4.1 (Agapiou et al. 2022), with what its timing implies said where it does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol

from otherminds.worlds.in_the_matrix.bots.puppet import Collect, Duel


class Aim(NamedTuple):
    """To duel with ``margin`` more of class ``kind`` than of any other."""

    kind: int
    margin: int


class News(NamedTuple):
    """What a step brought: ``partner`` is the other's inventory in a duel resolved in it, ``taken`` what others collected.

    ``partner`` is the second row of ``INTERACTION_INVENTORIES``: negative where there was
    no duel, and all zero at the reset of an episode.
    """

    partner: tuple[int, ...]
    taken: tuple[int, ...] = ()


class Puppeteer(Protocol):
    """A policy. Its states are numbers; ``rng`` is the seat's own stream."""

    def start(self, rng: Random) -> int:
        """The state before the first news."""
        ...

    def hear(self, state: int, news: News, rng: Random) -> int:
        """The state after ``news``, at every step, the reset included."""
        ...

    def plays(self, state: int) -> Aim:
        """What it raises in ``state``."""
        ...


@dataclass(frozen=True)
class Specialist:
    """Plays one class for ever."""

    kind: int
    margin: int

    def start(self, rng: Random) -> int:
        return 0

    def hear(self, state: int, news: News, rng: Random) -> int:
        return state

    def plays(self, state: int) -> Aim:
        return Aim(self.kind, self.margin)


@dataclass(frozen=True)
class ScheduledFlip:
    """Plays ``first``, and ``final`` once it has counted ``threshold`` duels.

    The inventories of the reset, all zero, count as one: with a threshold of 3 it
    flips after two duels. The state is the count.
    """

    threshold: int
    first: Aim
    final: Aim

    def start(self, rng: Random) -> int:
        return 0

    def hear(self, state: int, news: News, rng: Random) -> int:
        return state + any(count >= 0 for count in news.partner)

    def plays(self, state: int) -> Aim:
        return self.first if state < self.threshold else self.final


@dataclass(frozen=True)
class GrimTrigger:
    """Cooperates until the other has defected ``threshold`` times, then never again. The state is the count."""

    threshold: int
    cooperate: int
    defect: int
    margin: int

    def start(self, rng: Random) -> int:
        return 0

    def hear(self, state: int, news: News, rng: Random) -> int:
        return state + (played(news.partner) == self.defect)

    def plays(self, state: int) -> Aim:
        return Aim(self.cooperate if state < self.threshold else self.defect, self.margin)


KIND, UNKIND = 0, 1


@dataclass(frozen=True)
class TitForTat:
    """Copies the other's last duel; with probability ``tremble`` it does the opposite.

    It trembles once a duel, and once at the start. State 0 cooperates, 1 defects.
    """

    cooperate: int
    defect: int
    margin: int
    tremble: float = 0.0

    def start(self, rng: Random) -> int:
        return trembling(KIND, self.tremble, rng)

    def hear(self, state: int, news: News, rng: Random) -> int:
        shown = played(news.partner)
        if shown == self.cooperate:
            return trembling(KIND, self.tremble, rng)
        if shown == self.defect:
            return trembling(UNKIND, self.tremble, rng)
        return state

    def plays(self, state: int) -> Aim:
        return Aim(self.cooperate if state == KIND else self.defect, self.margin)


@dataclass(frozen=True)
class Corrigible:
    """Defects until the other has defected ``threshold`` times, then makes peace and plays tit-for-tat.

    The state is the number of defections while it defects; from ``threshold`` on it is
    that of tit-for-tat. At the switch it cooperates, unless it trembles.
    """

    threshold: int
    cooperate: int
    defect: int
    margin: int
    tremble: float = 0.0

    def start(self, rng: Random) -> int:
        return 0

    def hear(self, state: int, news: News, rng: Random) -> int:
        shown = played(news.partner)
        if state < self.threshold:
            state += shown == self.defect
            switching = state == self.threshold
            return self.threshold + trembling(KIND, self.tremble, rng) if switching else state
        if shown == self.cooperate:
            return self.threshold + trembling(KIND, self.tremble, rng)
        if shown == self.defect:
            return self.threshold + trembling(UNKIND, self.tremble, rng)
        return state

    def plays(self, state: int) -> Aim:
        return Aim(self.cooperate if state == self.threshold + KIND else self.defect, self.margin)


@dataclass(frozen=True)
class CounterPrevious:
    """Best-responds to what the other played last; starts with any class. ``responses[k]`` beats class k."""

    responses: tuple[int, ...]
    margin: int

    def start(self, rng: Random) -> int:
        return rng.randrange(len(self.responses))

    def hear(self, state: int, news: News, rng: Random) -> int:
        shown = played(news.partner)
        return state if shown is None else self.responses[shown]

    def plays(self, state: int) -> Aim:
        return Aim(state, self.margin)


@dataclass(frozen=True)
class Gullible(CounterPrevious):
    """Best-responds to what another was last seen to collect, or to have played.

    A stand-in: the official ``free_0`` is a network trained in self-play whose policy
    was not published beyond "gullible".
    """

    def hear(self, state: int, news: News, rng: Random) -> int:
        state = super().hear(state, news, rng)
        return self.responses[news.taken[-1]] if news.taken else state


def leader(inventory: Sequence[int]) -> Aim:
    """The class of which there is most, and by how much.

    >>> leader((1, 4, 2))
    Aim(kind=1, margin=2)
    """
    order = sorted(range(len(inventory)), key=inventory.__getitem__)
    return Aim(order[-1], inventory[order[-1]] - inventory[order[-2]])


def played(partner: Sequence[int]) -> int | None:
    """What the other played in a duel of this step; ``None`` if there was none, or if its inventory ties."""
    if all(count < 0 for count in partner):
        return None
    kind, margin = leader(partner)
    return kind if margin else None


def trembling(state: int, tremble: float, rng: Random) -> int:
    """``state``, or the other one of 0 and 1 with probability ``tremble``. Draws once, whatever comes out."""
    return state ^ (rng.random() < tremble)


def goal(aim: Aim, inventory: Sequence[int], sought: frozenset[int] = frozenset()) -> Collect | Duel:
    """What a puppet is to do now: collect, or, once the inventory suffices, duel."""
    kind, margin = leader(inventory)
    if kind == aim.kind and margin >= aim.margin:
        return Duel(aim.kind, sought)
    return Collect(aim.kind)
