"""What the commands of the household print: tables, and their progress in lines on standard error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from rich import box
from rich.table import Table

from otherminds.reports.sheets import Sheet
from otherminds.reports.table import sheet_as_text
from otherminds.studies.progress import EVERY, Terminal


class ProgressLines:
    """Lines on standard error."""

    def __init__(self) -> None:
        self._console = Terminal(stderr=True)
        self._last = 0.0

    def say(self, text: str) -> None:
        """Prints a line."""
        self._console.print(text, soft_wrap=True)

    def update(self, describe: Callable[[], str], *, now: bool = False) -> None:
        """Prints what ``describe`` returns, at once or every few seconds."""
        if now or monotonic() - self._last >= EVERY:
            self._last = monotonic()
            self.say(describe())


def draw_table(title: str, *heads: str, numbers: bool = False) -> Table:
    """A table without rows; with ``numbers`` all columns but the first are aligned to the right."""
    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for k, head in enumerate(heads):
        table.add_column(head, justify="right" if numbers and k else "left", overflow="fold")
    return table


def print_sheets(sheets: Sequence[Sheet]) -> None:
    """Prints tables with their notes; one without rows is left out."""
    terminal = Terminal()
    for sheet in sheets:
        if sheet.rows:
            terminal.print(sheet_as_text(sheet, terminal.width))
            for note in (*sheet.meanings, *sheet.notes):
                terminal.print(f"  {note}", style="dim", soft_wrap=True)
            terminal.print()
