"""The commands of :mod:`otherminds.cli.main`, imported when one is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from inspect import getdoc
from pathlib import Path
from time import monotonic
from typing import Any

import typer

from otherminds.cli.printing import drawn, follow_up
from otherminds.core.errors import StudyError
from otherminds.core.model import Price
from otherminds.core.registry import Registry, parameters
from otherminds.models.hosts import Hosts
from otherminds.models.metered import BudgetSpentError
from otherminds.reports.build import has_curves, write_report
from otherminds.reports.findings import findings_of
from otherminds.reports.sections import silences
from otherminds.studies.access import Limits
from otherminds.studies.executors import executors, open_executor
from otherminds.studies.plan import StudyPlan, plan_file
from otherminds.studies.prices import kept_prices
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run
from otherminds.studies.run_dir import RecordedEpisode, played
from otherminds.studies.run_overrides import RunOverrides
from otherminds.studies.sharding import Shard
from otherminds.studies.shipped import shipped_studies
from otherminds.studies.suite import suites

FILES: Mapping[str, Callable[[], Mapping[str, Path]]] = {"studies": shipped_studies, "suites": suites}
"""Kinds of names that are files of the package."""
SILENT = 3
"""The exit code where no reply of a model says anything."""
EVERY = 2.0
"""Seconds between lines about a report that is being made."""


def run_study(
    study: Path,
    out: Path,
    overrides: RunOverrides,
    limits: Limits,
    cache: Path | None,
    executor: str,
    shard: Shard | None,
    hosts: Hosts,
    *,
    retry_failed: bool,
) -> None:
    """Plans a study, runs it, and prints its table, or after a shard how to see all of them."""
    plan = plan_file(study, overrides)
    progress = ShownProgress()
    stopped = play(plan, out, progress, limits, cache, executor, shard, hosts, retry_failed=retry_failed)
    if shard is not None:
        progress.say(stopped or f"shard {shard.index}/{shard.count}: all episodes recorded")
        progress.say(f"all shards: {follow_up('status', out)}; {follow_up('report', out)}")
        raise typer.Exit(1 if stopped else 0)
    silent = show_report(out, "table")
    progress.say(f"for the page: {follow_up('report', out, '--page')}")
    for words in (*silent, *filter(None, [stopped])):
        progress.say(words)
    if silent or stopped:
        raise typer.Exit(SILENT if silent else 1)


def play(
    plan: StudyPlan,
    out: Path,
    progress: ShownProgress,
    limits: Limits | None = None,
    cache: Path | None = None,
    executor: str = "processes",
    shard: Shard | None = None,
    hosts: Hosts | None = None,
    *,
    retry_failed: bool = False,
) -> str:
    """Plays a plan, or a ``shard`` of it, on the ``executor`` and says why it stopped before its end; empty if it did not.

    Raises:
        typer.Exit: with code 1, after Ctrl-C.
    """
    try:
        with open_executor(executor, plan.plugins) as opened:
            states = run(plan, out, progress, retry_failed, limits, cache, opened, shard, hosts)
    except BudgetSpentError as spent:
        return f"stopped: {spent}; the same command with a higher limit goes on from here"
    except KeyboardInterrupt:
        progress.say("stopped; the same command goes on from here")
        raise typer.Exit(1) from None
    finally:
        progress.close()
    failed, waiting = states.get("failed", 0), states.get("planned", 0)
    if not failed and not waiting:
        return ""
    return (
        f"{failed} episodes failed and {waiting} were not played; "
        "the same command with --retry-failed goes on from here"
    )


def show_report(
    folder: Path,
    form: str,
    layout: int | None = None,
    prices: Mapping[str, Price] | None = None,
    out: Path | None = None,
) -> list[str]:
    """Prints a table or JSON of a run folder, or writes the page into ``out`` (by default into the folder) and prints its path.

    ``layout`` is the number of one of the paper's tables; ``prices`` defaults to those of the run.
    Returns a sentence about each model of which no reply says anything.
    """
    plan, episodes = played(folder)
    timed = ((episode.record, episode.timing) for episode in report_progress(episodes, len(plan.episodes)))
    prices = prices or kept_prices(folder)
    run_findings = findings_of(plan.cells(), timed, prices, curves=has_curves(form, layout))
    show = drawn if form == "table" else typer.echo
    show(write_report(run_findings, plan.name, form, out or folder, layout, made_by(plan, folder), folder))
    return silences(run_findings.said)


def made_by(plan: StudyPlan, folder: Path) -> tuple[str | Path, ...]:
    """The arguments of ``otherminds`` that fill ``folder`` with the episodes of ``plan``; empty if no file was named."""
    return ("run", *plan.command, "--out", folder) if plan.command else ()


def report_progress(episodes: Iterable[RecordedEpisode], planned: int) -> Iterator[RecordedEpisode]:
    """The episodes, with a line on standard error every few seconds that says how many have been measured."""
    last, reported, n = monotonic(), False, 0
    for n, episode in enumerate(episodes, 1):
        yield episode
        if monotonic() - last >= EVERY:
            last, reported = monotonic(), True
            typer.echo(f"report: {n} of {planned} episodes measured", err=True)
    if reported:
        typer.echo(f"report: all {n} recorded episodes measured; writing", err=True)


def listed_kinds() -> Iterable[str]:
    """The kinds of names that :func:`show_list` takes."""
    return (*(registry.plural for registry in _registries()), *FILES)


def _registries() -> tuple[Registry[Any], ...]:
    """The registries of the names that a study can have."""
    from otherminds.core.worlds import scenarios, worlds
    from otherminds.games.registry import partners
    from otherminds.minds.registry import minds, strategies
    from otherminds.models.registry import models

    return worlds, scenarios, minds, partners, strategies, models, executors


def show_list(kind: str) -> None:
    """Prints the names of one kind, see :func:`listed_kinds`, with the first line of their documentation."""
    from otherminds.core.worlds import scenario

    if kind in FILES:
        for name, study in FILES[kind]().items():
            about = study.read_text(encoding="utf-8").split("\n")[0].removeprefix("# ")
            typer.echo(f"{name:<36} {about}")
        return
    registry = next(candidate for candidate in _registries() if candidate.plural == kind)
    for name in registry:
        if kind == "scenarios" and (described := getattr(registry.get(name), "description", "")):
            about = described
        elif kind == "scenarios":
            needed = [p.name for p in parameters(registry.get(name)) if p.default is p.empty]
            note = f"give its {' and '.join(needed)} in the study file"
            try:
                about = note if needed else scenario(name, {}).description
            except StudyError as error:
                about = str(error)
        else:
            about = (getdoc(registry.get(name)) or "").split("\n")[0]
        typer.echo(f"{name:<36} {about}")
