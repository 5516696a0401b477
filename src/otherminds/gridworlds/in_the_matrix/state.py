"""The state of B worlds as flat arrays, with the numbers of their columns.

``steps`` count from 1 (the first step of an episode); 0 is the reset.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.in_the_matrix.rules import Rules

# Columns of ``avatars``.
X, Y, FACING = 0, 1, 2
ALIVE = 3  # 1 on the map, 0 removed after a duel
COOLDOWN = 4  # steps until the beam can be fired again: 2, 1, 0
LOCK = 5  # steps for which the avatar can neither move nor turn nor fire
PENDING = 6  # steps until its duel takes effect; -1: none is pending
READY = 7  # 1 if it has collected anything since its inventory was last reset
SINCE = 8  # the step in which it was removed
FOE = 9  # the opponent of its last duel, -1 before the first
INDICATOR = 10  # what its marker is to show from the next step on, in the codes of MARK
MARK = 11  # what is shown above it: 0 nothing, 1 ready, 2 to 6 the result of a duel, least to greatest
ZAPPER = 12  # 1 if it fired the beam of its last duel (the row player)
COUNTS = 13  # from here on: its inventory, one column a class

# Columns of ``resources``.
KIND = 0  # the class, by index; fixed for an episode
SHOWN = 1  # 1 if it is there to be collected
HEALTH = 2
GONE = 3  # the step in which it went

# Columns of ``clock``.
STEP = 0
OVER = 1  # 0 going on, 1 ended by chance, 2 at the greatest length
BEAMS = 2  # 1 if ``beam`` has anything in it


class State(NamedTuple):
    """B worlds of P avatars, N resources, K classes on a map of H × W cells.

    ``avatars`` int32[B, P, 13 + K], ``resources`` int32[B, N, 4], ``clock`` int32[B, 3]: columns above.
    ``luck`` uint64[B]. ``here`` int8[B, H·W]: 1 + the avatar in a cell, 0 for none. ``beam`` uint8[B, H·W]: 1
    where a beam shows. ``pay`` float64[B, P]: what the pending duel will bring. ``rewards`` float64[B, P]: of
    the last step. ``met`` int32[B, P, 2, K]: own and the other's inventory in a duel resolved in the last
    step, -1 if none, 0 at the reset.
    """

    avatars: NDArray[np.int32]
    resources: NDArray[np.int32]
    clock: NDArray[np.int32]
    luck: NDArray[np.uint64]
    here: NDArray[np.int8]
    beam: NDArray[np.uint8]
    pay: NDArray[np.float64]
    rewards: NDArray[np.float64]
    met: NDArray[np.int32]


def empty(rules: Rules, worlds: int) -> State:
    """Arrays for ``worlds`` worlds, all zero."""
    width, height = rules.size
    players, kinds, places = rules.players, len(rules.classes), len(rules.places)
    return State(
        avatars=np.zeros((worlds, players, COUNTS + kinds), np.int32),
        resources=np.zeros((worlds, places, 4), np.int32),
        clock=np.zeros((worlds, 3), np.int32),
        luck=np.zeros(worlds, np.uint64),
        here=np.zeros((worlds, height * width), np.int8),
        beam=np.zeros((worlds, height * width), np.uint8),
        pay=np.zeros((worlds, players)),
        rewards=np.zeros((worlds, players)),
        met=np.zeros((worlds, players, 2, kinds), np.int32),
    )
