"""The registries of named games, of partner families and of predictors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

from otherminds.core.data import Automaton, Game
from otherminds.core.encoding import encode
from otherminds.core.registry import Registry
from otherminds.games.predictor import Predictor, Setting

PartnerFamily: TypeAlias = Callable[..., Automaton]
"""``family(game, rounds, ...)``: the automaton of the *column* seat of ``game``.
Parameters beyond these two are the family's own, and have defaults."""
PredictorFamily: TypeAlias = Callable[[Setting], Iterable[Predictor]]
"""``family(setting)``: its members, none where the family does not apply."""

games: Registry[Callable[[], Game]] = Registry("game", "otherminds.games.named")
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
