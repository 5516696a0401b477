"""Minds that differ in one number alone, as curves over it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from otherminds.core.encoding import encode
from otherminds.core.record import SeatSpec
from otherminds.measures.cost import EpisodeCost, Spread, spread
from otherminds.reports.overview import PER_1200, PER_EPISODE, substrate
from otherminds.reports.sections import mark, marks
from otherminds.reports.sheets import Sheet, spread_pair

FEWEST = 3
"""Values of a parameter that make a sweep."""
POOLED = "means and standard errors (SEM) are over all episodes, taken together,"


class Point(Struct, frozen=True):
    """One value of the parameter, with the rewards of its episodes; ``marked``: some have many fallbacks."""

    value: float
    per_1200: Spread
    per_episode: Spread
    marked: bool = False


class Sweep(Struct, frozen=True):
    """One mind under several values of ``parameter``, in the scenarios of one family."""

    parameter: str
    family: str
    mind: str
    scenarios: tuple[str, ...]
    points: tuple[Point, ...]


def sweeps(runs: Sequence[EpisodeCost]) -> list[Sweep]:
    """The sweeps of a run: minds that are alike but for one number, which has three values at least."""
    groups: dict[tuple[str, str, bytes], dict[float, list[EpisodeCost]]] = {}
    titles: dict[tuple[str, str, bytes], str] = {}
    for run in runs:
        for name, value in run.who.params.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            rest = SeatSpec(
                run.who.mind, {k: v for k, v in run.who.params.items() if k != name}, run.who.model
            )
            key = (name, substrate(run.scenario), encode(rest))
            groups.setdefault(key, {}).setdefault(float(value), []).append(run)
            titles[key] = rest.title
    found = [
        _sweep(key, titles[key], by_value) for key, by_value in groups.items() if len(by_value) >= FEWEST
    ]
    return [sweep for sweep in found if sweep.points]


def sweep_sheet(found: Sequence[Sweep]) -> Sheet | None:
    """The numbers of the figure: a row for each value; ``None`` of no sweeps."""
    rows = tuple(
        (
            (sweep.parameter, sweep.family, sweep.mind, mark(f"{point.value:g}", point.marked)),
            (spread_pair(point.per_episode), spread_pair(point.per_1200), (str(point.per_1200.n), "")),
        )
        for sweep in found
        for point in sweep.points
    )
    fallen = any(point.marked for sweep in found for point in sweep.points)
    heads = ("parameter", "scenarios", "mind", "value", PER_EPISODE, PER_1200, "n")
    told = [f"{s.parameter}, {s.mind}: {POOLED} of {', '.join(s.scenarios)}." for s in found]
    return Sheet("sweeps", heads, rows, (*dict.fromkeys(told), *marks(fallen))) if rows else None


def _sweep(key: tuple[str, str, bytes], title: str, by_value: dict[float, list[EpisodeCost]]) -> Sweep:
    """The curve over the scenarios that every value was played in."""
    played = [{run.scenario for run in found} for found in by_value.values()]
    shared = set[str].intersection(*played)
    points: list[Point] = []
    for value, found in sorted(by_value.items()):
        kept = [run for run in found if run.scenario in shared]
        normalised = spread([run.normalised for run in kept if run.normalised is not None])
        plain = spread([run.reward for run in kept])
        if normalised is not None and plain is not None:
            points.append(Point(value, normalised, plain, any(run.marked for run in kept)))
    return Sweep(key[0], key[1], title, tuple(sorted(shared)), tuple(points))
