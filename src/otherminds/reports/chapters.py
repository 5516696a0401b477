"""The parts of a report that concern all scenarios: chapters such as returns, costs and the wording of prompts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.measures.intervals import ROUNDING, Estimate
from otherminds.measures.sensitivity import COLUMNS, PackComparison, PackRange
from otherminds.reports.findings import Findings, world_reports
from otherminds.reports.overview import (
    around,
    overview,
    print_published,
    regret_parts,
    spending_sheet,
    sweep_sheet,
    sweeps,
    thinking,
)
from otherminds.reports.sheets import NONE, Pair, Row, Sheet, fixed, format_mean, interval, pair, trim_sheet

HEADS = {"functional": "F, all rounds", "literal": "L, all rounds", "unused": "unused", "valid": "valid %"}
DIGITS = {"functional": 2, "literal": 2, "unused": 3, "valid": 1}
RANGE = "range over packs"
PAIRED = "paired, most − least"
MEANING = (
    "One mind under several prompt packs, with the same partners and seeds. Valid: written answers that could be "
    f"read. {RANGE}: the largest mean minus the smallest; above 0 by chance alone where scores vary. {PAIRED}: the "
    "difference of these two packs over pairs of episodes with the same partner and seed; its 95 % interval holds for "
    "all pairs of packs together (Bonferroni). F, L and unused are over pairs that were both scored. n: scored "
    "episodes, of those recorded."
)


def wording_sheet(comparisons: Sequence[PackComparison]) -> Sheet | None:
    """Rows for each scenario and mind: its packs, the range, and the paired difference; ``None`` without any."""
    rows: list[Row] = []
    for comparison in comparisons:
        for pack in comparison.packs:
            numbers = [_number(pack.estimates[name], name) for name in COLUMNS]
            n = str(pack.scored) if pack.scored == pack.episodes else f"{pack.scored}/{pack.episodes}"
            rows.append(((comparison.scenario, comparison.mind, pack.pack), (*numbers, (n, ""))))
        ranges = [comparison.ranges.get(name) for name in COLUMNS]
        spreads = [_spread(span, name) for span, name in zip(ranges, COLUMNS, strict=True)]
        differences = [_paired_cell(span, name) for span, name in zip(ranges, COLUMNS, strict=True)]
        rows.append(((comparison.scenario, comparison.mind, RANGE), (*spreads, ("", ""))))
        rows.append(((comparison.scenario, comparison.mind, PAIRED), (*differences, ("", ""))))
    heads = ("scenario", "mind", "pack", *HEADS.values(), "n")
    return Sheet("sensitivity to wording", heads, tuple(rows), (MEANING,)) if rows else None


def _number(estimate: Estimate, name: str) -> Pair:
    return pair(_scale_estimate(estimate, name), DIGITS[name])


def _spread(span: PackRange | None, name: str) -> Pair:
    if span is None:
        return NONE
    packs = f"{span.most} − {span.least}" if span.spread > ROUNDING else ""
    return fixed(span.spread * _scale(name), DIGITS[name]), packs


def _paired_cell(span: PackRange | None, name: str) -> Pair:
    if span is None:
        return NONE
    difference = _scale_estimate(span.paired, name)
    return format_mean(difference, DIGITS[name]), interval(difference, DIGITS[name]) or f"{span.pairs} pairs"


def _scale(name: str) -> int:
    """Shares of valid replies are shown in per cent."""
    return 100 if name == "valid" else 1


def _scale_estimate(estimate: Estimate, name: str) -> Estimate:
    mean, low, high = (
        None if x is None else x * _scale(name) for x in (estimate.mean, estimate.low, estimate.high)
    )
    return Estimate(mean, low, high, n=estimate.n)


Part: TypeAlias = Literal["returns", "worlds", "regret", "validation", "spending", "sweeps", "wording"]
"""The figures of a chapter."""


class Chapter(Struct, frozen=True):
    """``sheets`` are shown with the figures of ``part``; ``wide`` ones on the page only."""

    title: str
    part: Part
    sheets: tuple[Sheet, ...]
    wide: tuple[Sheet, ...] = ()


def chapters(findings: Findings) -> list[Chapter]:
    """The chapters that a run has data for, in their order."""
    cells = findings.cells
    worlds = [(world_reports.get(name), rows) for name, rows in findings.worlds.items()]
    candidates: tuple[tuple[str, Part, tuple[Sheet | None, ...], tuple[Sheet | None, ...]], ...] = (
        ("Returns", "returns", (overview(cells), *print_published([cell.scenario for cell in cells])), ()),
        *((world.title, "worlds", world.sheets(rows), ()) for world, rows in worlds),
        ("Where regret comes from", "regret", (regret_parts(cells),), ()),
        ("Hypotheses", "validation", (thinking(cells),), (around(findings.around),)),
        ("Cost against reward", "spending", (spending_sheet(findings.runs),), ()),
        ("Wording", "wording", (wording_sheet(findings.packs),), ()),
        ("Sweeps", "sweeps", (sweep_sheet(sweeps(findings.runs)),), ()),
    )
    filled = [
        Chapter(title, part, _present_sheets(sheets), _present_sheets(wide))
        for title, part, sheets, wide in candidates
    ]
    return [chapter for chapter in filled if chapter.sheets]


def arrange_chapters(findings: Findings) -> tuple[list[Chapter], list[Chapter]]:
    """The chapters before and after the scenarios' tables.

    Chapters of worlds come first, then returns in gridworlds; in matrix games the scenarios come first.
    """
    grid = any("reward_per_1200_steps" in cell.more for cell in findings.cells)
    first = "worlds" if findings.worlds else "returns" if grid else ""
    every = chapters(findings)
    return [chapter for chapter in every if chapter.part == first], [
        chapter for chapter in every if chapter.part != first
    ]


def _present_sheets(sheets: tuple[Sheet | None, ...]) -> tuple[Sheet, ...]:
    return tuple(trim_sheet(sheet) for sheet in sheets if sheet is not None and sheet.rows)
