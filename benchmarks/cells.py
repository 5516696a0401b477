"""Plays many episodes of one cell on all cores and keeps only the measures asked for."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import repeat
from os import cpu_count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds import SeatSpec
from otherminds.core.scenario import Setup, scenario
from otherminds.measures.registry import Unknown, measures
from otherminds.minds.registry import make_mind
from otherminds.play.loop import play_now

CHUNK = 250


@dataclass(frozen=True)
class Wanted:
    """One cell: a scenario, a mind, and the measures of its episodes."""

    scenario: str
    mind: SeatSpec
    measures: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)


def measure_cell(wanted: Wanted, episodes: int, seed: int, pool: ProcessPoolExecutor) -> NDArray[np.float64]:
    """The measures of ``episodes`` episodes, one row each, seeds from ``seed`` on."""
    starts = range(seed, seed + episodes, CHUNK)
    sizes = [min(CHUNK, seed + episodes - start) for start in starts]
    return np.concatenate(list(pool.map(_chunk, repeat(wanted), starts, sizes)))


def workers() -> ProcessPoolExecutor:
    """One process a core."""
    return ProcessPoolExecutor(cpu_count())


def mean_and_half_width(values: NDArray[np.float64]) -> tuple[float, float]:
    """The mean, and the half-width of its 95 % interval (normal)."""
    return float(values.mean()), float(1.96 * values.std(ddof=1) / len(values) ** 0.5)


def _chunk(wanted: Wanted, start: int, size: int) -> list[list[float]]:
    built = scenario(wanted.scenario, wanted.options)
    mind = make_mind(wanted.mind)
    rows: list[list[float]] = []
    for seed in range(start, start + size):
        record, _ = play_now(Setup(built, {"ego": mind}, seed))
        rows.append([_known(measures.get(name)(record)) for name in wanted.measures])
    return rows


def _known(value: float | Unknown) -> float:
    if isinstance(value, Unknown):
        raise SystemExit(f"a measure is not known: {value.reason}")
    return value


__all__: Sequence[str] = ["Wanted", "mean_and_half_width", "measure_cell", "workers"]
