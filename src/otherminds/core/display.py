"""Small tables for a prompt and for a notebook, used by ``__repr__`` and ``_repr_html_``."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def text_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in plain text: one line for the heads and one for each row, columns aligned to the left.

    >>> print(text_table(("name", "about"), [("rmax", "a learner"), ("nash", "an equilibrium")]))
    name  about
    rmax  a learner
    nash  an equilibrium
    """
    lines = [heads, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heads))]
    return "\n".join(pad_line(line, widths) for line in lines)


def pad_line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """One line of a table in plain text, its columns ``widths`` characters wide.

    >>> pad_line(("rmax", "a learner"), (6, 20))
    'rmax    a learner'
    """
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def html_table(
    title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()
) -> str:
    """A table in HTML with ``title`` above and ``notes`` below it. Every text is escaped.

    >>> html_table("a < b", ("x",), [("1",)])
    '<p><b>a &lt; b</b></p><table><tr><th>x</th></tr><tr><td>1</td></tr></table>'
    """
    lines = [_row("th", heads), *(_row("td", row) for row in rows)]
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<p><b>{escape(title)}</b></p><table>{''.join(lines)}</table>{below}"


def _row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
