"""Figures over rounds: learning curves, curves by action names, and rewards around validation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from msgspec import Struct

from otherminds.matrix.names import SETS
from otherminds.matrix.reports.matching import YARDSTICK, action_names, reads_names
from otherminds.measures.cells import Cell
from otherminds.measures.curves import Band, Curve, ValidationWindow
from otherminds.reports.sheets import grouped_by
from otherminds.reports.style import COLOURS, INK, Dash, Looks, drawn, point_of, shortened, wrapped

CROWD = 3
"""With more minds than this in a panel, bands are paler."""
CurveKey: TypeAlias = Literal["regret", "tom_percent"]
"""The two curves of a :class:`~otherminds.measures.curves.Curve`."""
HEIGHT = 3.1
TITLES: dict[CurveKey, str] = {"regret": "regret in the round", "tom_percent": "ToM %"}
LEARNER = "rmax, which reads no names"
DOTS: Dash = (0, (1, 1.5))
REPEATED = 5
"""A name of at least this many equal letters is written as the letter and their number."""
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
    shown: dict[str, list[tuple[str, Band]]] = {}
    for curve in curves:
        band = getattr(curve, key)
        if isinstance(band, Band):
            shown.setdefault(curve.scenario, []).append((curve.mind, band))

    def draw(ax: Axes, scenario: str, lines: Sequence[tuple[str, Band]]) -> None:
        for mind, band in lines:
            draw_band(ax, key, band, looks.colour(mind), looks.dash(mind), len(lines))
        finish_curves(ax, key, scenario)

    minds = dict.fromkeys(mind for lines in shown.values() for mind, _ in lines)
    handles = {mind: _stroke(looks.colour(mind), looks.dash(mind)) for mind in minds}
    return drawn(shown, draw, (2.3, 0.0), ("round", TITLES[key]), handles)


def _stroke(colour: str, dash: Dash) -> Line2D:
    return Line2D([], [], linestyle=dash, color=colour, linewidth=2)


class NameLine(Struct, frozen=True, eq=False):
    """The curve of one set of action names; ``label`` gives the names themselves too."""

    names: str
    label: str
    curve: Curve


class NameSets(Struct, frozen=True, eq=False):
    """One mind in one scenario under several sets of action names.

    ``reference`` is the tabular learner's curve, which reads no names.
    """

    scenario: str
    mind: str
    game: str
    partners: str
    lines: tuple[NameLine, ...]
    reference: Curve | None


def by_names(cells: Sequence[Cell], curves: Sequence[Curve]) -> list[NameSets]:
    """Language models and scenarios with cells that differ in the action names only."""
    curve = {(one.scenario, one.mind): one for one in curves}
    found: dict[tuple[str, str], list[Cell]] = {}
    reference: dict[str, Curve] = {}
    for cell in cells:
        key = (cell.scenario, cell.mind)
        if key not in curve or cell.about.who is None:
            continue
        if reads_names(cell):
            found.setdefault((_base(cell), cell.mind), []).append(cell)
        elif cell.about.who.mind == YARDSTICK:
            reference.setdefault(_base(cell), curve[key])
    sets: list[NameSets] = []
    for (scenario, mind), some in found.items():
        if len(some) > 1:
            about, learner = some[0].about, reference.get(scenario)
            lines = (NameLine(action_names(one), _label(one), curve[one.scenario, one.mind]) for one in some)
            partners = " and ".join(about.partners)
            sets.append(NameSets(scenario, mind, about.game, partners, tuple(lines), learner))
    return sets


def names_plot(found: NameSets, looks: Looks) -> Figure | None:
    """Regret and ToM % over rounds: a line for each set of names, and one for the tabular learner.

    ``looks`` gives each set the same colour in every figure of a report.
    """
    lines = [(one.label, one.curve, looks.colour(one.names), looks.dash(one.names)) for one in found.lines]
    if found.reference is not None:
        lines.append((LEARNER, found.reference, INK, DOTS))

    def draw(ax: Axes, key: CurveKey, title: str) -> None:
        for _, curve, colour, dash in lines:
            band = getattr(curve, key)
            if isinstance(band, Band):
                draw_band(ax, key, band, colour, dash, len(lines))
        finish_curves(ax, key, title)

    handles = {label: _stroke(colour, dash) for label, _, colour, dash in lines}
    title = f"{shortened(found.mind)}: {_where(found)}"
    return drawn(TITLES, draw, (HEIGHT, 0.0), ("round", ""), handles, title)


def names_caption(found: NameSets) -> str:
    """The minds and the scenario of the figure, with the paper's corresponding figures."""
    reference = "" if found.reference else " This run has no tabular learner here for comparison."
    return (
        f"{found.mind} in {_where(found)} ({found.scenario}), by what the options are called; "
        f"as figures 19 to 43 of the paper.{reference}"
    )


def _where(found: NameSets) -> str:
    return f"{found.game} against {found.partners}" if found.game else found.scenario


def _base(cell: Cell) -> str:
    """The title of the scenario without the names at its end."""
    return cell.scenario.removesuffix(f" [{cell.about.names}]")


def _label(cell: Cell) -> str:
    """A set of names, with the names of the paper's sets."""
    names = action_names(cell)
    shown = SETS.get(names, {}).get(cell.about.game, ())
    long = {name for name in shown if len(name) >= REPEATED and len(set(name)) == 1}
    told = [f"{name[0]}×{len(name)}" if name in long else name for name in shown]
    return f"{names} ({', '.join(told)})" if told else names


def validation_plot(found: Sequence[ValidationWindow], looks: Looks) -> Figure | None:
    """A panel for each scenario, a line for each mind; ``None`` where nothing was validated twice."""
    known = [one for one in found if any(point.mean is not None for point in one.rewards)]
    handles: dict[str, Line2D] = {}
    for one in known:
        handles[one.mind] = point_of(looks, one.mind)
        handles[one.mind].set_linestyle(looks.dash(one.mind))

    def draw(ax: Axes, scenario: str, lines: Sequence[ValidationWindow]) -> None:
        _validation_panel(ax, scenario, lines, looks)

    labels = ("encounters from validation", "reward an encounter")
    return drawn(grouped_by(known, lambda one: one.scenario), draw, (2.4, 0.0), labels, handles)


def _validation_panel(ax: Axes, scenario: str, lines: Sequence[ValidationWindow], looks: Looks) -> None:
    ax.axhline(0, color=INK, linewidth=0.7, zorder=1)
    ax.axvline(0, color=MOMENT, linewidth=1.4, zorder=1)
    for one in lines:
        points = list(zip(one.offsets, one.rewards, strict=True))
        known = [(x, p.mean) for x, p in points if p.mean is not None]
        banded = [(x, p.low, p.high) for x, p in points if p.low is not None and p.high is not None]
        colour, dash, marker = looks.colour(one.mind), looks.dash(one.mind), looks.marker(one.mind)
        xs, means = zip(*known, strict=True)
        ax.plot(xs, means, color=colour, linestyle=dash, marker=marker, linewidth=1.4, markersize=4, zorder=3)
        if banded:
            xs, low, high = zip(*banded, strict=True)
            ax.fill_between(xs, low, high, color=colour, alpha=0.18 if len(lines) < 4 else 0.08, linewidth=0)
    ax.set_title(wrapped(scenario, 36), loc="left")
    reach = lines[0].offsets[-1]
    ax.set_xlim(-reach - 0.5, reach + 0.5)
    ax.set_xticks([x for x in lines[0].offsets if abs(x) % 2 == reach % 2])
