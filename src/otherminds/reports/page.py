"""A report as one HTML page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from re import sub
from string import Template

import otherminds
from otherminds.measures.cells import Cell
from otherminds.reports.figures import gap_caption
from otherminds.reports.paper import PaperLine
from otherminds.reports.sections import (
    MAIN,
    MEANING,
    MISPRINT,
    PAPER,
    Column,
    Section,
    accounting,
    between,
    estimate,
    fixed,
    headline,
    incomplete,
    interval,
    mind_notes,
    percent,
    sections,
    unscored,
)
from otherminds.worlds.matrix.published import Metric

FOOT = (
    "In brackets: 95 % intervals (bootstrap over partner × seed). Best responses: their share before → from "
    "the first correct prediction. n: scored episodes, of those planned. Paper convention: reckoned as the "
    "paper's printed tables are; only these columns are to be set beside its rows (shaded: the tabular "
    "learner, the two best language models without an oracle, the worst one)."
)


def as_html(
    cells: Sequence[Cell], drawings: Mapping[str, str], title: str, commands: Sequence[str], window: int
) -> str:
    """The page.

    ``drawings`` are the figures of :mod:`.figures` as SVG, by name (``gap``, ``regret``,
    ``tom``; those that there are); ``window`` is the number of rounds that curves average over.
    """
    template = Template(files("otherminds.reports").joinpath("page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=escape(title),
        accounting=escape(accounting(cells)),
        headline=escape(headline(cells)),
        meaning=escape(MEANING),
        incomplete=_incomplete(incomplete(cells)),
        gap=_figure("gap", drawings, gap_caption(cells)),
        foot=escape(FOOT),
        sections="\n".join(_section(section) for section in sections(cells)),
        curves=_curves(drawings, window),
        notes=_list(mind_notes(cells) or ["No mind has a grant or a language model."]),
        commands=escape("\n".join(commands)),
        version=escape(otherminds.__version__),
    )


def _incomplete(cells: Sequence[Cell]) -> str:
    if not cells:
        return ""
    head = "".join(
        [
            _th("scenario"),
            _th("mind", "left"),
            _th("scored"),
            _th("not scored", "left"),
            _th("Δ_Functional/T, best to worst case"),
        ]
    )
    rows = [
        _tr(
            [
                _td(escape(cell.scenario)),
                _td(escape(cell.mind), "left"),
                _td(f"{cell.scored} of {cell.planned}"),
                _td(escape(unscored(cell)), "left"),
                _td(escape(between(cell))),
            ]
        )
        for cell in cells
    ]
    return "<h2>Not every episode was scored</h2>\n" + _table(f"<tr>{head}</tr>", rows, "plain")


def _section(section: Section) -> str:
    against = f" {section.game} against {section.partners}" if section.game else ""
    head = f"<h3>{escape(section.scenario)}<span>{escape(against)}</span></h3>"
    names = ("mind", *(column.name for column in MAIN), "best responses", "invalid %", "n")
    main = _table(f"<tr>{''.join(map(_th, names))}</tr>", [_tr(_numbers(cell)) for cell in section.cells])
    beside = _beside_the_paper(section) if section.paper else ""
    return "\n".join([head, main, beside, _list(section.notes)])


def _numbers(cell: Cell) -> list[str]:
    n = str(cell.scored) if cell.scored == cell.planned else f"{cell.scored} of {cell.planned}"
    return [
        _td(escape(cell.mind)),
        *(_shown(cell, column) for column in MAIN),
        _td(f"{fixed(cell.best_before.mean, 2)} → {fixed(cell.best_after.mean, 2)}"),
        _td(percent(cell.invalid_share)),
        _td(n),
    ]


def _shown(cell: Cell, column: Column) -> str:
    found = estimate(cell, column)
    return _td(_small(fixed(found.mean, column.digits), interval(found, column.digits)))


def _beside_the_paper(section: Section) -> str:
    """The run in the paper's convention, above the paper's own rows."""
    heads = "".join(map(_th, ("", *(column.name for column in PAPER), "ToM %")))
    over = f'<tr><th></th><th class="group" colspan="{len(PAPER)}">paper convention</th><th></th></tr>'
    tom = MAIN[2]
    rows = [
        _tr([_td(escape(cell.mind)), *(_shown(cell, column) for column in (*PAPER, tom))])
        for cell in section.cells
    ]
    rows += [
        _tr(
            [
                _td(_small(line.label, line.source)),
                _printed(line, "delta_functional", 3),
                _printed(line, "delta_tom", 3),
                _printed(line, "tom_percent", 1),
            ],
            "paper",
        )
        for line in section.paper
    ]
    return _table(f"{over}<tr>{heads}</tr>", rows, "beside")


def _printed(line: PaperLine, metric: Metric, digits: int) -> str:
    row = line.numbers.get(metric)
    if row is None:
        return _td("")
    flag = MISPRINT if row.misprint else ""
    return _td(_small(flag + fixed(row.value, digits), "±" + fixed(row.half_width, digits)))


def _curves(drawings: Mapping[str, str], window: int) -> str:
    averaged = f" Each number is a mean over {window} rounds, fewer at both ends." if window > 1 else ""
    captions = {
        "regret": "Regret: what the optimal plan expects in the round, less what was got; below 0 where "
        "more is taken at once than the optimum takes.",
        "tom": "ToM %: right predictions of the partner.",
    }
    drawn = [
        _figure(name, drawings, f"{caption} Bands: 95 %.{averaged}")
        for name, caption in captions.items()
        if name in drawings
    ]
    return "\n".join(drawn) or "<p>No scored episode has a number for each round.</p>"


def _figure(name: str, drawings: Mapping[str, str], caption: str) -> str:
    """A drawing with its caption, its identifiers made its own on the page; or the caption alone."""
    sheet = ""
    if name in drawings:
        drawing = sub(r'(id="|href="#|url\(#)', rf"\1{name}-", drawings[name])
        described = drawing.replace("<svg ", f'<svg role="img" aria-label="{escape(caption)}" ', 1)
        sheet = f'<div class="sheet">{described}</div>'
    return f"<figure>{sheet}<figcaption>{escape(caption)}</figcaption></figure>"


def _table(head: str, rows: Sequence[str], kind: str = "numbers") -> str:
    body = "\n".join(rows)
    return f'<div class="scroll"><table class="{kind}"><thead>{head}</thead>\n<tbody>{body}</tbody></table></div>'


def _tr(cells: Sequence[str], kind: str = "") -> str:
    return f'<tr class="{kind}">{"".join(cells)}</tr>' if kind else f"<tr>{''.join(cells)}</tr>"


def _td(inside: str, kind: str = "") -> str:
    """A cell; ``inside`` is HTML."""
    return f'<td class="{kind}">{inside}</td>' if kind else f"<td>{inside}</td>"


def _th(name: str, kind: str = "") -> str:
    """A head; ``name`` is text."""
    return f'<th class="{kind}">{escape(name)}</th>' if kind else f"<th>{escape(name)}</th>"


def _small(above: str, below: str) -> str:
    return escape(above) + (f"<small>{escape(below)}</small>" if below else "")


def _list(notes: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<ul class="notes">{items}</ul>'
