"""What the commands do, apart from reading their options."""

from __future__ import annotations

from inspect import getdoc
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from otherminds.cli.progress import ShownProgress
from otherminds.core.registry import Registry
from otherminds.reports.build import report
from otherminds.studies.estimate import estimate
from otherminds.studies.folder import results
from otherminds.studies.plan import Plan, plan_file
from otherminds.studies.run import run


def run_study(study: Path, out: Path, *, dry_run: bool, retry_failed: bool, page: bool) -> None:
    """Plans a study, runs it and prints its table; with ``page`` it makes the HTML page too."""
    plan = plan_file(study)
    if dry_run:
        show_plan(plan)
        return
    progress = ShownProgress()
    try:
        run(plan, out, progress, retry_failed)
    except KeyboardInterrupt:
        progress.say("stopped; the same command goes on from here")
        raise typer.Exit(1) from None
    finally:
        progress.close()
    show_report(out, "table")
    if page:
        show_report(out, "html")
    else:
        Console(stderr=True).print(f"for the page: otherminds report {out} --format html", highlight=False)


def show_plan(plan: Plan) -> None:
    """Prints how many episodes each cell has, and the tokens they are estimated to take."""
    console = Console(soft_wrap=True)
    tokens = estimate(plan)
    console.print(f"study {plan.name}: {len(plan.episodes)} episodes", highlight=False)
    for (scenario, mind), episodes in plan.cells().items():
        needs = tokens.get((scenario, mind))
        words = f"  about {needs.prompt:,} tokens read, {needs.completion:,} written" if needs else ""
        console.print(f"  {scenario:<24} {mind:<32} {episodes:>6}{words}", highlight=False)
    if tokens:
        read, written = sum(t.prompt for t in tokens.values()), sum(t.completion for t in tokens.values())
        console.print(f"about {read:,} tokens read and {written:,} written in all", highlight=False)


def show_report(folder: Path, form: str) -> None:
    """Reports on a folder: prints a table or JSON, or writes the page and prints its path."""
    plan, records = results(folder)
    text = report(plan.cells(), records, title=plan.name, form=form, out=folder)
    print(text)


def show_list(kind: str) -> None:
    """Lists names with the first line of what is said about them."""
    from otherminds.games.registry import partners
    from otherminds.minds.registry import minds, strategies
    from otherminds.models.registry import models
    from otherminds.worlds.registry import scenario, scenarios, worlds

    registries: dict[str, Registry[Any]] = {
        "worlds": worlds,
        "scenarios": scenarios,
        "minds": minds,
        "partners": partners,
        "strategies": strategies,
        "models": models,
    }
    registry = registries[kind]
    console = Console(soft_wrap=True)
    for name in registry:
        if kind == "scenarios":
            about = (
                "give a game in the study file"
                if name.startswith("bimatrix")
                else scenario(name, {}).description
            )
        else:
            about = (getdoc(registry.get(name)) or "").split("\n")[0]
        console.print(f"{name:<36} {about}", highlight=False, markup=False)
