"""The figures of a report: what is said against what is done, and how both are learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator

from otherminds.measures.cells import Cell
from otherminds.measures.curves import Band, Curve
from otherminds.measures.intervals import Estimate
from otherminds.reports.sections import listed
from otherminds.reports.style import INK, SOFT, Dash, Looks, legend, panels, styled

LEAST = -1.0
"""Scores below this are drawn at the edge, with their number: the rest stays legible."""
EDGE = 0.08
CROWD = 3
"""With more minds than this in a panel, bands are paler."""
CurveKey: TypeAlias = Literal["regret", "tom_percent"]
"""The two curves of a :class:`~otherminds.measures.curves.Curve`."""


def gap_plot(cells: Sequence[Cell]) -> Figure | None:
    """L against F, a panel for each scenario and a point for each mind.

    On the diagonal a mind does what it says. Scenarios in which no mind has both
    scores have no panel; :func:`gap_caption` names them. No panel at all: no figure.
    """
    looks = Looks([cell.mind for cell in cells])
    shown: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.functional.mean is not None and cell.literal.mean is not None:
            shown.setdefault(cell.scenario, []).append(cell)
    if not shown:
        return None
    names = list(dict.fromkeys(cell.mind for found in shown.values() for cell in found))
    ends = [_lowest(cell) for found in shown.values() for cell in found]
    left, low = (max(LEAST, min(0.0, *numbers)) - EDGE for numbers in zip(*ends, (0.0, 0.0), strict=True))
    with styled():
        figure, axes = panels(len(shown), 2.9, "L: what it says", "F: what it does", names)
        for ax, (scenario, found) in zip(axes, shown.items(), strict=True):
            ax.set(xlim=(left, 1.06), ylim=(low, 1.06))
            _gap_panel(ax, scenario, found, looks)
        legend(
            figure,
            {
                mind: Line2D([], [], linestyle="", marker=looks.marker(mind), color=looks.colour(mind))
                for mind in names
            },
        )
    return figure


def regret_curves(curves: Sequence[Curve]) -> Figure | None:
    """Regret a round over rounds, a panel for each scenario and a line for each mind."""
    return _curves(curves, "regret", "regret in the round")


def tom_curves(curves: Sequence[Curve]) -> Figure | None:
    """ToM % over rounds, a panel for each scenario and a line for each mind."""
    return _curves(curves, "tom_percent", "ToM %")


def _gap_panel(ax: Axes, scenario: str, cells: Sequence[Cell], looks: Looks) -> None:
    ax.axline((0, 0), slope=1, color=SOFT, linewidth=1, zorder=1)
    ax.axhline(0, color=SOFT, linewidth=0.8, linestyle=":", zorder=1)
    ax.axvline(0, color=SOFT, linewidth=0.8, linestyle=":", zorder=1)
    for cell in cells:
        said, done = _pair(cell)
        at = max(said, LEAST), max(done, LEAST)
        colour = looks.colour(cell.mind)
        ax.errorbar(
            *at,
            xerr=_arms(cell.literal, at[0]),
            yerr=_arms(cell.functional, at[1]),
            fmt=looks.marker(cell.mind),
            color=colour,
            markersize=6.5,
            markeredgecolor="white",
            markeredgewidth=0.6,
            elinewidth=1.2,
            zorder=3,
        )
        if done < LEAST:
            ax.annotate(
                f"↓ {done:.1f}", at, (6, 3), textcoords="offset points", fontsize=8, color=colour, zorder=4
            )
    ax.set_title(scenario, loc="left")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MultipleLocator(0.5))


def _lowest(cell: Cell) -> tuple[float, float]:
    """How far left and down a point reaches with its error bars."""
    said, done = _pair(cell)
    low_said, low_done = cell.literal.low, cell.functional.low
    return said if low_said is None else low_said, done if low_done is None else low_done


def _pair(cell: Cell) -> tuple[float, float]:
    assert cell.literal.mean is not None
    assert cell.functional.mean is not None
    return cell.literal.mean, cell.functional.mean


def _arms(found: Estimate, at: float) -> list[list[float]] | None:
    """The error bar of an estimate drawn at ``at``, as far as the panel reaches."""
    if found.low is None or found.high is None:
        return None
    return [[max(0.0, at - max(found.low, LEAST - EDGE))], [max(0.0, found.high - at)]]


def gap_caption(cells: Sequence[Cell]) -> str:
    """How to read the gap plot, and who is not in it for want of F or L."""
    absent: dict[str, list[Cell]] = {}
    for cell in cells:
        lacking = cell.functional if cell.functional.mean is None else cell.literal
        if lacking.mean is None:
            absent.setdefault(lacking.reason, []).append(cell)
    present = [cell for cell in cells if None not in (cell.functional.mean, cell.literal.mean)]
    lines = ["On the diagonal a mind does what it says; below it, it says more than it does."]
    lines += [f"Not shown: {listed(some, [*present, *some])}: {reason}." for reason, some in absent.items()]
    return " ".join(lines)


def draw_band(ax: Axes, band: Band, colour: str, dash: Dash, crowd: int) -> None:
    """A curve with its band over rounds; bands are paler where ``crowd`` curves share the panel."""
    rounds = np.arange(1, len(band.mean) + 1)
    alpha = 0.18 if crowd <= CROWD else 0.1
    ax.fill_between(rounds, band.low, band.high, color=colour, alpha=alpha, linewidth=0)
    ax.plot(rounds, band.mean, linestyle=dash, color=colour, linewidth=1.4)


def finish_curves(ax: Axes, key: CurveKey, title: str) -> None:
    """The axes of a panel of curves."""
    if key == "tom_percent":
        ax.set_ylim(-4, 104)
    else:
        ax.axhline(0, color=INK, linewidth=0.7, zorder=1)
    ax.set_title(title, loc="left")
    ax.margins(x=0.01)
    ax.xaxis.set_major_locator(MaxNLocator(5, integer=True))


def _curves(curves: Sequence[Curve], key: CurveKey, label: str) -> Figure | None:
    looks = Looks([curve.mind for curve in curves])
    shown: dict[str, list[tuple[str, Band]]] = {}
    for curve in curves:
        band = getattr(curve, key)
        if isinstance(band, Band):
            shown.setdefault(curve.scenario, []).append((curve.mind, band))
    if not shown:
        return None
    names = list(dict.fromkeys(mind for lines in shown.values() for mind, _ in lines))
    with styled():
        figure, axes = panels(len(shown), 2.3, "round", label, names)
        for ax, (scenario, lines) in zip(axes, shown.items(), strict=True):
            for mind, band in lines:
                draw_band(ax, band, looks.colour(mind), looks.dash(mind), len(lines))
            finish_curves(ax, key, scenario)
        legend(
            figure,
            {
                mind: Line2D([], [], linestyle=looks.dash(mind), color=looks.colour(mind), linewidth=2)
                for mind in names
            },
        )
    return figure
