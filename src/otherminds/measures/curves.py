"""Numbers over rounds: learning curves, and rewards around the first validation of a hypothesis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from otherminds.measures.episode import Episode, Key, group_by_cell
from otherminds.measures.intervals import Estimate, Strata
from otherminds.measures.registry import Unknown, all_known

Rounds = NDArray[np.float64]


class Band(Struct, frozen=True, eq=False):
    """A mean with its 95 % band: float64[rounds] each. Without an interval the band has no width."""

    mean: Rounds
    low: Rounds
    high: Rounds


class Curve(Struct, frozen=True, eq=False):
    """The learning curves of one mind in one scenario.

    ``regret`` is in payoff, ``tom_percent`` in per cent. Riemer et al. 2025, figures 19 to 43.
    """

    scenario: str
    mind: str
    regret: Band | Unknown
    tom_percent: Band | Unknown


def learning_curves(planned: Iterable[Key], episodes: Iterable[Episode], window: int = 1) -> list[Curve]:
    """One curve for each planned scenario and mind, in their order.

    Only scored episodes are used; without any there is no curve. Numbers are means over a centred
    ``window`` of rounds, which is narrower near both ends.

    Raises:
        StudyError: an episode that was not planned.
    """
    scored = [episode for episode in episodes if episode.outcome.status == "scored"]
    return [
        Curve(
            *key,
            _band([episode.regrets for episode in played], played, 1.0, window),
            _band([episode.hits for episode in played], played, 100.0, window),
        )
        for key, played in group_by_cell(planned, scored).items()
        if played
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
    series = all_known(rows)
    if isinstance(series, Unknown):
        return series
    if len({len(row) for row in series}) > 1:
        return Unknown("the episodes differ in length")
    curves = np.stack(series) * scale
    strata = Strata([episode.stratum for episode in episodes])
    return Band(*strata.band(smooth(curves, window) if window > 1 else curves))


REACH = 5
"""The number of encounters before and after the validation."""
FEWEST = 2
"""Points with fewer first validations are left out."""
TOO_FEW = "too few first validations have such an encounter"


class ValidationWindow(Struct, frozen=True):
    """One mind's mean reward per encounter around first validations in one scenario (Cross et al. 2025, figure 3).

    ``offsets`` are −k to −1 and 1 to k: 1 is the first encounter with the validated hypothesis.
    ``counts`` are the first validations that each point is a mean over. ``validated`` of
    ``streams`` (a partner in an episode) had one. ``marked``: some episode has many fallbacks
    (:func:`~otherminds.measures.notes.has_many_fallbacks`).
    """

    scenario: str
    mind: str
    offsets: tuple[int, ...]
    rewards: tuple[Estimate, ...]
    counts: tuple[int, ...]
    validated: int
    streams: int
    marked: bool = False


def around_validation(
    planned: Iterable[Key], episodes: Iterable[Episode], reach: int = REACH
) -> list[ValidationWindow]:
    """One window for each planned scenario and mind with notes of hypotheses, in their order.

    Raises:
        StudyError: an episode that was not planned.
    """
    thinking = [episode for episode in episodes if episode.hypothesis_tracks]
    return [_around(key, played, reach) for key, played in group_by_cell(planned, thinking).items() if played]


def _around(key: Key, episodes: Sequence[Episode], reach: int) -> ValidationWindow:
    offsets = (*range(-reach, 0), *range(1, reach + 1))
    sums = np.zeros((len(episodes), len(offsets)))
    counts = np.zeros((len(episodes), len(offsets)))
    for row, episode in enumerate(episodes):
        for track in episode.hypothesis_tracks:
            if track.first is None:
                continue
            start = track.first - reach
            for i in range(max(0, start), min(len(track.rewards), track.first + reach)):
                sums[row, i - start] += track.rewards[i]
                counts[row, i - start] += 1
    strata = Strata([episode.stratum for episode in episodes])
    total: list[int] = counts.sum(axis=0).astype(int).tolist()
    rewards = [
        strata.estimate(sums[:, i], counts[:, i]) if total[i] >= FEWEST else Estimate(None, reason=TOO_FEW)
        for i in range(len(offsets))
    ]
    tracks = [track for episode in episodes for track in episode.hypothesis_tracks]
    marked = any(episode.about.marked for episode in episodes)
    validated = sum(track.first is not None for track in tracks)
    return ValidationWindow(*key, offsets, tuple(rewards), tuple(total), validated, len(tracks), marked)
