"""The action names of Riemer et al. 2025, appendix C: how a game's options are called.

Names carry inductive bias (appendix C.4), so every set of the paper is here.
"""

from __future__ import annotations

from otherminds.core.data import Game
from otherminds.core.errors import StudyError

SETS: dict[str, dict[str, tuple[str, ...]]] = {
    "letters": {"rps": ("R", "P", "S")},
    "neutral": {"rps": ("J", "F", "B"), "ibs": ("J", "F"), "ipd": ("J", "F")},
    "repeated": {
        "rps": ("J" * 21, "F" * 21, "B" * 21),
        "ibs": ("J" * 21, "F" * 21),
        "ipd": ("J" * 21, "F" * 21),
    },
    "canonical": {
        "rps": ("Rock", "Paper", "Scissors"),
        "ibs": ("Fight", "Ballet"),
        "ipd": ("Cooperate", "Defect"),
    },
    "nonsense": {"rps": ("Pasta", "Rice", "Bread"), "ibs": ("Pasta", "Rice"), "ipd": ("Pasta", "Rice")},
}
NEUTRAL = ("J", "F", "B", "M", "K", "Q", "X", "Z")


def shown(game: Game, names: str | list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names under which each seat's options are shown: the row seat's, the column seat's.

    ``names`` is a set of the paper (``letters``, ``neutral``, ``repeated``,
    ``canonical``, ``nonsense``) or a list of names. Other games than the
    paper's have ``neutral`` and ``canonical`` (the game's own words).

    Raises:
        StudyError: no such set for this game, or a list that does not fit.
    """
    rows, columns = game.behaviours
    size = max(len(rows), len(columns))
    if isinstance(names, list):
        found = tuple(names)
    elif names in SETS and game.name in SETS[names]:
        found = SETS[names][game.name]
    elif names == "canonical":
        return rows, columns
    elif names == "neutral" and size <= len(NEUTRAL):
        found = NEUTRAL
    else:
        sets = [key for key, games in SETS.items() if game.name in games] or ["canonical", "neutral"]
        raise StudyError(f"game {game.name!r} has no action names {names!r}; choose from {', '.join(sets)}")
    if len(found) < size or len(set(found)) < len(found) or not all(name.strip() for name in found):
        raise StudyError(f"game {game.name!r} needs {size} different action names, not {list(found)}")
    return found[: len(rows)], found[: len(columns)]
