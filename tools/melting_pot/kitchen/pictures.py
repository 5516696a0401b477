"""Recorded pictures as checksums, and the state of ours that must look the same."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from tools.melting_pot.kitchen.trace import Trace

from otherminds.gridworlds.cooking import rules as columns
from otherminds.gridworlds.cooking.rules import Rules, State, empty


def checksum(pictures: Iterable[NDArray[np.uint8]]) -> int:
    """One number for the pictures of a step: of the whole map, then of each player."""
    total = 0
    for picture in pictures:
        total = crc32(np.ascontiguousarray(picture), total)
    return total


def stage(rules: Rules, trace: Trace, t: int) -> State:
    """A state of ours in which stands what stood in the engine's kitchen after step ``t`` (0: the reset)."""
    state = empty(rules, 1)
    width, _ = rules.size
    state.avatars[0, :, : columns.COOLDOWN] = trace.avatars[t, :, :3]
    state.avatars[0, :, columns.HELD] = trace.avatars[t, :, 3]
    state.items[0] = trace.items[t]
    state.pots[0, :, [columns.INSIDE, columns.COOKED, columns.BAR]] = trace.pots[t].T
    # A bit a player in the recording; ours is the last player's number.
    state.beam[0] = [int(bits).bit_length() for bits in trace.beams[t]]
    state.clock[0, columns.BEAMS] = trace.beams[t].any()
    for i, (x, y, *_) in enumerate(trace.avatars[t].tolist()):
        state.here[0, y * width + x] = i + 1
    return state
