"""Reward in every scenario as bars, with standard errors: figure 2 of Cross et al. 2025."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from otherminds.measures.cost import Run, Spread, spread
from otherminds.reports.overview import COMPARE, PER_1200, PER_EPISODE, published_rows
from otherminds.reports.style import INK, SOFT, Looks, columns_of, panels, styled, wrapped

LETTER = 0.066
"""Inches that a letter of a label takes, about."""
LINE, GAP, FRAME, THICK = 0.15, 0.12, 1.0, 0.18
"""Inches: a line of a label, the room between two, what a panel needs besides them, and a bar."""
RUN = "this run, a colour for each mind"
PRINTED = "Cross et al. 2025, table 1: other bots, not comparable"
NORMALISED = (
    f"{PER_1200}: mean over episodes, with its standard error (SEM). As figure 2 of Cross et al. 2025, and figures 8 "
    "and 12 where the minds are ablations or values of top_k."
)
BESIDE = f"{PER_EPISODE} of this run (coloured), with its standard error (SEM); in grey what the paper has. {COMPARE}"


def returns_plot(runs: Sequence[Run], looks: Looks) -> Figure | None:
    """Reward per 1,200 steps: a panel for each scenario, a bar for each mind; ``None`` of no runs."""
    return _bars(runs, looks, lambda run: run.normalised, PER_1200, beside=False)


def published_plot(runs: Sequence[Run], looks: Looks) -> Figure | None:
    """Reward per episode with the published ones beside, in the scenarios that have any; ``None`` if none has."""
    return _bars(
        [run for run in runs if published_rows(run.scenario)],
        looks,
        lambda run: run.reward,
        PER_EPISODE,
        beside=True,
    )


def _bars(
    runs: Sequence[Run], looks: Looks, reward: Callable[[Run], float | None], axis: str, *, beside: bool
) -> Figure | None:
    found: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        number = reward(run)
        if number is not None:
            found.setdefault(run.scenario, {}).setdefault(run.mind, []).append(number)
    if not found:
        return None
    minds = list(dict.fromkeys(mind for bars in found.values() for mind in bars))
    labels = [wrapped(mind) for mind in minds]
    printed = list(published_rows(next(iter(found)))) if beside else []
    ticks = _places([*labels, *printed])
    left = LETTER * max(len(line) for label in [*labels, *printed] for line in label.split("\n"))
    keys = (
        {RUN: Patch(color=looks.colour(minds[0])), PRINTED: Patch(color=SOFT, alpha=0.55)} if beside else {}
    )
    with styled():
        figure, axes = panels(len(found), FRAME + ticks[-1], axis, "", list(keys), left)
        for i, (ax, (scenario, bars)) in enumerate(zip(axes, found.items(), strict=True)):
            for y, mind in zip(ticks, minds, strict=False):
                _bar(ax, y, spread(bars.get(mind, ())), looks.colour(mind))
            if beside:
                _published(ax, scenario, ticks[len(minds) :])
            _finish(ax, scenario, ticks, [*labels, *printed])
            ax.tick_params(labelleft=i % columns_of(len(found)) == 0)
        if keys:
            figure.legend(list(keys.values()), list(keys), loc="outside upper left", ncols=1)
    return figure


def _places(labels: Sequence[str]) -> list[float]:
    """The heights of bars, downwards, in inches, so that each label has room for its lines."""
    places: list[float] = []
    edge = 0.0
    for label in labels:
        room = GAP + LINE * (label.count("\n") + 1)
        places.append(edge + room / 2)
        edge += room
    return places


def _bar(ax: Axes, y: float, found: Spread | None, colour: str) -> None:
    if found is None:
        return
    ax.barh(y, found.mean, height=THICK, color=colour, zorder=2)
    if found.sem is not None:
        ax.errorbar(
            found.mean, y, xerr=found.sem, fmt="none", ecolor=INK, elinewidth=1.1, capsize=2, zorder=3
        )


def _published(ax: Axes, scenario: str, places: Sequence[float]) -> None:
    """The printed numbers of a scenario in grey, below the run's."""
    ax.axhline(places[0] - (GAP + LINE) / 2, color=SOFT, linewidth=0.8, linestyle=":")
    for y, row in zip(places, published_rows(scenario).values(), strict=True):
        ax.barh(y, row.mean, height=THICK, color=SOFT, alpha=0.55, zorder=2)
        ax.errorbar(row.mean, y, xerr=row.sem, fmt="none", ecolor=INK, elinewidth=1.1, capsize=2, zorder=3)


def _finish(ax: Axes, scenario: str, ticks: Sequence[float], labels: Sequence[str]) -> None:
    ax.axvline(0, color=INK, linewidth=0.8, zorder=4)
    ax.set_title(wrapped(scenario, 36), loc="left")
    ax.set_ylim(ticks[-1] + LINE + GAP, ticks[0] - LINE - GAP)
    ax.set_yticks(ticks, labels)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.margins(x=0.06)
