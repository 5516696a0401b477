"""Worlds that one thread steps together, by compiled kernels: a shard of a :class:`~.learner.LearnerBatch`.

As in Gymnasium's vector environments under ``AutoresetMode.SAME_STEP``, a world whose episode ends starts its
next episode in the same step. Each world equals the PettingZoo world under the same seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from otherminds.core.errors import WorldError
from otherminds.gridworlds.grid.engine import Kernel
from otherminds.gridworlds.grid.pixels import Pixels, words


class Seen(NamedTuple):
    """What B worlds of P avatars are observed to be, in the arrays that a batch hands out.

    ``windows`` uint8[B, P, rows, columns, layers]. ``vectors`` float32[B, P, V]. ``rgb`` uint8[B, P, rows · 8,
    columns · 8, 3], or None. The ``final`` ones are of the same shapes: their rows are filled where an episode
    ended in the last step, with its last observation.
    """

    windows: NDArray[Any]
    vectors: NDArray[np.float32]
    rgb: NDArray[Any] | None
    final_windows: NDArray[Any]
    final_vectors: NDArray[np.float32]
    final_rgb: NDArray[Any] | None

    @classmethod
    def empty(cls, window: tuple[int, ...], vector: tuple[int, ...], picture: tuple[int, ...] | None) -> Seen:
        """Arrays of these shapes, all zero; without pictures if ``picture`` is None."""
        windows, final_windows = np.zeros(window, np.uint8), np.zeros(window, np.uint8)
        vectors, final_vectors = np.zeros(vector, np.float32), np.zeros(vector, np.float32)
        rgb, final_rgb = (None if picture is None else np.zeros(picture, np.uint8) for _ in range(2))
        return cls(windows, vectors, rgb, final_windows, final_vectors, final_rgb)


class Episodes(NamedTuple):
    """What a batch keeps beside the state of B worlds of P avatars, for it outlives their episodes.

    ``seeds`` uint64[B]: of the episodes going on. ``rewards`` float32[B, P], ``over`` int32[B]: of the last
    step; 1 where it ended an episode by chance, 2 at the maximum length. ``returns`` float64[B, P]: summed
    rewards of the episodes going on. ``last_returns`` float64[B, P] and ``last_lengths`` int32[B]: of the
    episodes that ended last, 0 before. ``met`` int32[B, P, 2, K]: the own and the other's inventory where a duel
    was resolved in the last step, else -1; 0 at the reset, and K = 0 where there are no duels.
    ``did`` int8[B, P]: what each avatar did in the last step, in the codes of a kitchen; 0 for nothing, and in other
    substrates.
    """

    seeds: NDArray[np.uint64]
    rewards: NDArray[np.float32]
    over: NDArray[np.int32]
    returns: NDArray[np.float64]
    last_returns: NDArray[np.float64]
    last_lengths: NDArray[np.int32]
    met: NDArray[np.int32]
    did: NDArray[np.int8]

    @classmethod
    def empty(cls, worlds: int, players: int, kinds: int) -> Episodes:
        """Arrays for ``worlds`` worlds, all zero; ``kinds`` is K."""
        return cls(
            seeds=np.zeros(worlds, np.uint64),
            rewards=np.zeros((worlds, players), np.float32),
            over=np.zeros(worlds, np.int32),
            returns=np.zeros((worlds, players)),
            last_returns=np.zeros((worlds, players)),
            last_lengths=np.zeros(worlds, np.int32),
            met=np.zeros((worlds, players, 2, kinds), np.int32),
            did=np.zeros((worlds, players), np.int8),
        )


class GridBatch:
    """Worlds of a substrate under ``rules``, stepped together by its compiled ``kernel``.

    ``state`` is their complete state; ``seen`` and ``episodes`` are arrays, or parts of arrays, that it fills. Of
    these, ``windows``, ``vectors``, ``seeds`` and ``did`` are for partners, who play in the worlds of one shard.
    After an episode under seed s a world goes on under ``Luck(s).next()`` (see
    :mod:`otherminds.gridworlds.grid.luck`), so every episode can be played again alone. Kernels use one thread and
    release the interpreter lock: several threads can step several batches.

    Raises:
        ValueError: the map is not enclosed, or has fewer spawn points than avatars.
    """

    def __init__(self, rules: Any, kernel: Kernel, seen: Seen, episodes: Episodes) -> None:
        self.rules = rules
        self.worlds = len(episodes.seeds)
        self.players: int = rules.players
        self.state = kernel.empty(rules, self.worlds)
        self.windows: NDArray[np.uint8] = seen.windows
        self.vectors = seen.vectors
        self.seeds = shown(episodes.seeds)
        self.did = shown(episodes.did)
        self._episodes = episodes
        self._kernel = kernel
        self._tables = kernel.tables(rules)
        self._scene = None if seen.rgb is None else kernel.scene(rules)
        self._seen = Seen(
            windows=kernel.cells(seen.windows),
            vectors=seen.vectors,
            rgb=_drawn(seen.rgb),
            final_windows=kernel.cells(seen.final_windows),
            final_vectors=seen.final_vectors,
            final_rgb=_drawn(seen.final_rgb),
        )
        self._held = kernel.hold((self._tables, self.state, episodes, self._seen, self._scene))

    def reset(self, seeds: NDArray[np.uint64]) -> None:
        """New episodes everywhere, under ``seeds`` uint64[B]."""
        for array in self._episodes:
            array[:] = 0
        self._episodes.seeds[:] = seeds
        self._kernel.reset(self._tables, self.state, self._episodes.seeds)
        self._kernel.look(self._tables, self.state, self._seen.windows)
        self._kernel.feel(self._tables, self.state, self._seen.vectors)
        if self._scene is not None:
            self._kernel.draw(self._scene, self.state, self._seen.rgb)

    def step(self, actions: NDArray[np.int64]) -> None:
        """One step of all worlds. ``actions`` int64[B, P], 0 to 7, which is not checked."""
        self._kernel.learn(self._held, actions)


def _drawn(pictures: Pixels | None) -> NDArray[np.uint64] | None:
    return None if pictures is None else words(pictures)


def shown(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of ``array``."""
    view = array.view()
    view.flags.writeable = False
    return view


def copied(kept: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Copies of arrays by name: a snapshot."""
    return {name: array.copy() for name, array in kept.items()}


def put_back(kept: Mapping[str, NDArray[Any]], snapshot: Mapping[str, NDArray[Any]], what: str) -> None:
    """Writes a snapshot (:func:`copied`) into the arrays ``kept`` of a ``what``, such as a batch.

    Raises:
        WorldError: an array is missing, or has another shape or type.
    """
    for name, array in kept.items():
        found = snapshot.get(name)
        if found is None or found.shape != array.shape or found.dtype != array.dtype:
            raise WorldError(f"the snapshot is of another {what}: {name!r} does not fit")
        array[:] = found
