"""A report as one HTML page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from otherminds.measures.cells import Cell
from otherminds.reports.chapters import Chapter, chapters
from otherminds.reports.costs import CostTable, cost_table
from otherminds.reports.drawings import Drawing
from otherminds.reports.findings import Findings
from otherminds.reports.headline import MEANING, headline
from otherminds.reports.markup import bullets, figure, page, paragraph, small, table, td, th, tr
from otherminds.reports.paper import MISPRINT, PaperLine
from otherminds.reports.sections import (
    MAIN,
    PAPER,
    TOM,
    Column,
    Section,
    accounting,
    applying,
    between,
    estimate,
    fixed,
    incomplete,
    interval,
    mind_notes,
    named,
    percent,
    sections,
    shown,
    unscored,
)
from otherminds.reports.sheets import sheet_as_html
from otherminds.worlds.matrix.published import Metric

FOOT = (
    "In brackets: 95 % intervals (Student's t, stratified by partner). "
    "n: scored episodes, of those planned. Paper convention: computed as the "
    "paper's printed tables are; only these columns are to be set beside its rows (shaded: the tabular "
    "learner, the two best language models without an oracle, the worst one)."
)
NO_CURVES = "No scored episode has a number for each round."


def as_html(
    found: Findings, drawn: Sequence[Drawing], sheets: Mapping[str, str], title: str, commands: Sequence[str]
) -> str:
    """The page. ``sheets`` are the SVG of those ``drawn`` that have a figure, by name."""
    cells = found.cells

    def figures(part: str) -> list[str]:
        return [figure(one.name, sheets, one.caption) for one in drawn if one.part == part]

    names, costs = figures("names"), cost_table(found)
    returns, *others = chapters(found) or [Chapter("Returns", "returns", ())]
    parts = [
        paragraph(accounting(cells), "accounting"),
        paragraph(headline(cells), "headline"),
        paragraph(MEANING),
        not_scored(cells),
        *_chapter(returns, figures(returns.part)),
        "<h2>Said and done</h2>",
        *figures("gap"),
        "<h2>Understood and exploited</h2>",
        *figures("exploitation"),
        *(part for chapter in others for part in _chapter(chapter, figures(chapter.part))),
        "<h2>Every number</h2>",
        paragraph(FOOT, "notes"),
        *map(_section, sections(cells)),
        "<h2>Learning</h2>",
        *(figures("learning") or [paragraph(NO_CURVES)]),
        *(["<h2>Learning by action names</h2>", *names] if names else []),
        *(["<h2>What it took</h2>", _costs(costs)] if costs else []),
        "<h2>Notes</h2>",
        bullets(mind_notes(cells) or ["No mind has a grant or a language model."]),
        reproduce(commands),
    ]
    return page(title, [part for part in parts if part])


def _chapter(chapter: Chapter, figures: Sequence[str]) -> list[str]:
    """Heading, figures and tables; nothing where there is neither."""
    sheets = [sheet_as_html(sheet) for sheet in (*chapter.sheets, *chapter.wide)]
    return [f"<h2>{escape(chapter.title)}</h2>", *figures, *sheets] if figures or sheets else []


def reproduce(commands: Sequence[str]) -> str:
    """The commands that make the page again."""
    return f"<h2>Reproduce</h2>\n<pre>{escape(chr(10).join(commands))}</pre>"


def not_scored(cells: Sequence[Cell]) -> str:
    """What was not scored, and how far it could move the regret; empty if all was."""
    rows = [
        tr(
            [
                td(escape(cell.scenario)),
                td(escape(named(cell)), "left"),
                td(f"{cell.scored} of {cell.planned}"),
                td(escape(unscored(cell)), "left"),
                td(escape(between(cell))),
            ]
        )
        for cell in incomplete(cells)
    ]
    if not rows:
        return ""
    heads = [
        th("scenario"),
        th("mind", "left"),
        th("scored"),
        th("not scored", "left"),
        th("Δ_Functional/T, best to worst case"),
    ]
    return "<h2>Not every episode was scored</h2>\n" + table(tr(heads), rows, "plain")


def _section(section: Section) -> str:
    against = f" {section.game} against {section.partners}" if section.game else ""
    head = f"<h3>{escape(section.scenario)}<span>{escape(against)}</span></h3>"
    columns = applying(MAIN, section.cells)
    names = ("mind", *(column.name for column in columns), "invalid %", "n")
    main = table(tr(list(map(th, names))), [tr(_numbers(cell, columns)) for cell in section.cells])
    beside = _beside_the_paper(section) if section.paper else ""
    return "\n".join([head, main, beside, bullets(section.notes)])


def _numbers(cell: Cell, columns: Sequence[Column]) -> list[str]:
    n = str(cell.scored) if cell.scored == cell.planned else f"{cell.scored} of {cell.planned}"
    return [
        td(escape(named(cell))),
        *(_shown(cell, column) for column in columns),
        td(percent(cell.invalid_share)),
        td(n),
    ]


def _shown(cell: Cell, column: Column) -> str:
    found = estimate(cell, column)
    return td(small(shown(found, column.digits), interval(found, column.digits)))


def _beside_the_paper(section: Section) -> str:
    """The run in the paper's convention, above the paper's own rows."""
    heads = tr(list(map(th, ("", *(column.name for column in PAPER), "ToM %"))))
    over = f'<tr><th></th><th class="group" colspan="{len(PAPER)}">paper convention</th><th></th></tr>'
    rows = [
        tr([td(escape(named(cell))), *(_shown(cell, column) for column in (*PAPER, TOM))])
        for cell in section.cells
    ]
    rows += [
        tr(
            [
                td(small(line.label, line.source)),
                _printed(line, "delta_functional", 3),
                _printed(line, "delta_tom", 3),
                _printed(line, "tom_percent", 1),
            ],
            "paper",
        )
        for line in section.paper
    ]
    return table(over + heads, rows, "beside")


def _printed(line: PaperLine, metric: Metric, digits: int) -> str:
    row = line.numbers.get(metric)
    if row is None:
        return td("")
    flag = MISPRINT if row.misprint else ""
    return td(small(flag + fixed(row.value, digits), "±" + fixed(row.half_width, digits)))


def _costs(costs: CostTable) -> str:
    rows = [tr([td(escape(mind)), *(td(small(*pair)) for pair in row)]) for mind, row in costs.rows]
    return table(tr(list(map(th, ("mind", *costs.heads)))), rows) + bullets(costs.notes)
