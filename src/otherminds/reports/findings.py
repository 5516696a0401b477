"""The data of a report: cells, curves, costs, and the rows of worlds' own tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from otherminds.core.model import Price
from otherminds.core.record import Record, Timing
from otherminds.core.registry import Registry
from otherminds.measures.cells import Cell, cells
from otherminds.measures.cost import Cost, EpisodeCost, costs, runs, total
from otherminds.measures.curves import Curve, ValidationWindow, around_validation, learning_curves
from otherminds.measures.episode import Episode, Key, summarise
from otherminds.measures.sensitivity import PackComparison, sensitivity
from otherminds.measures.unanswered import ReplyCounts, added
from otherminds.reports.episodes import EpisodeLine, line_of
from otherminds.reports.sheets import Sheet

WINDOW = 5
"""The number of rounds that a point of a learning curve is a mean over."""
TABLED = (
    *("reward_per_episode", "reward_per_1200_steps", "unusable_replies", "fallbacks_an_encounter"),
    *("fallback_share", "validated_share", "ever_validated", "encounters_until_validation"),
    *("reward_before_validation", "reward_after_validation"),
    *("calls_while_not_validated", "calls_while_validated"),
)
"""Measures in the tables over all scenarios."""
Rows: TypeAlias = Sequence[Any]
"""Structs, one for each row of a world's own tables."""


class WorldReport(Struct, frozen=True):
    """The chapter that one kind of world adds to a report, registered under the name of its :data:`details`.

    ``rows`` makes rows of the planned cells and of what the episodes have as details; a report
    without details has no such chapter. ``sheets`` are its tables; ``tabled`` names the measures that
    they show, so that these are in no scenario's notes.
    """

    title: str
    rows: Callable[[Iterable[Key], Iterable[Any]], Rows]
    sheets: Callable[[Rows], tuple[Sheet, ...]]
    tabled: Callable[[], frozenset[str]]


world_reports: Registry[WorldReport] = Registry("world report", "otherminds.reports.worlds", "world_reports")


class Findings(Struct, frozen=True, eq=False):
    """The data of a report, in the plan's order.

    ``curves`` are means over ``WINDOW`` rounds. ``spent`` is the cost of each cell, ``by_mind`` of
    each mind, ``total`` of all; ``priced`` says whether prices were given. ``runs`` are the scored
    episodes, ``around`` the rewards around validations, ``worlds`` the rows of worlds' own tables
    by the name of their :class:`WorldReport`. ``packs`` compares prompt packs. ``said`` counts replies by model.
    ``played`` are all episodes, scored or not.
    """

    cells: tuple[Cell, ...]
    curves: tuple[Curve, ...]
    spent: dict[Key, Cost]
    by_mind: dict[str, Cost]
    total: Cost
    priced: bool
    runs: tuple[EpisodeCost, ...] = ()
    around: tuple[ValidationWindow, ...] = ()
    worlds: dict[str, Rows] = {}
    packs: tuple[PackComparison, ...] = ()
    said: dict[str, ReplyCounts] = {}
    played: tuple[EpisodeLine, ...] = ()


def findings(
    planned: Mapping[Key, int],
    records: Iterable[Record],
    prices: Mapping[str, Price],
    timings: Mapping[str, Timing],
    *,
    curves: bool,
) -> Findings:
    """Measures the records of a run, with ``curves`` if wanted.

    ``prices`` are by model, ``timings`` by the hash of an episode.

    Raises:
        StudyError: a record that was not planned, or more than were.
    """
    episodes: list[Episode] = []
    played: list[EpisodeLine] = []
    for record in records:
        episode = summarise(record, timings.get(record.spec.hash))
        episodes.append(episode)
        played.append(line_of(record, episode.basis.share, episode.basis.accuracy))
    found = cells(planned, episodes)
    details = {name: [e.details[name] for e in episodes if name in e.details] for name in world_reports}
    return Findings(
        cells=tuple(found),
        curves=tuple(learning_curves(planned, episodes, WINDOW)) if curves else (),
        spent=costs(planned, episodes, lambda episode: (episode.scenario, episode.mind), prices),
        by_mind=costs((mind for _, mind in planned), episodes, lambda episode: episode.mind, prices),
        total=total(episodes, prices),
        priced=bool(prices),
        runs=tuple(runs(planned, episodes, prices)),
        around=tuple(around_validation(planned, episodes)),
        worlds={name: world_reports.get(name).rows(planned, some) for name, some in details.items() if some},
        packs=tuple(sensitivity(episodes)),
        said=added(episode.said for episode in episodes),
        played=tuple(played),
    )


def tabled_measures() -> frozenset[str]:
    """Measures in tables over all scenarios, which the notes of scenarios leave out."""
    return frozenset(TABLED).union(*(world_reports.get(name).tabled() for name in world_reports))
