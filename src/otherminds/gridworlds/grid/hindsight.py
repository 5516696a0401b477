"""Which behaviour each player shows next, found in recorded steps: what literal questions ask, for learners."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1


def hindsight(
    shown: NDArray[np.int8], ended: NDArray[np.bool_], patience: int, behaviours: int
) -> NDArray[np.int8]:
    """The next behaviour of each player from each step on, int8[T, B, P]; ``UNKNOWN`` if episode or recording end before.

    ``shown`` int8[T, B, P] is what was shown in each of T steps that follow one another, -1 if nothing; ``ended``
    bool[T, B] whether the step ended an episode. The answer of step t may be shown in that step itself. If ``patience`` is
    not 0, a player who shows nothing for that many steps shows the last of the ``behaviours`` by it.

    Raises:
        ValueError: the shapes do not fit each other.

    >>> shown = np.array([-1, 2, -1], np.int8).reshape(3, 1, 1)
    >>> hindsight(shown, np.array([[False], [False], [True]]), patience=0, behaviours=4).ravel().tolist()
    [2, 2, -1]
    """
    if shown.ndim != 3 or ended.shape != shown.shape[:2]:
        raise ValueError(f"shown is int8[T, B, P] and ended bool[T, B], not {shown.shape} and {ended.shape}")
    answers = np.full(shown.shape, UNKNOWN, np.int8)
    following = np.full(shown.shape[1:], UNKNOWN, np.int8)
    # Steps from here to the next behaviour, or to the end of what is known
    since = np.zeros(shown.shape[1:], np.int32)
    for t in reversed(range(len(shown))):
        over = ended[t][:, None]
        following = np.where(over, UNKNOWN, following)
        since = np.where(over, 0, since) + 1
        acts = shown[t] >= 0
        following = np.where(acts, shown[t], following)
        since = np.where(acts, 1, since)
        waits = (since >= patience + (following >= 0)) if patience else np.zeros_like(acts)
        answers[t] = np.where(waits, behaviours - 1, following)
    return answers
