"""Plain text for terminals, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import StringIO

from msgspec.structs import replace
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from otherminds.measures.cells import Cell
from otherminds.reports.sections import accounting, between, incomplete, named, unscored


def printed(write: Callable[[Console], None], width: int, colour: bool) -> str:
    """What ``write`` prints, as text of ``width`` columns; with terminal colours if asked for."""
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    write(console)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def head(console: Console, title: str, cells: Sequence[Cell]) -> None:
    """The title, and where every planned episode is."""
    console.print(Text(printable(title), style="bold"))
    console.print(Text(accounting(cells)))


def not_scored(console: Console, cells: Sequence[Cell]) -> None:
    """What was not scored, and how far it could move the regret; nothing if all was."""
    if not incomplete(cells):
        return
    console.print()
    table = empty("not every episode was scored", "scenario", 2)
    table.add_column("mind", overflow="fold")
    table.add_column("scored", justify="right", no_wrap=True)
    table.add_column("not scored")
    table.add_column("Δ_Functional/T,\nbest to worst case", justify="right", no_wrap=True)
    for cell in incomplete(cells):
        table.add_row(
            cell.scenario, named(cell), f"{cell.scored}/{cell.planned}", unscored(cell), between(cell)
        )
    console.print(table)


def empty(title: str, first: str, gap: int) -> Table:
    """An empty table with ``gap`` spaces between its columns, the first of which folds."""
    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, gap, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    table.add_column(first, overflow="fold")
    return table


def stacked(above: str, below: str) -> Text:
    """A number with a dimmer one below it, if there is one."""
    text = Text(above)
    if below:
        text.append("\n" + below, style="dim")
    return text


def notes(console: Console, told: Sequence[str]) -> None:
    """Notes, indented and dim."""
    for note in told:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))


def printable(text: str) -> str:
    """The printable characters of a name: none can move a terminal's cursor."""
    return "".join(character for character in text if character.isprintable())


def safe(cells: Sequence[Cell]) -> list[Cell]:
    """``cells`` with names that cannot move a terminal's cursor."""
    return [replace(cell, scenario=printable(cell.scenario), mind=printable(cell.mind)) for cell in cells]
