"""The registries of games, of partner families and of predictors, and the three named games of matrix worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeAlias, cast

import msgspec

from otherminds.core.data import Automaton, Game
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry, guarded
from otherminds.games.automata import Predictor, Setting

PartnerFamily: TypeAlias = Callable[..., Automaton]
"""``family(game, rounds, ...)``: the automaton of the *column* seat of ``game``.
Parameters beyond these two are the family's own, and have defaults."""
PredictorFamily: TypeAlias = Callable[[Setting], Iterable[Predictor]]
"""``family(setting)``: its members, none where the family does not apply."""

LARGEST = 1e9
"""The largest size of a payoff: sums over an episode then keep at least six decimal places."""


def check_game(game: Any) -> Game:
    """``game``, if it is one: two seats, and for each joint behaviour a pair of finite numbers.

    Games of more seats are refused. Partners are automata over one's own and one other's behaviour, and the exact plans
    and beliefs that give L and F are of that form. A game of n seats is a world of its own (docs/extending.md).

    Raises:
        StudyError: it is no `Game`, it has another number of seats, behaviours that are equal or no texts, or payoffs
            that are empty, ragged, no numbers (booleans are none), not finite, or larger than :data:`LARGEST`.
    """
    if not isinstance(game, Game):
        raise StudyError(f"a game must be an otherminds.Game, not {type(game).__name__}")
    name = game.name
    behaviours: Any = game.behaviours  # what Python lets pass, whatever the types say
    payoffs: Any = game.payoffs
    if (seats := _count_items(behaviours)) != 2:
        raise StudyError(
            f"game {name!r} has behaviours of {seats} seats; a game has two (you, partner), and one with more seats "
            "is a world of its own: see 'A world' in docs/extending.md"
        )
    for names in behaviours:
        if not _count_items(names) or not all(isinstance(b, str) and b for b in names):
            raise StudyError(
                f"game {name!r}: behaviours must be a tuple of texts for each seat, not {names!r}"
            )
        if len(set(names)) < len(names):
            raise StudyError(f"game {name!r}: behaviours must be different, not {list(names)}")
    rows, columns = map(len, behaviours)
    if _count_items(payoffs) != rows or any(_count_items(row) != columns for row in payoffs):
        kind = type(payoffs).__name__
        lengths = ", ".join(str(_count_items(row)) for row in payoffs) if kind == "tuple" else ""
        raise StudyError(
            f"game {name!r}: payoffs must be {rows} rows of {columns} pairs (you, partner), as tuples, not "
            + (f"{len(payoffs)} rows of {lengths or 'nothing'}" if kind == "tuple" else kind)
        )
    for i, row in enumerate(payoffs):
        for j, cell in enumerate(row):
            if _count_items(cell) != 2 or not all(map(_is_payoff, cell)):
                raise StudyError(
                    f"game {name!r}: payoffs[{i}][{j}] must be two finite numbers (you, partner) of at most "
                    f"{LARGEST:g}, not {str(cell)[:60]}"
                )
    return game


def _count_items(value: Any) -> int:
    """The length of a tuple; 0 for anything else."""
    return len(cast("tuple[Any, ...]", value)) if isinstance(value, tuple) else 0


def _is_payoff(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


class Games(Registry[Callable[[], Game]]):
    """Functions that return a game; what they return is checked when they are registered."""

    def add(self, name: str, component: Callable[[], Game]) -> None:
        with guarded(f"game {name!r} cannot be made"):
            check_game(component())
        super().add(name, component)


games = Games("game")
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
