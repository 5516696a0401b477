"""Reward an encounter around the moment of validation: figure 3 of Cross et al. 2025."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from otherminds.measures.around import Around
from otherminds.reports.style import COLOURS, INK, Looks, legend, panels, styled, wrapped

MOMENT = COLOURS[2]
CAPTION = (
    "Mean reward of the encounters before (−1 is the last) and from the first validation of a hypothesis on (1 is the "
    "first that was gone into with it). Bands: 95 %, by bootstrap over partner × seed. As figure 3 of Cross et al. 2025. "
    "Not every point is over the same episodes: where validation came early there is little before it."
)


def validation_plot(found: Sequence[Around], looks: Looks) -> Figure | None:
    """A panel for each scenario, a line for each mind; ``None`` where nothing was validated twice."""
    shown: dict[str, list[Around]] = {}
    for one in found:
        if any(point.mean is not None for point in one.rewards):
            shown.setdefault(one.scenario, []).append(one)
    if not shown:
        return None
    minds = list(dict.fromkeys(one.mind for lines in shown.values() for one in lines))
    with styled():
        figure, axes = panels(len(shown), 2.4, "encounters from validation", "reward an encounter", minds)
        for ax, (scenario, lines) in zip(axes, shown.items(), strict=True):
            _panel(ax, scenario, lines, looks)
        legend(
            figure,
            {
                mind: Line2D(
                    [], [], linestyle=looks.dash(mind), marker=looks.marker(mind), color=looks.colour(mind)
                )
                for mind in minds
            },
        )
    return figure


def _panel(ax: Axes, scenario: str, lines: Sequence[Around], looks: Looks) -> None:
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
