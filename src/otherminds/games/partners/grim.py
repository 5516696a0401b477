"""Grim trigger: cooperates until a number of defections, then punishes for ever."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import START, Machine, Predictor, Setting, always, hypothesis, shape, times
from otherminds.games.registry import partners, predictors

BITS = 2.0
STRIKES = 4
"""The most strikes of a predictor."""


def _trigger(strikes: int, of: int) -> Machine:
    return Machine(
        START,
        lambda crossed: always(of - 1 if crossed == strikes else 0, of),
        lambda crossed, own, other: min(strikes, crossed + (other != 0)),
    )


@partners.register("grim")
def grim(game: Game, rounds: int, strikes: int = 1) -> Automaton:
    """Plays behaviour 0; after ``strikes`` behaviours of the other that are not 0, its last one for ever.

    Friedman 1971; with two strikes, Melting Pot's ``grim_two_strikes``
    (Agapiou et al. 2022). Made for games whose behaviour 0 is the friendly one.
    """
    if strikes < 1:
        raise StudyError(f"grim needs at least 1 strike, not {strikes}")
    return _trigger(strikes, shape(game)[1]).automaton(game, rounds)


@predictors.register("grim")
def triggers(setting: Setting) -> Iterator[Predictor]:
    """Friendly until ``n`` unfriendly behaviours of the other, then unfriendly for ever."""
    for n in range(1, STRIKES + 1) if setting.social else ():
        yield hypothesis(
            _trigger(n, setting.theirs),
            f"grim after {n}",
            f"They play {setting.named(0)} until anything but {setting.mine(0)} was met {times(n)}, "
            f"then {setting.named(setting.theirs - 1)} for ever.",
            BITS + n - 1,
        )
