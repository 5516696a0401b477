"""What was recorded of one episode of the real engine, and its file.

A file is the numpy archive of all episodes, compressed (xz), with the cells as changes from step to step.
"""

from __future__ import annotations

import io
import lzma
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

CHANGES = ("things", "beams", "poses", "alive")
"""Arrays that are stored as changes."""


@dataclass
class Recording:
    """One episode of T steps, P players, a map of H rows and W columns.

    ``variant``: the number of the variant. ``drawing`` uint8[H, W]: the characters of the map. ``actions`` uint8[T, P]. From the reset
    on: ``poses`` uint8[T + 1, P, 3] (x, y, orientation), ``alive`` uint8[T + 1, P], ``rewards`` int8[T + 1, P], ``vectors`` float32[T + 1,
    P, V], ``things`` and ``beams`` uint8[T + 1, H · W] as in the state of the library, ``pictures`` uint32[T + 1]: :func:`digest`
    of the whole map and all windows. ``tide`` uint8[H · W]: the picture of water at the reset. ``colours`` uint8[P]: of the players' coins. ``over``: whether the
    episode ended in its last step, before the greatest length. ``washing_above``: whether the engine drew beams that clean above those
    that zap, which differs from one build of it to the next.
    """

    variant: int
    drawing: np.ndarray
    actions: np.ndarray
    poses: np.ndarray
    alive: np.ndarray
    rewards: np.ndarray
    vectors: np.ndarray
    things: np.ndarray
    beams: np.ndarray
    pictures: np.ndarray
    tide: np.ndarray
    colours: np.ndarray
    over: bool
    washing_above: bool

    @property
    def steps(self) -> int:
        """Its steps."""
        return len(self.actions)


def digest(world: np.ndarray, windows: np.ndarray) -> int:
    """A number of 32 bits from all pixels of the map and of the windows."""
    text = blake2b(world.tobytes() + windows.tobytes(), digest_size=4).digest()
    return int.from_bytes(text, "little")


def save(recordings: list[Recording], path: Path) -> None:
    """Writes episodes into a file."""
    arrays: dict[str, np.ndarray] = {}
    for n, recording in enumerate(recordings):
        for name, value in vars(recording).items():
            array = np.asarray(value)
            if name in CHANGES:
                array = array.copy()
                array[1:] ^= np.asarray(value)[:-1]
            arrays[f"{n}.{name}"] = array
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # pyright: ignore[reportArgumentType]
    path.write_bytes(lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def load(path: Path) -> list[Recording]:
    """The episodes in a file."""
    fields: dict[int, dict[str, np.ndarray]] = {}
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as file:
        for key in file.files:
            number, name = key.split(".")
            fields.setdefault(int(number), {})[name] = file[key]
    recordings: list[Recording] = []
    for _, arrays in sorted(fields.items()):
        for name in CHANGES:
            arrays[name] = np.bitwise_xor.accumulate(arrays[name], axis=0)
        over, variant, above = (int(arrays.pop(name)) for name in ("over", "variant", "washing_above"))
        recordings.append(Recording(over=bool(over), variant=variant, washing_above=bool(above), **arrays))
    return recordings
