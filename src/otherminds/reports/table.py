"""A report for the terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import StringIO

from msgspec.structs import replace
from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from otherminds.measures.cells import Cell
from otherminds.measures.verdict import Verdict
from otherminds.reports.chapters import arrange_chapters
from otherminds.reports.findings import Findings
from otherminds.reports.opening import MEANING, has_numbers, open_report, verdict_sentences, verdict_sheet
from otherminds.reports.overview import cost_sheet
from otherminds.reports.papers import fill_table
from otherminds.reports.sections import accounting, foot, mind_notes, not_scored, sections
from otherminds.reports.sheets import BREAK, HYPHEN, Pair, Sheet
from otherminds.studies.progress import Terminal

WORDS = range(14, 7, -1)
"""Words of at most so many letters are not broken on a terminal: the most for which a table is not too wide."""


def as_text(findings: Findings, title: str, width: int = 100, colour: bool = False) -> str:
    """The report as text of ``width`` columns, with terminal colours if ``colour``.

    Names are reduced to printable characters, so that none can move the cursor.
    """
    cells = _safe(findings.cells)

    def write(console: Console) -> None:
        console.print(Text(printable(title), style="bold"))
        opening = open_report(findings)
        _opening(console, opening.sentences, opening.sheet)
        _notes(console, [MEANING] if has_numbers(findings.verdicts) else [])
        console.print()
        console.print(Text(opening.lost))
        console.print(Text(accounting(cells)))
        console.print(Text("more: the scores of each scenario, then returns, notes and costs"))
        leading, following = arrange_chapters(replace(findings, cells=tuple(cells)))
        print_sheets(
            console, [not_scored(cells), *(sheet for chapter in leading for sheet in chapter.sheets)]
        )
        for section in sections(cells):
            console.print()
            words = Text(section.scenario, style="bold")
            console.print(words.append(f"   {section.against}" if section.against else "", style="not bold"))
            for i, sheet in enumerate(section.sheets):
                if i:
                    console.print()
                console.print(sheet_as_text(sheet, console.width))
                _notes(console, sheet.meanings)
            _notes(console, section.notes)
        console.print()
        _notes(console, [*mind_notes(cells), foot(cells)])
        print_sheets(
            console, [*(sheet for chapter in following for sheet in chapter.sheets), cost_sheet(findings)]
        )

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
            console.print(sheet_as_text(section.sheets[0], console.width))

    return printed(write, width, colour)


def layout_as_text(
    table: int, cells: Sequence[Cell], title: str, width: int = 100, colour: bool = False
) -> str:
    """One of the paper's tables with a run in it, as text; see :func:`.papers.fill_table`."""
    cells = _safe(cells)
    layout = fill_table(table, cells)

    def write(console: Console) -> None:
        _head(console, title, cells)
        print_sheets(console, [not_scored(layout.about(cells)), layout.sheet])

    return printed(write, width, colour)


def sheet_as_text(sheet: Sheet, width: int = 100) -> Table:
    """The sheet for a terminal of ``width`` columns, without its notes.

    No number is cut: where a table is too wide, its columns stand closer, and then its texts are broken.
    """
    heads = [name.replace(HYPHEN, "-\n").replace(BREAK, "\n") for name in sheet.heads]
    texts = [[head, *(row[0][i] for row in sheet.rows)] for i, head in enumerate(heads[: sheet.names])]
    wholes = [sheet.inline or "\n" in head or " " not in head for head in heads[sheet.names :]]
    numbers = [
        max(
            _widest(head, whole=whole),
            *(_widest(_pair(row[1][i], inline=sheet.inline).plain, whole=True) for row in sheet.rows),
            0,
        )
        for i, (head, whole) in enumerate(zip(heads[sheet.names :], wholes, strict=True))
    ]
    natural = [max(_widest(text, whole=True) for text in column) for column in texts]
    words = [max(_widest(text, whole=False) for text in column) for column in texts]
    gap = 2 if sheet.inline else 1
    room = width - sum(numbers) - (len(heads) - 1) * (gap + 1)
    if sum(natural) > room:
        room += (len(heads) - 1) * gap
        gap = 0
    longest = next(
        (length for length in WORDS if sum(min(length, word) for word in words) <= room), WORDS[-1]
    )
    least = [min(longest, word) for word in words]
    widths = _share_widths(natural, least, room) if sum(natural) > room else natural
    table = Table(
        title=sheet.title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, gap, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    for head, fixed, fewest in zip(heads, widths, least, strict=False):
        table.add_column(head, overflow="fold", width=fixed, min_width=fewest)
    for head, whole, fewest in zip(heads[sheet.names :], wholes, numbers, strict=True):
        table.add_column(head, justify="right" if head else "left", no_wrap=whole, min_width=fewest)
    for i, (row, pairs) in enumerate(sheet.shown):
        if i == sheet.rule:
            table.add_section()
        cells = (_pair(pair, inline=sheet.inline) for pair in pairs)
        names = (_broken(printable(text), room) for text, room in zip(row, widths, strict=True))
        table.add_row(*names, *cells, style="dim" if i in sheet.paper else "")
    return table


def _widest(text: str, *, whole: bool) -> int:
    """The columns of the longest line of a text, or of its longest word."""
    return max(map(cell_len, text.split("\n") if whole else text.split()), default=0)


def _broken(text: str, width: int) -> str:
    """A text whose long words have a space where they may be broken: after a mark between parts of a name.

    >>> _broken("hold_the_last-hallway", 18), _broken("qa@openai:a-model", 40)
    ('hold_the_last- hallway', 'qa@openai:a-model')
    """
    words: list[str] = []
    for word in text.split(" "):
        while len(word) > width and (place := max(word.rfind(mark, 0, width) for mark in "-_@:,(")) > 0:
            words.append(word[: place + 1])
            word = word[place + 1 :]
        words.append(word)
    return " ".join(words)


def _share_widths(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths of columns that have ``room`` together: none above its ``natural`` or below its ``least`` width.

    >>> _share_widths([22, 26], [14, 9], 40), _share_widths([22, 26], [14, 9], 20)
    ([20, 20], [14, 9])
    """
    widths = list(least)
    for _ in range(room - sum(least)):
        narrow = [i for i, width in enumerate(widths) if width < natural[i]]
        if not narrow:
            break
        widths[min(narrow, key=lambda i: widths[i])] += 1
    return widths


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
        console.print(sheet_as_text(replace(sheet, heads=heads, rows=rows), console.width))


def print_sheets(console: Console, sheets: Sequence[Sheet | None]) -> None:
    """Prints the sheets one below the other, each with its notes."""
    for sheet in sheets:
        if sheet is not None:
            console.print()
            console.print(sheet_as_text(sheet, console.width))
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
