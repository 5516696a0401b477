"""Grim trigger: cooperates until crossed too often, then punishes for ever."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import START, always, unfold
from otherminds.games.registry import partners


@partners.register("grim")
def grim(game: Game, rounds: int, strikes: int = 1) -> Automaton:
    """Plays behaviour 0; after ``strikes`` behaviours of the other that are not 0, its last one for ever.

    Friedman 1971; with two strikes, Melting Pot's ``grim_two_strikes``
    (Agapiou et al. 2022). Made for games whose behaviour 0 is the friendly one.
    """
    rows, columns = (len(names) for names in game.behaviours)
    if strikes < 1:
        raise StudyError(f"grim needs at least 1 strike, not {strikes}")
    return unfold(
        START,
        lambda crossed: always(columns - 1 if crossed == strikes else 0, columns),
        lambda crossed, own, other: min(strikes, crossed + (other != 0)),
        (columns, rows),
        rounds,
    )
