"""A Bayesian filter over predictors: the posterior of each hypothesis.

log w += log((1 − ε) p(behaviour) + ε / K), with a prior of 2^−bits and a hazard: at every
encounter a share of all mass returns to the prior, for partners that change. Every predictor
keeps following the history, whatever its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from otherminds.games.predictor import Predictor, State

Vector = NDArray[np.float64]
Evidence = tuple[float, ...]
"""The likelihood of the observation for each behaviour that the partner may have shown."""


def among(could: Sequence[int], of: int, weigh: float = 0.25) -> Evidence:
    """The evidence of candidates, the likeliest first; each has ``weigh`` times the weight of the one before.

    With all behaviours as candidates there is no evidence, in any order.

    >>> among((2, 0), 3)
    (0.25, 0.0, 1.0)
    """
    if len(set(could)) == of:
        return (1.0,) * of
    weights = {b: weigh**i for i, b in enumerate(could)}
    return tuple(weights.get(b, 0.0) for b in range(of))


@dataclass(frozen=True)
class EncounterEvidence:
    """One encounter: the evidence of the partner's behaviour, and the own behaviour."""

    theirs: Evidence
    own: int


@dataclass
class Tracked:
    """A predictor, its current state, and its likelihood of each encounter, without noise (``fits``)."""

    predictor: Predictor
    state: State
    fits: list[float] = field(default_factory=list[float])

    def see(self, sight: EncounterEvidence) -> None:
        """Takes in an encounter; of uncertain behaviours the state follows the likeliest."""
        chances = self.predictor.output(self.state)
        joint = [p * e for p, e in zip(chances, sight.theirs, strict=True)]
        self.fits.append(sum(joint))
        believed = joint if any(joint) else sight.theirs
        likeliest = max(range(len(believed)), key=believed.__getitem__)
        self.state = self.predictor.after(self.state, likeliest, sight.own)


class Filter:
    """The belief about one partner over ``predictors``.

    ``theirs`` is the number K of its behaviours, ``noise`` ε the probability of a uniformly
    random behaviour, ``hazard`` the probability per encounter that the partner changes.
    ``prior`` (float64[predictors], any scale) replaces 2^−bits.
    """

    def __init__(
        self,
        predictors: Sequence[Predictor],
        theirs: int,
        noise: float = 0.02,
        hazard: float = 0.01,
        prior: Sequence[float] | Vector | None = None,
    ) -> None:
        self.theirs = theirs
        self.noise = noise
        self.hazard = hazard
        self.history: list[EncounterEvidence] = []
        self.tracked = [Tracked(predictor, predictor.start) for predictor in predictors]
        weights = [2.0**-p.bits for p in predictors] if prior is None else prior
        self._prior: Vector = np.asarray(weights, np.float64)
        self._refresh()

    @property
    def predictors(self) -> tuple[Predictor, ...]:
        """The predictors, in the order of :attr:`weights`."""
        return tuple(tracked.predictor for tracked in self.tracked)

    @property
    def prior(self) -> Vector:
        """float64[predictors], sums to 1."""
        return self._prior / self._prior.sum()

    @property
    def weights(self) -> Vector:
        """The posterior: float64[predictors], sums to 1."""
        return self._weights

    def fit(self, last: int = 8) -> float:
        """The geometric mean of the probabilities that it gave to the last encounters.

        1 before the first encounter; below 1 / K it is worse than guessing.
        """
        recent = self._surprises[-last:]
        return float(np.exp(np.mean(recent))) if recent else 1.0

    def see(self, theirs: Evidence, own: int) -> None:
        """Takes in one encounter: the evidence of what the partner did, and the own behaviour."""
        sight = EncounterEvidence(theirs, own)
        self.history.append(sight)
        for tracked in self.tracked:
            tracked.see(sight)
        self._step(np.array([tracked.fits[-1] for tracked in self.tracked]), sight)

    def add(self, predictor: Predictor, weight: float | None = None) -> None:
        """Adds a predictor, replayed over the whole history.

        ``weight`` is its prior on the scale of the others', 2^−bits if not given.
        """
        tracked = Tracked(predictor, predictor.start)
        for sight in self.history:
            tracked.see(sight)
        self.tracked.append(tracked)
        self._prior = np.append(self._prior, 2.0**-predictor.bits if weight is None else weight)
        self._refresh()

    def believe(self, prior: Sequence[float] | Vector) -> None:
        """Replaces the prior (float64[predictors], any scale), and recomputes the posterior."""
        self._prior = np.asarray(prior, np.float64)
        self._refresh()

    def hint(self, theirs: Evidence) -> Vector:
        """The posterior given evidence ``theirs`` about the next encounter; changes nothing."""
        evidence = np.array(theirs)
        fits = np.array([np.dot(t.predictor.output(t.state), evidence) for t in self.tracked])
        raised = self._weights * self._noisy(fits, theirs)
        return raised / raised.sum()

    def predict(self) -> Vector:
        """The distribution of the partner's next behaviour: float64[K]."""
        chances = np.array([t.predictor.output(t.state) for t in self.tracked])
        return (1 - self.noise) * (self._weights @ chances) + self.noise / self.theirs

    def predict_after(self, own: int) -> Vector:
        """The distribution of the partner's behaviour in the encounter after the next, if ``own`` is shown in the next.

        float64[K]. Changes nothing.
        """
        chances = np.zeros((len(self.tracked), self.theirs))
        for row, tracked in zip(chances, self.tracked, strict=True):
            predictor, state = tracked.predictor, tracked.state
            for behaviour, p in enumerate(predictor.output(state)):
                if p:
                    row += p * np.asarray(predictor.output(predictor.after(state, behaviour, own)))
        return (1 - self.noise) * (self._weights @ chances) + self.noise / self.theirs

    def heaviest(self, most: int) -> list[int]:
        """The indices of the ``most`` likeliest predictors, likeliest first."""
        order = np.argsort(-self._weights, kind="stable")[:most]
        return [int(i) for i in order]

    def _noisy(self, fits: Vector, theirs: Evidence) -> Vector:
        return (1 - self.noise) * fits + self.noise * sum(theirs) / self.theirs

    def _step(self, fits: Vector, sight: EncounterEvidence) -> None:
        raised = self._weights * self._noisy(fits, sight.theirs)
        total = raised.sum()
        self._surprises.append(float(np.log(total)))
        self._weights = (1 - self.hazard) * raised / total + self.hazard * self.prior

    def _refresh(self) -> None:
        """Recomputes the posterior from the prior and all likelihoods."""
        self._weights: Vector = self.prior
        self._surprises: list[float] = []
        for t, sight in enumerate(self.history):
            self._step(np.array([tracked.fits[t] for tracked in self.tracked]), sight)
