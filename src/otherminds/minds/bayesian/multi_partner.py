"""Several partners: what is learnt of one tells something of the others, and whom to seek."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from otherminds.core.data import Seat
from otherminds.games.filtering import Vector
from otherminds.minds.bayesian.commitment import amounts, mixed
from otherminds.minds.bayesian.partner import Believed

BASE = 1.5
"""What the prior counts for, in partners met, when a prior is made from those met."""
ROUNDS = 3
"""How often the beliefs about all are fitted to each other."""
SOUGHT = 3.0
"""How much likelier one meets a partner that one seeks."""
AGAIN = 2.0
"""How much likelier one meets whom one met last; who dwells near comes again."""
FADING = 0.7
"""What is left of that after every encounter."""
CURIOUS = 0.15
"""What the first encounter with somebody is worth for what is learnt, as a share of a sure win."""


class Hunt(NamedTuple):
    """To seek one of ``seats`` with ``behaviour``, after gathering ``more`` for it."""

    behaviour: int
    more: int
    seats: tuple[Seat, ...]
    score: float


def share(believed: Sequence[Believed], prior: Vector) -> None:
    """Gives every partner the prior that the others' behaviour suggests, by ``ROUNDS`` rounds of a mean-field iteration.

    The prior of each is that of a population of which those met are a sample: ``prior``
    counts as ``BASE`` partners, everybody else met as one (Dirichlet; Ferguson 1973).
    """
    met = [partner for partner in believed if partner.met]
    if not met:
        return
    for partner in met:
        partner.filter.believe(prior)
    for _ in range(ROUNDS):
        weights = {id(partner): partner.filter.weights for partner in met}
        for partner in believed:
            others = [w for key, w in weights.items() if key != id(partner)]
            partner.filter.believe(BASE * prior + np.sum(others, axis=0) if others else prior)


def hunt(
    believed: Mapping[Seat, Believed], near: Vector, pays: Vector, held: Vector | None, price: float
) -> Hunt:
    """What to show, and whom to seek with it.

    ``pays`` float64[A, B] are the payoffs, ``near`` float64[partners] how near each is
    held to be, ``held`` float64[A] what is gathered already (``None`` where nothing is
    gathered). Whom one meets is not one's choice alone: what counts is the mean over all
    who may come, those sought more than the others.
    """
    seats = tuple(believed)
    chances = np.array([believed[seat].chances() for seat in seats])
    sure = float(pays.max())
    curious = np.array([CURIOUS * sure * (believed[seat].met == 0) for seat in seats])
    found: list[Hunt] = []
    for a in range(len(pays)):
        options = (
            [(0, pays[a])]
            if held is None
            else [(more, mixed(held, a, more, pays)) for more in amounts(held, a)]
        )
        for more, won in options:
            gains = chances @ won + curious
            order = np.argsort(-gains, kind="stable")
            weights, worth = near[order], gains[order]
            comes = weights.sum() + (SOUGHT - 1) * np.cumsum(weights)
            means = (weights @ worth + (SOUGHT - 1) * np.cumsum(weights * worth)) / comes
            many = int(means.argmax()) + 1
            chosen = tuple(sorted(seats[i] for i in order[:many]))
            found.append(Hunt(a, more, chosen, float(means[many - 1]) - price * more))
    return max(found, key=lambda option: option.score)
