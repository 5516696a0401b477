"""Duels as behaviours: what was played, and what a seat can infer about the other's behaviour.

An inventory plays the behaviour of which it has most. A seat knows its own inventory and its reward, not the
other inventory. They give a linear equation for the other's mixture, which is solved here exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from otherminds.core.data import Behaviour, Encounter, Seat
from otherminds.gridworlds.in_the_matrix.rules import Matrix, Rules

Mixture = tuple[Fraction, ...]


@dataclass(frozen=True)
class Duel:
    """One duel, resolved in world step ``step`` (0 for the first): the zapper first."""

    step: int
    seats: tuple[Seat, Seat]
    inventories: tuple[tuple[int, ...], tuple[int, ...]]
    rewards: tuple[float, float]

    def played(self, seat: Seat, classes: tuple[Behaviour, ...]) -> tuple[Behaviour, ...]:
        """The behaviour of ``seat``, or several that tie."""
        return tuple(classes[i] for i in leading(self.inventories[self.seats.index(seat)]))

    def heard(self, seat: Seat, step: int, rules: Rules) -> Encounter:
        """The duel as ``seat`` knows it when it is paid in world step ``step``."""
        i = self.seats.index(seat)
        other = self.seats[1 - i]
        matrix = tuple(zip(*rules.column, strict=True)) if i else rules.row
        could = possible(matrix, self.inventories[i], self.inventories[1 - i])
        did = {seat: self.played(seat, rules.classes), other: tuple(rules.classes[b] for b in could)}
        return Encounter(step, did, self.rewards[i])

    def facts(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {
            "step": self.step,
            "seats": list(self.seats),
            "inventories": [list(inventory) for inventory in self.inventories],
            "rewards": list(self.rewards),
        }


def leading(inventory: Sequence[int]) -> tuple[int, ...]:
    """The classes of which there is most: one, or several that tie.

    >>> leading((1, 4, 1)), leading((2, 2, 1))
    ((1,), (0, 1))
    """
    most = max(inventory)
    return tuple(i for i, count in enumerate(inventory) if count == most)


@lru_cache(maxsize=4096)
def possible(matrix: Matrix, own: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The behaviours that the other may have played, for one who sees only ``own`` and the reward.

    ``matrix[i][j]`` pays the seer for own class i against class j; ``other`` is the true inventory, which
    only fixes the reward, as an exact fraction. Every mixture of at least something of each class that brings
    that same reward is possible; a behaviour is, if in some such mixture it leads, alone or tied. The true
    one always is. Amounts are not bounded: the number of resources on the map rules out nothing here.
    Behaviours that a player who raises a single class may have played come first, then those with the
    greatest mean share.

    >>> rps = ((0, -10, 10), (10, 0, -10), (-10, 10, 0))
    >>> possible(rps, (6, 1, 1), (1, 9, 1))
    (1,)
    >>> possible(rps, (2, 4, 1), (1, 4, 1))
    (1, 2)
    >>> possible(rps, (2, 2, 2), (1, 9, 1))
    (0, 1, 2)
    """
    kinds = range(len(other))
    brings = [[Fraction(row[j]) * count for row, count in zip(matrix, own, strict=True)] for j in kinds]
    weigh = [sum(terms, Fraction(0)) / sum(own) for terms in brings]
    truth = [Fraction(count, sum(other)) for count in other]
    reward = sum((w * q for w, q in zip(weigh, truth, strict=True)), Fraction(0))
    corners = _corners(weigh, reward)
    inside = tuple(sum((corner[i] for corner in corners), Fraction(0)) / len(corners) for i in kinds)
    candidates = [b for b in kinds if _can_lead(b, corners, inside)]
    return tuple(sorted(candidates, key=lambda b: (not _single(b, weigh, reward), -inside[b])))


def _single(behaviour: int, weigh: Sequence[Fraction], reward: Fraction) -> bool:
    """Whether an inventory of one of each class, with only ``behaviour``'s raised, brings ``reward``."""
    others = sum(weigh) - weigh[behaviour]
    if weigh[behaviour] == reward:
        return others == reward * (len(weigh) - 1)
    count = (reward * (len(weigh) - 1) - others) / (weigh[behaviour] - reward)
    return count.denominator == 1 and count > 1


def _corners(weigh: Sequence[Fraction], reward: Fraction) -> list[Mixture]:
    """The corners of the mixtures q with ``weigh`` · q = ``reward``: they lie on edges of the simplex."""
    kinds = range(len(weigh))
    corners: list[Mixture] = []
    for i in kinds:
        if weigh[i] == reward:
            corners.append(tuple(Fraction(k == i) for k in kinds))
        for j in kinds:
            if i < j and (weigh[i] - reward) * (weigh[j] - reward) < 0:
                share = (reward - weigh[j]) / (weigh[i] - weigh[j])
                corners.append(
                    tuple(share if k == i else 1 - share if k == j else Fraction(0) for k in kinds)
                )
    return corners


def _can_lead(behaviour: int, corners: Sequence[Mixture], inside: Mixture) -> bool:
    """Whether ``behaviour`` leads, alone or tied, in some mixture of the corners with all classes in it.

    For up to three classes the mixtures are a point, a segment or the whole
    simplex, and the lead over each other class is linear along them.
    """
    if inside[behaviour] == max(inside) or len(corners) > 2:
        return True
    return any(_reaches(behaviour, inside, corner) for corner in corners)


def _reaches(behaviour: int, start: Mixture, end: Mixture) -> bool:
    """Whether the behaviour leads somewhere between ``start`` and ``end``, the end not counted."""
    low, high = Fraction(0), Fraction(1)
    for i in range(len(start)):
        if i == behaviour:
            continue
        at_start, at_end = start[behaviour] - start[i], end[behaviour] - end[i]
        if at_start == at_end:
            if at_start < 0:
                return False
            continue
        crossing = at_start / (at_start - at_end)
        if at_end > at_start:
            low = max(low, crossing)
        else:
            high = min(high, crossing)
    return low < 1 and low <= high
