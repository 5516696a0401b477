"""Partners that change their behaviour once, at a fixed time."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import (
    START,
    Machine,
    Predictor,
    Setting,
    always,
    choice,
    hypothesis,
    shape,
    times,
)
from otherminds.games.registry import partners, predictors

BITS = 2.0
LATEST = 5
"""The latest change; the filter's hazard covers later ones."""


def _change(first: int, second: int, after: int, of: int) -> Machine:
    return Machine(
        START,
        lambda played: always(first if played < after else second, of),
        lambda played, own, other: min(after, played + 1),
    )


@partners.register("flip")
def flip(game: Game, rounds: int, first: int = 0, second: int = 1, after: int = 2) -> Automaton:
    """Plays behaviour ``first`` in ``after`` rounds, then ``second`` for ever.

    Melting Pot's ``ScheduledFlip`` (Agapiou et al. 2022).
    """
    _, columns = shape(game)
    if not (0 <= first < columns and 0 <= second < columns):
        raise StudyError(
            f"flip cannot play {first} or {second} of {columns} behaviours in game {game.name!r}"
        )
    if after < 1:
        raise StudyError(f"flip needs at least 1 round before it, not {after}")
    return _change(first, second, after, columns).automaton(game, rounds)


@predictors.register("flip")
def flips(setting: Setting) -> Iterator[Predictor]:
    """One behaviour in the first n encounters, then another for ever; each n takes one more bit."""
    of = setting.theirs
    pairs = [(first, second) for first in range(of) for second in range(of) if first != second]
    for after in range(1, LATEST + 1):
        for first, second in pairs:
            first_name, second_name = setting.named(first), setting.named(second)
            yield hypothesis(
                _change(first, second, after, of),
                f"{first_name} {times(after)}, then {second_name}",
                f"They play {first_name} {times(after)}, then {second_name} for ever.",
                BITS + choice(len(pairs)) + after,
            )
