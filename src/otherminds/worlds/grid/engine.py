"""One gridworld being played: what the compiled and the plain rules have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray


class Engine(Protocol):
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


class Plain(Protocol):
    """Rules as they are written to be read."""

    def reset(self, seed: int) -> None: ...

    def step(self, actions: list[int]) -> None: ...

    def write(self, state: Any, b: int = 0) -> None: ...


Look = Callable[[Any, Any, int, int], NDArray[np.uint8]]
"""``look(rules, state, b, player)``: what one avatar sees."""


class PlainEngine:
    """Plays plain rules; slow. ``window`` and ``picture`` say what an avatar sees."""

    def __init__(self, rules: Any, plain: Plain, state: Any, window: Look, picture: Look) -> None:
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
