"""A report for the terminal."""

from __future__ import annotations

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table
from rich.text import Text

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import Estimate
from otherminds.reports.chapters import chapters
from otherminds.reports.console import (
    empty,
    head,
    not_scored,
    notes,
    printable,
    printed,
    safe,
    stacked,
)
from otherminds.reports.costs import CostTable, cost_table
from otherminds.reports.findings import Findings
from otherminds.reports.paper import MISPRINT, PaperLine
from otherminds.reports.sections import (
    MAIN,
    MEANING,
    PAPER,
    Section,
    estimate,
    fixed,
    half,
    headline,
    mind_notes,
    percent,
    sections,
)
from otherminds.reports.sheets import sheet_as_text
from otherminds.worlds.matrix.published import Metric

HEADS = {"Δ_Functional/T": "Δ_Func-\ntional/T", "Δ_ToM/T": "Δ_ToM\n/T"}
"""The paper's column names, broken so that a table fits 100 columns."""
BELOW = {
    "episodes": "epi-\nsodes",
    "model calls": "calls,\nan episode",
    "tokens read": "tokens read,\ncached",
    "tokens written": "tokens\nwritten",
    "US dollars": "US\ndollars",
    "seconds": "seconds,\na call",
    "re-asks %": "re-\nasks %",
    "invalid %": "inval-\nid %",
}
FOOT = (
    "Below each number: ± half the width of its 95 % interval (bootstrap over partner × seed). "
    "best responses: their share before → from the first correct prediction. "
    "n: scored episodes, of those planned. "
    "paper convention: reckoned as the paper's printed tables are; only these are to be set beside its rows "
    "(the tabular learner, the two best language models without an oracle, the worst one)."
)


def as_text(found: Findings, title: str, width: int = 100, colour: bool = False) -> str:
    """The report as text of ``width`` columns, with terminal colours if asked for.

    Names keep their printable characters only: none can move a terminal's cursor.
    """
    cells = safe(found.cells)

    def write(console: Console) -> None:
        head(console, title, cells)
        console.print()
        console.print(Text(headline(cells)))
        console.print()
        console.print(Text(MEANING, style="dim"))
        not_scored(console, cells)
        for section in sections(cells):
            console.print()
            _section(console, section)
        console.print()
        notes(console, [*mind_notes(cells), FOOT])
        for sheet in (
            sheet for chapter in chapters(replace(found, cells=tuple(cells))) for sheet in chapter.sheets
        ):
            console.print()
            console.print(sheet_as_text(sheet))
            notes(console, sheet.notes)
        costs = cost_table(found)
        if costs is not None:
            console.print()
            console.print(_costs(costs))
            notes(console, costs.notes)

    return printed(write, width, colour)


def _section(console: Console, section: Section) -> None:
    words = Text(section.scenario, style="bold")
    if section.game:
        words.append(f"   {section.game} against {section.partners}", style="not bold")
    console.print(words)
    table = empty("", "mind", 1)
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
    notes(console, section.notes)


def _row(cell: Cell) -> list[Text | str]:
    n = str(cell.scored) if cell.scored == cell.planned else f"{cell.scored}/{cell.planned}"
    before, after = (fixed(found.mean, 2) for found in (cell.best_before, cell.best_after))
    numbers = [(estimate(cell, column), column.digits) for column in MAIN]
    return [
        cell.mind,
        *(stacked(fixed(found.mean, digits), half(found, digits)) for found, digits in numbers),
        f"{before} → {after}",
        percent(cell.invalid_share),
        n,
    ]


def _beside_the_paper(section: Section) -> Table:
    """The run in the paper's convention, above the paper's own rows."""
    table = empty("", "", 2)
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


def _inline(found: Estimate, digits: int) -> str:
    return f"{fixed(found.mean, digits)} {half(found, digits)}".strip()


def _costs(costs: CostTable) -> Table:
    table = empty("what it took", "mind", 1)
    for name in costs.heads:
        table.add_column(BELOW.get(name, name), justify="right", no_wrap=True)
    for mind, row in costs.rows:
        table.add_row(printable(mind), *(stacked(above, below) for above, below in row))
    return table
