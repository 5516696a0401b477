"""One gridworld being played: what the compiled and the plain rules have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from otherminds.worlds.grid.luck import MASK


class GridEngine(Protocol):
    """Plays one world. ``state`` has one row (B = 1) and is true after each call."""

    state: Any

    def reset(self, seed: int) -> None:
        """A new episode under ``seed``, 0 to 2**64 - 1."""
        ...

    def step(self, actions: Sequence[int]) -> None:
        """Everybody acts once, in the order of the avatars."""
        ...

    def windows(self) -> NDArray[np.uint8]:
        """The symbolic windows of all avatars, uint8[P, rows, columns, layers]; a new array."""
        ...

    def pixels(self) -> NDArray[np.uint8]:
        """The windows as Melting Pot draws them, uint8[P, rows · 8, columns · 8, 3]; a new array."""
        ...


class KernelEngine(ABC):
    """Plays one world by compiled kernels, given with the arrays that they work on.

    ``reset_all(tables, state, seeds)`` and ``step_all(tables, state, actions)`` are
    the kernels, ``painter`` makes what paints the windows, when it is first asked to.
    """

    def __init__(
        self,
        rules: Any,
        state: Any,
        tables: Any,
        reset_all: Callable[[Any, Any, NDArray[np.uint64]], None],
        step_all: Callable[[Any, Any, NDArray[np.int64]], None],
        painter: Callable[[Any, int], Any],
    ) -> None:
        self.rules = rules
        self.state = state
        self._tables = tables
        self._reset_all, self._step_all, self._paints = reset_all, step_all, painter
        self._seeds = np.zeros(1, np.uint64)
        self._actions = np.zeros((1, rules.players), np.int64)

    def reset(self, seed: int) -> None:
        self._seeds[0] = seed & MASK
        self._reset_all(self._tables, self.state, self._seeds)

    def step(self, actions: Sequence[int]) -> None:
        self._actions[0] = actions
        self._step_all(self._tables, self.state, self._actions)

    @abstractmethod
    def windows(self) -> NDArray[np.uint8]:
        """See :class:`GridEngine`."""

    def pixels(self) -> NDArray[np.uint8]:
        return self._painter.observe(self.state)[0].copy()

    @cached_property
    def _painter(self) -> Any:
        return self._paints(self.rules, 1)


class PlainRules(Protocol):
    """Rules as they are written to be read."""

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
