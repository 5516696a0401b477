"""Engines that play one gridworld, with compiled or with plain rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.grid.luck import MASK
from otherminds.worlds.grid.pixels import TILE, words


class GridEngine(Protocol):
    """Plays one world. ``state`` has one row (B = 1) and is current after each call."""

    state: Any

    def reset(self, seed: int) -> None:
        """A new episode under ``seed``, 0 to 2**64 - 1."""
        ...

    def step(self, actions: Sequence[int]) -> None:
        """One action for each avatar, in their order."""
        ...

    def windows(self) -> NDArray[np.uint8]:
        """The symbolic windows of all avatars, uint8[P, rows, columns, layers]; a new array."""
        ...

    def pixels(self) -> NDArray[np.uint8]:
        """The windows as Melting Pot draws them, uint8[P, rows · 8, columns · 8, 3]; a new array."""
        ...


class Kernel(NamedTuple):
    """The compiled functions of a substrate, and what makes the arrays that they work on.

    ``empty(rules, worlds)`` makes the state, ``tables(rules)`` what kernels look up, ``scene(rules)`` what
    pictures are made of. Kernels run on all worlds: ``reset(tables, state, seeds)``, ``step(tables, state,
    actions)``, ``look(tables, state, cells)`` for windows, ``feel(tables, state, vectors)`` for what is observed
    beside them, ``draw(scene, state, words)`` for pictures, and ``advance(tables, state, episodes, actions,
    seen, scene)``, which steps, observes the ends of episodes, begins them anew and observes all. ``cells``
    gives windows uint8[B, P, rows, columns, ``layers``] in the form that ``look`` fills, and
    :func:`~.pixels.words` pictures in that of ``draw``.
    """

    layers: int
    empty: Callable[[Any, int], Any]
    tables: Callable[[Any], Any]
    reset: Callable[..., None]
    step: Callable[..., None]
    look: Callable[..., None]
    feel: Callable[..., None]
    advance: Callable[..., None]
    scene: Callable[[Any], Any]
    draw: Callable[..., None]
    cells: Callable[[NDArray[np.uint8]], NDArray[Any]]


class KernelEngine:
    """Plays one world by compiled kernels."""

    def __init__(self, rules: Any, kernel: Kernel) -> None:
        self.rules = rules
        self.state = kernel.empty(rules, 1)
        self._kernel = kernel
        self._tables = kernel.tables(rules)
        self._seeds = np.zeros(1, np.uint64)
        self._actions = np.zeros((1, rules.players), np.int64)

    def reset(self, seed: int) -> None:
        self._seeds[0] = seed & MASK
        self._kernel.reset(self._tables, self.state, self._seeds)

    def step(self, actions: Sequence[int]) -> None:
        self._actions[0] = actions
        self._kernel.step(self._tables, self.state, self._actions)

    def windows(self) -> NDArray[np.uint8]:
        seen = np.empty((1, self.rules.players, *self.rules.view.shape, self._kernel.layers), np.uint8)
        self._kernel.look(self._tables, self.state, self._kernel.cells(seen))
        return seen[0]

    def pixels(self) -> NDArray[np.uint8]:
        rows, columns = self.rules.view.shape
        drawn = np.empty((1, self.rules.players, rows * TILE, columns * TILE, 3), np.uint8)
        self._kernel.draw(self._scene, self.state, words(drawn))
        return drawn[0]

    @cached_property
    def _scene(self) -> Any:
        return self._kernel.scene(self.rules)


class PlainRules(Protocol):
    """Rules in plain Python."""

    def reset(self, seed: int) -> None: ...

    def step(self, actions: list[int]) -> None: ...

    def write(self, state: Any, b: int = 0) -> None: ...


Look = Callable[[Any, Any, int, int], NDArray[np.uint8]]
"""``look(rules, state, b, player)``: what one avatar sees."""


class PlainEngine:
    """Plays plain rules; slow. ``window`` and ``picture`` say what an avatar sees."""

    def __init__(self, rules: Any, plain: PlainRules, state: Any, window: Look, picture: Look) -> None:
        self.rules = rules
        self.plain = plain
        self.state = state
        self._window = window
        self._picture = picture

    def reset(self, seed: int) -> None:
        self.plain.reset(seed)
        self.plain.write(self.state)

    def step(self, actions: Sequence[int]) -> None:
        self.plain.step(list(actions))
        self.plain.write(self.state)

    def windows(self) -> NDArray[np.uint8]:
        return self._all(self._window)

    def pixels(self) -> NDArray[np.uint8]:
        return self._all(self._picture)

    def _all(self, look: Look) -> NDArray[np.uint8]:
        return np.stack([look(self.rules, self.state, 0, i) for i in range(self.rules.players)])
