"""Belief over predictors, and planning under it: a Bayesian filter, and rollouts of adaptive plans.

log w += log((1 − ε) p(behaviour) + ε / K), with a prior of 2^−bits and a hazard: at every
encounter a share of all mass returns to the prior, for partners that change. Every predictor
keeps following the history, whatever its weight.

Every plan is simulated against each hypothesis as the truth, with the belief that would
result, so that information has its value: against some partners one round of punishment or
of trust pays for many. A plan's value is that of a policy that can be followed, so it is
never too high (Bertsekas & Castañón 1999: rollout over a base policy; here the best of several)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Game
from otherminds.games.automata import Predictor, State

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
        """Takes in an encounter; of uncertain behaviours the state follows the likeliest.

        Of an encounter of which nothing is known a predictor that learns, learns nothing.
        """
        chances = self.predictor.output(self.state)
        joint = [p * e for p, e in zip(chances, sight.theirs, strict=True)]
        self.fits.append(sum(joint))
        if self.predictor.settled is not None and min(sight.theirs) == max(sight.theirs):
            return
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


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HORIZON = 18
"""Rounds of a rollout."""
SETTLED = 6
"""The last of them represent all later rounds: they hold every cycle of up to three a whole number of times."""
REFUTED = 0.1
"""A plan stops following a hypothesis that gave an observed behaviour less than this probability."""
NOISE = 0.02
LIMIT = 100
"""The most states of a table; transitions to further states lead back to where they start."""
FAR = 24
"""The longest horizon of a table's values, in rounds."""


@dataclass(frozen=True)
class PredictorTable:
    """A predictor as a table of S states, for A own behaviours and B of the partner's.

    ``output`` float64[S, B] is the distribution of its behaviour, ``after`` int64[S, B, A] the next state,
    and ``worth`` float64[FAR + 1, S, A] the return of an own behaviour by rounds left, with this partner
    known and optimal play from there on. ``random``: whether it plays by chance anywhere.
    """

    number: dict[State, int]
    output: Floats
    after: Ints
    worth: Floats
    random: bool


class PredictorTables:
    """The tables of predictors in one game (seen from the own seat), made on demand."""

    def __init__(self, game: Game) -> None:
        self.own, self.theirs = (len(names) for names in game.behaviours)
        self.pays = np.array([[cell[0] for cell in row] for row in game.payoffs])
        self._made: dict[int, tuple[Predictor, PredictorTable]] = {}

    def find(self, predictor: Predictor, state: State) -> tuple[PredictorTable, int]:
        """The table of ``predictor``, and the number of ``state`` in it."""
        if predictor.settled is not None:
            settled = predictor.settled(state)
            return self._tabulate(settled, settled.start), 0
        entry = self._made.get(id(predictor))
        if entry is None or state not in entry[1].number:
            # Keeping the predictor keeps its id unique.
            entry = self._made[id(predictor)] = (predictor, self._tabulate(predictor, state))
        return entry[1], entry[1].number[state]

    def _tabulate(self, predictor: Predictor, start: State) -> PredictorTable:
        number: dict[State, int] = {start: 0}
        states: list[State] = [start]
        successors: list[int] = []
        for at in states:
            for theirs, own in product(range(self.theirs), range(self.own)):
                to = predictor.after(at, theirs, own)
                if to not in number and len(states) < LIMIT:
                    number[to] = len(states)
                    states.append(to)
                successors.append(number.get(to, number[at]))
        output = np.array([predictor.output(state) for state in states])
        after = np.array(successors).reshape(len(states), self.theirs, self.own)
        worth = self._worth(output, after)
        return PredictorTable(number, output, after, worth, bool((output.max(axis=1) < 1).any()))

    def _worth(self, output: Floats, after: Ints) -> Floats:
        worth = np.zeros((FAR + 1, len(output), self.own))
        now = output @ self.pays.T
        for horizon in range(1, FAR + 1):
            best = worth[horizon - 1].max(axis=1)
            worth[horizon] = now + np.einsum("sb,sba->sa", output, best[after])
        return worth


def look_ahead(
    tables: PredictorTables,
    believed: Sequence[tuple[float, Predictor, State]],
    rounds: int,
    noise: float = NOISE,
) -> Floats:
    """The return of every own behaviour with ``rounds`` rounds left: float64[own], -inf where untried.

    ``believed`` are weights (any scale), predictors and their current states. Plans: at every step the
    behaviour that is best on average over the hypotheses' own optima; the same after each own behaviour
    first; and the best response to each hypothesis until it is refuted, then the same.
    """
    return _Rollouts(tables, believed, noise).values(rounds)


class _Rollouts:
    """C plans against N simulated truths under beliefs over M hypotheses, whose tables it concatenates."""

    def __init__(
        self, tables: PredictorTables, believed: Sequence[tuple[float, Predictor, State]], noise: float
    ) -> None:
        self.pays, self.own, self.theirs, self.noise = tables.pays, tables.own, tables.theirs, noise
        weights = np.array([weight for weight, _, _ in believed])
        self.weights = weights / weights.sum()
        starts = [tables.find(predictor, state) for _, predictor, state in believed]
        offsets: list[int] = np.cumsum([0, *(len(table.output) for table, _ in starts)]).tolist()
        placed = list(zip(offsets, starts, strict=False))
        self.start = np.array([offset + at for offset, (_, at) in placed])
        self.output = np.concatenate([table.output for table, _ in starts])
        self.after = np.concatenate([table.after + offset for offset, (table, _) in placed])
        self.worth = np.concatenate([table.worth for table, _ in starts], axis=1)
        self.random = any(table.random for table, _ in starts)
        copies = self.theirs * -(-3 // self.theirs)
        number = [copies if table.random else 1 for table, _ in starts]
        self.truth = np.repeat(np.arange(len(starts)), number)
        self.share = (self.weights * (1 / np.array(number)))[self.truth]
        self.draws = _draws(self.truth, copies)

    def values(self, rounds: int) -> Floats:
        own, hypotheses = self.own, len(self.weights)
        plans = 1 + own + hypotheses
        truths = len(self.truth)
        belief = np.broadcast_to(self.weights, (plans, truths, hypotheses)).copy()
        states = np.broadcast_to(self.start, (plans, truths, hypotheses)).copy()
        following = np.zeros((plans, truths), bool)
        following[1 + own :] = True
        leader = np.maximum(np.arange(plans) - 1 - own, 0)[:, None]
        rows, columns = np.arange(plans)[:, None], np.arange(truths)[None, :]
        gains = np.zeros((plans, truths))
        recent = np.zeros((plans, truths))
        opening = np.zeros(plans, np.int64)
        span = min(rounds, HORIZON)
        for t in range(span):
            worth = self.worth[min(rounds - t, FAR)][states]
            act: Ints = np.einsum("cnm,cnma->cna", belief, worth).argmax(axis=2)
            led = worth[rows, columns, leader].argmax(axis=2)
            act = np.where(following, led, act).astype(np.int64)
            if t == 0:
                act[1 : 1 + own] = np.arange(own)[:, None]
                opening = act[:, 0]
            output = self.output[states]
            meant = output[rows, columns, self.truth[None, :]]
            behaviours = self._draw_behaviours(meant, t)
            # The transition is sampled; the payoff is the expected one.
            gain = (self.pays[act] * meant).sum(axis=2)
            gains += gain
            if t >= span - SETTLED:
                recent += gain
            fits = np.take_along_axis(output, behaviours[:, :, None, None], axis=3)[..., 0]
            following &= fits[rows, columns, leader] >= REFUTED
            belief *= (1 - self.noise) * fits + self.noise / self.theirs
            states = self.after[states, behaviours[:, :, None], act[:, :, None]]
        if rounds > span:
            gains += recent * ((rounds - span) / SETTLED)
        worths = gains @ self.share
        best = np.full(own, -np.inf)
        np.maximum.at(best, opening, worths)
        return best

    def _draw_behaviours(self, chances: Floats, t: int) -> Ints:
        """What each truth plays, float64[C, N, B] -> int64[C, N], with the same draws for all plans."""
        if not self.random:
            return chances.argmax(axis=2)
        below = np.cumsum(chances, axis=2)[:, :, :-1]
        return (below < self.draws[None, :, t, None]).sum(axis=2)


def _draws(truth: Ints, copies: int) -> Floats:
    """Numbers in 0..1, float64[N, HORIZON], for N truths; the copies of one truth are stratified.

    They are the same for every decision, so that a decision depends on the belief alone.
    """
    rng = np.random.default_rng(0)
    nth = np.zeros(len(truth), np.int64)
    for n in range(1, len(truth)):
        nth[n] = nth[n - 1] + 1 if truth[n] == truth[n - 1] else 0
    shuffled = rng.permuted(np.broadcast_to(np.arange(copies), (HORIZON, copies)), axis=1)
    return ((shuffled[:, nth] + 0.5) / copies).T
