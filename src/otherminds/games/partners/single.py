"""A partner that plays one behaviour for ever."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import START, always, unfold
from otherminds.games.registry import partners


@partners.register("single")
def single(game: Game, rounds: int, behaviour: int = 0) -> Automaton:
    """Always behaviour number ``behaviour``. Riemer et al. 2025, section 2.2."""
    rows, columns = (len(names) for names in game.behaviours)
    if not 0 <= behaviour < columns:
        raise StudyError(
            f"partner 'single' cannot play behaviour {behaviour} of {columns} in game {game.name!r}"
        )
    return unfold(
        START, lambda s: always(behaviour, columns), lambda s, own, other: s, (columns, rows), rounds
    )
