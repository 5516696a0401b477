"""The registries of games, of partner families and of predictors, and the three named games of matrix worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

from otherminds.core.data import Automaton, Game
from otherminds.core.encoding import encode
from otherminds.core.registry import Registry
from otherminds.games.automata import Predictor, Setting

PartnerFamily: TypeAlias = Callable[..., Automaton]
"""``family(game, rounds, ...)``: the automaton of the *column* seat of ``game``.
Parameters beyond these two are the family's own, and have defaults."""
PredictorFamily: TypeAlias = Callable[[Setting], Iterable[Predictor]]
"""``family(setting)``: its members, none where the family does not apply."""

games: Registry[Callable[[], Game]] = Registry("game")
partners: Registry[PartnerFamily] = Registry("partner", "otherminds.games.partners")
predictors: Registry[PredictorFamily] = Registry("predictor", "otherminds.games.partners")


def library(setting: Setting) -> tuple[Predictor, ...]:
    """Every known predictor for ``setting``, family by family in alphabetical order."""
    return tuple(predictor for name in predictors for predictor in predictors.get(name)(setting))


def automaton(name: str, game: Game, rounds: int, params: dict[str, Any]) -> Automaton:
    """The automaton of partner family ``name`` in the column seat of ``game``.

    Raises:
        StudyError: no such family, or invalid parameters.
    """
    return _automaton(name, game, rounds, encode(params))


@lru_cache(maxsize=512)
def _automaton(name: str, game: Game, rounds: int, params: bytes) -> Automaton:
    return partners.make(name, msgspec.json.decode(params), game, rounds)


@games.register("ibs")
def ibs() -> Game:
    """Meeting pays 10 to the one whose taste it is and 7 to the other; missing pays nothing.

    The iterated Battle of the Sexes: Riemer et al. 2025, table 6.
    """
    moves = ("fight", "ballet")
    return Game("ibs", (moves, moves), (((10.0, 7.0), (0.0, 0.0)), ((0.0, 0.0), (7.0, 10.0))))


@games.register("ipd")
def ipd() -> Game:
    """Mutual cooperation 8, temptation 10, punishment 5, sucker's payoff 0.

    The iterated Prisoner's Dilemma: Riemer et al. 2025, table 7.
    """
    moves = ("cooperate", "defect")
    return Game("ipd", (moves, moves), (((8.0, 8.0), (0.0, 10.0)), ((10.0, 0.0), (5.0, 5.0))))


@games.register("rps")
def rps() -> Game:
    """Win +1, tie 0, lose −1; paper beats rock, scissors beat paper, rock beats scissors.

    Rock, Paper, Scissors: Riemer et al. 2025, table 5.
    """
    moves = ("rock", "paper", "scissors")
    wins = ((0, -1, 1), (1, 0, -1), (-1, 1, 0))
    return Game("rps", (moves, moves), tuple(tuple((float(w), float(-w)) for w in row) for row in wins))
