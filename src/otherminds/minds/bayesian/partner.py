"""What the mind believes of one partner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from otherminds.core.data import Behaviour, Seat
from otherminds.core.thinking import Thinking, Thought
from otherminds.games.filtering import Evidence, Filter, Vector, among
from otherminds.games.predictor import Predictor, State

STRAY = 0.15
"""How likely a partner is to do what leads to one behaviour, and then to show another; once."""
SHOWN = 8
"""The thoughts that are noted."""


class Believed:
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
        """How likely what was seen of it since its last encounter is, for each behaviour it may show next."""
        most = max(self._signs)
        if not most:
            return (1.0,) * len(self.names)
        return tuple(1.0 if n == most else STRAY ** (most - n) for n in self._signs)

    def chances(self) -> Vector:
        """What it shows next: float64[behaviours]."""
        chances = self.filter.predict() * self.signs
        return chances / chances.sum()

    def sign(self, shown: Behaviour) -> None:
        """It was seen to do what leads to showing ``shown``."""
        self._signs[self.names.index(shown)] += 1

    def meet(self, could: Sequence[int], own: int) -> None:
        """An encounter with it: what it may have shown, the likeliest first, and the own behaviour."""
        evidence = [e * s for e, s in zip(among(could, len(self.names)), self.signs, strict=True)]
        self._came = max(range(len(evidence)), key=evidence.__getitem__)
        self._foretold = self._predictions()
        self.filter.see(tuple(evidence), own)
        self._signs = [0] * len(self.names)

    def heavy(self, most: int, least: float = 1e-4) -> list[tuple[float, Predictor, State]]:
        """The ``most`` likeliest predictors with at least ``least`` of the belief, and their states, for planning."""
        weights = self.filter.hint(self.signs)
        order = np.argsort(-weights, kind="stable")[:most]
        tracked = self.filter.tracked
        return [
            (float(weights[i]), tracked[i].predictor, tracked[i].state)
            for i in order
            if weights[i] >= least or i == order[0]
        ]

    def thinking(self, seat: Seat, target: Behaviour | None) -> Thinking:
        """The heaviest hypotheses as a note; ``target`` is what is wanted next."""
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
        came = None if self._came is None else self.names[self._came]
        return Thinking(seat, self.met, came, thoughts, used=heaviest[0], target=target, scale="probability")

    def _predictions(self) -> list[int]:
        """The likeliest behaviour by each predictor."""
        outputs = (tracked.predictor.output(tracked.state) for tracked in self.filter.tracked)
        return [max(range(len(chances)), key=chances.__getitem__) for chances in outputs]
