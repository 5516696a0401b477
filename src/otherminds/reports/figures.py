"""Figures of L against F, of L against unused payoff, and of best responses before and after a correct prediction."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator
from msgspec import Struct

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import Estimate
from otherminds.reports.sections import listed
from otherminds.reports.sheets import grouped_by
from otherminds.reports.style import COLOURS, SOFT, Looks, columns_of, drawn, point_of, shortened

LEAST = -1.0
"""Scores below this are drawn at the edge, with their number."""
EDGE = 0.08
UNUSED_CAPTION = (
    "To the right a mind predicts its partner, upwards it loses by not acting on that; in the upper right it "
    "says more than it does. Only games in which a prediction can change the best move are shown."
)
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
    """The other axis of a plot of L: a field of a cell, its label, and whether the diagonal is drawn."""

    key: str
    label: str
    diagonal: bool


UNUSED = Against("unused", "unused: payoff a round", diagonal=False)
FUNCTIONAL = Against("functional", "F: what it does", diagonal=True)


def _scatter(cells: Sequence[Cell], against: Against) -> Figure | None:
    looks = Looks([cell.mind for cell in cells])
    known = [cell for cell in cells if cell.literal.mean is not None and _of(cell, against).mean is not None]
    left = min([0.0, *(_low(cell.literal) for cell in known)])

    def draw(ax: Axes, scenario: str, found: Sequence[Cell]) -> None:
        ax.set(xlim=(max(LEAST, left) - EDGE, 1.06))
        if against.diagonal:
            low = min(0.0, *(_low(_of(cell, against)) for cell in found))
            ax.set(ylim=(max(LEAST, low) - EDGE, 1.06))
        _scatter_panel(ax, scenario, found, against, looks)

    handles = {cell.mind: point_of(looks, cell.mind) for cell in known}
    return drawn(
        grouped_by(known, lambda cell: cell.scenario),
        draw,
        (2.9, 0.0),
        ("L: what it says", against.label),
        handles,
    )


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
    present = [cell for cell in cells if None not in (cell.functional.mean, cell.literal.mean)]
    absent = grouped_by(
        (cell for cell in cells if None in (cell.functional.mean, cell.literal.mean)),
        lambda cell: (cell.functional if cell.functional.mean is None else cell.literal).reason,
    )
    lines = ["On the diagonal a mind does what it says; below it, it says more than it does."]
    lines += [f"Not shown: {listed(some, [*present, *some])}: {reason}." for reason, some in absent.items()]
    return " ".join(lines)


def exploitation_plot(cells: Sequence[Cell]) -> Figure | None:
    """Best responses before and from the first correct prediction: a panel a scenario, a row a mind."""
    known = [cell for cell in cells if _profiled(cell)]
    shown = grouped_by(known, lambda cell: cell.scenario)
    minds = list(dict.fromkeys(cell.mind for cell in known))
    first = set(list(shown)[:: columns_of(len(shown)) or 1])

    def draw(ax: Axes, scenario: str, found: Sequence[Cell]) -> None:
        _profile_panel(ax, scenario, found, minds)
        ax.tick_params(labelleft=scenario in first)

    handles = {
        "before the first correct prediction": _mark(BEFORE, hollow=True),
        "from the first correct prediction on": _mark(AFTER, hollow=False),
    }
    size = (
        ROW * len(minds) + PROFILE_FRAME,
        PROFILE_LETTER * max((len(shortened(m)) for m in minds), default=0),
    )
    return drawn(shown, draw, size, ("share of best responses", ""), handles)


def _profiled(cell: Cell) -> bool:
    return cell.best_before.mean is not None or cell.best_after.mean is not None


def exploitation_caption(cells: Sequence[Cell]) -> str:
    """How to read the figure, and who is not in it."""
    absent = [cell for cell in cells if not _profiled(cell)]
    return EXPLOITATION + (f" Not shown: {listed(absent, cells)}." if absent else "")


def _profile_panel(ax: Axes, scenario: str, cells: Sequence[Cell], minds: Sequence[str]) -> None:
    for cell in cells:
        y = minds.index(cell.mind)
        before, after = cell.best_before, cell.best_after
        if before.mean is not None and after.mean is not None:
            ax.plot([before.mean, after.mean], [y - APART, y + APART], color=SOFT, linewidth=1.2, zorder=2)
        _point(ax, before, y - APART, BEFORE, hollow=True)
        _point(ax, after, y + APART, AFTER, hollow=False)
    ax.set_title(scenario, loc="left")
    ax.set(xlim=(-0.04, 1.04), ylim=(len(minds) - 0.5, -0.5))
    ax.set_yticks(range(len(minds)), [shortened(mind) for mind in minds])
    ax.xaxis.set_major_locator(MultipleLocator(0.25))
    ax.grid(visible=False, axis="y")


def _point(ax: Axes, found: Estimate, y: float, colour: str, *, hollow: bool) -> None:
    if found.mean is None:
        return
    ax.errorbar(
        found.mean,
        y,
        xerr=_arms(found, found.mean, -inf),
        fmt="o",
        color=colour,
        markersize=5,
        markerfacecolor="white" if hollow else colour,
        elinewidth=1.1,
        zorder=3,
    )


def _mark(colour: str, *, hollow: bool) -> Line2D:
    return Line2D(
        [], [], linestyle="", marker="o", color=colour, markerfacecolor="white" if hollow else colour
    )
