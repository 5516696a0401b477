"""Partners that play one behaviour for ever, and predictors of partners that observe nothing."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.core.data import Automaton, Game
from otherminds.core.errors import StudyError
from otherminds.games.automata import (
    START,
    Chances,
    Machine,
    Predictor,
    Setting,
    always,
    anything,
    choice,
    hypothesis,
    shape,
)
from otherminds.games.registry import partners, predictors

BITS = 1.0


@partners.register("single")
def single(game: Game, rounds: int, behaviour: int = 0) -> Automaton:
    """Always behaviour number ``behaviour``. Riemer et al. 2025, section 2.2."""
    _, columns = shape(game)
    if not 0 <= behaviour < columns:
        raise StudyError(
            f"partner 'single' cannot play behaviour {behaviour} of {columns} in game {game.name!r}"
        )
    return _make_machine(always(behaviour, columns)).automaton(game, rounds)


@predictors.register("constant")
def constant(setting: Setting) -> Iterator[Predictor]:
    """One constant behaviour; and a uniformly random one."""
    of = setting.theirs
    for b in range(of):
        name = setting.named(b)
        yield hypothesis(
            _make_machine(always(b, of)), f"always {name}", f"They always play {name}.", BITS + choice(of)
        )
    if of > 1:
        yield hypothesis(_make_machine(anything(of)), "anything", "They play anything, all alike.", BITS + 3)


def _make_machine(chances: Chances) -> Machine:
    return Machine(START, lambda state: chances, lambda state, own, other: state)
