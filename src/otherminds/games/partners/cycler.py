"""A partner that goes round in a fixed pattern."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import START, always, unfold
from otherminds.games.registry import partners


@partners.register("cycler")
def cycler(game: Game, rounds: int, pattern: Sequence[int] = ()) -> Automaton:
    """Plays ``pattern`` over and over; every behaviour in order if none is given.

    Axelrod-Python's ``Cycler`` is the same rule for the Prisoner's Dilemma.
    """
    rows, columns = (len(names) for names in game.behaviours)
    steps = tuple(pattern) or tuple(range(columns))
    if not all(0 <= b < columns for b in steps):
        raise StudyError(f"the pattern {list(steps)} has behaviours that game {game.name!r} lacks")
    return unfold(
        START,
        lambda at: always(steps[at], columns),
        lambda at, own, other: (at + 1) % len(steps),
        (columns, rows),
        rounds,
    )
