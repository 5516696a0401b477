"""Reward over the values of a parameter: figures 11, 15 and 16 of Cross et al. 2025."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from otherminds.reports.overview import PER_1200
from otherminds.reports.style import INK, Looks, legend, panels, styled
from otherminds.reports.sweeps import Sweep

CAPTION = (
    f"{PER_1200} over the values of one parameter: mean and standard error (SEM) over all episodes of all scenarios that "
    "every value was played in, taken together. As figures 11, 15 and 16 of Cross et al. 2025."
)


def sweep_plot(found: Sequence[Sweep]) -> Figure | None:
    """A panel for each parameter and family of scenarios, a line for each mind; ``None`` of no sweeps."""
    shown: dict[tuple[str, str], list[Sweep]] = {}
    for sweep in found:
        shown.setdefault((sweep.parameter, sweep.family), []).append(sweep)
    if not shown:
        return None
    looks = Looks([sweep.mind for sweep in found])
    with styled():
        figure, axes = panels(len(shown), 2.7, "", PER_1200, list(dict.fromkeys(s.mind for s in found)))
        for ax, ((parameter, family), lines) in zip(axes, shown.items(), strict=True):
            for sweep in lines:
                _line(ax, sweep, looks)
            ax.set_title(family, loc="left")
            ax.set_xlabel(parameter)
            ax.set_xticks([point.value for point in lines[0].points])
        legend(
            figure,
            {
                sweep.mind: Line2D([], [], marker=looks.marker(sweep.mind), color=looks.colour(sweep.mind))
                for sweep in found
            },
        )
    return figure


def _line(ax: Axes, sweep: Sweep, looks: Looks) -> None:
    ax.axhline(0, color=INK, linewidth=0.7, zorder=1)
    ax.errorbar(
        [point.value for point in sweep.points],
        [point.per_1200.mean for point in sweep.points],
        yerr=[point.per_1200.sem or 0.0 for point in sweep.points],
        fmt=looks.marker(sweep.mind),
        linestyle="-",
        color=looks.colour(sweep.mind),
        linewidth=1.5,
        markersize=5,
        capsize=2,
        zorder=3,
    )
