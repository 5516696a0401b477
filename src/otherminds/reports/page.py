"""A report as one self-contained HTML page, without network access; its script only sorts the table of verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from re import sub
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from otherminds.measures.cells import Cell
from otherminds.measures.episode import Key
from otherminds.reports.chapters import Chapter, arrange_chapters
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
from otherminds.reports.overview import cost_sheet
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
    findings: Findings,
    drawings: Sequence[Drawing],
    sheets: Mapping[str, str],
    title: str,
    commands: Sequence[str],
) -> str:
    """The page. ``sheets`` are the SVG of the ``drawings`` that have a figure, by name."""
    cells, costs = findings.cells, cost_sheet(findings)

    from otherminds.reports.style import themed

    def figures(part: str) -> list[PageFigure]:
        # Identifiers within a drawing become unique on the page.
        return [
            PageFigure(themed(sub(IDS, rf"\1{drawing.name}-", sheets.get(drawing.name, ""))), drawing.caption)
            for drawing in drawings
            if drawing.part == part
        ]

    def make_part(content: Chapter, *, folded: bool = False) -> PagePart:
        return PagePart(content.title, sheets=(*content.sheets, *content.wide), folded=folded)

    opening = open_report(findings)
    leading, following = arrange_chapters(findings)
    explained = [MEANING] if has_numbers(findings.verdicts) else []
    folded = bool(opening.sheet and (explained or findings.worlds))
    compared = [figure for figure in figures("gap") if figure.svg]
    titles = FIGURES | {drawing.part: drawing.title for drawing in drawings if drawing.title}
    by_title = [(title, figures(part)) for part, title in titles.items()]
    titled = [
        replace(figure, title="" if i else title)
        for title, group in by_title
        for i, figure in enumerate(figure for figure in group if figure.svg)
    ]
    captions = [figure.caption for figure in figures("gap") if not figure.svg]
    captions += [figure.caption for _, group in by_title for figure in group if not figure.svg]
    parts = [
        *(make_part(chapter) for chapter in leading if not folded),
        PagePart("Figures", figures=tuple(titled)),
        *(make_part(chapter, folded=True) for chapter in leading if folded),
        PagePart("Said and done", figures=tuple(compared), folded=True),
        *(make_part(chapter, folded=True) for chapter in following),
        PagePart("Every number", (foot(cells),), sections=tuple(sections(cells)), folded=True),
        PagePart("What it took", sheets=(costs,) if costs else (), folded=True),
        PagePart("Notes", notes=(*explained, *mind_notes(cells), *captions), folded=True),
    ]
    return _page(
        title, cells, cells, (opening, figures("verdict")), parts, commands, link, cite_papers(findings)
    )


def cite_papers(findings: Findings) -> list[str]:
    """The papers whose rows or columns a report shows."""
    places = {(section.game, section.partners) for section in sections(findings.cells) if section.paper}
    sources = [papers.get(name) for name in papers]
    shown = [paper.source for paper in sources if any(paper.select_rows(*place) for place in places)]
    return [*shown, *filter(None, (world_reports.get(name).source for name in findings.worlds))]


def layout_as_html(table: int, cells: Sequence[Cell], title: str, commands: Sequence[str]) -> str:
    """The page of one of the paper's tables; see :func:`.papers.fill_table`."""
    layout = fill_table(table, cells)
    part = PagePart(layout.caption, sheets=(layout.sheet,))
    return _page(title, cells, layout.about(cells), None, [part], commands, None, [layout.source])


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
