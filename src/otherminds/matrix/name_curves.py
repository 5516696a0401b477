"""Learning curves by action names, as figures 19 to 43 of Riemer et al. 2025."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from msgspec import Struct

from otherminds.matrix.layouts import YARDSTICK, action_names, reads_names
from otherminds.matrix.words import SETS
from otherminds.measures.cells import Cell
from otherminds.measures.curves import Band, Curve
from otherminds.reports.drawings import BANDS, TITLES, CurveKey, Drawing, curve_key, draw_band, finish_curves
from otherminds.reports.findings import Findings
from otherminds.reports.style import INK, Dash, Looks, drawn, shortened

HEIGHT = 3.1
LEARNER = "rmax, which reads no names"
DOTS: Dash = (0, (1, 1.5))
REPEATED = 5
"""A name of at least this many equal letters is written as the letter and their number."""


class NameLine(Struct, frozen=True, eq=False):
    """The curve of one set of action names; ``label`` gives the names themselves too."""

    names: str
    label: str
    curve: Curve


class NameSets(Struct, frozen=True, eq=False):
    """One mind in one scenario, which is ``where`` in words, under several sets of action names.

    ``reference`` is the tabular learner's curve, which reads no names.
    """

    scenario: str
    mind: str
    where: str
    lines: tuple[NameLine, ...]
    reference: Curve | None


def draw_names(findings: Findings) -> list[Drawing]:
    """A figure for each language model and scenario with cells that differ in the action names only."""
    sets = by_names(findings.cells, findings.curves)
    looks = Looks([line.names for name_set in sets for line in name_set.lines])
    return [
        Drawing(
            f"names-{name_set.scenario}-{name_set.mind}",
            "names",
            f"{names_caption(name_set)} {BANDS}",
            names_plot(name_set, looks),
            "Learning by action names",
        )
        for name_set in sets
    ]


def by_names(cells: Sequence[Cell], curves: Sequence[Curve]) -> list[NameSets]:
    """Language models and scenarios with cells that differ in the action names only."""
    curve = {(line.scenario, line.mind): line for line in curves}
    groups: dict[tuple[str, str], list[Cell]] = {}
    reference: dict[str, Curve] = {}
    for cell in cells:
        key = (cell.scenario, cell.mind)
        if key not in curve or cell.about.who is None:
            continue
        if reads_names(cell):
            groups.setdefault((_base(cell), cell.mind), []).append(cell)
        elif cell.about.who.mind == YARDSTICK:
            reference.setdefault(_base(cell), curve[key])
    sets: list[NameSets] = []
    for (scenario, mind), group in groups.items():
        if len(group) > 1:
            about = group[0].about
            where = f"{about.game} against {' and '.join(about.partners)}" if about.game else scenario
            lines = (
                NameLine(action_names(cell), _label(cell), curve[cell.scenario, cell.mind]) for cell in group
            )
            sets.append(NameSets(scenario, mind, where, tuple(lines), reference.get(scenario)))
    return sets


def names_plot(name_set: NameSets, looks: Looks) -> Figure | None:
    """Regret and ToM % over rounds: a line for each set of names, and one for the tabular learner.

    ``looks`` gives each set the same colour in every figure of a report.
    """
    lines = [
        (line.label, line.curve, looks.colour(line.names), looks.dash(line.names)) for line in name_set.lines
    ]
    if name_set.reference is not None:
        lines.append((LEARNER, name_set.reference, INK, DOTS))

    def draw(ax: Axes, key: CurveKey, title: str) -> None:
        for _, curve, colour, dash in lines:
            band = getattr(curve, key)
            if isinstance(band, Band):
                draw_band(ax, key, band, colour, dash, len(lines))
        finish_curves(ax, key, title)

    handles = {label: curve_key(colour, dash) for label, _, colour, dash in lines}
    title = f"{shortened(name_set.mind)}: {name_set.where}"
    return drawn(TITLES, draw, (HEIGHT, 0.0), ("round", ""), handles, title)


def names_caption(name_set: NameSets) -> str:
    """The minds and the scenario of the figure, with the paper's corresponding figures."""
    reference = "" if name_set.reference else " This run has no tabular learner here for comparison."
    return (
        f"{name_set.mind} in {name_set.where} ({name_set.scenario}), by what the options are called; "
        f"as figures 19 to 43 of the paper.{reference}"
    )


def _base(cell: Cell) -> str:
    """The title of the scenario without the names at its end."""
    return cell.scenario.removesuffix(f" [{cell.about.names}]")


def _label(cell: Cell) -> str:
    """A set of names, with the names of the paper's sets."""
    names = action_names(cell)
    options = SETS.get(names, {}).get(cell.about.game, ())
    long = {name for name in options if len(name) >= REPEATED and len(set(name)) == 1}
    labels = [f"{name[0]}×{len(name)}" if name in long else name for name in options]
    return f"{names} ({', '.join(labels)})" if labels else names
