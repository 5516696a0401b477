"""A partner that changes its mind once, on schedule."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import START, always, unfold
from otherminds.games.registry import partners


@partners.register("flip")
def flip(game: Game, rounds: int, first: int = 0, second: int = 1, after: int = 2) -> Automaton:
    """Plays behaviour ``first`` in ``after`` rounds, then ``second`` for ever.

    Melting Pot's ``ScheduledFlip`` (Agapiou et al. 2022).
    """
    rows, columns = (len(names) for names in game.behaviours)
    if not (0 <= first < columns and 0 <= second < columns):
        raise StudyError(
            f"flip cannot play {first} or {second} of {columns} behaviours in game {game.name!r}"
        )
    if after < 1:
        raise StudyError(f"flip needs at least 1 round before it, not {after}")
    return unfold(
        START,
        lambda played: always(first if played < after else second, columns),
        lambda played, own, other: min(after, played + 1),
        (columns, rows),
        rounds,
    )
