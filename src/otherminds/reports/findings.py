"""The data of a report: cells, curves, costs, and the rows of worlds' own tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.model import Price
from otherminds.core.record import Record, Timing
from otherminds.core.registry import Registry
from otherminds.measures.cells import Cell, cells, verdicts
from otherminds.measures.cost import Cost, CostSums, EpisodeCost, runs, sum_costs
from otherminds.measures.curves import Curve, ValidationWindow, around_validation, learning_curves
from otherminds.measures.episode import INTERVENED, Episode, Key, summarise
from otherminds.measures.notes import ReplyCounts, add_counts
from otherminds.measures.sensitivity import PackComparison, sensitivity
from otherminds.measures.verdict import Verdict
from otherminds.reports.episodes import SHOWN, EpisodeLine, KeptEpisodes, line_of
from otherminds.reports.sheets import Sheet, grouped_by

T = TypeVar("T", Curve, EpisodeCost, ValidationWindow)
WINDOW = 5
"""The number of rounds that a point of a learning curve is a mean over."""
TABLED = (
    *("reward_per_episode", "reward_per_1200_steps", "unusable_replies", "fallbacks_an_encounter"),
    *("fallback_share", "validated_share", "ever_validated", "encounters_until_validation"),
    *("reward_before_validation", "reward_after_validation"),
    *("calls_while_not_validated", "calls_while_validated"),
)
"""Measures in the tables over all scenarios."""
JUDGED_TOGETHER = "one task alone has no verdict; the tasks of its split are judged together"
Rows: TypeAlias = Sequence[Any]
"""Structs, one for each row of a world's own tables."""


class WorldOpening(Struct, frozen=True):
    """What a report opens with about a world of its own kind: sentences, and a table with a row for each mind.

    ``meanings`` explains heads of the table, ``terms`` the terms of the sentences, which are patterns.
    """

    sentences: tuple[str, ...]
    sheet: Sheet
    meanings: dict[str, str]
    terms: dict[str, str] = {}


class WorldChapter(Struct, frozen=True):
    """The chapter that one kind of world adds to a report, registered under the name of its :data:`details`.

    ``rows`` makes rows of the planned cells and of what the episodes have as details; a report
    without details has no such chapter. ``sheets`` are its tables; ``tabled`` names the measures that
    they show, so that these are in no scenario's notes. ``opening`` is made of the rows and of the names of the minds
    that the report is about, language models first; ``None`` for worlds that have nothing to open with. ``verdicts``
    are those in the rows, where scenarios are judged together and not one by one. ``source`` cites the paper of which
    the tables have columns.
    """

    title: str
    rows: Callable[[Mapping[Key, int], Iterable[Any]], Rows]
    sheets: Callable[[Rows], tuple[Sheet, ...]]
    tabled: Callable[[], frozenset[str]]
    opening: Callable[[Rows, Sequence[str]], WorldOpening] | None = None
    verdicts: Callable[[Rows], tuple[Verdict, ...]] = lambda rows: ()
    source: str = ""


world_reports: Registry[WorldChapter] = Registry("world report", plural="world_reports")


class Findings(Struct, frozen=True, eq=False):
    """The data of a report, in the plan's order.

    ``curves`` are means over ``WINDOW`` rounds. ``spent`` is the cost of each cell, ``by_mind`` of
    each mind, ``total`` of all; ``priced`` says whether prices were given. ``runs`` are the scored
    episodes that a table may compare (:attr:`.EpisodeCost.compared`), ``around`` the rewards around validations, ``worlds`` the rows of worlds' own tables
    by the name of their :class:`WorldChapter`. ``packs`` compares prompt packs. ``said`` counts replies by model.
    ``verdicts`` has one for each mind, over its scenarios, and one for each mind and split of tasks that are judged
    together; language models first.
    ``played`` are the first :data:`.SHOWN` episodes of each cell, scored or not, where there are curves.
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
    verdicts: tuple[Verdict, ...] = ()

    @property
    def alone(self) -> tuple[Cell, ...]:
        """The cells that are judged by themselves, and not with the other tasks of a split."""
        together = {
            (scenario, verdict.mind)
            for verdict in self.verdicts
            if verdict.place
            for scenario in verdict.scenarios
        }
        return tuple(cell for cell in self.cells if (cell.scenario, cell.mind) not in together)


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
    timed = ((record, timings.get(record.spec.hash)) for record in records)
    return findings_of(planned, timed, prices, curves=curves)


def findings_of(
    planned: Mapping[Key, int],
    timed: Iterable[tuple[Record, Timing | None]],
    prices: Mapping[str, Price],
    *,
    curves: bool,
) -> Findings:
    """:func:`findings` of records with their wall-clock figures; each is measured and let go.

    The measurements lie in a temporary database. Those of one scenario are in memory at a time, since minds are
    compared within a scenario.

    Raises:
        StudyError: a record that was not planned, or more than were; there is no room for temporary files.
    """
    replies: dict[str, ReplyCounts] = {}
    details: dict[str, list[Any]] = {name: [] for name in world_reports}
    played: dict[Key, list[EpisodeLine]] = {}
    stored = KeptEpisodes(with_rounds=curves)
    try:
        for record, timing in timed:
            episode = summarise(record, timing)
            stored.add(episode)
            replies = add_counts([replies, episode.said])
            for name in details.keys() & episode.details.keys():
                details[name].append(episode.details[name])
            lines = played.setdefault((episode.scenario, episode.mind), [])
            if curves and len(lines) < SHOWN:
                lines.append(line_of(record, episode.basis.share, episode.basis.accuracy))
        names = dict.fromkeys((*(scenario for scenario, _ in planned), *stored.scenarios()))
        parts = [
            _part(
                {key: n for key, n in planned.items() if key[0] == name},
                stored.of(name),
                prices,
                curves=curves,
            )
            for name in names
        ]
    finally:
        stored.close()
    cells = {(cell.scenario, cell.mind): cell for part in parts for cell in part.cells}
    sums = {key: of_key for part in parts for key, of_key in part.sums.items()}
    by_mind = dict.fromkeys((mind for _, mind in planned), CostSums())
    for key in planned:
        by_mind[key[1]] += sums[key]
    worlds = {
        name: rows
        for name, measured in details.items()
        if measured and (rows := world_reports.get(name).rows(planned, measured))
    }
    judged = tuple(
        verdict for name, rows in worlds.items() for verdict in world_reports.get(name).verdicts(rows)
    )
    together = {(scenario, verdict.mind) for verdict in judged for scenario in verdict.scenarios}
    # An arm with an intervention is compared with the arm without; that one is judged.
    judged_alone = [cells[key] for key in planned if key not in together]
    alone = verdicts([cell for cell in judged_alone if INTERVENED not in cell.evidence.reasons])
    return Findings(
        cells=tuple(_part_of_split(cells[key]) if key in together else cells[key] for key in planned),
        curves=_in_order(planned, (curve for part in parts for curve in part.curves)),
        spent={key: sums[key].cost for key in planned},
        by_mind={mind: of_mind.cost for mind, of_mind in by_mind.items()},
        total=sum(by_mind.values(), CostSums()).cost,
        priced=bool(prices),
        runs=_in_order(planned, (run for part in parts for run in part.runs)),
        around=_in_order(planned, (window for part in parts for window in part.around)),
        worlds=worlds,
        packs=tuple(
            sorted(
                (comparison for part in parts for comparison in part.packs),
                key=lambda comparison: comparison.scenario,
            )
        ),
        said=replies,
        played=tuple(line for lines in played.values() for line in lines),
        verdicts=tuple(sorted((*alone, *judged), key=lambda verdict: not verdict.model)),
    )


def _part_of_split(cell: Cell) -> Cell:
    """The cell of a task that is judged together with others."""
    return replace(cell, verdict=replace(cell.verdict, kind="not measured", reason=JUDGED_TOGETHER))


class ScenarioFindings(Struct, frozen=True, eq=False):
    """What a report keeps of one scenario: see :class:`Findings`."""

    cells: list[Cell]
    curves: list[Curve]
    sums: dict[Key, CostSums]
    runs: list[EpisodeCost]
    around: list[ValidationWindow]
    packs: list[PackComparison]


def _part(
    planned: Mapping[Key, int], episodes: list[Episode], prices: Mapping[str, Price], *, curves: bool
) -> ScenarioFindings:
    """The findings of one scenario, of which ``episodes`` are all."""
    scenario_cells = cells(planned, episodes)
    by_mind = grouped_by(episodes, lambda episode: episode.mind)
    return ScenarioFindings(
        cells=scenario_cells,
        curves=learning_curves(planned, episodes, WINDOW) if curves else [],
        sums={key: sum_costs(by_mind.get(key[1], []), prices) for key in planned},
        runs=[run for run in runs(planned, episodes, prices) if run.compared],
        around=around_validation(planned, episodes),
        packs=sensitivity(episodes),
    )


def _in_order(planned: Iterable[Key], entries: Iterable[T]) -> tuple[T, ...]:
    """What has a scenario and a mind, in the order of ``planned``."""
    place = {key: n for n, key in enumerate(planned)}
    return tuple(sorted(entries, key=lambda entry: place[entry.scenario, entry.mind]))


def tabled_measures() -> frozenset[str]:
    """Measures in tables over all scenarios, which the notes of scenarios leave out."""
    return frozenset(TABLED).union(*(world_reports.get(name).tabled() for name in world_reports))
