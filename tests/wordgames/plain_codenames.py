"""Codenames by the rules as the documentation states them, for one board; shares no code with the product."""

from collections.abc import Callable
from itertools import permutations

Association = Callable[[int, int], float]
COLOURS = "ooottnna"
"""Ours, theirs, neutral, the assassin."""
POINTS = {"o": 1.0, "t": -1.0, "n": 0.0, "a": -3.0}
KEYS = sorted({"".join(key) for key in permutations(COLOURS)}, key=lambda key: ["otna".index(c) for c in key])


def ranking(near: Association, words: tuple[int, ...], clue: int) -> list[int]:
    """The places of the eight words, the closest to the clue first."""
    return sorted(range(8), key=lambda place: (-near(words[8 + clue], words[place]), place))


def give(near: Association, words: tuple[int, ...], key: str) -> tuple[int, int]:
    """The clue and the number of the partner."""
    best: tuple[float, int, int] | None = None
    for clue in range(4):
        order = ranking(near, words, clue)
        strength = [near(words[8 + clue], words[place]) for place in order]
        safe = 0
        while safe < 2 and key[order[safe]] == "o":
            safe += 1
        first_other = next(rank for rank in range(8) if key[order[rank]] != "o")
        first_ours = next(rank for rank in range(8) if key[order[rank]] == "o")
        margin = (strength[safe - 1] if safe else strength[first_ours]) - strength[first_other]
        score = safe + margin / 4
        if best is None or score > best[0]:
            best = (score, clue, max(safe, 1))
    assert best is not None
    return best[1], best[2]


def expect_names(order: list[int], key: str, number: int, slip: float, named: tuple[int, ...] = ()) -> float:
    """The expected points of a partner who names ``number`` words in this order, and slips to any other word."""
    if len(named) == number:
        return 0.0
    free = [place for place in range(8) if place not in named]
    own = next(place for place in order if place not in named)
    total = 0.0
    for place in free:
        chance = slip / len(free) + (1 - slip) * (place == own)
        after = expect_names(order, key, number, slip, (*named, place)) if key[place] == "o" else 0.0
        total += chance * (POINTS[key[place]] + after)
    return total


def best_names(weights: list[float], number: int, named: tuple[int, ...] = ()) -> float:
    """The largest expected points, times the weight of all keys, of naming up to ``number`` words or stopping."""
    best = 0.0
    if len(named) == number:
        return best
    for place in range(8):
        if place in named:
            continue
        worth = sum(weight * POINTS[key[place]] for weight, key in zip(weights, KEYS, strict=True) if weight)
        ours = [weight * (key[place] == "o") for weight, key in zip(weights, KEYS, strict=True)]
        best = max(best, worth + best_names(ours, number, (*named, place)))
    return best
