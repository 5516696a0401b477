"""Planning against a partner under a belief: rollouts of adaptive plans over several hypotheses.

Every plan is simulated against each hypothesis as the truth, with the belief that would
result, so that information has its value: against some partners one round of punishment or
of trust pays for many. A plan's value is that of a policy that can be followed, so it is
never too high (Bertsekas & Castañón 1999: rollout over a base policy; here the best of several).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Game
from otherminds.games.predictor import Predictor, State

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
class Table:
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
        self._made: dict[int, tuple[Predictor, Table]] = {}

    def find(self, predictor: Predictor, state: State) -> tuple[Table, int]:
        """The table of ``predictor``, and the number of ``state`` in it."""
        if predictor.settled is not None:
            settled = predictor.settled(state)
            return self._tabulate(settled, settled.start), 0
        entry = self._made.get(id(predictor))
        if entry is None or state not in entry[1].number:
            # Keeping the predictor keeps its id unique.
            entry = self._made[id(predictor)] = (predictor, self._tabulate(predictor, state))
        return entry[1], entry[1].number[state]

    def _tabulate(self, predictor: Predictor, start: State) -> Table:
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
        return Table(number, output, after, worth, bool((output.max(axis=1) < 1).any()))

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
