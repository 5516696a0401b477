"""The action names of Riemer et al. 2025, appendix C.

Names carry inductive bias (appendix C.4), so every set of the paper is here.
"""

from __future__ import annotations

import re
from unicodedata import category

from otherminds.core.data import Game
from otherminds.core.errors import StudyError
from otherminds.core.quoting import quoted

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
VARIED = "varied"
"""The set of names that changes from time to time: see :func:`letters_of`."""
MEANINGLESS = ("neutral", "repeated", "nonsense", VARIED)
"""The sets whose names say nothing of a behaviour, so that any behaviour may have any of them."""
NEUTRAL = ("J", "F", "B", "M", "K", "Q", "X", "Z")
LONGEST = 60
"""Characters of one name."""
STRUCTURE = re.compile(r"\b(?:option|or|and)\b", re.IGNORECASE)
"""Words between which options are listed in a prompt."""


def label_options(game: Game, names: str | list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names under which each seat's options are shown: the row seat's, the column seat's.

    ``names`` is a set of the paper (``letters``, ``neutral``, ``repeated``, ``canonical``, ``nonsense``) or a
    list of names. Other games than the paper's have ``neutral`` and ``canonical`` (the game's own words). ``varied``
    begins as ``neutral`` (:func:`letters_of`).

    Raises:
        StudyError: no such set for this game, a list that does not fit, or a
            name that could pass for something else in a prompt or a reply.
    """
    rows, columns = game.behaviours
    size = max(len(rows), len(columns))
    if isinstance(names, list):
        labels = _check_names(game, tuple(names))
    elif names in SETS and game.name in SETS[names]:
        labels = SETS[names][game.name]
    elif names == "canonical":
        return _check_names(game, rows), _check_names(game, columns)
    elif names in ("neutral", VARIED) and size <= len(NEUTRAL):
        labels = NEUTRAL[:size]
    else:
        sets = [key for key, games in SETS.items() if game.name in games] or ["canonical", "neutral"]
        sets.append(VARIED)
        raise StudyError(f"game {game.name!r} has no action names {names!r}; choose from {', '.join(sets)}")
    if len(labels) < size or len(set(labels)) < len(labels):
        raise StudyError(f"game {game.name!r} needs {size} different action names, not {list(labels)}")
    return labels[: len(rows)], labels[: len(columns)]


def letters_of(size: int, turn: int) -> tuple[str, ...]:
    """The ``size`` letters of the set ``turn`` of ``varied``: the next ones of :data:`NEUTRAL`, without overlap.

    Two options have few arrangements of labels and orders; with four pairs of letters they have four times as many.

    >>> [letters_of(2, turn) for turn in range(5)]
    [('J', 'F'), ('B', 'M'), ('K', 'Q'), ('X', 'Z'), ('J', 'F')]
    """
    start = size * (turn % (len(NEUTRAL) // size))
    return NEUTRAL[start : start + size]


def _check_names(game: Game, names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not isinstance(name, str) or not _plain(name):
            raise StudyError(
                f"game {game.name!r}: {name!r} cannot be an action name; use letters and digits, with single "
                f"spaces, hyphens, underscores or apostrophes between them, at most {LONGEST} characters, "
                "and none of the words option, or, and"
            )
    return names


def _plain(name: str) -> bool:
    """Whether ``name`` is no more than a name: nothing in it ends a line, opens an answer or lists options."""
    if not 0 < len(name) <= LONGEST or STRUCTURE.search(name):
        return False
    kinds = [category(char)[0] for char in name]
    inside = all(kind in "LNM" or char in " -_'" for char, kind in zip(name, kinds, strict=True))
    visible = quoted(name) == f'"{name}"' and not any("\ufe00" <= char <= "\ufe0f" for char in name)
    return visible and inside and kinds[0] in "LN" and kinds[-1] in "LNM" and "  " not in name
