"""Which cells of a report surely say more than they do."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import TAIL


def in_question(cells: Sequence[Cell]) -> list[Cell]:
    """The cells that a report is about: those of language models, or all where there is none."""
    asked = [cell for cell in cells if cell.about.who is not None and cell.about.who.model]
    return asked or list(cells)


def testable(cell: Cell) -> bool:
    """Whether both parts of the claim can be tested: the scores exist, with ends that are known exactly."""
    return not cell.estimated and cell.lead.mean is not None and cell.literal.mean is not None


def doubt(cell: Cell) -> float:
    """The one-sided p-value of "nothing known is left unused here".

    The claim has two parts, that :attr:`Cell.lead` lies above 0 and that L does: a mind that
    does not know has nothing to leave unused. The larger of both p-values holds for their
    conjunction (intersection-union test, Berger 1982).
    """
    return max(cell.lead.doubt, cell.literal.doubt)


def sure(cells: Sequence[Cell]) -> list[Cell]:
    """The cells of which the claim holds at 95 % over all of ``cells`` together (Holm 1979), surest first.

    All cells that can be tested count, whether they have an interval or not.
    """
    ranked = sorted(filter(testable, in_question(cells)), key=doubt)
    found: list[Cell] = []
    for i, cell in enumerate(ranked):
        if doubt(cell) > TAIL / (len(ranked) - i):
            break
        found.append(cell)
    return found
