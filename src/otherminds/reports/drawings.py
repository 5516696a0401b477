"""Every figure of a report with its caption and its place on the page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from re import sub
from typing import Literal, TypeAlias

from matplotlib.figure import Figure
from msgspec import Struct

from otherminds.reports import chapters
from otherminds.reports.costs import sweeps
from otherminds.reports.curve_figures import (
    VALIDATION,
    by_names,
    names_caption,
    names_plot,
    regret_curves,
    tom_curves,
    validation_plot,
)
from otherminds.reports.figures import (
    UNUSED_CAPTION,
    exploitation_caption,
    exploitation_plot,
    gap_caption,
    gap_plot,
    unused_plot,
)
from otherminds.reports.findings import WINDOW, Findings
from otherminds.reports.reward_figures import (
    BESIDE,
    NORMALISED,
    SPENDING,
    SWEEPS,
    published_plot,
    returns_plot,
    spending_plot,
    sweep_plot,
)
from otherminds.reports.style import Looks, write

Part: TypeAlias = chapters.Part | Literal["gap", "exploitation", "learning", "names"]
BANDS = f"Bands: 95 %. Each number is a mean over {WINDOW} rounds, fewer at both ends."
REGRET = (
    "Regret: what the optimal plan expects in the round, less what was got; below 0 where more is taken at "
    f"once than the optimum takes. {BANDS}"
)
TOM = f"ToM %: right predictions of the partner. {BANDS}"


class Drawing(Struct, frozen=True, eq=False):
    """A figure, the ``name`` of its files, and its caption; without a figure the caption says why."""

    name: str
    part: Part
    caption: str
    figure: Figure | None


def drawings(found: Findings) -> list[Drawing]:
    """The figures of a report, in the order of the page."""
    cells, curves, runs = found.cells, found.curves, found.runs
    looks = Looks([*(cell.mind for cell in cells), *(run.mind for run in runs)])
    unused = unused_plot(cells)
    drawn = [Drawing("unused", "gap", UNUSED_CAPTION, unused)] if unused is not None else []
    drawn += [
        Drawing("gap", "gap", gap_caption(cells), gap_plot(cells)),
        Drawing("exploitation", "exploitation", exploitation_caption(cells), exploitation_plot(cells)),
    ]
    optional: tuple[tuple[str, Part, str, Figure | None], ...] = (
        ("returns", "returns", NORMALISED, returns_plot(runs, looks)),
        ("published", "returns", BESIDE, published_plot(runs, looks)),
        ("validation", "validation", VALIDATION, validation_plot(found.around, looks)),
        ("spending", "spending", SPENDING, spending_plot(runs, looks)),
        ("sweeps", "sweeps", SWEEPS, sweep_plot(sweeps(runs))),
        ("regret", "learning", REGRET, regret_curves(curves)),
        ("tom", "learning", TOM, tom_curves(curves)),
    )
    drawn += [
        Drawing(name, part, caption, figure) for name, part, caption, figure in optional if figure is not None
    ]
    sets = by_names(cells, curves)
    named = Looks([line.names for one in sets for line in one.lines])
    taken = {one.name for one in drawn}
    for one in sets:
        name = _free(f"names-{one.scenario}-{one.mind}", taken)
        taken.add(name)
        drawn.append(Drawing(name, "names", f"{names_caption(one)} {BANDS}", names_plot(one, named)))
    return drawn


def save(drawn: Sequence[Drawing], folder: Path) -> list[Path]:
    """Writes every figure there is as SVG and PNG into ``folder``; gives the files."""
    return [file for one in drawn if one.figure is not None for file in write(one.figure, folder, one.name)]


def _free(text: str, taken: set[str]) -> str:
    """A file name of letters, digits and dashes that is not taken."""
    name = sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")
    return next(
        free for n in range(len(taken) + 1) if (free := f"{name}-{n + 1}" if n else name) not in taken
    )
