"""Wavelength by the rules as the documentation states them, for one board and one slip; shares no code with the product."""

from collections.abc import Callable
from math import floor, sqrt

CURVES: dict[str, Callable[[float], float]] = {
    "straight": lambda x: x,
    "steep_low": sqrt,
    "steep_high": lambda x: x * x,
    "steep_middle": lambda x: x * x / (x * x + (1 - x) * (1 - x)),
    "steepest_high": lambda x: x * x * x,
}
Association = Callable[[int, int], float]


def position(near: Association, curve: str, left: int, right: int, clue: int) -> int:
    """The position of a clue on the dial, from 0 to 8."""
    a, b = near(clue, left) + 0.05, near(clue, right) + 0.05
    return floor(8 * CURVES[curve](b / (a + b)) + 0.5)


def points(dial: int, target: int) -> float:
    return {0: 4.0, 1: 3.0, 2: 2.0}.get(abs(dial - target), 0.0)


def give(near: Association, curve: str, words: tuple[int, ...], target: int, slip: float) -> list[float]:
    """What each clue is worth to a giver who knows its partner."""
    left, right, *clues = words
    worths: list[float] = []
    for clue in clues:
        own = position(near, curve, left, right, clue)
        by_slip = sum(points(dial, target) for dial in range(9)) / 9
        worths.append((1 - slip) * points(own, target) + slip * by_slip)
    return worths


def chance_of_clue(
    near: Association, curve: str, words: tuple[int, ...], target: int, clue: int, slip: float
) -> float:
    """The probability that the partner gives clue number ``clue`` for ``target``."""
    left, right, *clues = words
    distances = [abs(position(near, curve, left, right, word) - target) for word in clues]
    nearest = distances.index(min(distances))
    return (1 - slip) * (clue == nearest) + slip / len(clues)
