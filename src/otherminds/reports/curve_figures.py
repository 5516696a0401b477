"""Numbers over rounds as figures: how minds learn, what action names change, what validation brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from msgspec import Struct

from otherminds.measures.cells import Cell
from otherminds.measures.curves import Band, Curve, ValidationWindow
from otherminds.reports.matching import YARDSTICK, action_names, reads_names
from otherminds.reports.sheets import grouped_by
from otherminds.reports.style import COLOURS, INK, Dash, Looks, drawn, point_of, shortened, wrapped
from otherminds.worlds.matrix.names import SETS

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
    "Mean reward of the encounters before (−1 is the last) and from the first validation of a hypothesis on (1 is the "
    "first that was gone into with it). Bands: 95 %, by bootstrap over partner × seed. As figure 3 of Cross et al. 2025. "
    "Not every point is over the same episodes: where validation came early there is little before it."
)


def regret_curves(curves: Sequence[Curve]) -> Figure | None:
    """Regret a round over rounds, a panel for each scenario and a line for each mind."""
    return _curves(curves, "regret", "regret in the round")


def tom_curves(curves: Sequence[Curve]) -> Figure | None:
    """ToM % over rounds, a panel for each scenario and a line for each mind."""
    return _curves(curves, "tom_percent", "ToM %")


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

    def draw(ax: Axes, scenario: str, lines: Sequence[tuple[str, Band]]) -> None:
        for mind, band in lines:
            draw_band(ax, band, looks.colour(mind), looks.dash(mind), len(lines))
        finish_curves(ax, key, scenario)

    minds = dict.fromkeys(mind for lines in shown.values() for mind, _ in lines)
    handles = {mind: _stroke(looks, mind) for mind in minds}
    return drawn(shown, draw, (2.3, 0.0), ("round", label), handles)


def _stroke(looks: Looks, mind: str) -> Line2D:
    return Line2D([], [], linestyle=looks.dash(mind), color=looks.colour(mind), linewidth=2)


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
    """The minds and scenarios of which a run has cells that differ only in the action names.

    Minds without a language model read no names and have none.
    """
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
    return [
        NameSets(
            scenario,
            mind,
            some[0].about.game,
            " and ".join(some[0].about.partners),
            tuple(
                NameLine(action_names(cell), _label(cell), curve[cell.scenario, cell.mind]) for cell in some
            ),
            reference.get(scenario),
        )
        for (scenario, mind), some in found.items()
        if len(some) > 1
    ]


def names_plot(found: NameSets, looks: Looks) -> Figure | None:
    """Regret and ToM % over rounds, a line for each set of names, with the tabular learner's beside.

    ``looks`` gives each set the same colour in every figure of a report.
    """
    lines = [
        (line.label, line.curve, looks.colour(line.names), looks.dash(line.names)) for line in found.lines
    ]
    if found.reference is not None:
        lines.append((LEARNER, found.reference, INK, DOTS))

    def draw(ax: Axes, key: CurveKey, title: str) -> None:
        for _, curve, colour, dash in lines:
            band = getattr(curve, key)
            if isinstance(band, Band):
                draw_band(ax, band, colour, dash, len(lines))
        finish_curves(ax, key, title)

    handles = {
        label: Line2D([], [], linestyle=dash, color=colour, linewidth=2) for label, _, colour, dash in lines
    }
    title = f"{shortened(found.mind)}: {_where(found)}"
    return drawn(TITLES, draw, (HEIGHT, 0.0), ("round", ""), handles, title)


def names_caption(found: NameSets) -> str:
    """Who plays whom in the figure, and where the paper has the like of it."""
    reference = "" if found.reference else " This run has no tabular learner here to set beside."
    return (
        f"{found.mind} in {_where(found)} ({found.scenario}), by what the options are called; "
        f"as figures 19 to 43 of the paper.{reference}"
    )


def _where(found: NameSets) -> str:
    return f"{found.game} against {found.partners}" if found.game else found.scenario


def _base(cell: Cell) -> str:
    """The scenario without the names that its title ends with."""
    return cell.scenario.removesuffix(f" [{cell.about.names}]")


def _label(cell: Cell) -> str:
    """A set of names, with the names of the paper's sets."""
    names = action_names(cell)
    shown = SETS.get(names, {}).get(cell.about.game, ())
    told = [
        f"{name[0]}×{len(name)}" if len(name) >= REPEATED and len(set(name)) == 1 else name for name in shown
    ]
    return f"{names} ({', '.join(told)})" if told else names


def validation_plot(found: Sequence[ValidationWindow], looks: Looks) -> Figure | None:
    """A panel for each scenario, a line for each mind; ``None`` where nothing was validated twice."""
    known = [one for one in found if any(point.mean is not None for point in one.rewards)]
    shown = grouped_by(known, lambda one: one.scenario)
    handles: dict[str, Line2D] = {}
    for one in known:
        handles[one.mind] = point_of(looks, one.mind)
        handles[one.mind].set_linestyle(looks.dash(one.mind))
    labels = ("encounters from validation", "reward an encounter")
    return drawn(
        shown, lambda ax, name, lines: _validation_panel(ax, name, lines, looks), (2.4, 0.0), labels, handles
    )


def _validation_panel(ax: Axes, scenario: str, lines: Sequence[ValidationWindow], looks: Looks) -> None:
    ax.axhline(0, color=INK, linewidth=0.7, zorder=1)
    ax.axvline(0, color=MOMENT, linewidth=1.4, zorder=1)
    for one in lines:
        colour = looks.colour(one.mind)
        known = [(x, p.mean) for x, p in zip(one.offsets, one.rewards, strict=True) if p.mean is not None]
        banded = [
            (x, p.low, p.high)
            for x, p in zip(one.offsets, one.rewards, strict=True)
            if p.low is not None and p.high is not None
        ]
        ax.plot(
            [x for x, _ in known],
            [mean for _, mean in known],
            linestyle=looks.dash(one.mind),
            marker=looks.marker(one.mind),
            color=colour,
            linewidth=1.4,
            markersize=4,
            zorder=3,
        )
        if banded:
            xs, low, high = zip(*banded, strict=True)
            ax.fill_between(xs, low, high, color=colour, alpha=0.18 if len(lines) < 4 else 0.08, linewidth=0)
    ax.set_title(wrapped(scenario, 36), loc="left")
    reach = lines[0].offsets[-1]
    ax.set_xlim(-reach - 0.5, reach + 0.5)
    ax.set_xticks([x for x in lines[0].offsets if abs(x) % 2 == reach % 2])
