"""The picture that a report opens with: L against the unused share, one dot a mind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from msgspec import Struct

from otherminds.measures.intervals import Estimate
from otherminds.measures.verdict import Verdict
from otherminds.reports.opening import UNMEASURED
from otherminds.reports.style import COLOURS, INK, SOFT, apply_style

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
