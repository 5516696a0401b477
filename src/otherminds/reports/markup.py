"""HTML, piece by piece: tables, figures, lists, and the page around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from re import sub
from string import Template

import otherminds


def page(title: str, parts: Sequence[str]) -> str:
    """A page that needs nothing else: no network, no script, no other file. ``parts`` are HTML."""
    template = Template(files("otherminds.reports").joinpath("page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(title), body="\n".join(parts), version=escape(otherminds.__version__)
    )


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def figure(name: str, drawings: Mapping[str, str], caption: str) -> str:
    """A drawing with its caption, its identifiers made its own on the page; or the caption alone."""
    sheet = ""
    if name in drawings:
        drawing = sub(r'(id="|href="#|url\(#)', rf"\1{name}-", drawings[name])
        described = drawing.replace("<svg ", f'<svg role="img" aria-label="{escape(caption)}" ', 1)
        sheet = f'<div class="sheet">{described}</div>'
    return f"<figure>{sheet}<figcaption>{escape(caption)}</figcaption></figure>"


def table(head: str, rows: Sequence[str], kind: str = "numbers") -> str:
    """A table that scrolls where there is no room for it; ``head`` and ``rows`` are HTML."""
    body = "\n".join(rows)
    return f'<div class="scroll"><table class="{kind}"><thead>{head}</thead>\n<tbody>{body}</tbody></table></div>'


def tr(cells: Sequence[str], kind: str = "") -> str:
    """A row of cells, which are HTML."""
    return f'<tr class="{kind}">{"".join(cells)}</tr>' if kind else f"<tr>{''.join(cells)}</tr>"


def td(inside: str, kind: str = "") -> str:
    """A cell; ``inside`` is HTML."""
    return f'<td class="{kind}">{inside}</td>' if kind else f"<td>{inside}</td>"


def th(name: str, kind: str = "") -> str:
    """A head; ``name`` is plain text."""
    return f'<th class="{kind}">{escape(name)}</th>' if kind else f"<th>{escape(name)}</th>"


def small(above: str, below: str) -> str:
    """Plain text, with a smaller line below it if there is one."""
    return escape(above) + (f"<small>{escape(below)}</small>" if below else "")


def bullets(notes: Sequence[str]) -> str:
    """A list of notes, which are plain text."""
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<ul class="notes">{items}</ul>'
