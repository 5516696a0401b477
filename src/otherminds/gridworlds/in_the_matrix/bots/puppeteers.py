"""Puppeteers: partner strategies of :mod:`otherminds.games` that choose what a puppet does.

The scripted background bots of Melting Pot 2.4.1 (Agapiou et al. 2022) follow strategies over duels:
tit-for-tat, grim, a best response to the last duel, and so on. Each is the automaton of a partner family, so
that a bot does what its record says. Classes are numbered as in the inventory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from otherminds.core.data import Automaton
from otherminds.gridworlds.in_the_matrix.bots.charts import Policies


class Aim(NamedTuple):
    """To duel with ``margin`` more of class ``kind`` than of any other."""

    kind: int
    margin: int


@dataclass(frozen=True)
class Puppeteer:
    """Follows ``automaton`` over duels and raises class k by ``margins[k]``.

    After a tie the automaton moves on only if its next state does not depend on the other's
    behaviour; otherwise nothing is drawn. A ``gullible`` one assumes that another plays what it was last seen
    to collect: a stand-in for the official ``free_0``, a network trained in self-play, of whose
    policy only that word was published.
    """

    automaton: Automaton
    margins: tuple[int, ...]
    gullible: bool = False


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


@lru_cache(maxsize=64)
def policies(followed: tuple[Puppeteer, ...], classes: int) -> Policies:
    """What ``followed`` do, for compiled bots, whose numbers are their places here."""
    automata = [one.automaton for one in followed]
    first = np.cumsum([0, *(len(one.output) for one in automata)])[:-1]
    after = [
        np.array(state) + shift for one, shift in zip(automata, first, strict=True) for state in one.next
    ]
    outputs = [output for one in automata for output in one.output]
    drawn = [slip(output) for output in outputs]
    others = np.zeros((len(outputs), classes), np.int32)
    for state, (_, some, _) in enumerate(drawn):
        others[state, : len(some)] = some
    return Policies(
        after=np.array(after, np.int32).reshape(-1, classes, classes),
        even=np.array([min(output) == max(output) for output in outputs], np.uint8),
        likeliest=np.array([kind for kind, _, _ in drawn], np.int32),
        chance=np.array([chance for _, _, chance in drawn], np.float64),
        slips=np.array([len(some) for _, some, _ in drawn], np.int32),
        others=others,
        start=np.array([one.start for one in automata], np.int32) + first.astype(np.int32),
        margins=np.array([one.margins for one in followed], np.int32).reshape(-1, classes),
        gullible=np.array([one.gullible for one in followed], np.uint8),
    )
