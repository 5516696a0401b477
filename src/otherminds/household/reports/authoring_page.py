"""A report on one or more authored pools as one HTML page, with figures, without scripts and network access.

The figures have the layout of figures 2a and 3 of Juneja et al. 2026."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from re import sub

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from msgspec.structs import replace

from otherminds.core.text import plain
from otherminds.household.authoring.accounts import PoolAccount, cumulative, pass_rates
from otherminds.household.reports.authoring_tables import (
    ablation_sheet,
    acceptance_sheet,
    cost_sheet,
    generations_sheet,
    pass_rate_sheet,
)
from otherminds.household.reports.pool_sheets import composition_sheet
from otherminds.measures.intervals import Estimate
from otherminds.reports.markup import render
from otherminds.reports.page import IDS, PageFigure, PagePart
from otherminds.reports.style import Looks, drawn, point_of, svg, themed

HEIGHT = 2.9
YIELD = (
    "Tasks kept after each attempt, in the order in which the attempts ended. As figure 3 of Juneja et al. 2026, which "
    "has a line with seed examples and one without."
)
RATES = (
    "Share of runs that each target solves, by the generation of the tasks; generation 0 is what the pool started "
    "with. Bars: 95 % (Wilson, over tasks). As figure 2a of Juneja et al. 2026."
)
SPREAD = 0.08
"""The distance of the marks of two targets in one generation."""


def yield_plot(pools: Sequence[PoolAccount]) -> Figure | None:
    """The cumulative yield, a line for each pool; ``None`` without attempts."""
    counted = {pool.name: cumulative(pool.attempts) for pool in pools if pool.attempts}
    looks = Looks([*counted])

    def draw(ax: Axes, _: str, lines: Mapping[str, Sequence[int]]) -> None:
        for name, counts in lines.items():
            ax.step(
                range(len(counts) + 1),
                (0, *counts),
                where="post",
                color=looks.colour(name),
                linestyle=looks.dash(name),
                linewidth=1.6,
            )
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
        ax.yaxis.set_major_locator(MaxNLocator(6, integer=True, min_n_ticks=1))
        ax.set_ylim(bottom=0)
        ax.set_xlim(left=0)

    handles = {
        plain(name): Line2D([], [], color=looks.colour(name), linestyle=looks.dash(name)) for name in counted
    }
    groups = {"": counted} if counted else {}
    return drawn(groups, draw, (HEIGHT, 0.0), ("attempts", "tasks kept"), handles)


def pass_rate_plot(pools: Sequence[PoolAccount]) -> Figure | None:
    """Pass rates by generation, a panel for each pool and a line for each target; ``None`` without results."""
    rates = {
        pool.name: by_target for pool in pools if (by_target := pass_rates(pool.results, pool.generations))
    }
    targets = [*dict.fromkeys(target for by_target in rates.values() for target in by_target)]
    looks = Looks(targets)

    def draw(ax: Axes, name: str, by_target: Mapping[str, Mapping[int, Estimate]]) -> None:
        for k, (target, by_generation) in enumerate(by_target.items()):
            _rate_line(ax, by_generation, (k - (len(by_target) - 1) / 2) * SPREAD, looks, target)
        ax.set_ylim(-4, 104)
        ax.set_title(plain(name), loc="left")
        numbers = [number for by_generation in by_target.values() for number in by_generation]
        ax.set_xlim(min(numbers) - 0.5, max(numbers) + 0.5)
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=True, min_n_ticks=1))

    handles = {plain(target): point_of(looks, target) for target in targets}
    return drawn(rates, draw, (HEIGHT, 0.0), ("generation", "pass rate, %"), handles)


def _rate_line(
    ax: Axes, by_generation: Mapping[int, Estimate], shift: float, looks: Looks, target: str
) -> None:
    colour = looks.colour(target)
    points = [
        (number + shift, 100 * estimate.mean, 100 * estimate.low, 100 * estimate.high)
        for number, estimate in by_generation.items()
        if estimate.mean is not None and estimate.low is not None and estimate.high is not None
    ]
    xs, means, low, high = zip(*points, strict=True)
    ax.vlines(xs, low, high, color=colour, linewidth=1.1, alpha=0.6)
    ax.plot(xs, means, color=colour, linestyle=looks.dash(target), marker=looks.marker(target), markersize=5)


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
    return render("otherminds.household.reports:authored_pools.html", context)


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
