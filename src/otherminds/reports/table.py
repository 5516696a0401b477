"""A report for the terminal."""

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
from otherminds.measures.verdict import Verdict
from otherminds.reports.chapters import arranged
from otherminds.reports.costs import cost_sheet
from otherminds.reports.findings import Findings
from otherminds.reports.layout_words import layout_sheet
from otherminds.reports.layouts import layout
from otherminds.reports.opening import MEANING, has_numbers, open_report, verdict_sentences, verdict_sheet
from otherminds.reports.sections import accounting, foot, mind_notes, not_scored, sections
from otherminds.reports.sheets import BREAK, HYPHEN, Pair, Sheet
from otherminds.studies.terminal import Terminal

WORD = 14
"""Shorter words are not broken on a terminal."""


def as_text(found: Findings, title: str, width: int = 100, colour: bool = False) -> str:
    """The report as text of ``width`` columns, with terminal colours if ``colour``.

    Names are reduced to printable characters, so that none can move the cursor.
    """
    cells = _safe(found.cells)

    def write(console: Console) -> None:
        console.print(Text(printable(title), style="bold"))
        opening = open_report(found)
        _opening(console, opening.sentences, opening.sheet)
        _notes(console, [MEANING] if has_numbers(found.verdicts) else [])
        console.print()
        console.print(Text(opening.lost))
        console.print(Text(accounting(cells)))
        console.print(Text("more: the scores of each scenario, then returns, notes and costs"))
        leading, following = arranged(replace(found, cells=tuple(cells)))
        _sheets(console, [not_scored(cells), *(sheet for chapter in leading for sheet in chapter.sheets)])
        for section in sections(cells):
            console.print()
            words = Text(section.scenario, style="bold")
            console.print(words.append(f"   {section.against}" if section.against else "", style="not bold"))
            for i, sheet in enumerate(section.sheets):
                if i:
                    console.print()
                console.print(sheet_as_text(sheet))
                _notes(console, sheet.meanings)
            _notes(console, section.notes)
        console.print()
        _notes(console, [*mind_notes(cells), foot(cells)])
        _sheets(console, [*(sheet for chapter in following for sheet in chapter.sheets), cost_sheet(found)])

    return printed(write, width, colour)


def verdicts_as_text(judged: Sequence[Verdict], width: int = 100, colour: bool = False) -> str:
    """The verdicts as text: in sentences, and as a table."""
    return printed(
        lambda console: _opening(console, verdict_sentences(judged), verdict_sheet(judged)), width, colour
    )


def scores_as_text(cells: Sequence[Cell], width: int = 100, colour: bool = False) -> str:
    """The scores of ``cells`` as text, a table for each scenario, without notes and the paper's rows."""

    def write(console: Console) -> None:
        for section in sections(_safe(cells)):
            console.print(Text(f"{section.scenario}   {section.against}", style="bold"))
            console.print(sheet_as_text(section.sheets[0]))

    return printed(write, width, colour)


def layout_as_text(
    table: int, cells: Sequence[Cell], title: str, width: int = 100, colour: bool = False
) -> str:
    """One of the paper's tables with a run in it, as text; see :func:`.layouts.layout`."""
    cells = _safe(cells)
    shown = layout(table, cells)

    def write(console: Console) -> None:
        _head(console, title, cells)
        _sheets(console, [not_scored(shown.about(cells)), layout_sheet(shown, cells)])

    return printed(write, width, colour)


def sheet_as_text(sheet: Sheet) -> Table:
    """The sheet for a terminal, without its notes."""
    drawn = Table(
        title=sheet.title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 2 if sheet.inline else 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for i, name in enumerate(sheet.heads):
        head = name.replace(HYPHEN, "-\n").replace(BREAK, "\n")
        if i < sheet.names:
            words = [word for text in (head, *(texts[i] for texts, _ in sheet.rows)) for word in text.split()]
            least = min(WORD, max(map(len, words), default=1))
            drawn.add_column(head, overflow="fold", min_width=least)
        else:
            whole = sheet.inline or "\n" in head or " " not in head
            drawn.add_column(head, justify="right" if head else "left", no_wrap=whole)
    for i, (texts, pairs) in enumerate(sheet.shown):
        if i == sheet.rule:
            drawn.add_section()
        numbers = (_pair(pair, inline=sheet.inline) for pair in pairs)
        drawn.add_row(*map(printable, texts), *numbers, style="dim" if i in sheet.paper else "")
    return drawn


def printed(write: Callable[[Console], None], width: int, colour: bool) -> str:
    """What ``write`` prints, as text of ``width`` columns; with terminal colours if ``colour``."""
    out = StringIO()
    write(Terminal(out, width=width, colour=colour))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _head(console: Console, title: str, cells: Sequence[Cell]) -> None:
    console.print(Text(printable(title), style="bold"))
    console.print(Text(accounting(cells)))


def _opening(console: Console, sentences: Sequence[str], sheet: Sheet | None) -> None:
    """The sentences, then the table with one line a mind: its intervals are on the page, and in the tables that follow."""
    for words in sentences:
        console.print()
        console.print(Text(printable(words)))
    if sheet:
        console.print()
        rows = tuple((texts, tuple((above, "") for above, _ in pairs)) for texts, pairs in sheet.rows)
        heads = (
            *sheet.heads[: sheet.names],
            *(head.replace(" ", "\n", 1) for head in sheet.heads[sheet.names :]),
        )
        console.print(sheet_as_text(replace(sheet, heads=heads, rows=rows)))


def _sheets(console: Console, sheets: Sequence[Sheet | None]) -> None:
    for sheet in sheets:
        if sheet is not None:
            console.print()
            console.print(sheet_as_text(sheet))
            _notes(console, (*sheet.meanings, *sheet.notes))


def _pair(pair: Pair, *, inline: bool) -> Text:
    if inline:
        return Text(" ".join(filter(None, pair)))
    text = Text(pair[0])
    return text.append("\n" + pair[1], style="dim") if pair[1] else text


def _notes(console: Console, notes: Sequence[str]) -> None:
    for note in notes:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))


def printable(text: str) -> str:
    """The printable characters of a name."""
    return "".join(character for character in text if character.isprintable())


def _safe(cells: Sequence[Cell]) -> list[Cell]:
    """``cells`` with printable names."""
    return [replace(cell, scenario=printable(cell.scenario), mind=printable(cell.mind)) for cell in cells]
