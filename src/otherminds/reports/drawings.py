"""All figures of a report, with captions and places on the page; those over rounds and of rewards are drawn here.

Figures over rounds are learning curves, and rewards around validation. Figures of rewards (as in Cross et al. 2025) are by
scenario, against what they cost, and over a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from re import sub
from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import EngFormatter, LogLocator, MaxNLocator
from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.disk import replace_file
from otherminds.core.registry import Registry
from otherminds.measures.cost import EpisodeCost, spread
from otherminds.measures.curves import Band, Curve, ValidationWindow
from otherminds.reports import chapters, figures
from otherminds.reports.findings import WINDOW, Findings
from otherminds.reports.opening import of_partners
from otherminds.reports.overview import (
    METRICS,
    PER_1200,
    PER_EPISODE,
    Amount,
    Sweep,
    families,
    metrics,
    numbers,
    sweeps,
)
from otherminds.reports.papers import PrintedRewards, TableEntry, printed_rewards
from otherminds.reports.sheets import grouped_by
from otherminds.reports.style import (
    COLOURS,
    INK,
    SOFT,
    Dash,
    Looks,
    apply_style,
    columns_of,
    draw_legend,
    drawn,
    panels,
    point_of,
    svg,
    wrap_name,
)

CROWD = 3
"""With more minds than this in a panel, bands are paler."""
CurveKey: TypeAlias = Literal["regret", "tom_percent"]
"""The two curves of a :class:`~otherminds.measures.curves.Curve`."""
TITLES: dict[CurveKey, str] = {"regret": "regret in the round", "tom_percent": "ToM %"}
MOMENT = COLOURS[2]
VALIDATION = (
    "Mean reward of the encounters before the first validation of a hypothesis (−1 is the last) and after it (1 is the "
    "first with the validated hypothesis). Bands: 95 % (Student's t, stratified by partner). As figure 3 of Cross et al. 2025. "
    "Not every point is over the same episodes: where validation came early there is little before it."
)


def draw_band(ax: Axes, key: CurveKey, band: Band, colour: str, dash: Dash, crowd: int) -> None:
    """A curve with its band over rounds; bands are paler where ``crowd`` curves share the panel.

    The band of a share in per cent is cut to 0 to 100.
    """
    rounds = np.arange(1, len(band.mean) + 1)
    alpha = 0.18 if crowd <= CROWD else 0.1
    low, high = (np.clip(end, 0, 100) if key == "tom_percent" else end for end in (band.low, band.high))
    ax.fill_between(rounds, low, high, color=colour, alpha=alpha, linewidth=0)
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


def curves_plot(curves: Sequence[Curve], key: CurveKey) -> Figure | None:
    """Regret a round or ToM % over rounds, a panel for each scenario and a line for each mind."""
    looks = Looks([curve.mind for curve in curves])
    by_scenario: dict[str, list[tuple[str, Band]]] = {}
    for curve in curves:
        band = getattr(curve, key)
        if isinstance(band, Band):
            by_scenario.setdefault(curve.scenario, []).append((curve.mind, band))

    def draw(ax: Axes, scenario: str, lines: Sequence[tuple[str, Band]]) -> None:
        for mind, band in lines:
            draw_band(ax, key, band, looks.colour(mind), looks.dash(mind), len(lines))
        finish_curves(ax, key, scenario)

    minds = dict.fromkeys(mind for lines in by_scenario.values() for mind, _ in lines)
    handles = {mind: curve_key(looks.colour(mind), looks.dash(mind)) for mind in minds}
    return drawn(by_scenario, draw, (2.3, 0.0), ("round", TITLES[key]), handles)


def curve_key(colour: str, dash: Dash) -> Line2D:
    """The sample of a curve in a legend."""
    return Line2D([], [], linestyle=dash, color=colour, linewidth=2)


def validation_plot(windows: Sequence[ValidationWindow], looks: Looks) -> Figure | None:
    """A panel for each scenario, a line for each mind; ``None`` where nothing was validated twice."""
    drawable = [window for window in windows if any(point.mean is not None for point in window.rewards)]
    handles: dict[str, Line2D] = {}
    for window in drawable:
        handles[window.mind] = point_of(looks, window.mind)
        handles[window.mind].set_linestyle(looks.dash(window.mind))

    def draw(ax: Axes, scenario: str, lines: Sequence[ValidationWindow]) -> None:
        _validation_panel(ax, scenario, lines, looks)

    labels = ("encounters from validation", "reward an encounter")
    return drawn(grouped_by(drawable, lambda window: window.scenario), draw, (2.4, 0.0), labels, handles)


def _validation_panel(ax: Axes, scenario: str, lines: Sequence[ValidationWindow], looks: Looks) -> None:
    ax.axhline(0, color=INK, linewidth=0.7, zorder=1)
    ax.axvline(0, color=MOMENT, linewidth=1.4, zorder=1)
    for window in lines:
        points = list(zip(window.offsets, window.rewards, strict=True))
        with_mean = [(x, p.mean) for x, p in points if p.mean is not None]
        banded = [(x, p.low, p.high) for x, p in points if p.low is not None and p.high is not None]
        colour, dash, marker = looks.colour(window.mind), looks.dash(window.mind), looks.marker(window.mind)
        xs, means = zip(*with_mean, strict=True)
        ax.plot(xs, means, color=colour, linestyle=dash, marker=marker, linewidth=1.4, markersize=4, zorder=3)
        if banded:
            xs, low, high = zip(*banded, strict=True)
            ax.fill_between(xs, low, high, color=colour, alpha=0.18 if len(lines) < 4 else 0.08, linewidth=0)
    ax.set_title(wrap_name(scenario, 36), loc="left")
    reach = lines[0].offsets[-1]
    ax.set_xlim(-reach - 0.5, reach + 0.5)
    ax.set_xticks([x for x in lines[0].offsets if abs(x) % 2 == reach % 2])


LETTER = 0.066
"""Inches: the approximate width of a letter."""
LINE, GAP, FRAME, THICK = 0.15, 0.12, 1.0, 0.18
"""Inches: the height of a line of a label, the gap between labels, the frame of a panel, and a bar."""
RUN = "this run, a colour for each mind"
NORMALISED = (
    f"{PER_1200}: mean over episodes, with its 95 % interval. As figure 2 of Cross et al. 2025, and figures 8 "
    "and 12 where the minds are ablations or values of top_k."
)
BESIDE = f"{PER_EPISODE} of this run (coloured), with its 95 % interval; in grey what the paper has, ± its standard error."
WIDE = 30.0
"""The axis is logarithmic if the largest amount is more than this multiple of the smallest."""
KILO = 1000.0
"""Larger numbers are written with k and M."""
SPENDING = (
    "Each pale point is an episode, each large one a mind's mean with 95 % intervals over all episodes of all "
    "scenarios of the family, taken together; both axes per 1,200 steps. "
    "Dotted: minds that call no model. As figures 13 and 14 of Cross et al. 2025."
)
SWEEPS = (
    f"{PER_1200} over the values of one parameter: mean and 95 % interval over all episodes of all scenarios that "
    "every value was played in, taken together. As figures 11, 15 and 16 of Cross et al. 2025."
)


def returns_plot(runs: Sequence[EpisodeCost], looks: Looks) -> Figure | None:
    """Reward per 1,200 steps: a panel for each scenario, a bar for each mind; ``None`` without runs."""
    return _bars(runs, looks, lambda run: run.normalised, PER_1200)


def published_plot(runs: Sequence[EpisodeCost], looks: Looks, published: PrintedRewards) -> Figure | None:
    """Reward per episode and the published ones, in the scenarios that have any; ``None`` if none has."""
    comparable = [run for run in runs if published.select_row(run.scenario)]
    return _bars(comparable, looks, lambda run: run.reward, PER_EPISODE, published)


def _bars(
    runs: Sequence[EpisodeCost],
    looks: Looks,
    reward: Amount,
    axis: str,
    published: PrintedRewards | None = None,
) -> Figure | None:
    by_scenario: dict[str, dict[str, list[float]]] = {}
    for run in runs:
        number = reward(run)
        if number is not None:
            by_scenario.setdefault(run.scenario, {}).setdefault(run.mind, []).append(number)
    if not by_scenario:
        return None
    minds = list(dict.fromkeys(mind for bars in by_scenario.values() for mind in bars))
    labels = [wrap_name(mind) for mind in minds]
    printed = published.methods if published else ()
    ticks = _places([*labels, *printed])
    label_width = LETTER * max(len(line) for label in [*labels, *printed] for line in label.split("\n"))
    patches = Patch(color=looks.colour(minds[0])), Patch(color=SOFT, alpha=0.55)
    keys = dict(zip((RUN, published.legend), patches, strict=True)) if published else {}
    with apply_style():
        figure, axes = panels(len(by_scenario), FRAME + ticks[-1], axis, "", list(keys), label_width)
        for i, (ax, (scenario, bars)) in enumerate(zip(axes, by_scenario.items(), strict=True)):
            for y, mind in zip(ticks, minds, strict=False):
                if (bar := spread(bars.get(mind, ()))) is not None:
                    _bar(ax, y, bar.mean, bar.reach, looks.colour(mind))
            if published and (line := published.select_row(scenario)):
                _draw_published(ax, line.entries, ticks[len(minds) :])
            _finish(ax, scenario, ticks, [*labels, *printed])
            ax.tick_params(labelleft=i % columns_of(len(by_scenario)) == 0)
        if keys:
            draw_legend(figure, {str(name): patch for name, patch in keys.items()})
    return figure


def _places(labels: Sequence[str]) -> list[float]:
    """The vertical positions of bars in inches, with space for the lines of each label."""
    places: list[float] = []
    edge = 0.0
    for label in labels:
        room = GAP + LINE * (label.count("\n") + 1)
        places.append(edge + room / 2)
        edge += room
    return places


def _bar(ax: Axes, y: float, mean: float, arm: float | None, colour: str, alpha: float | None = None) -> None:
    ax.barh(y, mean, height=THICK, color=colour, alpha=alpha, zorder=2)
    if arm is not None:
        ax.errorbar(mean, y, xerr=arm, fmt="none", ecolor=INK, elinewidth=1.1, capsize=2, zorder=3)


def _draw_published(ax: Axes, entries: Sequence[TableEntry | None], places: Sequence[float]) -> None:
    """The printed numbers of a scenario in grey, below the run's."""
    ax.axhline(places[0] - (GAP + LINE) / 2, color=SOFT, linewidth=0.8, linestyle=":")
    for y, entry in zip(places, entries, strict=True):
        if entry and entry.value is not None:
            _bar(ax, y, entry.value, entry.half_width, SOFT, 0.55)


def _finish(ax: Axes, scenario: str, ticks: Sequence[float], labels: Sequence[str]) -> None:
    ax.axvline(0, color=INK, linewidth=0.8, zorder=4)
    ax.set_title(wrap_name(scenario, 36), loc="left")
    ax.set_ylim(ticks[-1] + LINE + GAP, ticks[0] - LINE - GAP)
    ax.set_yticks(ticks, labels)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.margins(x=0.06)


def spending_plot(runs: Sequence[EpisodeCost], looks: Looks) -> Figure | None:
    """A panel for each family of scenarios and metric, a colour for each mind; ``None`` without model calls."""
    by_family = families(runs)

    def draw(ax: Axes, key: tuple[str, str], of_family: Sequence[EpisodeCost]) -> None:
        _spending_panel(ax, of_family, METRICS[key[1]], looks)
        ax.set_title(key[0], loc="left")
        ax.set_xlabel(f"{key[1]} per 1,200 steps")

    by_metric = {
        (family, name): of_family for family, of_family in by_family.items() for name in metrics(runs)
    }
    called = {run.mind for run in runs if run.calls}
    minds = dict.fromkeys(run.mind for of_family in by_family.values() for run in of_family)
    dotted = {mind: Line2D([], [], linestyle=":", color=looks.colour(mind)) for mind in minds}
    handles = {mind: point_of(looks, mind) if mind in called else line for mind, line in dotted.items()}
    return drawn(by_metric, draw, (2.6, 0.0), ("", PER_1200), handles)


def _spending_panel(ax: Axes, runs: Sequence[EpisodeCost], amount: Amount, looks: Looks) -> None:
    spent: list[float] = []
    for mind, mine in grouped_by(runs, lambda run: run.mind).items():
        colour = looks.colour(mind)
        measured = [run for run in mine if run.steps and amount(run) is not None]
        xs, ys = numbers(measured, amount), numbers(measured, lambda run: run.reward)
        reward = spread(ys)
        if reward is None:
            continue
        if not any(xs):
            ax.axhline(reward.mean, color=colour, linestyle=":", linewidth=1.2, zorder=1)
            continue
        spent += [x for x in xs if x > 0]
        marker = looks.marker(mind)
        ax.plot(xs, ys, linestyle="", marker=marker, color=colour, alpha=0.25, markersize=3.5, zorder=2)
        mean = spread(xs)
        assert mean is not None, "there are rewards, so there are amounts"
        look: dict[str, Any] = {"color": colour, "markersize": 8, "markeredgecolor": "white", "zorder": 3}
        ax.errorbar(mean.mean, reward.mean, reward.reach, mean.reach, fmt=marker, elinewidth=1.2, **look)
    if spent and max(spent) > WIDE * min(spent):
        ax.set_xscale("log")
    if not spent or max(spent) >= KILO:
        ax.xaxis.set_major_formatter(EngFormatter(sep=""))
    ax.xaxis.set_major_locator(LogLocator(numticks=5) if ax.get_xscale() == "log" else MaxNLocator(5))


def sweep_plot(curves: Sequence[Sweep]) -> Figure | None:
    """A panel for each parameter and family of scenarios, a line for each mind; ``None`` without sweeps."""
    by_panel = grouped_by(curves, lambda sweep: (sweep.parameter, sweep.family))
    looks = Looks([sweep.mind for sweep in curves])

    def draw(ax: Axes, key: tuple[str, str], lines: Sequence[Sweep]) -> None:
        for sweep in lines:
            _line(ax, sweep, looks)
        ax.set_title(key[1], loc="left")
        ax.set_xlabel(key[0])
        ax.set_xticks([point.value for point in lines[0].points])

    handles = {sweep.mind: point_of(looks, sweep.mind) for sweep in curves}
    for line in handles.values():
        line.set_linestyle("-")
    return drawn(by_panel, draw, (2.7, 0.0), ("", PER_1200), handles)


def _line(ax: Axes, sweep: Sweep, looks: Looks) -> None:
    ax.axhline(0, color=INK, linewidth=0.7, zorder=1)
    values = [point.value for point in sweep.points]
    means = [point.per_1200.mean for point in sweep.points]
    errors = [point.per_1200.reach or 0.0 for point in sweep.points]
    marker, colour = looks.marker(sweep.mind), looks.colour(sweep.mind)
    line: dict[str, Any] = {"color": colour, "linestyle": "-", "linewidth": 1.5, "markersize": 5, "zorder": 3}
    ax.errorbar(values, means, errors, fmt=marker, capsize=2, **line)


Part: TypeAlias = chapters.Part | Literal["verdict", "gap", "exploitation", "learning"]
CAPTIONED = ("gap", "exploitation")
"""The drawings whose captions are shown even without a figure: they say who is missing."""
BANDS = f"Bands: 95 %. Each number is a mean over {WINDOW} rounds, fewer at both ends."
REGRET = (
    "Regret: the expected reward of the optimal plan in the round minus the reward; below 0 where the mind takes "
    f"more at once than the optimum does. {BANDS}"
)
TOM = f"ToM %: right predictions of the partner. {BANDS}"


class Drawing(Struct, frozen=True, eq=False):
    """A figure (``None`` if there is nothing to show), the ``name`` of its files, and its caption.

    ``part`` is one of :data:`Part`, or a world's own; figures of the latter stand last, under their ``title``.
    """

    name: str
    part: Part | str
    caption: str
    figure: Figure | None
    title: str = ""


figure_makers: Registry[Callable[[Findings], Sequence[Drawing]]] = Registry("figure")
"""What draws the figures that only one kind of world has (entry points: ``otherminds.figures``)."""


def drawings(findings: Findings) -> list[Drawing]:
    """The figures of a report, in the order of the page."""
    cells, curves, runs = findings.cells, findings.curves, findings.runs
    looks = Looks([*(cell.mind for cell in cells), *(run.mind for run in runs)])
    alone = findings.alone
    gap, exploitation = figures.gap_caption(alone), figures.exploitation_caption(alone)
    validated = validation_plot(findings.around, looks)
    candidates = (
        Drawing(
            "verdicts",
            "verdict",
            figures.CAPTION,
            figures.verdict_plot(of_partners(findings.verdicts)),
        ),
        Drawing("unused", "gap", figures.UNUSED_CAPTION, figures.unused_plot(alone)),
        Drawing("gap", "gap", gap, figures.gap_plot(alone)),
        Drawing("exploitation", "exploitation", exploitation, figures.exploitation_plot(alone)),
        Drawing("returns", "returns", NORMALISED, returns_plot(runs, looks)),
        *(
            Drawing("published", "returns", f"{BESIDE} {printed.note}", figure)
            for printed in map(printed_rewards.get, printed_rewards)
            for figure in [published_plot(runs, looks, printed)]
        ),
        Drawing("validation", "validation", VALIDATION, validated),
        Drawing("spending", "spending", SPENDING, spending_plot(runs, looks)),
        Drawing("sweeps", "sweeps", SWEEPS, sweep_plot(sweeps(runs))),
        Drawing("regret", "learning", REGRET, curves_plot(curves, "regret")),
        Drawing("tom", "learning", TOM, curves_plot(curves, "tom_percent")),
    )
    own = [
        drawing
        for drawing in candidates
        if drawing.figure is not None or (drawing.name in CAPTIONED and (alone or not cells))
    ]
    every: list[Drawing] = []
    for drawing in (
        *own,
        *(drawing for name in figure_makers for drawing in figure_makers.get(name)(findings)),
    ):
        every.append(replace(drawing, name=_free(drawing.name, {other.name for other in every})))
    return every


def save(figures: Sequence[Drawing], folder: Path) -> dict[str, str]:
    """Writes every figure as SVG into ``folder``. Returns the drawings by name.

    Raises:
        StudyError: a file cannot be written.
    """
    by_name = {drawing.name: svg(drawing.figure) for drawing in figures if drawing.figure is not None}
    for name, drawing in by_name.items():
        replace_file(folder / f"{name}.svg", drawing)
    return by_name


def _free(text: str, used_names: set[str]) -> str:
    """A file name of letters, digits and dashes that is not taken."""
    name = sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")
    names = (name, *(f"{name}-{n + 1}" for n in range(1, len(used_names) + 1)))
    return next(free for free in names if free not in used_names)
