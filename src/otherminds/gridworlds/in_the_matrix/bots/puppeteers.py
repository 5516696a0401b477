"""Puppeteers: partner strategies of :mod:`otherminds.games` that choose what a puppet does.

The scripted background bots of Melting Pot 2.4.1 (Agapiou et al. 2022) follow strategies over duels:
tit-for-tat, grim, a best response to the last duel, and so on. Each is the automaton of a partner family, so
that a bot does what its record says. Classes are numbered as in the inventory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, TypeAlias

from otherminds.core.data import Automaton
from otherminds.gridworlds.in_the_matrix.bots.puppet import Collect, SeekDuel


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


State: TypeAlias = tuple[int, int]  # The automaton's state, and the class drawn in it


@dataclass(frozen=True)
class Puppeteer:
    """Follows ``automaton`` over duels and raises class k by ``margins[k]``. ``rng`` is the seat's own stream.

    After a tie the automaton moves on only if its next state does not depend on the other's
    behaviour; otherwise nothing is drawn. A ``gullible`` one assumes that another plays what it was last seen
    to collect: a stand-in for the official ``free_0``, a network trained in self-play, of whose
    policy only that word was published.
    """

    automaton: Automaton
    margins: tuple[int, ...]
    gullible: bool = False

    def start(self, rng: Random) -> State:
        """The state before the first news."""
        return self._drawn(self.automaton.start, rng)

    def hear(self, state: State, news: News, rng: Random) -> State:
        """The state after ``news``, at every step, the reset included."""
        if max(news.partner) > 0:
            after = self._after(state)
            shown = played(news.partner)
            if shown is not None:
                state = self._drawn(after[shown], rng)
            elif len(set(after)) == 1:
                state = self._drawn(after[0], rng)
        if self.gullible and news.taken:
            state = self._drawn(self._after(state)[news.taken[-1]], rng)
        return state

    def plays(self, state: State) -> Aim:
        """What it raises in ``state``."""
        return Aim(state[1], self.margins[state[1]])

    def _after(self, state: State) -> tuple[int, ...]:
        return self.automaton.next[state[0]][state[1]]

    def _drawn(self, at: int, rng: Random) -> State:
        """State ``at`` with a class for it: the likeliest, or by one draw another; any if all are equally likely."""
        output = self.automaton.output[at]
        if min(output) == max(output):
            return at, rng.randrange(len(output))
        kind, others, chance = slip(output)
        if others and (draw := rng.random()) < chance:
            kind = others[int(draw / chance * len(others))]
        return at, kind


def slip(output: Sequence[float]) -> tuple[int, tuple[int, ...], float]:
    """The likeliest class of a state, the others that it may draw, and the probability of drawing one of those.

    >>> slip((0.25, 0.75, 0.0))
    (1, (0,), 0.25)
    """
    kind = output.index(max(output))
    others = tuple(k for k, p in enumerate(output) if p and k != kind)
    return kind, others, sum(output[k] for k in others)


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


def goal(aim: Aim, inventory: Sequence[int], sought: frozenset[int] = frozenset()) -> Collect | SeekDuel:
    """What a puppet is to do now: collect, or, once the inventory suffices, duel."""
    kind, margin = leader(inventory)
    if kind == aim.kind and margin >= aim.margin:
        return SeekDuel(aim.kind, sought)
    return Collect(aim.kind)
