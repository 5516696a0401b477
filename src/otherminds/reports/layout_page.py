"""A table of the paper with a run in it, as one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from otherminds.measures.cells import Cell
from otherminds.reports.layout_words import episodes, layout_notes, number
from otherminds.reports.layouts import Line, layout
from otherminds.reports.markup import bullets, page, paragraph, small, table, td, th, tr
from otherminds.reports.page import not_scored, reproduce
from otherminds.reports.sections import accounting


def layout_as_html(number_of_table: int, cells: Sequence[Cell], title: str, commands: Sequence[str]) -> str:
    """The page of one of the paper's tables; see :func:`.layouts.layout`."""
    shown = layout(number_of_table, cells)
    names, columns = len(shown.heads), len(shown.columns)
    heads = [th(name, "left") for name in shown.heads] + [th(name) for name in (*shown.columns, "n")]
    rows = [_row(line) for line in shown.lines]
    if shown.others:
        rows.append(f'<tr class="rule"><td colspan="{names + columns + 1}">this run only</td></tr>')
        rows += [_row(line) for line in shown.others]
    parts = [
        paragraph(accounting(cells), "accounting"),
        not_scored(shown.about(cells)),
        f"<h2>{escape(shown.caption)}</h2>",
        table(tr(heads), rows, "layout"),
        bullets(layout_notes(shown, cells)),
        reproduce(commands),
    ]
    return page(title, [part for part in parts if part])


def _row(line: Line) -> str:
    names = [td(escape(name), "left") for name in line.names]
    numbers = [td(small(*number(entry))) for entry in line.entries]
    return tr([*names, *numbers, td(escape(episodes(line)))], "run" if line.cells else "paper")
