"""The style of figures: colours, markers, typeface, labels, grids of panels, and reproducible files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from io import StringIO
from textwrap import wrap
from typing import Any, NamedTuple, TypeAlias, TypeVar
from warnings import catch_warnings, filterwarnings

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from otherminds.core.text import plain

K = TypeVar("K")
V = TypeVar("V")
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#010101", "#8C6D31")
"""Okabe & Ito 2008, distinct to the colour-blind; yellow, too pale on white, left out. Matplotlib does not write pure black
to SVG, so that :func:`themed` would not find it."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
Dash: TypeAlias = tuple[float, tuple[float, ...]]
"""An offset, and the lengths of strokes and gaps by turns."""
DASHES: tuple[Dash, ...] = ((0, ()), (0, (5, 2)), (0, (5, 2, 1, 2)), (0, (1, 1.5)))
INK, SOFT = "#24292f", "#8b949e"
COLUMNS = 3
WIDTH, LEAST_WIDTH, LINE = 3.1, 4.8, 0.21
"""Inches: a panel's width, the least width of a figure, the height of a line of its legend."""
LABEL, EDGE = 0.3, 0.12
"""Inches: the width of the name of a vertical axis, and the space below a legend."""


class Inset(NamedTuple):
    """Inches from the edges of a panel to its axes: the room for its title and the numbers at its ticks."""

    left: float
    right: float
    bottom: float
    top: float


INSET = Inset(0.55, 0.12, 0.5, 0.36)
THEME = {INK: "ink", "#e6e8eb": "line", "#ffffff": "paper", "#010101": "ink"}
"""The variables of a page that take the place of colours which are not readable on light and on dark paper."""
LONGEST = 56
"""Longer names are cut in legends."""
ROOM = 30
"""The number of letters in a line of a label."""
LINES = 3
"""The maximal number of lines of a label. The last line is kept, since it has the parameters."""
SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "otherminds",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Helvetica", "Arial"],
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    **dict.fromkeys(("axes.labelcolor", "text.color", "xtick.color", "ytick.color"), INK),
    "axes.edgecolor": SOFT,
    **dict.fromkeys(("axes.spines.top", "axes.spines.right", "legend.frameon"), False),
    "axes.grid": True,
    "grid.color": "#e6e8eb",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    **dict.fromkeys(("figure.facecolor", "savefig.facecolor"), "white"),
}


class Looks:
    """A colour, a marker and a dash for each mind, the same in every figure of a report."""

    def __init__(self, minds: Sequence[str]) -> None:
        self._number = {mind: i for i, mind in enumerate(dict.fromkeys(minds))}

    def colour(self, mind: str) -> str:
        """The mind's colour; after eight minds they come again, with other dashes."""
        return COLOURS[self._number[mind] % len(COLOURS)]

    def marker(self, mind: str) -> str:
        i = self._number[mind]
        return MARKERS[(i + i // len(COLOURS)) % len(MARKERS)]

    def dash(self, mind: str) -> Dash:
        return DASHES[self._number[mind] // len(COLOURS) % len(DASHES)]


def apply_style() -> AbstractContextManager[None]:
    """Applies the settings of a report to Matplotlib, and restores them at the end."""
    return matplotlib.rc_context(SETTINGS)


def panels(
    n: int, height: float, x: str, y: str, names: Sequence[str], left_width: float = 0.0
) -> tuple[Figure, list[Axes]]:
    """A figure with ``n`` panels, three a row at most, ``height`` inches high; axes named at its edges.

    It has room for a legend of ``names`` (if any) above, and for labels of ``left_width`` inches before each row.
    The places are computed from these sizes: to measure every text instead takes as long as all the rest.
    """
    columns = columns_of(n)
    rows = -(-n // columns)
    left_width += LABEL if y else 0.0
    width = max(columns * WIDTH + left_width, LEAST_WIDTH)
    entries = -(-len(names) // _fitting(names, width))
    tall = rows * height + entries * LINE + (EDGE if entries else 0.0)
    figure = Figure(figsize=(width, tall))
    across = (width - left_width) / columns
    axes: list[Axes] = []
    for i in range(n):
        row, column = divmod(i, columns)
        x0 = left_width + column * across + INSET.left
        y0 = (rows - 1 - row) * height + INSET.bottom
        size = across - INSET.left - INSET.right, height - INSET.bottom - INSET.top
        ax = figure.add_axes((x0 / width, y0 / tall, size[0] / width, size[1] / tall))
        if column == 0:
            ax.set_ylabel(y)
            ax.yaxis.set_label_coords((LABEL / 2 - x0) / size[0], 0.5)
        if i + columns >= n:
            ax.set_xlabel(x)
        axes.append(ax)
    return figure, axes


def draw_legend(figure: Figure, handles: Mapping[str, Artist], columns: int = 1, title: str = "") -> None:
    """Puts the legend of ``handles`` at the top left of a figure."""
    figure.legend(
        list(handles.values()),
        [shortened(name) for name in handles],
        loc="upper left",
        bbox_to_anchor=(0.0, 1.0),
        borderaxespad=0.3,
        ncols=columns,
        fontsize=9,
        title=title or None,
        alignment="left",
    )


def columns_of(n: int) -> int:
    """How many of ``n`` panels are in a row."""
    return min(n, COLUMNS)


def drawn(
    groups: Mapping[K, V],
    draw: Callable[[Axes, K, V], None],
    size: tuple[float, float],
    labels: tuple[str, str],
    handles: dict[str, Line2D],
    title: str = "",
) -> Figure | None:
    """A figure with a panel for each group and one legend of ``handles`` above; ``None`` without groups.

    ``size`` is a panel's height and the room left of the panels, in inches; ``labels`` are those of the
    two axes, ``title`` is that of the figure.
    """
    if not groups:
        return None
    with apply_style():
        legend = [*handles, *([title] if title else [])]
        figure, axes = panels(len(groups), size[0], *labels, legend, size[1])
        for ax, (key, group) in zip(axes, groups.items(), strict=True):
            draw(ax, key, group)
        draw_legend(figure, handles, _fitting(list(handles), figure.get_figwidth()), title)
    return figure


def point_of(looks: Looks, mind: str) -> Line2D:
    """A mind's marker, for a legend."""
    return Line2D([], [], linestyle="", marker=looks.marker(mind), color=looks.colour(mind))


def _fitting(names: Sequence[str], width: float) -> int:
    """How many columns of a legend fit into ``width`` inches."""
    longest = max((len(shortened(name)) for name in names), default=0)
    return max(1, min(len(names), int(width / (0.75 + 0.075 * longest))))


def shortened(name: str) -> str:
    """A name for a figure: the longest are cut."""
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"


def svg(figure: Figure) -> str:
    """The figure as SVG, the same bytes for the same figure; its text is text, of which every character is seen.

    A character that the font lacks is left to the fonts of whoever looks at it.
    """
    out = StringIO()
    with apply_style(), catch_warnings():
        filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
        figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    text = plain(out.getvalue())
    return text[text.index("<svg") :]


def themed(drawing: str) -> str:
    """The SVG of a figure in the colours of the page that it is part of, light or dark.

    Ink, paper and the lines of the grid become the page's variables; the colours of minds stay, which are
    readable on both.
    """
    for colour, variable in THEME.items():
        drawing = drawing.replace(colour, f"var(--{variable})")
    return drawing


def wrap_name(name: str, room: int = ROOM) -> str:
    """A name in lines of about ``room`` letters, broken between its parts; inner lines are dropped if there are too many.

    >>> print(wrap_name("hm@openai:a-model-of-today(alpha=0.3, top_k=5)"))
    hm
    @openai:a-model-of-today
    (alpha=0.3, top_k=5)
    """
    parts = [part.strip() for part in re.split(r"(?=[@(])", name)]
    if len(name) <= room:
        return name
    lines = [line for part in parts for line in wrap(re.sub(r"([:/,])(?=\S)", "\\1\u200b ", part), room)]
    lines = [line.replace("\u200b ", "").replace("\u200b", "") for line in lines]
    if len(lines) > LINES:
        lines = [*lines[: LINES - 2], lines[LINES - 2][: room - 1] + "…", lines[-1]]
    return "\n".join(lines)
