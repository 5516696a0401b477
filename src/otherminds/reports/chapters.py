"""What a report says over all scenarios: returns, teams, hypotheses, cost against reward, sweeps."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from otherminds.reports.costs import spending_sheet, sweep_sheet, sweeps
from otherminds.reports.findings import Findings, world_reports
from otherminds.reports.overview import around, overview, printed, regret_parts, thinking
from otherminds.reports.sheets import Sheet

Part: TypeAlias = Literal["returns", "worlds", "regret", "validation", "spending", "sweeps"]
"""The figures of a chapter."""


class Chapter(Struct, frozen=True):
    """``sheets`` are shown with the figures of ``part``; ``wide`` ones are for the page alone."""

    title: str
    part: Part
    sheets: tuple[Sheet, ...]
    wide: tuple[Sheet, ...] = ()


def chapters(found: Findings) -> list[Chapter]:
    """The chapters for which a run has what it takes, in their order."""
    cells = found.cells
    worlds = [(world_reports.get(name), rows) for name, rows in found.worlds.items()]
    known: tuple[tuple[str, Part, tuple[Sheet | None, ...], tuple[Sheet | None, ...]], ...] = (
        ("Returns", "returns", (overview(cells), printed([cell.scenario for cell in cells])), ()),
        *((world.title, "worlds", world.sheets(rows), ()) for world, rows in worlds),
        ("Where regret comes from", "regret", (regret_parts(cells),), ()),
        ("Hypotheses", "validation", (thinking(cells),), (around(found.around),)),
        ("Cost against reward", "spending", (spending_sheet(found.runs),), ()),
        ("Sweeps", "sweeps", (sweep_sheet(sweeps(found.runs)),), ()),
    )
    made = [Chapter(title, part, _known(sheets), _known(wide)) for title, part, sheets, wide in known]
    return [chapter for chapter in made if chapter.sheets]


def arranged(found: Findings) -> tuple[list[Chapter], list[Chapter]]:
    """The chapters before and after the scenarios' tables.

    A run in worlds with chapters of their own opens with these, one in a gridworld with its returns;
    in matrix games the scenarios come first.
    """
    first: set[Part] = set()
    if found.worlds:
        first = {"worlds"}
    elif any("reward_per_1200_steps" in cell.more for cell in found.cells):
        first = {"returns"}
    made = chapters(found)
    return [one for one in made if one.part in first], [one for one in made if one.part not in first]


def _known(sheets: tuple[Sheet | None, ...]) -> tuple[Sheet, ...]:
    return tuple(sheet for sheet in sheets if sheet is not None and sheet.rows)
