"""What to do about a partner of whom one has a belief: rollouts of adaptive plans over several hypotheses.

Every plan is played in imagination against each hypothesis as the truth, with the
belief that would result, so that finding out is worth what is done with it: against
some partners one round of punishment or of trust pays for many. A plan's value is
that of a policy that can be followed, so no choice is valued above what it can bring
(Bertsekas & Castañón 1999: rollout over a base policy; here the best of several).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from otherminds.games.predictor import Predictor, State
from otherminds.games.tabulating import FAR, PredictorTables, Table

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

HORIZON = 18
"""Rounds that are played in imagination."""
SETTLED = 6
"""The last of them stand for all that come after: they hold every pattern of up to three whole."""
REFUTED = 0.1
"""Who gave a behaviour less than this probability is no longer followed once it is seen."""
NOISE = 0.02


@dataclass(frozen=True)
class Outlook:
    """What each own behaviour is worth now: float64[own], the return of the rounds left; -inf where untried."""

    values: Floats

    @property
    def best(self) -> int:
        """The best behaviour, the lowest on ties."""
        return int((self.values >= self.values.max() - 1e-9).argmax())


def look_ahead(
    tables: PredictorTables,
    believed: Sequence[tuple[float, Predictor, State]],
    rounds: int,
    noise: float = NOISE,
) -> Outlook:
    """The worth of every own behaviour with ``rounds`` rounds left, under a belief over predictors.

    ``believed`` are the weights (any scale), predictors and their states now. Plans:
    the behaviour that is best on average over the hypotheses' own optima, at every step
    anew; the same after each own behaviour first; and the best response to each
    hypothesis until it is refuted, then the same.
    """
    pool = _pool(tables, believed)
    weights = np.array([weight for weight, _, _ in believed])
    return Outlook(_Rollouts(tables, pool, weights / weights.sum(), noise).values(rounds))


@dataclass(frozen=True)
class _Pool:
    """The tables of M hypotheses, one after the other: M start states, and which are random."""

    start: Ints
    output: Floats
    after: Ints
    worth: Floats
    random: tuple[bool, ...]


def _pool(tables: PredictorTables, believed: Sequence[tuple[float, Predictor, State]]) -> _Pool:
    found = [tables.find(predictor, state) for _, predictor, state in believed]
    offsets = np.cumsum([0, *(len(table.output) for table, _ in found)])

    def shifted(table: Table, offset: int) -> Ints:
        return table.after + offset

    return _Pool(
        np.array([offset + at for offset, (_, at) in zip(offsets, found, strict=False)]),
        np.concatenate([table.output for table, _ in found]),
        np.concatenate(
            [shifted(table, int(offset)) for offset, (table, _) in zip(offsets, found, strict=False)]
        ),
        np.concatenate([table.worth for table, _ in found], axis=1),
        tuple(table.random for table, _ in found),
    )


class _Rollouts:
    """C plans against N imagined truths under beliefs over M hypotheses."""

    def __init__(self, tables: PredictorTables, pool: _Pool, weights: Floats, noise: float) -> None:
        self.pays = tables.pays
        self.own, self.theirs = tables.own, tables.theirs
        self.pool = pool
        self.noise = noise
        self.weights = weights
        copies = self.theirs * -(-3 // self.theirs)
        self.truth = np.array(
            [i for i, random in enumerate(pool.random) for _ in range(copies if random else 1)]
        )
        shares = np.array([1 / copies if random else 1.0 for random in pool.random])
        self.share = (weights * shares)[self.truth]
        self.draws = _draws(self.truth, copies)

    def values(self, rounds: int) -> Floats:
        pool, own, hypotheses = self.pool, self.own, len(self.weights)
        plans = 1 + own + hypotheses
        truths = len(self.truth)
        belief = np.broadcast_to(self.weights, (plans, truths, hypotheses)).copy()
        states = np.broadcast_to(pool.start, (plans, truths, hypotheses)).copy()
        following = np.zeros((plans, truths), bool)
        following[1 + own :] = True
        leader = np.maximum(np.arange(plans) - 1 - own, 0)[:, None]
        rows, columns = np.arange(plans)[:, None], np.arange(truths)[None, :]
        gains = np.zeros((plans, truths))
        recent = np.zeros((plans, truths))
        opening = np.zeros(plans, np.int64)
        span = min(rounds, HORIZON)
        for t in range(span):
            worth = pool.worth[min(rounds - t, FAR)][states]
            act: Ints = np.einsum("cnm,cnma->cna", belief, worth).argmax(axis=2)
            led = worth[rows, columns, leader].argmax(axis=2)
            act = np.where(following, led, act).astype(np.int64)
            if t == 0:
                act[1 : 1 + own] = np.arange(own)[:, None]
                opening = act[:, 0]
            output = pool.output[states]
            meant = output[rows, columns, self.truth[None, :]]
            shown = self._shown(meant, t)
            # Chance decides where a course leads; what it pays is known on average.
            gain = (self.pays[act] * meant).sum(axis=2)
            gains += gain
            if t >= span - SETTLED:
                recent += gain
            fits = np.take_along_axis(output, shown[:, :, None, None], axis=3)[..., 0]
            following &= fits[rows, columns, leader] >= REFUTED
            belief *= (1 - self.noise) * fits + self.noise / self.theirs
            states = pool.after[states, shown[:, :, None], act[:, :, None]]
        if rounds > span:
            gains += recent * ((rounds - span) / SETTLED)
        worths = gains @ self.share
        best = np.full(own, -np.inf)
        np.maximum.at(best, opening, worths)
        return best

    def _shown(self, chances: Floats, t: int) -> Ints:
        """What each truth plays, float64[C, N, B] -> int64[C, N]: the same draws for all plans."""
        if not any(self.pool.random):
            return chances.argmax(axis=2)
        below = np.cumsum(chances, axis=2)[:, :, :-1]
        return (below < self.draws[None, :, t, None]).sum(axis=2)


def _draws(truth: Ints, copies: int) -> Floats:
    """Numbers in 0..1 for N truths and every step; copies of one truth share each step evenly among them.

    They are the same for every decision, so that a decision hangs on the belief alone.
    """
    rng = np.random.default_rng(0)
    nth = np.zeros(len(truth), np.int64)
    for n in range(1, len(truth)):
        nth[n] = nth[n - 1] + 1 if truth[n] == truth[n - 1] else 0
    shuffled = rng.permuted(np.broadcast_to(np.arange(copies), (HORIZON, copies)), axis=1)
    return ((shuffled[:, nth] + 0.5) / copies).T
