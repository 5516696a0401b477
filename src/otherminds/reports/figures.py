"""Figures of L against F, of L against unused payoff, and of best responses before and after a correct prediction."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator
from msgspec.structs import replace

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import Estimate
from otherminds.reports.sections import name_cells
from otherminds.reports.sheets import grouped_by
from otherminds.reports.style import COLOURS, SOFT, Looks, columns_of, drawn, point_of, shortened

LEAST = -1.0
"""Scores below this are drawn beyond a line at the edge, one beside the other, with their numbers."""
EDGE, SLOT = 0.08, 0.12
SCORES = (-1.0, -0.5, 0.0, 0.5, 1.0)
"""The ticks of an axis of scores."""
UNUSED_CAPTION = (
    "L over all rounds. To the right a mind predicts its partner; upwards it loses payoff by not acting on that. Only games in which a "
    "prediction can change the best move are shown."
)
POINT: dict[str, Any] = {"markersize": 6.5, "markeredgecolor": "white", "markeredgewidth": 0.6}
BEFORE, AFTER = COLOURS[4], COLOURS[0]
ROW, PROFILE_FRAME = 0.27, 0.75
"""Inches: the height of a mind's row, and that of a panel without its rows."""
PROFILE_LETTER = 0.07
"""Inches: the approximate width of a letter."""
APART = 0.14
"""The distance of the two marks of a mind from its line, in rows."""
EXPLOITATION = (
    "The share of best responses to the partner met, before a mind's first correct prediction and from that "
    "prediction on. A mind that uses what it can say stands far to the right afterwards. Bars: 95 %. A mark is "
    "missing where there is no such round: the first prediction was correct, or none ever was."
)


def unused_plot(cells: Sequence[Cell]) -> Figure | None:
    """Unused payoff against L, as :func:`gap_plot`; the upper right knows its partner and does not use it."""
    return _scatter(cells, "unused", "unused: payoff a round", diagonal=False)


def gap_plot(cells: Sequence[Cell]) -> Figure | None:
    """L against F, a panel for each scenario and a point for each mind.

    On the diagonal a mind does what it says. Scenarios in which no mind has both scores have no panel;
    :func:`gap_caption` names them. No panel at all: no figure.
    """
    return _scatter(cells, "functional", "F: what it does", diagonal=True)


def _scatter(cells: Sequence[Cell], key: str, label: str, *, diagonal: bool) -> Figure | None:
    """L against the estimate ``key`` of each cell."""
    looks = Looks([cell.mind for cell in cells])
    pairs: list[tuple[Cell, Estimate]] = [(cell, getattr(cell, key)) for cell in cells]
    complete = [
        (cell, done) for cell, done in pairs if cell.literal.mean is not None and done.mean is not None
    ]
    lowest = min([0.0, *(_low(cell.literal) for cell, _ in complete)])

    def draw(ax: Axes, scenario: str, points: Sequence[tuple[Cell, Estimate]]) -> None:
        least = LEAST if diagonal else -inf
        across = _places([cell.literal.mean or 0.0 for cell, _ in points], LEAST)
        up = _places([done.mean or 0.0 for _, done in points], least)
        ax.set(xlim=(min(max(LEAST, lowest), *across) - EDGE, 1.06))
        if diagonal:
            low = min(0.0, *(_low(done) for _, done in points))
            ax.set(ylim=(min(max(LEAST, low), *up) - EDGE, 1.06))
            ax.axline((0, 0), slope=1, color=SOFT, linewidth=1, zorder=1)
            ax.set_yticks([y for y in SCORES if y >= ax.get_ylim()[0]])
            if min(up) < LEAST:
                ax.axhline(LEAST, color=SOFT, linewidth=0.8, zorder=1)
        if min(across) < LEAST:
            ax.axvline(LEAST, color=SOFT, linewidth=0.8, zorder=1)
        ax.axhline(0, color=SOFT, linewidth=0.8, linestyle=":", zorder=1)
        ax.axvline(0, color=SOFT, linewidth=0.8, linestyle=":", zorder=1)
        for (cell, done), at in zip(points, zip(across, up, strict=True), strict=True):
            _scatter_point(ax, cell, done, looks, at, least)
        _label_beyond(ax, points, looks, least)
        ax.set_title(scenario, loc="left")
        ax.set_xticks([x for x in SCORES if x >= ax.get_xlim()[0]])

    handles = {cell.mind: point_of(looks, cell.mind) for cell, _ in complete}
    by_scenario = grouped_by(complete, lambda pair: pair[0].scenario)
    return drawn(by_scenario, draw, (2.9, 0.0), ("L: what it says", label), handles)


def _places(values: Sequence[float], least: float) -> list[float]:
    """Where values are drawn: themselves, and those below ``least`` one beside the other beyond it, in their order.

    >>> _places([0.5, -3.0, -1.5], -1.0)
    [0.5, -1.24, -1.12]
    """
    beyond = sorted((i for i, value in enumerate(values) if value < least), key=lambda i: -values[i])
    places = list(values)
    for n, i in enumerate(beyond, 1):
        places[i] = round(least - n * SLOT, 6)
    return places


def _scatter_point(
    ax: Axes, cell: Cell, done: Estimate, looks: Looks, at: tuple[float, float], least: float
) -> None:
    """A mind's point with its error bars; along an axis on which it is drawn beyond the edge it has none.

    ``least`` is where the vertical axis ends.
    """
    across, up = (
        _arms(estimate, place, least) if estimate.mean == place else None
        for estimate, place, least in zip((cell.literal, done), at, (LEAST, least), strict=True)
    )
    colour = looks.colour(cell.mind)
    marker = looks.marker(cell.mind)
    ax.errorbar(*at, yerr=up, xerr=across, fmt=marker, color=colour, elinewidth=1.2, zorder=3, **POINT)


def _label_beyond(ax: Axes, points: Sequence[tuple[Cell, Estimate]], looks: Looks, least: float) -> None:
    """Writes the values of the points that lie beyond the edge, in their colours, one above the other at the left."""
    lines = 0
    for cell, done in points:
        across, down = cell.literal.mean or 0.0, done.mean or 0.0
        words = [f"← {across:.1f}"] if across < LEAST else []
        words += [f"↓ {down:.1f}"] if down < least else []
        if words:
            ax.annotate(
                " ".join(words),
                *((0.0, 0.0), (14, 14 + 10 * lines)),
                xycoords="axes fraction",
                textcoords="offset points",
                fontsize=8,
                color=looks.colour(cell.mind),
                zorder=4,
            )
            lines += 1


def _low(estimate: Estimate) -> float:
    """How far down a point reaches with its error bar."""
    return (estimate.mean or 0.0) if estimate.low is None else estimate.low


def _arms(estimate: Estimate, at: float, least: float) -> list[list[float]] | None:
    """The error bar of an estimate drawn at ``at``, not below ``least``."""
    if estimate.low is None or estimate.high is None:
        return None
    return [[max(0.0, at - max(estimate.low, least))], [max(0.0, estimate.high - at)]]


def gap_caption(cells: Sequence[Cell]) -> str:
    """How to read the gap plot, and who is not in it for want of F or L."""
    present = [cell for cell in cells if None not in (cell.functional.mean, cell.literal.mean)]
    absent = grouped_by(
        (cell for cell in cells if None in (cell.functional.mean, cell.literal.mean)),
        lambda cell: (cell.functional if cell.functional.mean is None else cell.literal).reason,
    )
    lines = ["On the diagonal F equals L; below it, a mind predicts better than it plays."]
    lines += [
        f"Not shown: {name_cells(left_out, [*present, *left_out])}: {reason}."
        for reason, left_out in absent.items()
    ]
    return " ".join(lines)


def exploitation_plot(cells: Sequence[Cell]) -> Figure | None:
    """Best responses before and from the first correct prediction: a panel a scenario, a row a mind."""
    profiled = [cell for cell in cells if _has_profile(cell)]
    by_scenario = grouped_by(profiled, lambda cell: cell.scenario)
    minds = list(dict.fromkeys(cell.mind for cell in profiled))
    first = set(list(by_scenario)[:: columns_of(len(by_scenario)) or 1])

    def draw(ax: Axes, scenario: str, row_cells: Sequence[Cell]) -> None:
        _profile_panel(ax, scenario, row_cells, minds)
        ax.tick_params(labelleft=scenario in first)

    marks = [
        Line2D([], [], linestyle="", marker="o", color=colour, markerfacecolor=face)
        for colour, face in ((BEFORE, "white"), (AFTER, AFTER))
    ]
    meanings = ("before the first correct prediction", "from the first correct prediction on")
    label_width = PROFILE_LETTER * max((len(shortened(m)) for m in minds), default=0)
    size = (ROW * len(minds) + PROFILE_FRAME, label_width)
    return drawn(
        by_scenario, draw, size, ("share of best responses", ""), dict(zip(meanings, marks, strict=True))
    )


def _has_profile(cell: Cell) -> bool:
    return cell.best_before.mean is not None or cell.best_after.mean is not None


def exploitation_caption(cells: Sequence[Cell]) -> str:
    """How to read the figure, and who is not in it."""
    absent = [cell for cell in cells if not _has_profile(cell)]
    return EXPLOITATION + (f" Not shown: {name_cells(absent, cells)}." if absent else "")


def _profile_panel(ax: Axes, scenario: str, cells: Sequence[Cell], minds: Sequence[str]) -> None:
    for cell in cells:
        y = minds.index(cell.mind)
        before, after = cell.best_before, cell.best_after
        if before.mean is not None and after.mean is not None:
            ax.plot([before.mean, after.mean], [y - APART, y + APART], color=SOFT, linewidth=1.2, zorder=2)
        _point(ax, before, y - APART, BEFORE, "white")
        _point(ax, after, y + APART, AFTER, AFTER)
    ax.set_title(scenario, loc="left")
    ax.set(xlim=(-0.04, 1.04), ylim=(len(minds) - 0.5, -0.5))
    ax.set_yticks(range(len(minds)), [shortened(mind) for mind in minds])
    ax.xaxis.set_major_locator(MultipleLocator(0.25))
    ax.grid(visible=False, axis="y")


def _point(ax: Axes, estimate: Estimate, y: float, colour: str, face: str) -> None:
    """A share with its error bar, cut to what a share can be."""
    if estimate.mean is not None:
        cut = replace(estimate, high=None if estimate.high is None else min(estimate.high, 1.0))
        arms = _arms(cut, estimate.mean, 0.0)
        look: dict[str, Any] = {"color": colour, "markerfacecolor": face, "markersize": 5}
        ax.errorbar(estimate.mean, y, xerr=arms, fmt="o", elinewidth=1.1, zorder=3, **look)
