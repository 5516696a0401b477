"""The belief about one partner, and the prior that several partners share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from otherminds.core.data import Behaviour, Seat
from otherminds.core.thinking import Thinking, Thought
from otherminds.games.filtering import Evidence, Filter, Vector, among
from otherminds.games.predictor import Predictor, State

STRAY = 0.15
"""The probability that a partner acts towards one behaviour and then shows another, per sign."""
SHOWN = 8
"""The hypotheses in a note."""
BASE = 1.5
"""The weight of the prior, in partners met, in a prior made from partners met."""
ROUNDS = 3
"""Iterations that fit the beliefs to each other."""


class PartnerBelief:
    """The belief about one partner: a filter, and the signs seen since the last encounter with it."""

    def __init__(self, filtered: Filter, names: Sequence[Behaviour]) -> None:
        self.filter = filtered
        self.names = tuple(names)
        self._signs = [0] * len(names)
        self._came: int | None = None
        self._foretold: list[int] = []

    @property
    def met(self) -> int:
        """The encounters with it so far."""
        return len(self.filter.history)

    @property
    def signs(self) -> Evidence:
        """The likelihood of the signs since its last encounter, for each behaviour it may show next."""
        most = max(self._signs)
        if not most:
            return (1.0,) * len(self.names)
        return tuple(1.0 if n == most else STRAY ** (most - n) for n in self._signs)

    def chances(self) -> Vector:
        """The distribution of its next behaviour: float64[behaviours]."""
        chances = self.filter.predict() * self.signs
        return chances / chances.sum()

    def sign(self, behaviour: Behaviour) -> None:
        """It was seen to act towards ``behaviour``."""
        self._signs[self.names.index(behaviour)] += 1

    def meet(self, could: Sequence[int], own: int) -> None:
        """Takes in an encounter: what it may have shown, the likeliest first, and the own behaviour."""
        evidence = [e * s for e, s in zip(among(could, len(self.names)), self.signs, strict=True)]
        self._came = max(range(len(evidence)), key=evidence.__getitem__)
        self._foretold = self._predictions()
        self.filter.see(tuple(evidence), own)
        self._signs = [0] * len(self.names)

    def heavy(self, most: int, least: float = 1e-4) -> list[tuple[float, Predictor, State]]:
        """(weight, predictor, state) of at most ``most`` predictors with a weight of at least ``least``."""
        weights = self.filter.hint(self.signs)
        order = np.argsort(-weights, kind="stable")[:most]
        tracked = self.filter.tracked
        return [
            (float(weights[i]), tracked[i].predictor, tracked[i].state)
            for i in order
            if weights[i] >= least or i == order[0]
        ]

    def thinking(self, seat: Seat, target: Behaviour | None) -> Thinking:
        """The likeliest hypotheses as a note, with the next ``target``."""
        says = self._predictions()
        heaviest = self.filter.heaviest(SHOWN)
        thoughts = tuple(
            Thought(
                i,
                self.filter.tracked[i].predictor.sentence,
                round(float(self.filter.weights[i]), 6),
                self.names[says[i]],
                None if self._came is None or i >= len(self._foretold) else self._foretold[i] == self._came,
            )
            for i in heaviest
        )
        last_behaviour = None if self._came is None else self.names[self._came]
        return Thinking(
            seat, self.met, last_behaviour, thoughts, used=heaviest[0], target=target, scale="probability"
        )

    def _predictions(self) -> list[int]:
        """The likeliest behaviour by each predictor."""
        outputs = (tracked.predictor.output(tracked.state) for tracked in self.filter.tracked)
        return [max(range(len(chances)), key=chances.__getitem__) for chances in outputs]


def share(believed: Sequence[PartnerBelief], prior: Vector) -> None:
    """Gives every partner a prior from the behaviour of the others, by a mean-field iteration.

    Partners met are a sample of one population: ``prior`` counts as ``BASE`` partners, every
    other partner met as one (Dirichlet; Ferguson 1973).
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
