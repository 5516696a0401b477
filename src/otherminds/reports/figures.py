"""Figures of what minds know and use: L against the unused share, with which a report opens, L against F, best responses."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MultipleLocator
from msgspec import Struct
from msgspec.structs import replace

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import Estimate
from otherminds.measures.verdict import Verdict
from otherminds.reports.opening import UNMEASURED
from otherminds.reports.sections import name_cells
from otherminds.reports.sheets import grouped_by
from otherminds.reports.style import (
    COLOURS,
    INK,
    SOFT,
    Looks,
    apply_style,
    columns_of,
    drawn,
    point_of,
    shortened,
)

LEFT, RIGHT, BOTTOM, TOP = -0.5, 1.25, -0.2, 1.2
"""The frame. What lies outside is drawn at its edge, with its value."""
NONE = -0.36
"""The height of minds without an unused share, below the frame."""
LINE = 0.34
"""Inches: the height of a label."""
HEIGHT, WIDTH = 3.3, 4.65
"""Inches. The figure becomes higher where its labels need it."""
PLOT = 2.1
"""Inches: the width of the frame; the labels stand at its right."""
SPOT, RING = 0.035, 3.5
"""Dots nearer than this stand on one spot, in the units of both axes; each is a ring that is wider by so many points."""
MARGIN_LEFT, MARGIN_BOTTOM, MARGIN_TOP = 0.52, 0.5, 0.48
LONGEST = 22
"""Longer names are cut."""
CAPTION = (
    "To the right a mind predicts its partners; upwards it gives away more of the payoff that its predictions offer (the "
    "unused share). Lower right: it knows and acts on it. Upper right: it knows and does not act on it. Where the bars are long the verdict is undecided, wherever the dot lies. "
    "Filled: language models; open: reference minds, for comparison. n: distinct episodes. Bars: one-sided 95 % bounds. "
    "Floor: L of one who knows the population only; ceiling: L of one who knows the partner."
)


class Dot(Struct, frozen=True):
    """A mind's place in the frame, and the words beside it."""

    x: float
    y: float
    label: str
    model: bool
    verdict: Verdict


def verdict_plot(judged: Sequence[Verdict]) -> Figure | None:
    """L against the unused share, a dot for each mind with L; ``None`` where no mind has it.

    Labels stand in a column at the right, at the height of their dots as far as they do not overlap, and are joined to
    them by lines.
    """
    dots = [
        _dot(verdict)
        for verdict in judged
        if verdict.literal.mean is not None and verdict.kind not in UNMEASURED
    ]
    if not dots:
        return None
    height = max(HEIGHT, len(dots) * LINE + MARGIN_BOTTOM + MARGIN_TOP)
    with apply_style():
        figure = Figure(figsize=(WIDTH, height))
        inner = height - MARGIN_BOTTOM - MARGIN_TOP
        ax = figure.add_axes(
            (MARGIN_LEFT / WIDTH, MARGIN_BOTTOM / height, PLOT / WIDTH, inner / height),
        )
        low = NONE - 0.1 if any(dot.verdict.unused.mean is None for dot in dots) else BOTTOM
        ax.set(xlim=(LEFT, RIGHT), ylim=(low, TOP), xlabel="L: how well it predicts")
        _draw_frame(ax, low)
        ringed: list[Dot] = []
        for dot in sorted(dots, key=lambda dot: dot.model, reverse=True):
            _draw_dot(ax, dot, sum(_on_one_spot(dot, other) for other in ringed))
            ringed.append(dot)
        _draw_labels(ax, dots, (TOP - low) * LINE / inner, (low, TOP))
    return figure


def _dot(verdict: Verdict) -> Dot:
    literal, unused = verdict.literal.mean or 0.0, verdict.unused.mean
    beyond = [f"L = {literal:.2f}"] if not LEFT <= literal <= RIGHT else []
    if unused is not None and not BOTTOM <= unused <= TOP:
        beyond.append(f"unused {100 * unused:.0f} %")
    name = verdict.mind if len(verdict.mind) <= LONGEST else verdict.mind[: LONGEST - 1] + "…"
    words = ", ".join([f"n = {verdict.clusters}", *beyond])
    return Dot(
        min(max(literal, LEFT), RIGHT),
        NONE if unused is None else min(max(unused, BOTTOM), TOP),
        f"{name}\n{words}",
        verdict.model,
        verdict,
    )


def _draw_frame(ax: Axes, low: float) -> None:
    for x, words in ((0.0, "floor"), (1.0, "ceiling")):
        ax.axvline(x, color=INK, linewidth=1, linestyle="--", zorder=1)
        ax.annotate(words, (x, TOP), (0, 3), textcoords="offset points", ha="center", fontsize=9.5, color=INK)
    ax.annotate(
        "unused share: what it gives away",
        *((0, 1), (2 - 72 * MARGIN_LEFT, 72 * MARGIN_TOP - 12)),
        xycoords="axes fraction",
        textcoords="offset points",
    )
    ax.axhline(0, color=SOFT, linewidth=0.8, zorder=1)
    ax.set_xticks([-0.5, 0.0, 0.5, 1.0], ["−0.5", "0", "0.5", "1"])
    ticks = {0.0: "0 %", 0.5: "50 %", 1.0: "100 %"}
    if low < BOTTOM:
        ticks = {NONE: "none", **ticks}
        ax.axhline(BOTTOM, color=SOFT, linewidth=0.8, linestyle=":", zorder=1)
    ax.set_yticks(list(ticks), list(ticks.values()))


def _on_one_spot(dot: Dot, other: Dot) -> bool:
    return abs(dot.x - other.x) < SPOT and abs(dot.y - other.y) < SPOT


def _draw_dot(ax: Axes, dot: Dot, below: int) -> None:
    """Draws a mind's dot, as a ring around the ``below`` ones that stand on its spot already."""
    colour = COLOURS[0] if dot.model else SOFT
    literal, unused = dot.verdict.literal, dot.verdict.unused
    bars: dict[str, Any] = {"color": colour, "linewidth": 1.6 if dot.model else 0.8, "zorder": 2}
    if LEFT <= dot.x <= RIGHT and (ends := _ends(literal, LEFT, RIGHT)):
        ax.plot(ends, [dot.y, dot.y], **bars)
    # As in the sentence and the table, a share is cut to what it can be.
    if unused.mean is not None and (ends := _ends(unused, 0.0, 1.0)):
        ax.plot([dot.x, dot.x], ends, **bars)
    marker = _marker(dot)
    face = colour if dot.model and not below else "none" if below else "white"
    size = (9 if dot.model else 6) + (RING * below + (0 if dot.model else 3) if below else 0)
    ax.plot(
        *([dot.x], [dot.y]),
        marker=marker,
        markersize=size,
        color=colour,
        markerfacecolor=face,
        clip_on=False,
        zorder=4 if dot.model else 3,
    )


def _marker(dot: Dot) -> str:
    """A disc, or a triangle that points out of the frame where the mind lies beyond it."""
    literal, unused = dot.verdict.literal.mean, dot.verdict.unused.mean
    if literal is not None and literal != dot.x:
        return "<" if literal < dot.x else ">"
    if unused is not None and unused != dot.y:
        return "v" if unused < dot.y else "^"
    return "o"


def _ends(estimate: Estimate, least: float, most: float) -> list[float] | None:
    """The bounds of an estimate within the frame; ``None`` where it has none there."""
    if estimate.low is None or estimate.high is None or estimate.high < least or estimate.low > most:
        return None
    return [max(estimate.low, least), min(estimate.high, most)]


def _draw_labels(ax: Axes, dots: Sequence[Dot], step: float, within: tuple[float, float]) -> None:
    middle = sum(within) / 2

    def order(dot: Dot) -> tuple[float, float]:
        """By height, and at about the same height so that the lines do not cross on their way to the next edge."""
        return round(dot.y, 1), dot.x if dot.y > middle else -dot.x

    ordered = sorted(dots, key=order)
    places = spread([round(dot.y, 1) for dot in ordered], step, within[0] + step / 2, within[1] - step / 2)
    beside = RIGHT + 0.13
    for dot, place in zip(ordered, places, strict=True):
        ax.plot(
            [dot.x, RIGHT + 0.02, beside - 0.02],
            [dot.y, place, place],
            color=SOFT,
            linewidth=0.5,
            clip_on=False,
            zorder=1,
        )
        weight = "bold" if dot.model else "normal"
        ax.text(
            *(beside, place, dot.label),
            va="center",
            fontsize=9.5,
            linespacing=1.05,
            weight=weight,
        )


def spread(heights: Sequence[float], step: float, low: float, high: float) -> list[float]:
    """The places at least ``step`` apart that are nearest to ascending ``heights``, from ``low`` to ``high`` if they fit.

    Nearest in the sum of squares: neighbours that are too close share the mean of their distances.

    >>> [round(place, 2) for place in spread([0.5, 0.5, 0.5, 1.0], 0.2, 0.0, 1.0)]
    [0.3, 0.5, 0.7, 1.0]
    """
    blocks: list[tuple[float, int]] = []
    for i, height in enumerate(heights):
        mean, size = height - i * step, 1
        while blocks and blocks[-1][0] > mean:
            before, count = blocks.pop()
            mean, size = (before * count + mean * size) / (count + size), count + size
        blocks.append((mean, size))
    offsets = [mean for mean, size in blocks for _ in range(size)]
    top = max(low, high - (len(offsets) - 1) * step)
    return [min(max(offset, low), top) + i * step for i, offset in enumerate(offsets)]


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
