"""Makes a report in one of its formats from records and wall-clock figures."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from otherminds.core.disk import replace_file
from otherminds.core.errors import StudyError
from otherminds.core.model import Price
from otherminds.core.record import Record, Timing
from otherminds.core.text import shell_command, shell_word
from otherminds.reports.findings import Findings, findings

WIDTH, NARROWEST = 100, 80
"""Columns of a report where no terminal has a width, and at least."""
FORMS = ("table", "json", "html")


def report(
    planned: Mapping[tuple[str, str], int],
    records: Iterable[Record],
    title: str,
    form: str,
    out: Path,
    layout: int | None = None,
    prices: Mapping[str, Price] | None = None,
    timings: Mapping[str, Timing] | None = None,
) -> str:
    """The report as text: a ``table``, ``json``, or the path of the page (``html``).

    ``planned`` has the number of planned episodes by (scenario, mind). ``layout`` is the number of
    one of the paper's tables (1 to 4, 8 to 10): the report is then this table, with its printed
    rows and the run. ``prices`` are by model, ``timings`` by the hash of an episode.

    The page is ``out/report.html``, with its figures in ``out/figures`` and its episodes in ``out/episodes.html``; that of a layout is
    ``out/table<number>.html``.

    Raises:
        StudyError: no such form or layout, records that were not planned, or
            ``out`` cannot be written.
    """
    if form not in FORMS:
        raise StudyError(f"no report has the form {form!r}; choose table, json or html")
    run_findings = findings(planned, records, prices or {}, timings or {}, curves=has_curves(form, layout))
    return write_report(run_findings, title, form, out, layout)


def has_curves(form: str, layout: int | None) -> bool:
    """Whether a report needs the curves of :func:`.findings`."""
    return form != "table" and layout is None


def write_report(
    findings: Findings,
    title: str,
    form: str,
    out: Path,
    layout: int | None = None,
    made_by: Sequence[str | Path] = (),
    run: Path | None = None,
) -> str:
    """:func:`report` for findings that were made already; ``made_by`` and ``run`` as in :func:`write_page`."""
    if layout is not None:
        from otherminds.reports.papers import check_place

        check_place(layout, findings.cells)
    if form == "html":
        page = out / ("report.html" if layout is None else f"table{layout}.html")
        write_page(findings, title, page, layout, made_by, run)
        return str(page)
    if form == "json":
        from otherminds.reports.json_report import as_json, layout_as_json

        return as_json(findings, title) if layout is None else layout_as_json(layout, findings.cells, title)

    from otherminds.reports.table import as_text, layout_as_text

    colour = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if colour or "COLUMNS" in os.environ else WIDTH
    width = max(NARROWEST, width)
    if layout is not None:
        return layout_as_text(layout, findings.cells, title, width, colour)
    return as_text(findings, title, width, colour)


def write_page(
    findings: Findings,
    title: str,
    page: Path,
    layout: int | None = None,
    made_by: Sequence[str | Path] = (),
    run: Path | None = None,
) -> None:
    """Writes a page, with its figures in a folder and the page of its episodes beside it; see :func:`report`.

    ``made_by`` are the arguments of ``otherminds`` that made the records; empty if no command did. ``run`` is the folder of
    the records, by default that of the page.

    Raises:
        StudyError: a file cannot be written.
    """
    from otherminds.reports.page import as_html, layout_as_html

    folder = run or page.parent
    commands = [shell_command(*made_by, encoding="utf-8")] if made_by else []
    reported = shell_command("report", folder, "--page", encoding="utf-8")
    if layout is None:
        from otherminds.reports.drawings import drawings, save
        from otherminds.reports.episodes import PAGE, REPLAYS, as_page

        figures = drawings(findings)
        text = as_html(
            findings, figures, save(figures, page.parent / "figures"), title, [*commands, reported]
        )
        recorded = {(cell.scenario, cell.mind): cell.planned - cell.missing for cell in findings.cells}
        replays = {path.stem for path in (page.parent / REPLAYS).glob("*.html")}
        replace_file(
            page.parent / PAGE,
            as_page(findings.played, recorded, title, shell_word(folder, "utf-8"), replays),
        )
    else:
        text = layout_as_html(layout, findings.cells, title, [*commands, f"{reported} --layout {layout}"])
    replace_file(page, text)
