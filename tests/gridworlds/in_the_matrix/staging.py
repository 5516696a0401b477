"""States in which stands what stood in the engine's cells, and how ours are painted: for recorded pictures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from otherminds.gridworlds.grid.pixels import TILE, words
from otherminds.gridworlds.in_the_matrix import rules as columns
from otherminds.gridworlds.in_the_matrix.rules import Rules, State, empty


def staged(rules: Rules, film: Mapping[str, np.ndarray], t: int) -> State:
    """A state of ours in which stands what stood in the engine's cells when frame ``t`` was taken."""
    state = empty(rules, 1)
    avatars = film["avatars"][t]
    state.avatars[0, :, [columns.X, columns.Y, columns.FACING]] = avatars[:, :3].T
    state.avatars[0, :, columns.ALIVE] = avatars[:, 3]
    state.avatars[0, :, columns.MARK] = avatars[:, 4]
    kinds = np.array([film["shown"][t, y, x] for x, y in rules.places])
    state.resources[0, :, columns.SHOWN] = kinds > 0
    state.resources[0, :, columns.KIND] = np.maximum(kinds - 1, 0)
    state.beam[0] = film["beam"][t].ravel()
    state.clock[0, columns.BEAMS] = film["beam"][t].any()
    return state


def drawn(rules: Rules, state: State) -> np.ndarray:
    """The windows of all players as the compiled painter draws them: uint8[B, P, rows · 8, columns · 8, 3]."""
    from otherminds.gridworlds.in_the_matrix._kernel import draw_all, scene

    rows, across = rules.view.shape
    pictures = np.zeros((len(state.luck), rules.players, rows * TILE, across * TILE, 3), np.uint8)
    draw_all(scene(rules), state, words(pictures))
    return pictures
