"""Learning curves by action names: does what the options are called change what is learnt?"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from msgspec import Struct

from otherminds.measures.cells import Cell
from otherminds.measures.curves import Band, Curve
from otherminds.reports.figures import CurveKey, draw_band, finish_curves
from otherminds.reports.matching import YARDSTICK, action_names, reads_names
from otherminds.reports.style import INK, Dash, Looks, legend, panels, shortened, styled
from otherminds.worlds.matrix.names import SETS

HEIGHT = 3.1
TITLES: dict[CurveKey, str] = {"regret": "regret in the round", "tom_percent": "ToM %"}
LEARNER = "rmax, which reads no names"
DOTS: Dash = (0, (1, 1.5))
REPEATED = 5
"""A name of so many equal letters is written as the letter and their number."""


class NameLine(Struct, frozen=True, eq=False):
    """The curve of one set of action names; ``label`` gives the names themselves too."""

    names: str
    label: str
    curve: Curve


class NameSets(Struct, frozen=True, eq=False):
    """One mind in one scenario under several sets of action names.

    ``reference`` is the tabular learner's curve, which reads no names.
    """

    scenario: str
    mind: str
    game: str
    partners: str
    lines: tuple[NameLine, ...]
    reference: Curve | None


def by_names(cells: Sequence[Cell], curves: Sequence[Curve]) -> list[NameSets]:
    """The minds and scenarios of which a run has cells that differ only in the action names.

    Minds without a language model read no names and have none.
    """
    curve = {(one.scenario, one.mind): one for one in curves}
    found: dict[tuple[str, str], list[Cell]] = {}
    reference: dict[str, Curve] = {}
    for cell in cells:
        key = (cell.scenario, cell.mind)
        if key not in curve or cell.about.who is None:
            continue
        if reads_names(cell):
            found.setdefault((_base(cell), cell.mind), []).append(cell)
        elif cell.about.who.mind == YARDSTICK:
            reference.setdefault(_base(cell), curve[key])
    return [
        NameSets(
            scenario,
            mind,
            some[0].about.game,
            " and ".join(some[0].about.partners),
            tuple(
                NameLine(action_names(cell), _label(cell), curve[cell.scenario, cell.mind]) for cell in some
            ),
            reference.get(scenario),
        )
        for (scenario, mind), some in found.items()
        if len(some) > 1
    ]


def names_plot(found: NameSets, looks: Looks) -> Figure:
    """Regret and ToM % over rounds, a line for each set of names, with the tabular learner's beside.

    ``looks`` gives each set the same colour in every figure of a report.
    """
    lines = [
        (line.label, line.curve, looks.colour(line.names), looks.dash(line.names)) for line in found.lines
    ]
    if found.reference is not None:
        lines.append((LEARNER, found.reference, INK, DOTS))
    with styled():
        figure, axes = panels(2, HEIGHT, "round", "", [label for label, *_ in lines])
        for ax, (key, title) in zip(axes, TITLES.items(), strict=True):
            for _, curve, colour, dash in lines:
                band = getattr(curve, key)
                if isinstance(band, Band):
                    draw_band(ax, band, colour, dash, len(lines))
            finish_curves(ax, key, title)
        legend(
            figure,
            {
                label: Line2D([], [], linestyle=dash, color=colour, linewidth=2)
                for label, _, colour, dash in lines
            },
            f"{shortened(found.mind)}: {_where(found)}",
        )
    return figure


def names_caption(found: NameSets) -> str:
    """Who plays whom in the figure, and where the paper has the like of it."""
    reference = "" if found.reference else " This run has no tabular learner here to set beside."
    return (
        f"{found.mind} in {_where(found)} ({found.scenario}), by what the options are called; "
        f"as figures 19 to 43 of the paper.{reference}"
    )


def _where(found: NameSets) -> str:
    return f"{found.game} against {found.partners}" if found.game else found.scenario


def _base(cell: Cell) -> str:
    """The scenario without the names that its title ends with."""
    return cell.scenario.removesuffix(f" [{cell.about.names}]")


def _label(cell: Cell) -> str:
    """A set of names, with the names of the paper's sets."""
    names = action_names(cell)
    shown = SETS.get(names, {}).get(cell.about.game, ())
    told = [
        f"{name[0]}×{len(name)}" if len(name) >= REPEATED and len(set(name)) == 1 else name for name in shown
    ]
    return f"{names} ({', '.join(told)})" if told else names
