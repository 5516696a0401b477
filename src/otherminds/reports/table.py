"""A report for the terminal, in the paper's layout."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO

from msgspec.structs import replace
from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import Estimate
from otherminds.reports.paper import PaperLine
from otherminds.reports.sections import (
    MAIN,
    MEANING,
    MISPRINT,
    PAPER,
    Column,
    Section,
    accounting,
    between,
    estimate,
    fixed,
    half,
    headline,
    incomplete,
    mind_notes,
    percent,
    sections,
    unscored,
)
from otherminds.worlds.matrix.published import Metric

HEADS = {"Δ_Functional/T": "Δ_Func-\ntional/T", "Δ_ToM/T": "Δ_ToM\n/T"}
"""The paper's column names, broken so that a table fits 100 columns."""
FOOT = (
    "Below each number: ± half the width of its 95 % interval (bootstrap over partner × seed). "
    "best responses: their share before → from the first correct prediction. "
    "n: scored episodes, of those planned. "
    "paper convention: reckoned as the paper's printed tables are; only these are to be set beside its rows "
    "(the tabular learner, the two best language models without an oracle, the worst one)."
)


def as_text(cells: Sequence[Cell], title: str, width: int = 100, colour: bool = False) -> str:
    """The report as text of ``width`` columns, with terminal colours if asked for.

    Names keep their printable characters only: none can move a terminal's cursor.
    """
    cells = [replace(cell, scenario=_printable(cell.scenario), mind=_printable(cell.mind)) for cell in cells]
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
    console.print(Text(_printable(title), style="bold"))
    console.print(Text(accounting(cells)))
    console.print()
    console.print(Text(headline(cells)))
    console.print()
    console.print(Text(MEANING, style="dim"))
    if incomplete(cells):
        console.print()
        console.print(_incomplete(incomplete(cells)))
    for section in sections(cells):
        console.print()
        _section(console, section)
    console.print()
    _notes(console, [*mind_notes(cells), FOOT])
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _incomplete(cells: Sequence[Cell]) -> Table:
    """What was not scored, and how far it could move the regret."""
    table = _table("not every episode was scored", "scenario", 2)
    table.add_column("mind", overflow="fold")
    table.add_column("scored", justify="right", no_wrap=True)
    table.add_column("not scored")
    table.add_column("Δ_Functional/T,\nbest to worst case", justify="right", no_wrap=True)
    for cell in cells:
        table.add_row(
            cell.scenario, cell.mind, f"{cell.scored}/{cell.planned}", unscored(cell), between(cell)
        )
    return table


def _section(console: Console, section: Section) -> None:
    head = Text(section.scenario, style="bold")
    if section.game:
        head.append(f"   {section.game} against {section.partners}", style="not bold")
    console.print(head)
    table = _table("", "mind", 1)
    for name in (
        *(HEADS.get(column.name, column.name) for column in MAIN),
        "best\nresponses",
        "inval-\nid %",
        "n",
    ):
        table.add_column(name, justify="right", no_wrap=True)
    for cell in section.cells:
        table.add_row(*_row(cell))
    console.print(table)
    if section.paper:
        console.print()
        console.print(_beside_the_paper(section))
    _notes(console, section.notes)


def _row(cell: Cell) -> list[Text | str]:
    n = str(cell.scored) if cell.scored == cell.planned else f"{cell.scored}/{cell.planned}"
    before, after = (fixed(found.mean, 2) for found in (cell.best_before, cell.best_after))
    return [
        cell.mind,
        *(_stacked(estimate(cell, column), column) for column in MAIN),
        f"{before} → {after}",
        percent(cell.invalid_share),
        n,
    ]


def _beside_the_paper(section: Section) -> Table:
    """The run in the paper's convention, above the paper's own rows."""
    table = _table("", "", 2)
    for name in (*(f"paper convention\n{column.name}" for column in PAPER), "ToM %"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for cell in section.cells:
        numbers = [_inline(estimate(cell, column), column.digits) for column in PAPER]
        table.add_row(cell.mind, *numbers, _inline(cell.tom_percent, 1), "")
    for line in section.paper:
        table.add_row(
            line.label,
            _printed(line, "delta_functional", 3),
            _printed(line, "delta_tom", 3),
            _printed(line, "tom_percent", 1),
            line.source,
            style="dim",
        )
    return table


def _printed(line: PaperLine, metric: Metric, digits: int) -> str:
    row = line.numbers.get(metric)
    if row is None:
        return ""
    flag = MISPRINT if row.misprint else ""
    return f"{flag}{fixed(row.value, digits)} ±{fixed(row.half_width, digits)}"


def _table(title: str, first: str, gap: int) -> Table:
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


def _printable(text: str) -> str:
    return "".join(character for character in text if character.isprintable())


def _stacked(found: Estimate, column: Column) -> Text:
    text = Text(fixed(found.mean, column.digits))
    if half(found, column.digits):
        text.append("\n" + half(found, column.digits), style="dim")
    return text


def _inline(found: Estimate, digits: int) -> str:
    return f"{fixed(found.mean, digits)} {half(found, digits)}".strip()


def _notes(console: Console, notes: Sequence[str]) -> None:
    for note in notes:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))
