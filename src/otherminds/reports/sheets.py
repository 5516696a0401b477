"""A table in no form yet: what a terminal and a page show alike."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TypeAlias

from msgspec import Struct
from rich.table import Table

from otherminds.measures.cost import Spread
from otherminds.reports.console import empty, printable, stacked
from otherminds.reports.markup import bullets, small, table, td, th, tr
from otherminds.reports.sections import fixed

Pair: TypeAlias = tuple[str, str]
"""A number, and what stands below it."""
SHORT = 24
"""Names of scenarios so long are not broken on a terminal."""
NONE: Pair = ("–", "")


class Sheet(Struct, frozen=True):
    """``heads`` name the columns; the first ``names`` of them hold text, the others numbers.

    A row is a text for each of those and a :data:`Pair` for each of the others. A text that
    the row before has too is shown once.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[Pair, ...]], ...]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> int:
        """How many columns hold text."""
        return len(self.rows[0][0]) if self.rows else 1


def sheet_as_text(sheet: Sheet) -> Table:
    """The sheet for a terminal, without its notes."""
    drawn = empty(sheet.title, sheet.heads[0], 1)
    for name in sheet.heads[1 : sheet.names]:
        drawn.add_column(name, overflow="fold")
    for i, column in enumerate(drawn.columns[:-1]):
        column.no_wrap = max(len(texts[i]) for texts, _ in sheet.rows) <= SHORT
    for name in sheet.heads[sheet.names :]:
        drawn.add_column(name, justify="right")
    for texts, pairs in _once(sheet):
        drawn.add_row(*map(printable, texts), *(stacked(*pair) for pair in pairs))
    return drawn


def sheet_as_html(sheet: Sheet) -> str:
    """The sheet for a page, with its title and its notes."""
    heads = [th(name, "left") for name in sheet.heads[: sheet.names]]
    heads += [th(name) for name in sheet.heads[sheet.names :]]
    rows = [
        tr([*(td(escape(text), "left") for text in texts), *(td(small(*pair)) for pair in pairs)])
        for texts, pairs in _once(sheet)
    ]
    return f"<h3>{escape(sheet.title)}</h3>" + table(tr(heads), rows, "sheet") + bullets(sheet.notes)


def spread_pair(found: Spread | None, digits: int = 1) -> Pair:
    """A mean with its standard error below."""
    if found is None:
        return NONE
    return fixed(found.mean, digits), "" if found.sem is None else f"±{fixed(found.sem, digits)}"


def _once(sheet: Sheet) -> list[tuple[Sequence[str], tuple[Pair, ...]]]:
    """The rows, with what stands in the row above as well left out, but for the last text."""
    shown: list[tuple[Sequence[str], tuple[Pair, ...]]] = []
    before: tuple[str, ...] = ()
    for texts, pairs in sheet.rows:
        same = [text == old for text, old in zip(texts[:-1], before, strict=False)]
        told = ["" if i < len(same) and all(same[: i + 1]) else text for i, text in enumerate(texts)]
        shown.append((told, pairs))
        before = texts
    return shown
