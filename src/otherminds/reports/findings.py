"""All that a report is made of: cells, curves and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from otherminds.core.prices import Price
from otherminds.core.record import Clock, Record
from otherminds.measures.around import Around, around_validation
from otherminds.measures.cells import Cell, cells
from otherminds.measures.cost import Cost, Run, costs, runs, total
from otherminds.measures.curves import Curve, learning_curves
from otherminds.measures.episode import Key, summarise
from otherminds.measures.household.passes import Team, teams

WINDOW = 5
"""Rounds that a point of a learning curve is averaged over."""


class Findings(Struct, frozen=True, eq=False):
    """What a run shows, in the plan's order.

    ``curves`` average over ``WINDOW`` rounds. ``spent`` is what each cell took,
    ``by_mind`` each mind, ``total`` all; ``priced`` whether prices were given.
    ``runs`` are the scored episodes one by one, ``around`` what they brought near validations,
    ``teams`` what became of tasks in the household.
    """

    cells: tuple[Cell, ...]
    curves: tuple[Curve, ...]
    spent: dict[Key, Cost]
    by_mind: dict[str, Cost]
    total: Cost
    priced: bool
    runs: tuple[Run, ...] = ()
    around: tuple[Around, ...] = ()
    teams: tuple[Team, ...] = ()


def findings(
    planned: Mapping[Key, int],
    records: Iterable[Record],
    prices: Mapping[str, Price],
    clocks: Mapping[str, Clock],
    *,
    curves: bool,
) -> Findings:
    """Measures the records of a run, without curves where none are wanted.

    ``prices`` are by model, ``clocks`` by an episode's hash.

    Raises:
        StudyError: a record that was not planned, or more than were.
    """
    episodes = [summarise(record, clocks.get(record.spec.hash)) for record in records]
    found = cells(planned, episodes)
    return Findings(
        cells=tuple(found),
        curves=tuple(learning_curves(planned, episodes, WINDOW)) if curves else (),
        spent=costs(planned, episodes, lambda episode: (episode.scenario, episode.mind), prices),
        by_mind=costs((mind for _, mind in planned), episodes, lambda episode: episode.mind, prices),
        total=total(episodes, prices),
        priced=bool(prices),
        runs=tuple(runs(planned, episodes, prices)),
        around=tuple(around_validation(planned, episodes)),
        teams=tuple(teams(planned, (e.attempt for e in episodes if e.attempt is not None))),
    )
