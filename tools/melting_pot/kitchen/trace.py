"""Recorded episodes of the real substrate: what everybody did and what then was there.

A trace file holds episodes, each on the official map or another. It needs numpy
alone, because it is also written by the engine's own Python.
"""

from __future__ import annotations

import io
import lzma
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Trace:
    """One episode of T steps with P players, N containers and M pots on H × W cells.

    Row 0 is the reset; ``actions`` have no such row. ``avatars``: x, y, orientation
    and what is held. ``items``: what lies on each container, ``pots``: tomatoes,
    whether the soup is cooked, the bar. ``beams``: 2**i where player i's beam
    shows. ``over``: whether the episode ended with the last row. ``pictures``: a checksum of the pictures of
    each row (:mod:`.pictures`); no rows where none was taken.
    """

    substrate: str
    drawing: str
    over: bool
    actions: NDArray[np.uint8]  # [T, P]
    avatars: NDArray[np.uint8]  # [T+1, P, 4]
    items: NDArray[np.uint8]  # [T+1, N]
    pots: NDArray[np.uint8]  # [T+1, M, 3]
    beams: NDArray[np.uint16]  # [T+1, H*W]; uint8 with up to eight players
    rewards: NDArray[np.uint8]  # [T+1, P]
    pictures: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))  # [T+1]

    @property
    def steps(self) -> int:
        """T."""
        return len(self.actions)

    @property
    def players(self) -> int:
        """P."""
        return self.actions.shape[1]


ARRAYS = ("actions", "avatars", "items", "pots", "beams", "rewards", "pictures")
STEADY = ("avatars", "items", "pots")
"""Arrays kept as their differences from row to row, which are mostly zero."""


def save(traces: Sequence[Trace], path: Path) -> None:
    """Writes episodes into one file: an array's columns one after the other, xz."""
    packed: dict[str, Any] = {"episodes": len(traces)}
    for n, trace in enumerate(traces):
        packed |= {f"{n}.{name}": getattr(trace, name) for name in ("substrate", "drawing", "over")}
        for name in ARRAYS:
            values: NDArray[Any] = getattr(trace, name)
            flat = values.reshape(len(values), values[:1].size)
            if name in STEADY:
                flat = np.diff(flat, axis=0, prepend=np.zeros_like(flat[:1]))
            packed[f"{n}.{name}"] = np.ascontiguousarray(flat.T)
            packed[f"{n}.{name}.shape"] = values.shape
    raw = io.BytesIO()
    np.savez(raw, **packed)
    path.write_bytes(lzma.compress(raw.getvalue(), preset=9))


def load(path: Path) -> list[Trace]:
    """The episodes of a file. Raises OSError where there is none, LZMAError where it is damaged."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as packed:
        return [_unpacked(packed, n) for n in range(int(packed["episodes"]))]


def _unpacked(packed: Any, n: int) -> Trace:
    arrays: dict[str, NDArray[Any]] = {}
    for name in ARRAYS:
        if f"{n}.{name}" not in packed:
            continue  # Older recordings have no pictures
        rows = packed[f"{n}.{name}"].T
        if name in STEADY:
            rows = np.cumsum(rows, axis=0, dtype=np.uint8)
        arrays[name] = np.ascontiguousarray(rows).reshape(packed[f"{n}.{name}.shape"])
    return Trace(
        substrate=str(packed[f"{n}.substrate"]),
        drawing=str(packed[f"{n}.drawing"]),
        over=bool(packed[f"{n}.over"]),
        **arrays,
    )
