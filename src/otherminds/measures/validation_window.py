"""Rewards around the moment of validation: figure 3 of Cross et al. 2025."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct

from otherminds.measures.episode import Episode, Key, grouped
from otherminds.measures.hypothesis_tracks import HypothesisTrack
from otherminds.measures.intervals import Estimate, Strata

REACH = 5
"""So many encounters are looked at on either side."""
FEWEST = 2
"""A point that fewer first validations speak for is left out."""
TOO_FEW = "too few first validations have such an encounter"


class ValidationWindow(Struct, frozen=True):
    """One mind's mean reward an encounter around first validations in one scenario.

    ``offsets`` are −k to −1 and 1 to k: 1 is the first encounter that was gone into with the
    validated hypothesis. ``counts`` says how many first validations each point is over:
    those that came early have few encounters before, those that came late few after.
    ``validated`` of ``streams`` (a partner in an episode) had one. ``marked``: some episode has many
    fallbacks (:func:`~otherminds.measures.fallbacks.marked`).
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
    """One for each planned scenario and mind with notes of hypotheses, in their order.

    Raises:
        StudyError: an episode that was not planned.
    """
    thinking = [episode for episode in episodes if episode.hypothesis_tracks]
    return [_around(key, found, reach) for key, found in grouped(planned, thinking).items() if found]


def _around(key: Key, episodes: Sequence[Episode], reach: int) -> ValidationWindow:
    offsets = (*range(-reach, 0), *range(1, reach + 1))
    sums = np.zeros((len(episodes), len(offsets)))
    counts = np.zeros((len(episodes), len(offsets)))
    for row, episode in enumerate(episodes):
        for course in episode.hypothesis_tracks:
            for column, reward in _placed(course, reach):
                sums[row, column] += reward
                counts[row, column] += 1
    strata = Strata([episode.stratum for episode in episodes])
    total: list[int] = counts.sum(axis=0).astype(int).tolist()
    rewards = [
        strata.estimate(sums[:, i], counts[:, i]) if total[i] >= FEWEST else Estimate(None, reason=TOO_FEW)
        for i in range(len(offsets))
    ]
    met = [course for episode in episodes for course in episode.hypothesis_tracks]
    marked = any(episode.about.marked for episode in episodes)
    validated = sum(course.first is not None for course in met)
    return ValidationWindow(*key, offsets, tuple(rewards), tuple(total), validated, len(met), marked)


def _placed(course: HypothesisTrack, reach: int) -> list[tuple[int, float]]:
    """The rewards of a course near its first validation, by the column of their offset."""
    if course.first is None:
        return []
    start = course.first - reach
    window = range(max(0, start), min(len(course.rewards), course.first + reach))
    return [(i - start, course.rewards[i]) for i in window]
