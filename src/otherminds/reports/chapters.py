"""The parts of a report that concern all scenarios: chapters such as returns and costs."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.reports.costs import spending_sheet, sweep_sheet, sweeps
from otherminds.reports.findings import Findings, world_reports
from otherminds.reports.overview import around, overview, printed, regret_parts, thinking
from otherminds.reports.sheets import Sheet, trimmed
from otherminds.reports.wording import wording_sheet

Part: TypeAlias = Literal["returns", "worlds", "regret", "validation", "spending", "sweeps", "wording"]
"""The figures of a chapter."""


class Chapter(Struct, frozen=True):
    """``sheets`` are shown with the figures of ``part``; ``wide`` ones on the page only."""

    title: str
    part: Part
    sheets: tuple[Sheet, ...]
    wide: tuple[Sheet, ...] = ()


def chapters(found: Findings) -> list[Chapter]:
    """The chapters that a run has data for, in their order."""
    cells = found.cells
    worlds = [(world_reports.get(name), rows) for name, rows in found.worlds.items()]
    known: tuple[tuple[str, Part, tuple[Sheet | None, ...], tuple[Sheet | None, ...]], ...] = (
        ("Returns", "returns", (overview(cells), *printed([cell.scenario for cell in cells])), ()),
        *((world.title, "worlds", world.sheets(rows), ()) for world, rows in worlds),
        ("Where regret comes from", "regret", (regret_parts(cells),), ()),
        ("Hypotheses", "validation", (thinking(cells),), (around(found.around),)),
        ("Cost against reward", "spending", (spending_sheet(found.runs),), ()),
        ("Wording", "wording", (wording_sheet(found.packs),), ()),
        ("Sweeps", "sweeps", (sweep_sheet(sweeps(found.runs)),), ()),
    )
    made = [Chapter(title, part, _known(sheets), _known(wide)) for title, part, sheets, wide in known]
    return [chapter for chapter in made if chapter.sheets]


def arranged(found: Findings) -> tuple[list[Chapter], list[Chapter]]:
    """The chapters before and after the scenarios' tables.

    Chapters of worlds come first, then returns in gridworlds; in matrix games the scenarios come first.
    """
    grid = any("reward_per_1200_steps" in cell.more for cell in found.cells)
    first = "worlds" if found.worlds else "returns" if grid else ""
    made = chapters(found)
    return [one for one in made if one.part == first], [one for one in made if one.part != first]


def _known(sheets: tuple[Sheet | None, ...]) -> tuple[Sheet, ...]:
    return tuple(trimmed(sheet) for sheet in sheets if sheet is not None and sheet.rows)
