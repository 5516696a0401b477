"""The parts of a report that concern all scenarios: chapters such as returns and costs."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.reports.costs import spending_sheet, sweep_sheet, sweeps
from otherminds.reports.findings import Findings, world_reports
from otherminds.reports.overview import around, overview, print_published, regret_parts, thinking
from otherminds.reports.sheets import Sheet, trim_sheet
from otherminds.reports.wording import wording_sheet

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
