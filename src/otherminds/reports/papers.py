"""Published results that a report shows beside those of a run: tables of a paper, its rows for a scenario, its rewards.

Packages of worlds register them in :data:`papers` and :data:`printed_rewards` (entry points: ``otherminds.papers``,
``otherminds.printed_rewards``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.registry import Registry
from otherminds.measures.cells import Cell
from otherminds.reports.sheets import Pair, Sheet, fixed, of_planned

PRINTED = "paper"
"""Replaces the number of episodes in printed rows."""


class TableEntry(Struct, frozen=True):
    """One number with ``digits`` decimals; a ``note`` explains its ``mark``.

    ``memory`` is the size of a mind's memory where it is the best of several;
    ``reason`` says why a number is not known.
    """

    value: float | None
    half_width: float | None
    digits: int
    mark: str = ""
    memory: str = ""
    reason: str = ""
    note: str = ""

    @property
    def pair(self) -> Pair:
        """The number with its mark, and half the width of its interval."""
        half = "" if self.half_width is None else f"±{fixed(self.half_width, self.digits)}"
        memory = f"({self.memory})" if self.memory else ""
        return f"{self.mark}{fixed(self.value, self.digits)}", " ".join(filter(None, (half, memory)))


class TableLine(Struct, frozen=True):
    """One row: its names, and a number a column (``None``: it has none).

    ``cells`` are the run's cells in this row; none in a printed row.
    """

    names: tuple[str, ...]
    entries: tuple[TableEntry | None, ...]
    cells: tuple[Cell, ...] = ()

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The numbers as text; empty where there is none."""
        return tuple(entry.pair if entry else ("", "") for entry in self.entries)

    @property
    def episodes(self) -> str:
        """The number of episodes, with the planned number if they differ."""
        return ", ".join(dict.fromkeys(map(of_planned, self.cells))) or PRINTED


class Layout(Struct, frozen=True):
    """One table of the paper that ``source`` cites, and a run in it.

    ``lines`` are in the paper's order, each mind of the run under the row it fits; ``others`` are the run's
    minds that fit none.
    """

    caption: str
    heads: tuple[str, ...]
    columns: tuple[str, ...]
    lines: tuple[TableLine, ...]
    others: tuple[TableLine, ...]
    source: str
    notes: tuple[str, ...] = ()

    @property
    def cells(self) -> list[Cell]:
        """The cells of the run in the table."""
        return [cell for line in (*self.lines, *self.others) for cell in line.cells]

    @property
    def sheet(self) -> Sheet:
        """The table as text."""
        lines = (*self.lines, *self.others)
        return Sheet(
            self.caption,
            (*self.heads, *self.columns, "n"),
            tuple((line.names, (*line.pairs, (line.episodes, ""))) for line in lines),
            self.notes,
            inline=True,
            paper=frozenset(i for i, line in enumerate(lines) if not line.cells),
            rule=len(self.lines) if self.others else None,
        )

    def about(self, cells: Sequence[Cell]) -> list[Cell]:
        """The ``cells`` in scenarios that have a place in the table."""
        placed = {cell.scenario for cell in self.cells}
        return [cell for cell in cells if cell.scenario in placed]


class Paper(Struct, frozen=True):
    """The tables of results of one paper.

    ``source`` cites it below a report, ``tables`` are the numbers of its tables. ``fill_table`` makes one of them with
    all cells of a run, placed or not. ``select_rows`` gives the rows for a game and a kind of partner: each has two
    names, its agent and where it is printed, and the entries of the columns Δ_Functional/T, Δ_ToM/T and ToM %.
    ``action_names`` gives the set of action names of a cell, the scenario's own where a study names none; empty if
    it does not know.
    """

    source: str
    tables: tuple[int, ...]
    fill_table: Callable[[int, Sequence[Cell]], Layout]
    select_rows: Callable[[str, str], tuple[TableLine, ...]]
    action_names: Callable[[Cell], str]


class PrintedRewards(Struct, frozen=True):
    """The mean rewards per episode that a paper prints for the scenarios of a world.

    ``methods`` are its columns. ``select_row`` gives those of a scenario, named by what the paper calls it; ``None``
    without any. ``note`` says how they were measured, ``half`` what ± means, and ``legend`` names them in a figure.
    """

    methods: tuple[str, ...]
    select_row: Callable[[str], TableLine | None]
    note: str
    half: str
    legend: str


papers: Registry[Paper] = Registry("paper")
printed_rewards: Registry[PrintedRewards] = Registry("printed reward", plural="printed_rewards")


def explain_marks(lines: Iterable[TableLine]) -> list[str]:
    """The notes of the entries of some rows, each once."""
    return sorted({entry.note for line in lines for entry in line.entries if entry and entry.note})


def fill_table(table: int, cells: Sequence[Cell]) -> Layout:
    """A paper's table with that number, the cells of a run in its columns.

    Of several papers with such a table it is the first in which the run has a place.

    Raises:
        StudyError: no paper has such a table of results.
    """
    filled = [paper.fill_table(table, cells) for paper in map(papers.get, papers) if table in paper.tables]
    if not filled:
        numbers = ", ".join(map(str, _tables()))
        raise StudyError(f"there is no layout {table!r}; the paper's tables are {numbers}")
    return next((layout for layout in filled if layout.cells), filled[0])


def check_place(table: int, cells: Sequence[Cell]) -> None:
    """Checks that a run has a place in the paper's table with that number, or has no record yet.

    Raises:
        StudyError: there is no such table, or no recorded cell has a place in it.
    """
    if fill_table(table, cells).cells or not any(cell.about.who for cell in cells):
        return
    others = [str(other) for other in _tables() if fill_table(other, cells).cells]
    where = f"; it has one in {', '.join(others)}" if others else ", nor in another of its tables"
    raise StudyError(f"no scenario of this run has a place in table {table} of the paper{where}")


def _tables() -> list[int]:
    return sorted({table for name in papers for table in papers.get(name).tables})
