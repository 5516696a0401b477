"""A report on one or more authored pools as one HTML page, without scripts and network access."""

from __future__ import annotations

from collections.abc import Sequence
from re import sub

from matplotlib.figure import Figure
from msgspec.structs import replace

from otherminds.household.authoring.pooling.accounts import PoolAccount
from otherminds.household.reports.authoring.figures import RATES, YIELD, pass_rate_plot, yield_plot
from otherminds.household.reports.authoring.tables import (
    ablation_sheet,
    acceptance_sheet,
    cost_sheet,
    generations_sheet,
    pass_rate_sheet,
)
from otherminds.household.reports.composition import composition_sheet
from otherminds.reports.markup import render
from otherminds.reports.page import IDS, PageFigure, PagePart
from otherminds.reports.style import svg, themed

ABOUT = (
    "Tasks that authors wrote, through checks of their structure, a verifier, judges and a calibration; and how the "
    "targets do on them."
)


def pools_page(pools: Sequence[PoolAccount]) -> str:
    """The page: figures and the ablations of all pools, then the tables of each."""
    parts = [
        PagePart("Yield", figures=_figure("yield", yield_plot(pools), YIELD)),
        PagePart("Pass rates by generation", figures=_figure("rates", pass_rate_plot(pools), RATES)),
        PagePart("Ablations", sheets=(ablation_sheet(pools),)),
        *map(_part, pools),
    ]
    tasks, attempts = sum(len(pool.tasks) for pool in pools), sum(len(pool.attempts) for pool in pools)
    counts = f"pools: {len(pools)}; tasks: {tasks}; attempts: {attempts}"
    context = {
        "title": f"Authored pools: {', '.join(pool.name for pool in pools)}",
        "accounting": counts,
        "words": (ABOUT,),
        "opening": None,
        "parts": [part for part in parts if part.has_content],
        "linked": None,
    }
    return render("otherminds.household.reports.authoring:pools.html", context)


def _part(pool: PoolAccount) -> PagePart:
    composition = replace(composition_sheet("composition", pool.tasks), inline=False)
    sheets = (
        generations_sheet(pool),
        pass_rate_sheet(pool),
        acceptance_sheet(pool),
        cost_sheet(pool),
        composition,
    )
    return PagePart(pool.name, sheets=tuple(sheet for sheet in sheets if sheet.rows))


def _figure(name: str, figure: Figure | None, caption: str) -> tuple[PageFigure, ...]:
    """The drawing, whose identifiers are unique on the page, with its caption; nothing without one."""
    return (PageFigure(themed(sub(IDS, rf"\1{name}-", svg(figure))), caption),) if figure else ()
