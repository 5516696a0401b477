"""What avatars did, for learners: acts as labels of a batch, the next act as a target, and Melting Pot's shaping.

All are read off the codes that a batch notes in each step, ``batch.did`` (int8[B, P], codes of ``DID`` in
:mod:`.state`), which outlive the end of an episode.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.cooking import state as columns
from otherminds.worlds.cooking.acts import ACTS, BEHAVIOURS, PATIENCE, STOOD

NO_ACT = -1
_ACT = np.full(columns.DELIVERED + 1, NO_ACT, np.int8)
for _code, _behaviour in ACTS.items():
    _ACT[_code] = BEHAVIOURS.index(_behaviour)


def acts(did: NDArray[np.int8]) -> NDArray[np.int8]:
    """The act that each code of ``did`` is, as an index of ``BEHAVIOURS``, -1 for none; of the same shape.

    >>> acts(np.array([[0, columns.FILLED]], np.int8)).tolist()
    [[-1, 1]]
    """
    return _ACT[did]


def pot_events(did: NDArray[np.int8]) -> NDArray[np.float32]:
    """1 where a tomato was put into a pot or soup taken from one, else 0; of the same shape.

    For both Melting Pot pays its actor, and nobody else, the ``cooking_pot_pseudoreward`` of the substrate's
    configuration: 0 in the published substrate, for training more (component ``CookingPot`` of Melting Pot 2.4.1).
    Soup from a counter pays nothing, though it is the same act.

    >>> pot_events(np.array([columns.FILLED, columns.SERVED, columns.TOOK + 3], np.int8)).tolist()
    [1.0, 1.0, 0.0]
    """
    return ((did == columns.FILLED) | (did == columns.SERVED)).astype(np.float32)


def next_acts(done: NDArray[np.int8], over: NDArray[np.bool_]) -> NDArray[np.int8]:
    """The first act of each avatar from each step on, int8[T, B, P]: what the question about the next act asks.

    ``done`` int8[T, B, P] are the acts of T steps that follow one another (:func:`acts`), ``over`` bool[T, B] says which of
    them ended an episode. The label of step t is known before its action; it is ``stood around`` if no act comes
    for ``PATIENCE`` steps, and -1 if the episode, or the recording, ends before either. See :func:`.acts.next_act`.

    Raises:
        ValueError: the shapes do not fit each other.

    >>> done = np.array([-1, 2, -1], np.int8).reshape(3, 1, 1)
    >>> next_acts(done, np.array([[False], [False], [True]])).ravel().tolist()
    [2, 2, -1]
    """
    if done.ndim != 3 or over.shape != done.shape[:2]:
        raise ValueError(f"acts are int8[T, B, P] and over bool[T, B], not {done.shape} and {over.shape}")
    labels = np.full_like(done, NO_ACT)
    coming, away = np.full(done.shape[1:], NO_ACT, np.int8), np.full(done.shape[1:], PATIENCE)
    left = np.zeros((done.shape[1], 1), np.int64)
    for t in reversed(range(len(done))):
        ends = over[t, :, None]
        left = np.where(ends, 1, left + 1)
        away = np.where(ends, PATIENCE, away + 1)
        acted = done[t] != NO_ACT
        away, coming = np.where(acted, 0, away), np.where(acted, done[t], coming)
        stood = np.where(left >= PATIENCE, BEHAVIOURS.index(STOOD), NO_ACT)
        labels[t] = np.where(away < PATIENCE, coming, stood)
    return labels
