"""Cost against reward, both per 1,200 steps: figures 13 and 14 of Cross et al. 2025."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator

from otherminds.measures.cost import Run, spread
from otherminds.reports.costs import METRICS, Amount, by_mind, families, metrics, numbers
from otherminds.reports.overview import PER_1200
from otherminds.reports.style import Looks, legend, panels, styled

WIDE = 30.0
"""Where the dearest takes so many times what the cheapest does, the axis is logarithmic."""
KILO = 1000.0
"""Numbers from here on are written with k and M."""
CAPTION = (
    "Each pale point is an episode, each large one a mind's mean with standard errors (SEM) over all episodes of all "
    "scenarios of the family, taken together; both axes per 1,200 steps. "
    "Dotted: what minds that call no model get. As figures 13 and 14 of Cross et al. 2025."
)


def spending_plot(runs: Sequence[Run], looks: Looks) -> Figure | None:
    """A panel for each family of scenarios and metric, a colour for each mind; ``None`` without model calls."""
    found = families(runs)
    if not found:
        return None
    shown = [(family, name) for family in found for name in metrics(runs)]
    minds = list(dict.fromkeys(run.mind for some in found.values() for run in some))
    with styled():
        figure, axes = panels(len(shown), 2.6, "", PER_1200, minds)
        for ax, (family, name) in zip(axes, shown, strict=True):
            _panel(ax, found[family], METRICS[name], looks)
            ax.set_title(family, loc="left")
            ax.set_xlabel(f"{name} per 1,200 steps")
        called = {run.mind for run in runs if run.calls}
        legend(figure, {mind: _mark(looks, mind, dotted=mind not in called) for mind in minds})
    return figure


def _mark(looks: Looks, mind: str, *, dotted: bool) -> Line2D:
    if dotted:
        return Line2D([], [], linestyle=":", color=looks.colour(mind))
    return Line2D([], [], linestyle="", marker=looks.marker(mind), color=looks.colour(mind))


def _panel(ax: Axes, runs: Sequence[Run], amount: Amount, looks: Looks) -> None:
    spent: list[float] = []
    for mind, mine in by_mind(runs).items():
        colour = looks.colour(mind)
        known = [run for run in mine if run.steps and amount(run) is not None]
        xs, ys = numbers(known, amount), numbers(known, lambda run: run.reward)
        reward = spread(ys)
        if reward is None:
            continue
        if not any(xs):
            ax.axhline(reward.mean, color=colour, linestyle=":", linewidth=1.2, zorder=1)
            continue
        spent += [x for x in xs if x > 0]
        ax.plot(
            xs,
            ys,
            linestyle="",
            marker=looks.marker(mind),
            color=colour,
            alpha=0.25,
            markersize=3.5,
            zorder=2,
        )
        mean = spread(xs)
        assert mean is not None, "there are rewards, so there are amounts"
        ax.errorbar(
            mean.mean,
            reward.mean,
            xerr=mean.sem,
            yerr=reward.sem,
            fmt=looks.marker(mind),
            color=colour,
            markersize=8,
            markeredgecolor="white",
            elinewidth=1.2,
            zorder=3,
        )
    if spent and max(spent) > WIDE * min(spent):
        ax.set_xscale("log")
    if not spent or max(spent) >= KILO:
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    ax.xaxis.set_major_locator(LogLocator(numticks=5) if ax.get_xscale() == "log" else MaxNLocator(5))
