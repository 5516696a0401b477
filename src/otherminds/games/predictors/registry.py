"""Where families of predictors become known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from otherminds.core.registry import Registry
from otherminds.games.predictors.predictor import Predictor, Setting

Family: TypeAlias = Callable[[Setting], Iterable[Predictor]]
"""``family(setting)``: its members there; none where the family makes no sense."""

predictors: Registry[Family] = Registry("predictor", "otherminds.games.predictors")


def library(setting: Setting) -> tuple[Predictor, ...]:
    """Every predictor that is known for ``setting``, family by family in alphabetical order."""
    return tuple(predictor for name in predictors for predictor in predictors.get(name)(setting))
