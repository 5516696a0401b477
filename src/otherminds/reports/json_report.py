"""A report for programs: one JSON document, whose shape ``report.schema.json`` beside this file gives."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec import Struct

from otherminds.measures.cells import COLUMNS, Cell
from otherminds.measures.cost import Cost, Took
from otherminds.measures.curves import Band
from otherminds.measures.intervals import Estimate
from otherminds.measures.registry import NOT_APPLYING, Unknown
from otherminds.measures.sensitivity import PackComparison
from otherminds.measures.verdict import Kind, Verdict
from otherminds.reports.findings import Findings
from otherminds.reports.opening import headline
from otherminds.reports.papers import TableLine, fill_table, papers
from otherminds.reports.sections import accounting, mind_notes, silences

DECIMALS = 6
"""Of the numbers of a curve."""


class JsonNumber(Struct, frozen=True, omit_defaults=True):
    """A number with the ends of its 95 % interval. ``reason`` says why one of them is null.

    Where ``mean`` alone is null, the ends are the worst and the best case. ``few``: from fewer than ten episodes.
    """

    mean: float | None
    low: float | None
    high: float | None
    reason: str = ""
    few: bool = False


class VerdictReport(Struct, frozen=True, omit_defaults=True):
    """A verdict about one mind in ``scenarios``: its kind, and in one ``sentence``.

    ``literal`` is L, ``unused_share`` the part of what its right predictions are worth that it did not use, and
    ``functional`` F, over the episodes that count; ``low`` and ``high`` are one-sided 95 % bounds. Of ``planned``
    episodes, ``episodes`` are recorded, ``lost`` of them not scored, and ``distinct`` have other partners, labels or
    orders of options. Of ``answers`` predictions, ``unread`` could not be read. ``place`` names a split of tasks that
    are judged together: ``distinct`` are then tasks.
    """

    kind: Kind
    sentence: str
    mind: str
    scenarios: tuple[str, ...]
    literal: JsonNumber
    unused_share: JsonNumber
    functional: JsonNumber
    planned: int
    episodes: int
    lost: int
    distinct: int
    answers: int
    unread: int
    reason: str = ""
    place: str = ""


class CellReport(Struct, frozen=True, omit_defaults=True):
    """One scenario and one mind: planned = scored + invalid + cut + refused + failed + those that are missing.

    ``measures`` are those that apply in its world, by name; ``reward`` is the mean return, ``invalid_share``
    that of decisions and answers. ``verdict`` is what its episodes show. ``estimated``: an end of its scores is what reference minds did. ``names`` is the set of action
    names, ``decodings`` how replies came about, ``cautions`` what must be said beside the numbers, ``marked``
    the number of episodes with many fallbacks, ``scaffolds`` whose words prompts are made of,
    ``dropped`` the parameters that a server refused, and that were left out or lowered.
    What is empty, false or 0 is left out, from ``cut`` on.
    """

    scenario: str
    mind: str
    planned: int
    scored: int
    invalid: int
    failed: int
    measures: dict[str, JsonNumber]
    reward: float | None
    invalid_share: float | None
    took: Took
    verdict: VerdictReport
    cut: int = 0
    refused: int = 0
    estimated: bool = False
    game: str = ""
    partners: tuple[str, ...] = ()
    names: str = ""
    model: str = ""
    grants: tuple[str, ...] = ()
    decodings: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    marked: int = 0
    scaffolds: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


class Line95(Struct, frozen=True):
    """A number for each round, averaged over the five rounds around it (fewer at both ends), with its 95 % band."""

    mean: list[float]
    low: list[float]
    high: list[float]


class CurveReport(Struct, frozen=True):
    """How one mind does in one scenario, round by round; null where that is not known."""

    scenario: str
    mind: str
    regret: Line95 | None
    tom_percent: Line95 | None


class PackNumbers(Struct, frozen=True):
    """The numbers of one prompt pack, by name: ``functional``, ``literal``, ``unused``, ``valid`` (a share)."""

    pack: str
    episodes: int
    scored: int
    measures: dict[str, JsonNumber]


class RangeReport(Struct, frozen=True):
    """The largest mean over packs minus the smallest, and the difference over ``pairs`` of episodes of these two packs."""

    most: str
    least: str
    spread: float
    paired: JsonNumber
    pairs: int


class PackReport(Struct, frozen=True):
    """One mind in one scenario under several prompt packs."""

    scenario: str
    mind: str
    packs: list[PackNumbers]
    ranges: dict[str, RangeReport]


class ReportDocument(Struct, frozen=True, tag_field="document", tag="report"):
    """A run. ``worlds`` holds the rows of tables that only one kind of world has, by its name; ``notes`` are about minds.

    ``silent`` has a sentence about each model of which no reply says anything.
    """

    version: Literal[1]
    title: str
    accounting: str
    headline: str
    verdicts: list[VerdictReport]
    cells: list[CellReport]
    curves: list[CurveReport]
    worlds: dict[str, list[dict[str, Any]]]
    notes: list[str]
    wording: list[PackReport] = []
    silent: list[str] = []


class Value(Struct, frozen=True, omit_defaults=True):
    """A number of a table. ``mark`` refers to a note; ``memory`` is the size of memory where it is the best of several."""

    value: float | None
    half_width: float | None
    mark: str = ""
    memory: str = ""


class PlayedCell(Struct, frozen=True):
    """A cell of the run that is part of a row."""

    scenario: str
    mind: str
    scored: int
    planned: int


class LayoutRow(Struct, frozen=True, omit_defaults=True):
    """A row: one name a head, one value a column (null where there is none); ``cells`` are those of a run."""

    source: Literal["paper", "run"]
    names: tuple[str, ...]
    values: list[Value | None]
    cells: list[PlayedCell] = []


class LayoutReport(Struct, frozen=True, tag_field="document", tag="layout"):
    """One of the paper's tables with a run in it: rows in the paper's order, those of the run that fit none last."""

    version: Literal[1]
    title: str
    accounting: str
    table: int
    caption: str
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    rows: list[LayoutRow]
    notes: list[str]


Document: TypeAlias = ReportDocument | LayoutReport


def as_json(findings: Findings, title: str) -> str:
    """The run as a :class:`ReportDocument`."""
    return _dump(
        ReportDocument(
            version=1,
            title=title,
            accounting=accounting(findings.cells),
            headline=headline(findings.verdicts),
            verdicts=list(map(_verdict, findings.verdicts)),
            cells=[_cell(cell, findings.spent[cell.scenario, cell.mind]) for cell in findings.cells],
            curves=[
                CurveReport(curve.scenario, curve.mind, _line(curve.regret), _line(curve.tom_percent))
                for curve in findings.curves
                if not (isinstance(curve.regret, Unknown) and isinstance(curve.tom_percent, Unknown))
            ],
            worlds={
                name: [msgspec.to_builtins(row) for row in rows] for name, rows in findings.worlds.items()
            },
            notes=mind_notes(findings.cells),
            wording=list(map(_packs, findings.packs)),
            silent=silences(findings.said),
        )
    )


def layout_as_json(table: int, cells: Sequence[Cell], title: str) -> str:
    """One of the paper's tables with the run in it, as a :class:`LayoutReport`."""
    layout = fill_table(table, cells)
    return _dump(
        LayoutReport(
            version=1,
            title=title,
            accounting=accounting(cells),
            table=table,
            caption=layout.caption,
            heads=layout.heads,
            columns=layout.columns,
            rows=list(map(_row, (*layout.lines, *layout.others))),
            notes=list(layout.notes),
        )
    )


def schema() -> str:
    """The JSON schema of a document (draft 2020-12): the text of ``report.schema.json``."""
    return json.dumps(msgspec.json.schema(Document), indent=1, ensure_ascii=False) + "\n"


def _dump(document: Document) -> str:
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode()


def _cell(cell: Cell, cost: Cost) -> CellReport:
    about = cell.about
    columns = {name: getattr(cell, name) for name in COLUMNS}
    applying = {name: estimate for name, estimate in columns.items() if estimate.reason != NOT_APPLYING}
    return CellReport(
        scenario=cell.scenario,
        mind=cell.mind,
        planned=cell.planned,
        scored=cell.scored,
        invalid=cell.invalid,
        failed=cell.failed,
        cut=cell.cut,
        refused=cell.refused,
        measures={name: _number(estimate) for name, estimate in {**cell.more, **applying}.items()},
        reward=cell.reward,
        invalid_share=cell.invalid_share,
        took=cost.took,
        verdict=_verdict(cell.verdict),
        estimated=cell.estimated,
        game=about.game,
        partners=about.partners,
        names=_action_names(cell) if about.game else "",
        model=about.who.model if about.who else "",
        grants=about.grants,
        decodings=about.decodings,
        cautions=about.cautions,
        marked=about.marked,
        scaffolds=about.scaffolds,
        dropped=about.dropped,
    )


def _action_names(cell: Cell) -> str:
    """The set of action names of a cell, by the first paper that knows it."""
    return next(filter(None, (papers.get(name).action_names(cell) for name in papers)), "")


def _verdict(verdict: Verdict) -> VerdictReport:
    return VerdictReport(
        kind=verdict.kind,
        sentence=verdict.sentence,
        mind=verdict.mind,
        scenarios=verdict.scenarios,
        literal=_number(verdict.literal),
        unused_share=_number(verdict.unused),
        functional=_number(verdict.functional),
        planned=verdict.planned,
        episodes=verdict.episodes,
        lost=verdict.lost,
        distinct=verdict.clusters,
        answers=verdict.answers,
        unread=verdict.unread,
        reason=verdict.reason,
        place=verdict.place,
    )


def _packs(comparison: PackComparison) -> PackReport:
    return PackReport(
        comparison.scenario,
        comparison.mind,
        [
            PackNumbers(
                pack.pack,
                pack.episodes,
                pack.scored,
                {name: _number(estimate) for name, estimate in pack.estimates.items()},
            )
            for pack in comparison.packs
        ],
        {
            name: RangeReport(span.most, span.least, span.spread, _number(span.paired), span.pairs)
            for name, span in comparison.ranges.items()
        },
    )


def _number(estimate: Estimate) -> JsonNumber:
    return JsonNumber(estimate.mean, estimate.low, estimate.high, estimate.reason, estimate.few)


def _line(band: Band | Unknown) -> Line95 | None:
    if isinstance(band, Unknown):
        return None
    return Line95(*([round(x, DECIMALS) for x in part.tolist()] for part in (band.mean, band.low, band.high)))


def _row(line: TableLine) -> LayoutRow:
    return LayoutRow(
        source="run" if line.cells else "paper",
        names=line.names,
        values=[
            entry and Value(entry.value, entry.half_width, entry.mark, entry.memory) for entry in line.entries
        ],
        cells=[PlayedCell(cell.scenario, cell.mind, cell.scored, cell.planned) for cell in line.cells],
    )
