"""Figures over rounds: learning curves, and rewards around validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from otherminds.measures.curves import Band, Curve, ValidationWindow
from otherminds.reports.sheets import grouped_by
from otherminds.reports.style import COLOURS, INK, Dash, Looks, drawn, point_of, wrap_name

CROWD = 3
"""With more minds than this in a panel, bands are paler."""
CurveKey: TypeAlias = Literal["regret", "tom_percent"]
"""The two curves of a :class:`~otherminds.measures.curves.Curve`."""
TITLES: dict[CurveKey, str] = {"regret": "regret in the round", "tom_percent": "ToM %"}
MOMENT = COLOURS[2]
VALIDATION = (
    "Mean reward of the encounters before the first validation of a hypothesis (−1 is the last) and after it (1 is the "
    "first with the validated hypothesis). Bands: 95 % (Student's t, stratified by partner). As figure 3 of Cross et al. 2025. "
    "Not every point is over the same episodes: where validation came early there is little before it."
)


def draw_band(ax: Axes, key: CurveKey, band: Band, colour: str, dash: Dash, crowd: int) -> None:
    """A curve with its band over rounds; bands are paler where ``crowd`` curves share the panel.

    The band of a share in per cent is cut to 0 to 100.
    """
    rounds = np.arange(1, len(band.mean) + 1)
    alpha = 0.18 if crowd <= CROWD else 0.1
    low, high = (np.clip(end, 0, 100) if key == "tom_percent" else end for end in (band.low, band.high))
    ax.fill_between(rounds, low, high, color=colour, alpha=alpha, linewidth=0)
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


def curves_plot(curves: Sequence[Curve], key: CurveKey) -> Figure | None:
    """Regret a round or ToM % over rounds, a panel for each scenario and a line for each mind."""
    looks = Looks([curve.mind for curve in curves])
    by_scenario: dict[str, list[tuple[str, Band]]] = {}
    for curve in curves:
        band = getattr(curve, key)
        if isinstance(band, Band):
            by_scenario.setdefault(curve.scenario, []).append((curve.mind, band))

    def draw(ax: Axes, scenario: str, lines: Sequence[tuple[str, Band]]) -> None:
        for mind, band in lines:
            draw_band(ax, key, band, looks.colour(mind), looks.dash(mind), len(lines))
        finish_curves(ax, key, scenario)

    minds = dict.fromkeys(mind for lines in by_scenario.values() for mind, _ in lines)
    handles = {mind: curve_key(looks.colour(mind), looks.dash(mind)) for mind in minds}
    return drawn(by_scenario, draw, (2.3, 0.0), ("round", TITLES[key]), handles)


def curve_key(colour: str, dash: Dash) -> Line2D:
    """The sample of a curve in a legend."""
    return Line2D([], [], linestyle=dash, color=colour, linewidth=2)


def validation_plot(windows: Sequence[ValidationWindow], looks: Looks) -> Figure | None:
    """A panel for each scenario, a line for each mind; ``None`` where nothing was validated twice."""
    drawable = [window for window in windows if any(point.mean is not None for point in window.rewards)]
    handles: dict[str, Line2D] = {}
    for window in drawable:
        handles[window.mind] = point_of(looks, window.mind)
        handles[window.mind].set_linestyle(looks.dash(window.mind))

    def draw(ax: Axes, scenario: str, lines: Sequence[ValidationWindow]) -> None:
        _validation_panel(ax, scenario, lines, looks)

    labels = ("encounters from validation", "reward an encounter")
    return drawn(grouped_by(drawable, lambda window: window.scenario), draw, (2.4, 0.0), labels, handles)


def _validation_panel(ax: Axes, scenario: str, lines: Sequence[ValidationWindow], looks: Looks) -> None:
    ax.axhline(0, color=INK, linewidth=0.7, zorder=1)
    ax.axvline(0, color=MOMENT, linewidth=1.4, zorder=1)
    for window in lines:
        points = list(zip(window.offsets, window.rewards, strict=True))
        with_mean = [(x, p.mean) for x, p in points if p.mean is not None]
        banded = [(x, p.low, p.high) for x, p in points if p.low is not None and p.high is not None]
        colour, dash, marker = looks.colour(window.mind), looks.dash(window.mind), looks.marker(window.mind)
        xs, means = zip(*with_mean, strict=True)
        ax.plot(xs, means, color=colour, linestyle=dash, marker=marker, linewidth=1.4, markersize=4, zorder=3)
        if banded:
            xs, low, high = zip(*banded, strict=True)
            ax.fill_between(xs, low, high, color=colour, alpha=0.18 if len(lines) < 4 else 0.08, linewidth=0)
    ax.set_title(wrap_name(scenario, 36), loc="left")
    reach = lines[0].offsets[-1]
    ax.set_xlim(-reach - 0.5, reach + 0.5)
    ax.set_xticks([x for x in lines[0].offsets if abs(x) % 2 == reach % 2])
