"""Which behaviour to show, how much to gather for it before an encounter, and which partner to seek.

Where encounters are between mixtures of gathered items, one item shows a behaviour, and
every further one raises the stakes. With a certain belief more is gathered; with an
uncertain one little, so that encounters come sooner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from otherminds.core.data import Seat
from otherminds.games.filtering import Vector
from otherminds.minds.bayesian.partner import PartnerBelief

MOST = 9
"""The most items gathered for one encounter."""
SOUGHT = 3.0
"""How much likelier an encounter with a sought partner is."""
AGAIN = 2.0
"""How much likelier an encounter with the last partner is, which is near."""
FADING = 0.7
"""The factor by which that decays with every encounter."""
CURIOUS = 0.15
"""The value of information of the first encounter with a partner, as a share of the largest payoff."""


class Commitment(NamedTuple):
    """To show ``behaviour`` after gathering ``more`` items for it; ``score`` is its value."""

    behaviour: int
    more: int
    score: float


def amounts(inventory: Vector, behaviour: int) -> range:
    """How many more items to gather so that ``behaviour`` has the most, and is shown.

    >>> amounts(np.array([2.0, 1.0, 1.0]), 1)
    range(2, 10)
    """
    most_of_others = float(np.delete(inventory, behaviour).max(initial=0.0))
    least = max(0, int(most_of_others - inventory[behaviour]) + 1)
    return range(least, max(least, MOST) + 1)


def mixture_payoff(inventory: Vector, behaviour: int, added: int, pays: Vector) -> Vector:
    """The payoff of the mixture with ``added`` items of ``behaviour``.

    ``inventory`` float64[A] are the items held, ``pays`` float64[A, ...] the payoffs of pure behaviours;
    the result has the trailing shape of ``pays``.
    """
    return (inventory @ pays + added * pays[behaviour]) / (inventory.sum() + added)


def stake(inventory: Vector, pays: Vector, values: Vector, price: float) -> Commitment:
    """The best behaviour and the best amount.

    ``inventory`` float64[A] are the items held for each behaviour; ``pays`` float64[A] the expected
    payoff of each in a pure encounter, ``values`` float64[A] the expected return of each, and
    ``price`` the cost of gathering one item.
    """

    options = (
        Commitment(
            a,
            added,
            float(values[a] - pays[a]) + float(mixture_payoff(inventory, a, added, pays)) - price * added,
        )
        for a in range(len(inventory))
        for added in amounts(inventory, a)
    )
    return max(options, key=lambda option: option.score)


class Hunt(NamedTuple):
    """To seek one of ``seats`` with ``behaviour``, after gathering ``more`` items for it."""

    behaviour: int
    more: int
    seats: tuple[Seat, ...]
    score: float


def hunt(
    believed: Mapping[Seat, PartnerBelief], near: Vector, pays: Vector, inventory: Vector | None, price: float
) -> Hunt:
    """The behaviour to show and the partners to seek with it.

    ``pays`` float64[A, B] are the payoffs, ``near`` float64[partners] weights of how near
    each is, ``inventory`` float64[A] the items held (``None`` where nothing is gathered). Any
    partner may come: the score is the mean over all, in which sought ones weigh more.
    """
    seats = tuple(believed)
    chances = np.array([believed[seat].chances() for seat in seats])
    sure = float(pays.max())
    curious = np.array([CURIOUS * sure * (believed[seat].met == 0) for seat in seats])
    hunts: list[Hunt] = []
    for a in range(len(pays)):
        for added in (0,) if inventory is None else amounts(inventory, a):
            won = pays[a] if inventory is None else mixture_payoff(inventory, a, added, pays)
            gains = chances @ won + curious
            order = np.argsort(-gains, kind="stable")
            weights, worth = near[order], gains[order]
            comes = weights.sum() + (SOUGHT - 1) * np.cumsum(weights)
            means = (weights @ worth + (SOUGHT - 1) * np.cumsum(weights * worth)) / comes
            many = int(means.argmax()) + 1
            chosen = tuple(sorted(seats[i] for i in order[:many]))
            hunts.append(Hunt(a, added, chosen, float(means[many - 1]) - price * added))
    return max(hunts, key=lambda option: option.score)
