"""All figures of a report, with captions and places on the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from re import sub
from typing import Literal, TypeAlias

from matplotlib.figure import Figure
from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.disk import replace_file
from otherminds.core.registry import Registry
from otherminds.reports import chapters, curve_figures, figures, reward_figures, verdict_figure
from otherminds.reports.costs import sweeps
from otherminds.reports.findings import WINDOW, Findings
from otherminds.reports.opening import of_partners
from otherminds.reports.papers import printed_rewards
from otherminds.reports.style import Looks, svg

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
    validated = curve_figures.validation_plot(findings.around, looks)
    candidates = (
        Drawing(
            "verdicts",
            "verdict",
            verdict_figure.CAPTION,
            verdict_figure.verdict_plot(of_partners(findings.verdicts)),
        ),
        Drawing("unused", "gap", figures.UNUSED_CAPTION, figures.unused_plot(alone)),
        Drawing("gap", "gap", gap, figures.gap_plot(alone)),
        Drawing("exploitation", "exploitation", exploitation, figures.exploitation_plot(alone)),
        Drawing("returns", "returns", reward_figures.NORMALISED, reward_figures.returns_plot(runs, looks)),
        *(
            Drawing("published", "returns", f"{reward_figures.BESIDE} {printed.note}", figure)
            for printed in map(printed_rewards.get, printed_rewards)
            for figure in [reward_figures.published_plot(runs, looks, printed)]
        ),
        Drawing("validation", "validation", curve_figures.VALIDATION, validated),
        Drawing("spending", "spending", reward_figures.SPENDING, reward_figures.spending_plot(runs, looks)),
        Drawing("sweeps", "sweeps", reward_figures.SWEEPS, reward_figures.sweep_plot(sweeps(runs))),
        Drawing("regret", "learning", REGRET, curve_figures.curves_plot(curves, "regret")),
        Drawing("tom", "learning", TOM, curve_figures.curves_plot(curves, "tom_percent")),
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
