"""Taboo by the rules as the documentation states them, for one board and one type of partner; shares no code with the product."""

from collections.abc import Callable

Association = Callable[[int, int], float]


def name(near: Association, words: tuple[int, ...], clues: list[int], wrong: list[int]) -> int:
    """The word that the partner names: the first with the largest sum of associations."""
    sums = [sum(near(words[8 + clue], words[place]) for clue in clues) for place in range(8)]
    return max((place for place in range(8) if place not in wrong), key=lambda place: (sums[place], -place))


def second_worths(
    near: Association, words: tuple[int, ...], target: int, first: int, wrong: int, slip: float
) -> dict[int, float]:
    """The expected points of each second clue after a wrong word."""
    worths: dict[int, float] = {}
    for clue in range(6):
        if clue == first:
            continue
        own = name(near, words, [first, clue], [wrong])
        chance = (1 - slip) * (own == target) + slip / 7
        worths[clue] = chance if clue < 4 else 0.0
    return worths


def first_chances(near: Association, words: tuple[int, ...], first: int, slip: float) -> list[float]:
    """The probability of each word after one clue."""
    own = name(near, words, [first], [])
    return [(1 - slip) * (own == place) + slip / 8 for place in range(8)]


def best_worths(near: Association, words: tuple[int, ...], target: int, slip: float) -> list[float]:
    """The expected points of each first clue of a giver who knows its partner."""
    worths: list[float] = []
    for first in range(4):
        chances = first_chances(near, words, first, slip)
        worth = 2 * chances[target]
        for wrong in range(8):
            if wrong != target:
                worth += chances[wrong] * max(second_worths(near, words, target, first, wrong, slip).values())
        worths.append(worth)
    return [*worths, 0.0, 0.0]
