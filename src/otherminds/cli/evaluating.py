"""The commands ``evaluate`` and ``compare`` of :mod:`otherminds.cli.main`, imported when one is called."""

from __future__ import annotations

from pathlib import Path

import typer

from otherminds.api.evaluating import compare, default_folder, in_words, perform
from otherminds.cli.commands import SILENT
from otherminds.models.hosts import Hosts, destinations
from otherminds.reports.comparison import as_json
from otherminds.reports.evaluation import as_line, as_text
from otherminds.studies.evaluation import Evaluation, EvaluationLimits
from otherminds.studies.faults import FaultyStudyError
from otherminds.studies.progress import ShownProgress
from otherminds.studies.suite import suite


def show_evaluation(
    model: str,
    name: str,
    out: Path | None,
    allowed: EvaluationLimits,
    size: str,
    mind: str,
    reply_tokens: int | None,
    hosts: Hosts,
    *,
    dry_run: bool,
) -> None:
    """Evaluates ``model``; prints the result, the path of the page, and the result in one line of JSON.

    Raises:
        FaultyStudyError: in a dry run, with everything that would stop the evaluation.
    """
    chosen = suite(name)
    task = Evaluation(
        model, chosen, out or default_folder(chosen.title, model, mind), allowed, mind, reply_tokens, hosts
    )
    picked = chosen.size(size) if size else None
    if dry_run:
        for line in destinations(model):
            typer.echo(line)
        typer.echo(f"suite {chosen.title}, one line a size:")
        for need in task.needs():
            typer.echo(f"  {in_words(need)}")
        if not task.held:
            typer.echo("Time is known after the pilot that --minutes and --budget begin with.")
        checked = task.check()
        for warning in checked.warnings:
            typer.echo(f"warning: {warning}")
        if checked.problems:
            raise FaultyStudyError(checked.problems)
        return
    try:
        result, page, stopped = perform(task, picked, ShownProgress())
    except KeyboardInterrupt:
        typer.echo("stopped; the same command goes on from here", err=True)
        raise typer.Exit(1) from None
    typer.echo(as_text(result))
    typer.echo(f"  the page: {page}")
    typer.echo(as_line(result))
    if stopped:
        typer.echo(f"stopped: {stopped}; the same command goes on from here", err=True)
    for words in result.silent:
        typer.echo(words, err=True)
    if stopped or result.silent:
        raise typer.Exit(SILENT if result.silent else 1)


def show_comparison(first: Path, second: Path | None, minds: tuple[str, str] | None, *, json: bool) -> None:
    """Prints who is better at what, and the paired differences."""
    comparison = compare(first, second, minds=minds)
    typer.echo(as_json(comparison) if json else repr(comparison))
