"""An engine that plays rules written in plain Python: slow, and written apart from the compiled ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from otherminds.gridworlds.grid.pixels import Codes, Paint, Pixels, picture
from otherminds.gridworlds.grid.rules import View
from otherminds.gridworlds.grid.world import Sights


class PlainRules(Protocol):
    """Rules in plain Python."""

    rules: Any

    def reset(self, seed: int) -> None: ...

    def step(self, actions: list[int]) -> None: ...

    def write(self, state: Any, b: int = 0) -> None: ...


Plain = TypeVar("Plain", bound=PlainRules)


class PlainEngine(Generic[Plain]):
    """Plays ``plain`` as a :class:`~otherminds.gridworlds.grid.world.GridEngine`.

    ``window``, ``vector`` and ``picture`` give what one avatar observes, from (rules, state, world, player);
    ``pose`` gives where it is, from (state, world, player).
    """

    def __init__(
        self,
        plain: Plain,
        state: Any,
        window: Callable[[Any, Any, int, int], NDArray[np.uint8]],
        vector: Callable[[Any, Any, int, int], list[float]],
        pose: Callable[[Any, int, int], list[int]],
        picture: Callable[[Any, Any, int, int], NDArray[np.uint8]],
    ) -> None:
        self.rules = plain.rules
        self.plain = plain
        self.state = state
        self._window = window
        self._vector = vector
        self._pose = pose
        self._picture = picture

    def reset(self, seed: int) -> None:
        self.plain.reset(seed)
        self.plain.write(self.state)

    def step(self, actions: Sequence[int]) -> None:
        self.plain.step(list(actions))
        self.plain.write(self.state)

    def observe(self) -> Sights:
        rules, state, players = self.rules, self.state, range(self.rules.players)
        return Sights(
            np.stack([self._window(rules, state, 0, i) for i in players]),
            np.array([self._vector(rules, state, 0, i) for i in players], np.float64),
            np.array([self._pose(state, 0, i) for i in players], np.int32),
        )

    def play(self, actions: Sequence[int]) -> Sights:
        self.step(actions)
        return self.observe()

    def pixels(self) -> NDArray[np.uint8]:
        return np.stack([self._picture(self.rules, self.state, 0, i) for i in range(self.rules.players)])


def cut(view: View, whole: NDArray[np.uint8], pose: tuple[int, int, int]) -> NDArray[np.uint8]:
    """The window of ``whole`` (uint8[height, width, layers]) from ``pose``: uint8[rows, columns, layers].

    Cells outside the map are 0.
    """
    x, y, facing = pose
    height, width, layers = whole.shape
    margin = view.margin
    padded = np.zeros((height + 2 * margin, width + 2 * margin, layers), np.uint8)
    padded[margin : margin + height, margin : margin + width] = whole
    down, right = view.gaze[facing] + margin
    return padded[y + down, x + right]


def cut_picture(paint: Paint, codes: Codes, player: int, x: int, y: int, facing: int) -> Pixels:
    """What ``player`` sees from (x, y) where ``codes`` stand, with the margin: uint8[rows · 8, columns · 8, 3]."""
    dy, dx = paint.gaze[facing]
    return picture(paint.tiles[player, facing], codes[y + paint.margin + dy, x + paint.margin + dx])
