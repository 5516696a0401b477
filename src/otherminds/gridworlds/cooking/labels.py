"""What avatars did, for learners: acts as labels of a batch, and Melting Pot's shaping.

All are read off the codes that a batch notes in each step, ``batch.did`` (int8[B, P], codes of ``DID`` in
:mod:`.state`), which outlive the end of an episode.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.cooking import state as columns
from otherminds.gridworlds.cooking.acts import ACTS, BEHAVIOURS

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
