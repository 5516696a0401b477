"""Tit-for-tat that sometimes slips."""

from __future__ import annotations

from otherminds.core.data import Automaton, Game
from otherminds.games.partners.tit_for_tat import tit_for_tat
from otherminds.games.registry import partners


@partners.register("noisy_tit_for_tat")
def noisy_tit_for_tat(game: Game, rounds: int, noise: float = 0.1) -> Automaton:
    """Tit-for-tat whose reply is another behaviour with probability ``noise``. Molander 1985."""
    return tit_for_tat(game, rounds, noise)
