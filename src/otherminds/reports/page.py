"""A report as one self-contained HTML page, without scripts and network access."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from re import sub
from typing import TYPE_CHECKING

from msgspec import Struct

from otherminds.measures.cells import Cell
from otherminds.measures.episode import Key
from otherminds.reports.chapters import MEANING, Chapter, chapters, headline
from otherminds.reports.costs import cost_sheet
from otherminds.reports.episodes import link
from otherminds.reports.findings import Findings
from otherminds.reports.layout_words import layout_sheet
from otherminds.reports.layouts import layout
from otherminds.reports.markup import render
from otherminds.reports.sections import (
    FOOT,
    Section,
    accounting,
    mind_notes,
    not_scored,
    sections,
    silences,
    strays,
)
from otherminds.reports.sheets import Sheet

if TYPE_CHECKING:
    from otherminds.reports.drawings import Drawing

IDS = r'(id="|href="#|url\(#)'
NO_CURVES = "No scored episode has a number for each round."
NO_GRANTS = "No mind has a grant or a language model."


class PagePart(Struct, frozen=True):
    """A part of a page: paragraphs, figures (SVG) with their captions, tables, scenarios, notes, commands, in this order."""

    title: str = ""
    paragraphs: tuple[str, ...] = ()
    figures: tuple[tuple[str, str], ...] = ()
    sheets: tuple[Sheet, ...] = ()
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()


def as_html(
    found: Findings, drawn: Sequence[Drawing], sheets: Mapping[str, str], title: str, commands: Sequence[str]
) -> str:
    """The page. ``sheets`` are the SVG of those ``drawn`` that have a figure, by name."""
    cells, costs = found.cells, cost_sheet(found)

    from otherminds.reports.style import themed

    def figures(part: str) -> tuple[tuple[str, str], ...]:
        shown = (one for one in drawn if one.part == part)
        # Identifiers within a drawing become unique on the page.
        return tuple(
            (themed(sub(IDS, rf"\1{one.name}-", sheets.get(one.name, ""))), one.caption) for one in shown
        )

    def chapter(one: Chapter) -> PagePart:
        return PagePart(one.title, figures=figures(one.part), sheets=(*one.sheets, *one.wide))

    returns, *others = chapters(found) or [Chapter("Returns", "returns", ())]
    learning = figures("learning")
    parts = [
        chapter(returns),
        PagePart("Said and done", figures=figures("gap")),
        PagePart("Understood and exploited", figures=figures("exploitation")),
        *map(chapter, others),
        PagePart("Every number", (FOOT,), sections=tuple(sections(cells))),
        PagePart("Learning", () if learning else (NO_CURVES,), learning),
        PagePart("Learning by action names", figures=figures("names")),
        PagePart("What it took", sheets=(costs,) if costs else ()),
        PagePart("Notes", notes=tuple(mind_notes(cells)) or (NO_GRANTS,)),
    ]
    words = (*silences(found.said), *strays(found.said), headline(cells), MEANING)
    return _page(title, cells, cells, words, parts, commands, link)


def layout_as_html(table: int, cells: Sequence[Cell], title: str, commands: Sequence[str]) -> str:
    """The page of one of the paper's tables; see :func:`.layouts.layout`."""
    shown = layout(table, cells)
    sheet = layout_sheet(shown, cells)
    part = PagePart(sheet.title, sheets=(sheet,))
    return _page(title, cells, shown.about(cells), (), [part], commands)


def _page(
    title: str,
    planned: Sequence[Cell],
    about: Sequence[Cell],
    words: tuple[str, ...],
    parts: Sequence[PagePart],
    commands: Sequence[str],
    linked: Callable[[Key], str] | None = None,
) -> str:
    """A page that accounts for all ``planned`` cells, and lists those it is ``about`` that were not scored.

    ``linked`` says where the episodes of a cell are.
    """
    lacking = not_scored(about)
    incomplete = [PagePart("Not every episode was scored", sheets=(lacking,))] if lacking else []
    ends = PagePart("Reproduce", commands=tuple(commands))
    some = [part for part in (*incomplete, *parts, ends) if part != PagePart(part.title)]
    return render(
        "page.html",
        {"title": title, "accounting": accounting(planned), "words": words, "parts": some, "linked": linked},
    )
