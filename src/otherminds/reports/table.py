"""A report for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace
from rich.console import Console
from rich.table import Table
from rich.text import Text

from otherminds.measures.cells import Cell
from otherminds.measures.intervals import Estimate
from otherminds.reports.chapters import Chapter, arranged
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
from otherminds.reports.headline import MEANING, headline
from otherminds.reports.paper import MISPRINT, PaperLine
from otherminds.reports.sections import (
    MAIN,
    PAPER,
    Column,
    Section,
    applying,
    estimate,
    fixed,
    half,
    mind_notes,
    named,
    percent,
    sections,
    shown,
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
    "Below each number: ± half the width of its 95 % interval (Student's t, stratified by partner). "
    "n: scored episodes, of those planned. "
    "paper convention: computed as the paper's printed tables are; only these are to be set beside its rows "
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
        leading, following = arranged(replace(found, cells=tuple(cells)))
        _sheets(console, leading)
        for section in sections(cells):
            console.print()
            _section(console, section)
        console.print()
        notes(console, [*mind_notes(cells), FOOT])
        _sheets(console, following)
        costs = cost_table(found)
        if costs is not None:
            console.print()
            console.print(_costs(costs))
            notes(console, costs.notes)

    return printed(write, width, colour)


def _sheets(console: Console, chapters: Sequence[Chapter]) -> None:
    for sheet in (sheet for chapter in chapters for sheet in chapter.sheets):
        console.print()
        console.print(sheet_as_text(sheet))
        notes(console, sheet.notes)


def _section(console: Console, section: Section) -> None:
    words = Text(section.scenario, style="bold")
    if section.game:
        words.append(f"   {section.game} against {section.partners}", style="not bold")
    console.print(words)
    table = empty("", "mind", 1)
    columns = applying(MAIN, section.cells)
    for name in (*(HEADS.get(column.name, column.name) for column in columns), "inval-\nid %", "n"):
        table.add_column(name, justify="right", no_wrap=True)
    for cell in section.cells:
        table.add_row(*_row(cell, columns))
    console.print(table)
    if section.paper:
        console.print()
        console.print(_beside_the_paper(section))
    notes(console, section.notes)


def _row(cell: Cell, columns: Sequence[Column]) -> list[Text | str]:
    n = str(cell.scored) if cell.scored == cell.planned else f"{cell.scored}/{cell.planned}"
    numbers = [(estimate(cell, column), column.digits) for column in columns]
    return [
        named(cell),
        *(stacked(shown(found, digits), half(found, digits)) for found, digits in numbers),
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
        table.add_row(named(cell), *numbers, _inline(cell.tom_percent, 1), "")
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
