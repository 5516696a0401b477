"""Learning curves: per-round regret and ToM %, over the episodes of a cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.measures.episode import Episode, Key, grouped
from otherminds.measures.intervals import Strata
from otherminds.measures.registry import Unknown

Rounds = NDArray[np.float64]


class Band(Struct, frozen=True, eq=False):
    """A mean with its 95 % band, a number a round. Without an interval the band has no width."""

    mean: Rounds
    low: Rounds
    high: Rounds


class Curve(Struct, frozen=True, eq=False):
    """How one mind does in one scenario, round by round.

    ``regret`` is in payoff, ``tom_percent`` in per cent. Figures 19 to 43 of
    Riemer et al. 2025.
    """

    scenario: str
    mind: str
    regret: Band | Unknown
    tom_percent: Band | Unknown


def learning_curves(planned: Iterable[Key], episodes: Iterable[Episode], window: int = 1) -> list[Curve]:
    """One curve for each planned scenario and mind, in their order.

    Only scored episodes count; without any there is no curve. With a ``window`` of more than one round, each
    number is the mean over that many rounds around it; fewer near the ends, as
    many before as after, so that the first and the last round stand for themselves.

    Raises:
        StudyError: an episode that was not planned.
    """
    scored = [episode for episode in episodes if episode.outcome.status == "scored"]
    return [
        Curve(
            *key,
            _band([episode.regrets for episode in found], found, 1.0, window),
            _band([episode.hits for episode in found], found, 100.0, window),
        )
        for key, found in grouped(planned, scored).items()
        if found
    ]


def smooth(rows: Rounds, window: int) -> Rounds:
    """Means over up to ``window`` rounds around each, along the last axis.

    >>> smooth(np.array([[0.0, 3.0, 6.0, 0.0]]), 3).tolist()
    [[0.0, 3.0, 3.0, 0.0]]
    """
    length = rows.shape[-1]
    sums = np.concatenate([np.zeros((len(rows), 1)), rows.cumsum(axis=1)], axis=1)
    at: NDArray[np.int64] = np.arange(length, dtype=np.int64)
    reach = np.minimum(np.minimum(at, length - 1 - at), window // 2)
    return (sums[:, at + reach + 1] - sums[:, at - reach]) / (2 * reach + 1)


def _band(
    rows: Sequence[Rounds | Unknown], episodes: Sequence[Episode], scale: float, window: int
) -> Band | Unknown:
    known: list[Rounds] = []
    for row in rows:
        if isinstance(row, Unknown):
            return row
        known.append(row * scale)
    if len({len(row) for row in known}) > 1:
        return Unknown("the episodes differ in length")
    curves = np.stack(known)
    strata = Strata([episode.stratum for episode in episodes])
    return Band(*strata.band(smooth(curves, window) if window > 1 else curves))
