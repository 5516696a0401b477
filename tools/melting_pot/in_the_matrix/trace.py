"""Recorded episodes of the real substrates: what everybody did and what then was seen.

A trace file holds episodes of one substrate, each on the official map or another.
It needs numpy alone, because it is also written by the engine's own Python.
"""

from __future__ import annotations

import io
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Trace:
    """One episode of T steps with P players, N resources and K classes on H × W cells.

    Row 0 is the reset; ``actions`` have no such row. ``poses`` (x, y, orientation)
    mean something only where ``alive``. ``cooling``: steps until the beam is ready,
    2 to 0. ``met``: own and the other's inventory, -1 without a duel. ``marks``:
    the codes of :data:`.state.MARK`. ``collected`` and ``destroyed`` count by player
    and class. ``kinds`` are the resources' classes, ``over`` whether the episode
    ended with the last row (a recording may be cut short).
    """

    substrate: str
    drawing: str
    maximum: int
    over: bool
    kinds: NDArray[np.uint8]  # [N]
    actions: NDArray[np.uint8]  # [T, P]
    alive: NDArray[np.uint8]  # [T+1, P]
    poses: NDArray[np.uint8]  # [T+1, P, 3]
    inventories: NDArray[np.uint16]  # [T+1, P, K]
    cooling: NDArray[np.uint8]  # [T+1, P]
    rewards: NDArray[np.float64]  # [T+1, P]
    met: NDArray[np.int16]  # [T+1, P, 2, K]
    marks: NDArray[np.uint8]  # [T+1, P]
    shown: NDArray[np.uint8]  # [T+1, N]
    beams: NDArray[np.uint8]  # [T+1, H*W]
    collected: NDArray[np.uint8]  # [T+1, P, K]
    destroyed: NDArray[np.uint8]  # [T+1, P, K]

    @property
    def steps(self) -> int:
        """T."""
        return len(self.actions)

    @property
    def players(self) -> int:
        """P."""
        return self.actions.shape[1]


@dataclass(frozen=True)
class Seen:
    """One row of a trace as plain values, to be compared with what our rules give."""

    avatars: tuple[Any, ...]
    """For each: alive, cell, orientation, cooling, reward, mark, inventory, met."""
    shown: tuple[bool, ...]
    beam: frozenset[int]
    collected: tuple[tuple[int, ...], ...]
    destroyed: tuple[tuple[int, ...], ...]
    over: bool


def rows(trace: Trace) -> Iterator[Seen]:
    """The rows of a trace, one by one."""
    poses, alive = trace.poses.tolist(), trace.alive.tolist()
    cooling, rewards, marks = trace.cooling.tolist(), trace.rewards.tolist(), trace.marks.tolist()
    inventories, met = trace.inventories.tolist(), trace.met.tolist()
    collected, destroyed = trace.collected.tolist(), trace.destroyed.tolist()
    shown = trace.shown.astype(bool).tolist()
    for t in range(trace.steps + 1):
        yield Seen(
            avatars=tuple(
                (bool(on), (x, y), facing, *rest, tuple(inventory), tuple(map(tuple, duel)))
                for on, (x, y, facing), *rest, inventory, duel in zip(
                    alive[t], poses[t], cooling[t], rewards[t], marks[t], inventories[t], met[t], strict=True
                )
            ),
            shown=tuple(shown[t]),
            beam=frozenset(trace.beams[t].nonzero()[0].tolist()),
            collected=tuple(map(tuple, collected[t])),
            destroyed=tuple(map(tuple, destroyed[t])),
            over=trace.over and t == trace.steps,
        )


WORDS = ("substrate", "drawing", "maximum", "over")
CHANGING = ("alive", "poses", "inventories", "cooling", "marks", "shown")
"""Arrays kept as their differences from row to row, which are mostly zero."""
BITS = ("beams", "shown", "alive")
"""Arrays of zeros and ones."""
ARRAYS = tuple(entry.name for entry in fields(Trace) if entry.name not in WORDS)


def save(traces: Sequence[Trace], path: Path) -> None:
    """Writes episodes into one file: columns of differences, xz."""
    packed: dict[str, Any] = {"episodes": len(traces)}
    for n, trace in enumerate(traces):
        packed |= {f"{n}.{name}": getattr(trace, name) for name in WORDS}
        for name in ARRAYS:
            values: NDArray[Any] = getattr(trace, name)
            packed[f"{n}.{name}.shape"] = values.shape
            flat = values.reshape(len(values), -1)
            if name in CHANGING:
                flat = np.diff(flat, axis=0, prepend=np.zeros_like(flat[:1]))
            columns = np.ascontiguousarray(flat.T)
            packed[f"{n}.{name}"] = np.packbits(columns & 1) if name in BITS else columns
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
        shape = tuple(packed[f"{n}.{name}.shape"])
        columns = packed[f"{n}.{name}"]
        if name in BITS:
            columns = np.unpackbits(columns, count=int(np.prod(shape)))
        rows = columns.reshape(-1, shape[0]).T
        if name in CHANGING:
            rows = np.cumsum(rows, axis=0, dtype=rows.dtype)
            if name in BITS:
                rows &= 1
        arrays[name] = np.ascontiguousarray(rows).reshape(shape)
    return Trace(
        substrate=str(packed[f"{n}.substrate"]),
        drawing=str(packed[f"{n}.drawing"]),
        maximum=int(packed[f"{n}.maximum"]),
        over=bool(packed[f"{n}.over"]),
        kinds=arrays["kinds"],
        actions=arrays["actions"],
        alive=arrays["alive"],
        poses=arrays["poses"],
        inventories=arrays["inventories"],
        cooling=arrays["cooling"],
        rewards=arrays["rewards"],
        met=arrays["met"],
        marks=arrays["marks"],
        shown=arrays["shown"],
        beams=arrays["beams"],
        collected=arrays["collected"],
        destroyed=arrays["destroyed"],
    )
