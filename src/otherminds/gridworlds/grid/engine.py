"""Engines that play one gridworld by its compiled rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.luck import MASK
from otherminds.gridworlds.grid.pixels import TILE, words


class Sights(NamedTuple):
    """What P avatars observe, beside pictures.

    ``windows`` uint8[P, rows, columns, layers]. ``vectors`` float64[P, V]: what is observed beside windows, in
    the order of the substrate's ``vector``. ``poses`` int32[P, 3]: x, y, orientation; -1, -1, 0 while removed.
    """

    windows: NDArray[np.uint8]
    vectors: NDArray[np.float64]
    poses: NDArray[np.int32]


class GridEngine(Protocol):
    """Plays one world. ``state`` has one row (B = 1) and is current after each call."""

    state: Any

    def reset(self, seed: int) -> None:
        """A new episode under ``seed``, 0 to 2**64 - 1."""
        ...

    def step(self, actions: Sequence[int]) -> None:
        """One action for each avatar, in their order."""
        ...

    def observe(self) -> Sights:
        """What all avatars observe now; new arrays."""
        ...

    def play(self, actions: Sequence[int]) -> Sights:
        """:meth:`step` and :meth:`observe` in one call."""
        ...

    def pixels(self) -> NDArray[np.uint8]:
        """The windows as Melting Pot draws them, uint8[P, rows · 8, columns · 8, 3]; a new array."""
        ...


class Table(NamedTuple):
    """What a kernel plays one world with, held: what it looks up, the state, and what it reads and fills.

    ``actions`` int64[1, P]; ``windows`` as ``Kernel.cells`` gives them, the rest as in :class:`Sights`, with an
    axis of one world before.
    """

    tables: Any
    state: Any
    actions: NDArray[np.int64]
    windows: NDArray[Any]
    vectors: NDArray[np.float64]
    poses: NDArray[np.int32]


class Kernel(NamedTuple):
    """The compiled functions of a substrate, and what makes the arrays that they work on.

    ``empty(rules, worlds)`` makes the state, ``tables(rules)`` what kernels look up, ``scene(rules)`` what
    pictures are made of. ``cells`` gives windows uint8[B, P, rows, columns, ``layers``] in the form that ``look``
    fills, and :func:`~.pixels.words` pictures in that of ``draw``.

    Kernels run on all worlds: ``reset(tables, state, seeds)``, ``step(tables, state, actions)``;
    ``look(tables, state, cells)`` for windows, ``feel(tables, state, vectors)`` for what is observed beside them,
    ``draw(scene, state, words)`` for pictures. The others take arguments that ``hold`` has taken apart
    (:mod:`._kernel`): ``observe`` and ``play``, which also steps, a :class:`Table`; ``learn(held, actions)`` tables,
    state, :class:`~.learner.Episodes`, :class:`~.learner.Seen` and scene. ``learn`` steps, observes the ends of
    episodes, begins them anew and observes all.
    """

    layers: int
    empty: Callable[[Any, int], Any]
    tables: Callable[[Any], Any]
    reset: Callable[..., None]
    step: Callable[..., None]
    look: Callable[..., None]
    feel: Callable[..., None]
    scene: Callable[[Any], Any]
    draw: Callable[..., None]
    hold: Callable[[Any], Any]
    observe: Callable[[Any], None]
    play: Callable[[Any], None]
    learn: Callable[..., None]
    cells: Callable[[NDArray[np.uint8]], NDArray[Any]]


class KernelEngine:
    """Plays one world by compiled kernels. ``size``: how much each avatar observes beside its window."""

    def __init__(self, rules: Any, kernel: Kernel, size: int) -> None:
        players = rules.players
        self.rules = rules
        self.state = kernel.empty(rules, 1)
        self._kernel = kernel
        self._seeds = np.zeros(1, np.uint64)
        self._tables = kernel.tables(rules)
        self._actions = np.zeros((1, players), np.int64)
        self._sights = Sights(
            windows=np.zeros((1, players, *rules.view.shape, kernel.layers), np.uint8),
            vectors=np.zeros((1, players, size)),
            poses=np.zeros((1, players, 3), np.int32),
        )
        self._hold()

    def _hold(self) -> None:
        windows, vectors, poses = self._sights
        cells = self._kernel.cells(windows)
        table = Table(self._tables, self.state, self._actions, cells, vectors, poses)
        self._held = self._kernel.hold(table)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_held"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._hold()

    def reset(self, seed: int) -> None:
        self._seeds[0] = seed & MASK
        self._kernel.reset(self._tables, self.state, self._seeds)

    def step(self, actions: Sequence[int]) -> None:
        self._actions[0] = actions
        self._kernel.step(self._tables, self.state, self._actions)

    def observe(self) -> Sights:
        self._kernel.observe(self._held)
        return self._copy_sights()

    def play(self, actions: Sequence[int]) -> Sights:
        self._actions[0] = actions
        self._kernel.play(self._held)
        return self._copy_sights()

    def pixels(self) -> NDArray[np.uint8]:
        rows, columns = self.rules.view.shape
        canvas = np.empty((1, self.rules.players, rows * TILE, columns * TILE, 3), np.uint8)
        self._kernel.draw(self._scene, self.state, words(canvas))
        return canvas[0]

    def _copy_sights(self) -> Sights:
        windows, vectors, poses = self._sights
        return Sights(windows[0].copy(), vectors[0].copy(), poses[0].copy())

    @cached_property
    def _scene(self) -> Any:
        return self._kernel.scene(self.rules)
