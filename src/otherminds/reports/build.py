"""One report in the form asked for, from records alone."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.measures.cells import cells
from otherminds.measures.curves import learning_curves
from otherminds.measures.episode import summarise

WIDTH = 100
"""Columns of a table that is not printed to a terminal, and the least of one that is."""
WINDOW = 5
"""Rounds that a point of a learning curve is averaged over."""


def report(
    planned: Mapping[tuple[str, str], int], records: Iterable[Record], title: str, form: str, out: Path
) -> str:
    """The report as text: a ``table``, ``json``, or the path of the page (``html``).

    ``planned`` says how many episodes each (scenario, mind) was to have. The page
    is ``out/report.html``, its figures also lie in ``out/figures``.

    Raises:
        StudyError: no such form, records that were not planned, or ``out``
            cannot be written.
    """
    if form not in ("table", "json", "html"):
        raise StudyError(f"no report has the form {form!r}; choose table, json or html")
    episodes = [summarise(record) for record in records]
    found = cells(planned, episodes)
    if form == "json":
        from otherminds.reports.json_report import as_json

        return as_json(found)
    if form == "table":
        from otherminds.reports.table import as_text

        colour = sys.stdout.isatty()
        width = max(WIDTH, shutil.get_terminal_size().columns) if colour else WIDTH
        return as_text(found, title, width, colour)

    from otherminds.reports.figures import save
    from otherminds.reports.page import as_html

    curves = learning_curves(planned, episodes, WINDOW)
    folder = shlex.quote(str(out))
    commands = (f"otherminds run STUDY.toml --out {folder}", f"otherminds report {folder} --format html")
    page, part = out / "report.html", out / "report.html.part"
    try:
        out.mkdir(parents=True, exist_ok=True)
        saved = save(found, curves, out / "figures")
        drawings = {file.stem: file.read_text(encoding="utf-8") for file in saved if file.suffix == ".svg"}
        part.write_text(as_html(found, drawings, title, commands, WINDOW), encoding="utf-8")
        part.replace(page)
    except OSError as error:
        raise StudyError(
            f"{out}: the report cannot be written ({error.strerror}); choose another --out"
        ) from error
    return str(page)
