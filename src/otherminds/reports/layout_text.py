"""A table of the paper with a run in it, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from otherminds.measures.cells import Cell
from otherminds.reports.console import empty, head, not_scored, notes, printable, printed, safe
from otherminds.reports.layout_words import episodes, layout_notes, number
from otherminds.reports.layouts import Line, layout


def layout_as_text(
    table: int, cells: Sequence[Cell], title: str, width: int = 100, colour: bool = False
) -> str:
    """The paper's table as text of ``width`` columns; see :func:`.layouts.layout`."""
    cells = safe(cells)
    shown = layout(table, cells)

    def write(console: Console) -> None:
        head(console, title, cells)
        not_scored(console, shown.about(cells))
        console.print()
        drawn = empty(shown.caption, shown.heads[0], 2)
        for name in shown.heads[1:]:
            drawn.add_column(name, overflow="fold")
        for name in (*shown.columns, "n"):
            drawn.add_column(name, justify="right", no_wrap=True)
        for line in shown.lines:
            drawn.add_row(*_row(line), style="" if line.cells else "dim")
        if shown.others:
            drawn.add_section()
        for line in shown.others:
            drawn.add_row(*_row(line))
        console.print(drawn)
        notes(console, layout_notes(shown, cells))

    return printed(write, width, colour)


def _row(line: Line) -> list[str]:
    numbers = [" ".join(number(entry)).strip() for entry in line.entries]
    return [*map(printable, line.names), *numbers, episodes(line)]
