"""A report as one self-contained HTML page, without network access; its script only sorts the table of verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from re import sub
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from otherminds.measures.cells import Cell
from otherminds.measures.episode import Key
from otherminds.reports.chapters import Chapter, arranged
from otherminds.reports.costs import cost_sheet
from otherminds.reports.episodes import link
from otherminds.reports.findings import Findings, world_reports
from otherminds.reports.markup import render, text_of
from otherminds.reports.opening import (
    MEANING,
    Opening,
    has_numbers,
    open_report,
    with_meanings,
)
from otherminds.reports.papers import fill_table, papers
from otherminds.reports.sections import (
    Section,
    accounting,
    foot,
    mind_notes,
    not_scored,
    sections,
)
from otherminds.reports.sheets import Sheet

if TYPE_CHECKING:
    from otherminds.reports.drawings import Drawing

IDS = r'(id="|href="#|url\(#)'


FIGURES: dict[str, str] = {
    "exploitation": "Understood and exploited",
    "returns": "Returns",
    "validation": "Hypotheses",
    "spending": "Cost against reward",
    "sweeps": "Sweeps",
    "learning": "Learning",
}
"""The titles of figures that are not folded, by their part (:data:`.drawings.Part`), in their order on a page.

Those of worlds' own parts follow (:attr:`.drawings.Drawing.title`).
"""


class PageFigure(Struct, frozen=True):
    """A figure as SVG, empty where there is nothing to show, its caption, and the title above it if it has one."""

    svg: str
    caption: str
    title: str = ""


class PagePart(Struct, frozen=True):
    """A part of a page: paragraphs, figures (SVG) with their captions, tables, scenarios, notes, commands, in this order.

    A ``folded`` part shows its title until it is opened.
    """

    title: str = ""
    paragraphs: tuple[str, ...] = ()
    figures: tuple[PageFigure, ...] = ()
    sheets: tuple[Sheet, ...] = ()
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    folded: bool = False

    @property
    def has_content(self) -> bool:
        """Whether it has more than its title."""
        return self != PagePart(self.title, folded=self.folded)


def as_html(
    found: Findings, drawn: Sequence[Drawing], sheets: Mapping[str, str], title: str, commands: Sequence[str]
) -> str:
    """The page. ``sheets`` are the SVG of those ``drawn`` that have a figure, by name."""
    cells, costs = found.cells, cost_sheet(found)

    from otherminds.reports.style import themed

    def figures(part: str) -> list[PageFigure]:
        # Identifiers within a drawing become unique on the page.
        return [
            PageFigure(themed(sub(IDS, rf"\1{one.name}-", sheets.get(one.name, ""))), one.caption)
            for one in drawn
            if one.part == part
        ]

    def chapter(one: Chapter, *, folded: bool = False) -> PagePart:
        return PagePart(one.title, sheets=(*one.sheets, *one.wide), folded=folded)

    opening = open_report(found)
    leading, following = arranged(found)
    explained = [MEANING] if has_numbers(found.verdicts) else []
    folded = bool(opening.sheet and (explained or found.worlds))
    compared = [figure for figure in figures("gap") if figure.svg]
    titles = FIGURES | {one.part: one.title for one in drawn if one.title}
    made = [(title, figures(part)) for part, title in titles.items()]
    shown = [
        replace(figure, title="" if i else title)
        for title, some in made
        for i, figure in enumerate(figure for figure in some if figure.svg)
    ]
    captions = [figure.caption for figure in figures("gap") if not figure.svg]
    captions += [figure.caption for _, some in made for figure in some if not figure.svg]
    parts = [
        *(chapter(one) for one in leading if not folded),
        PagePart("Figures", figures=tuple(shown)),
        *(chapter(one, folded=True) for one in leading if folded),
        PagePart("Said and done", figures=tuple(compared), folded=True),
        *(chapter(one, folded=True) for one in following),
        PagePart("Every number", (foot(cells),), sections=tuple(sections(cells)), folded=True),
        PagePart("What it took", sheets=(costs,) if costs else (), folded=True),
        PagePart("Notes", notes=(*explained, *mind_notes(cells), *captions), folded=True),
    ]
    return _page(title, cells, cells, (opening, figures("verdict")), parts, commands, link, cited(found))


def cited(found: Findings) -> list[str]:
    """The papers whose rows or columns a report shows."""
    worlds = [world_reports.get(name).source for name in found.worlds]
    alone = len(found.alone) or not found.worlds
    return [*(papers.get(name).source for name in papers if alone), *filter(None, worlds)]


def layout_as_html(table: int, cells: Sequence[Cell], title: str, commands: Sequence[str]) -> str:
    """The page of one of the paper's tables; see :func:`.papers.fill_table`."""
    shown = fill_table(table, cells)
    part = PagePart(shown.caption, sheets=(shown.sheet,))
    return _page(title, cells, shown.about(cells), None, [part], commands, None, [shown.source])


def _page(
    title: str,
    planned: Sequence[Cell],
    about: Sequence[Cell],
    opening: tuple[Opening, Sequence[PageFigure]] | None,
    parts: Sequence[PagePart],
    commands: Sequence[str],
    linked: Callable[[Key], str] | None,
    sources: Sequence[str],
) -> str:
    """A page that accounts for all ``planned`` cells, and lists those it is ``about`` that were not scored.

    ``opening`` has the picture of the verdicts beside it. ``linked`` says where the episodes of a cell are. ``sources``
    are the papers of which it has rows or columns.
    """
    lacking = not_scored(about)
    folded = opening is not None
    ends = (
        *([PagePart("Not every episode was scored", sheets=(lacking,), folded=folded)] if lacking else ()),
        PagePart("Reproduce", commands=tuple(commands), folded=folded),
    )
    return render(
        "page.html",
        {
            "title": title,
            "accounting": accounting(planned),
            "words": with_meanings(opening[0].sentences, opening[0].terms) if opening else (),
            "opening": opening[0] if opening else None,
            "picture": opening[1] if opening else (),
            "parts": [part for part in (*parts, *ends) if part.has_content],
            "linked": linked,
            "sources": sources,
            "script": text_of("sorting.js") + text_of("opening.js"),
        },
    )
