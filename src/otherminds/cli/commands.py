"""The commands of :mod:`otherminds.cli.main`, imported when one is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import getdoc
from pathlib import Path
from typing import Any

import typer

from otherminds.cli.printing import drawn
from otherminds.core.errors import StudyError
from otherminds.core.model import Price, cost
from otherminds.core.record import Record
from otherminds.core.registry import Registry, parameters
from otherminds.measures.unanswered import ReplyCounts, added, reply_counts
from otherminds.models.metered import BudgetSpentError
from otherminds.reports.build import report
from otherminds.reports.sections import silences
from otherminds.studies.access import Limits
from otherminds.studies.estimate import estimate
from otherminds.studies.plan import StudyPlan, ego, plan_file
from otherminds.studies.prices import kept_prices
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run
from otherminds.studies.run_dir import owned, results, timings
from otherminds.studies.run_overrides import RunOverrides
from otherminds.studies.seating import models_of
from otherminds.studies.shipped import shipped_studies
from otherminds.studies.suite import suites

SILENT = 3
"""The exit code where no reply of a model says anything."""


def run_study(
    study: Path,
    out: Path,
    given: RunOverrides,
    limits: Limits,
    cache: Path | None,
    *,
    retry_failed: bool,
    dry_run: bool,
) -> None:
    """Plans a study, runs it and prints its table; a dry run prints the plan alone."""
    plan = plan_file(study, given)
    if dry_run:
        show_plan(plan, out, limits.prices)
        return
    progress = ShownProgress()
    stopped = play(plan, out, progress, limits, cache, retry_failed=retry_failed)
    silent = show_report(out, "table")
    progress.say(f"for the page: otherminds report {out} --format html")
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
    *,
    retry_failed: bool = False,
) -> str:
    """Plays a plan and says why it stopped before its end; empty if it did not.

    Raises:
        typer.Exit: with code 1, after Ctrl-C.
    """
    try:
        left = run(plan, out, progress, retry_failed, limits, cache)
    except BudgetSpentError as spent:
        return f"stopped: {spent}; the same command with a higher limit goes on from here"
    except KeyboardInterrupt:
        progress.say("stopped; the same command goes on from here")
        raise typer.Exit(1) from None
    finally:
        progress.close()
    failed, waiting = left.get("failed", 0), left.get("planned", 0)
    if not failed and not waiting:
        return ""
    return (
        f"{failed} episodes failed and {waiting} were not played; "
        "the same command with --retry-failed goes on from here"
    )


def show_plan(plan: StudyPlan, out: Path, prices: Mapping[str, Price]) -> None:
    """Prints the episodes of each cell and their estimated tokens; from recorded episodes where ``out`` has some."""
    needs = estimate(plan, results(out)[1] if owned(out, plan) else ())
    typer.echo(f"study {plan.name}: {len(plan.episodes)} episodes")
    for (scenario, mind), episodes in plan.cells().items():
        took = needs.get((scenario, mind))
        words = f"  about {took.read:,} tokens read, {took.written:,} written" if took else ""
        words += f" (from {took.played} played)" if took and took.played else ""
        typer.echo(f"  {scenario:<24} {mind:<32} {episodes:>6}{words}")
    if not needs:
        return
    read, written = sum(took.read for took in needs.values()), sum(took.written for took in needs.values())
    typer.echo(f"about {read:,} tokens read and {written:,} written in all")
    if any(not took.played for took in needs.values()):
        typer.echo(
            "Estimated without the model: no request is repeated, and a free reply has half of its maximal length. "
            "After a first episode of each cell (--episodes 1), a dry run estimates from recorded episodes."
        )
    if prices:
        models = {(spec.title, ego(spec).title): models_of(spec) for spec in plan.episodes}
        priced = {
            key: prices[models[key][0]] for key in needs if len(models[key]) == 1 and models[key][0] in prices
        }
        dollars = sum(cost(needs[key].usage, price) for key, price in priced.items())
        lacking = len(needs) - len(priced)
        left_out = f" ({lacking} cells have no price, or several models)" if lacking else ""
        typer.echo(f"about {dollars:.2f} US dollars, if nothing is cached{left_out}")


def show_report(
    folder: Path, form: str, layout: int | None = None, prices: Mapping[str, Price] | None = None
) -> list[str]:
    """Prints a table or JSON of a run folder, or writes the page and prints its path.

    ``layout`` is the number of one of the paper's tables; ``prices`` defaults to those of the run.
    Returns a sentence about each model of which no reply says anything.
    """
    plan, played = results(folder)
    prices = prices or kept_prices(folder)
    said: list[dict[str, ReplyCounts]] = []

    def counted() -> Iterator[Record]:
        for record in played:
            said.append(reply_counts(record))
            yield record

    text = report(plan.cells(), counted(), plan.name, form, folder, layout, prices, timings(folder))
    show = drawn if form == "table" else typer.echo
    show(text)
    return silences(added(said))


def show_list(kind: str) -> None:
    """Prints the registered names of one kind with the first line of their documentation."""
    from otherminds.games.registry import partners
    from otherminds.minds.registry import minds, strategies
    from otherminds.models.registry import models
    from otherminds.worlds.registry import scenario, scenarios, worlds

    if kind in ("studies", "suites"):
        for name, study in (shipped_studies() if kind == "studies" else suites()).items():
            about = study.read_text(encoding="utf-8").split("\n")[0].removeprefix("# ")
            typer.echo(f"{name:<36} {about}")
        return
    registries: tuple[Registry[Any], ...] = (worlds, scenarios, minds, partners, strategies, models)
    registry = next(one for one in registries if one.plural == kind)
    for name in registry:
        if kind == "scenarios":
            needed = [p.name for p in parameters(registry.get(name)) if p.default is p.empty]
            given = f"give its {' and '.join(needed)} in the study file"
            try:
                about = given if needed else scenario(name, {}).description
            except StudyError as error:
                about = str(error)
        else:
            about = (getdoc(registry.get(name)) or "").split("\n")[0]
        typer.echo(f"{name:<36} {about}")
