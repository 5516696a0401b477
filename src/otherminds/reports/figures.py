"""The figures of a report: what is said against what is done, and how both are learnt."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator, MultipleLocator
from msgspec import Struct

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


def unused_plot(cells: Sequence[Cell]) -> Figure | None:
    """What a mind leaves unused against what it says, a panel for each scenario and a point for each mind.

    The upper right knows its partner and does not act on it. Scenarios in which no mind has
    both have no panel. No panel at all: no figure.
    """
    return _scatter(cells, UNUSED)


def gap_plot(cells: Sequence[Cell]) -> Figure | None:
    """L against F, a panel for each scenario and a point for each mind.

    On the diagonal a mind does what it says. Scenarios in which no mind has both
    scores have no panel; :func:`gap_caption` names them. No panel at all: no figure.
    """
    return _scatter(cells, FUNCTIONAL)


class Against(Struct, frozen=True):
    """What L is drawn against: a field of a cell, its label, whether the diagonal means something."""

    key: str
    label: str
    diagonal: bool


UNUSED = Against("unused", "unused: payoff a round", diagonal=False)
FUNCTIONAL = Against("functional", "F: what it does", diagonal=True)


def _scatter(cells: Sequence[Cell], against: Against) -> Figure | None:
    looks = Looks([cell.mind for cell in cells])
    shown: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.literal.mean is not None and _of(cell, against).mean is not None:
            shown.setdefault(cell.scenario, []).append(cell)
    if not shown:
        return None
    names = list(dict.fromkeys(cell.mind for found in shown.values() for cell in found))
    left = min(0.0, *(_low(cell.literal) for found in shown.values() for cell in found))
    with styled():
        figure, axes = panels(len(shown), 2.9, "L: what it says", against.label, names)
        for ax, (scenario, found) in zip(axes, shown.items(), strict=True):
            ax.set(xlim=(max(LEAST, left) - EDGE, 1.06))
            if against.diagonal:
                low = min(0.0, *(_low(_of(cell, against)) for cell in found))
                ax.set(ylim=(max(LEAST, low) - EDGE, 1.06))
            _scatter_panel(ax, scenario, found, against, looks)
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


def _scatter_panel(ax: Axes, scenario: str, cells: Sequence[Cell], against: Against, looks: Looks) -> None:
    if against.diagonal:
        ax.axline((0, 0), slope=1, color=SOFT, linewidth=1, zorder=1)
        ax.yaxis.set_major_locator(MultipleLocator(0.5))
    ax.axhline(0, color=SOFT, linewidth=0.8, linestyle=":", zorder=1)
    ax.axvline(0, color=SOFT, linewidth=0.8, linestyle=":", zorder=1)
    for cell in cells:
        said, done = cell.literal.mean or 0.0, _of(cell, against).mean or 0.0
        cut = against.diagonal and done < LEAST
        at = max(said, LEAST), LEAST if cut else done
        colour = looks.colour(cell.mind)
        ax.errorbar(
            *at,
            xerr=_arms(cell.literal, at[0], LEAST - EDGE),
            yerr=_arms(_of(cell, against), at[1], LEAST - EDGE if against.diagonal else -inf),
            fmt=looks.marker(cell.mind),
            color=colour,
            markersize=6.5,
            markeredgecolor="white",
            markeredgewidth=0.6,
            elinewidth=1.2,
            zorder=3,
        )
        if cut:
            ax.annotate(
                f"↓ {done:.1f}", at, (6, 3), textcoords="offset points", fontsize=8, color=colour, zorder=4
            )
    ax.set_title(scenario, loc="left")
    ax.xaxis.set_major_locator(MultipleLocator(0.5))


def _of(cell: Cell, against: Against) -> Estimate:
    return getattr(cell, against.key)


def _low(found: Estimate) -> float:
    """How far down a point reaches with its error bar."""
    return (found.mean or 0.0) if found.low is None else found.low


def _arms(found: Estimate, at: float, least: float) -> list[list[float]] | None:
    """The error bar of an estimate drawn at ``at``, not below ``least``."""
    if found.low is None or found.high is None:
        return None
    return [[max(0.0, at - max(found.low, least))], [max(0.0, found.high - at)]]


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


UNUSED_CAPTION = (
    "To the right a mind predicts its partner, upwards it loses by not acting on that; in the upper right it "
    "says more than it does. Only games in which a prediction can change the best move are shown."
)


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
