"""Predictors as tables: their states numbered, with what each plays, where it leads and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from otherminds.core.data import Game
from otherminds.games.predictor import Predictor, State

LIMIT = 100
"""States beyond this are not followed: those that lead there lead back to themselves."""
FAR = 24
"""Rounds that a table's worth looks ahead at most."""


@dataclass(frozen=True)
class Table:
    """A predictor's states from some state on, with S states, A own behaviours and B of the partner's.

    ``output`` float64[S, B] is what it plays, ``after`` int64[S, B, A] where it goes, and
    ``worth`` float64[FAR + 1, S, A] the return of an own behaviour with so many rounds
    left, if one knew that this is the partner and played best from there on. ``random``
    says whether chance has a part in what it plays.
    """

    number: dict[State, int]
    output: NDArray[np.float64]
    after: NDArray[np.int64]
    worth: NDArray[np.float64]
    random: bool


class PredictorTables:
    """The tables of predictors in one game (seen from the own seat), made when they are needed."""

    def __init__(self, game: Game) -> None:
        self.own, self.theirs = (len(names) for names in game.behaviours)
        self.pays = np.array([[cell[0] for cell in row] for row in game.payoffs])
        self._made: dict[int, tuple[Predictor, Table]] = {}

    def find(self, predictor: Predictor, state: State) -> tuple[Table, int]:
        """The table of ``predictor``, and the number of ``state`` in it."""
        if predictor.settled is not None:
            settled = predictor.settled(state)
            return self._tabulate(settled, settled.start), 0
        known = self._made.get(id(predictor))
        if known is None or state not in known[1].number:
            # The predictor is kept too, so that its id stays its own.
            known = self._made[id(predictor)] = (predictor, self._tabulate(predictor, state))
        return known[1], known[1].number[state]

    def _tabulate(self, predictor: Predictor, start: State) -> Table:
        number: dict[State, int] = {start: 0}
        states: list[State] = [start]
        rows: list[list[list[int]]] = []
        for at in states:
            rows.append([])
            for theirs in range(self.theirs):
                rows[-1].append([])
                for own in range(self.own):
                    to = predictor.after(at, theirs, own)
                    if to not in number and len(states) < LIMIT:
                        number[to] = len(states)
                        states.append(to)
                    rows[-1][-1].append(number.get(to, number[at]))
        output = np.array([predictor.output(state) for state in states])
        after = np.array(rows)
        worth = self._worth(output, after)
        return Table(number, output, after, worth, bool((output.max(axis=1) < 1).any()))

    def _worth(self, output: NDArray[np.float64], after: NDArray[np.int64]) -> NDArray[np.float64]:
        worth = np.zeros((FAR + 1, len(output), self.own))
        now = output @ self.pays.T
        for left in range(1, FAR + 1):
            best = worth[left - 1].max(axis=1)
            worth[left] = now + np.einsum("sb,sba->sa", output, best[after])
        return worth
