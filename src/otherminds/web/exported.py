"""The static pages of a run as the app shows them: the report and its episodes, as ``otherminds report --page`` writes them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from otherminds.core.text import shell_word
from otherminds.reports.build import write_page
from otherminds.reports.episodes import as_page
from otherminds.reports.findings import Findings
from otherminds.web.viewed_runs import ViewedRun

EXPORTED = {
    "content-security-policy": "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
}
"""Headers of pages that hold everything they need: their scripts run in an origin of their own, and reach nothing."""


def make_report(run: ViewedRun, findings: Findings) -> str:
    """The page of the report.

    Raises:
        StudyError: there is no room for temporary files, or the run cannot be read.
    """
    plan = run.read_plan()
    made_by = ("run", *plan.command, "--out", run.folder) if plan.command else ()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        write_page(findings, plan.name, path, None, made_by, run.folder)
        return path.read_text(encoding="utf-8")


def make_episodes_page(run: ViewedRun, findings: Findings) -> str:
    """The page of the episodes of the report, in which each id is a link to the page of its episode."""
    recorded = {(cell.scenario, cell.mind): cell.planned - cell.missing for cell in findings.cells}
    ids = {line.id for line in findings.played}
    folder = shell_word(run.folder, "utf-8")
    return as_page(findings.played, recorded, run.read_plan().name, folder, ids)
