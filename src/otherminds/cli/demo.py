"""The command ``demo`` of :mod:`otherminds.cli.main`: a short study, its tables as they are ready, and what they say."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

import typer
from msgspec import structs

from otherminds.cli.commands import made_by, play
from otherminds.cli.printing import drawn, follow_up
from otherminds.core.record import EpisodeSpec
from otherminds.measures.cells import Cell, tabulate, verdicts
from otherminds.reports.build import WIDTH, write_report
from otherminds.reports.findings import findings_of
from otherminds.reports.opening import MEANING
from otherminds.reports.table import scores_as_text, verdicts_as_text
from otherminds.studies.episodes import PlannedEpisodes
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run_dir import played, results
from otherminds.studies.seating import models_of

READING = (
    "rmax, factored_rmax, bayes and nash are reference minds; uniform, echo and mirror are null minds, which know "
    "nothing about their partner."
)
DOCUMENTATION = (
    "docs/measures.md (the numbers), docs/studies.md (your own study), docs/evaluate.md (your own model)"
)


def run_demo(plan: StudyPlan, out: Path, *, retry_failed: bool = False) -> None:
    """Plays ``plan`` in ``out`` in two parts, with a table after each, and writes its page.

    The first part is the scenario of the language model, without that model. A demo that was stopped resumes.

    Raises:
        typer.Exit: with code 1, if it stopped before its end.
    """
    model_specs = [spec for spec in plan.episodes if models_of(spec)]
    where = {spec.title for spec in model_specs}
    there = [spec for spec in plan.episodes if spec.title in where]
    first = [spec for spec in there if not models_of(spec)]
    _say(_plan_in_words(plan, model_specs))
    progress = ShownProgress()
    stopped = play(
        structs.replace(plan, episodes=PlannedEpisodes(first)), out, progress, retry_failed=retry_failed
    )
    _say("\nFirst table: the reference minds and the null minds in the scenario of the language model.")
    _show(_cells(plan, out, first))
    _say(f"{MEANING} {READING}\n")
    stopped = play(plan, out, progress, retry_failed=retry_failed) or stopped
    cells = _cells(plan, out, there)
    _say("\nThe same scenario with the language model:")
    _show(cells)
    _say("\nEvery score of this scenario, with L over all rounds:\n")
    drawn(scores_as_text(cells, WIDTH, sys.stdout.isatty()))
    progress.say("writing the page ...")
    timed = ((episode.record, episode.timing) for episode in played(out)[1])
    run_findings = findings_of(plan.cells(), timed, {}, curves=True)
    page = write_report(run_findings, plan.name, "html", out, made_by=made_by(plan, out))
    _say(f"\nAll {len({spec.title for spec in plan.episodes})} scenarios, with figures: {page}")
    _say(f"As text: {follow_up('report', out)}")
    number = plan.episodes.index(model_specs[0])
    replay = follow_up("replay", out, str(number), "--prompts")
    _say(f"An episode of the language model with its prompts: {replay}")
    _say(f"Documentation: {DOCUMENTATION}")
    if stopped:
        progress.say(stopped)
        raise typer.Exit(1)


def _plan_in_words(plan: StudyPlan, model_specs: Collection[EpisodeSpec]) -> str:
    """What is played, and that the language model plays few and short episodes."""
    rounds = sorted(
        {spec.options["rounds"] for spec in plan.episodes} - {spec.options["rounds"] for spec in model_specs}
    )
    minds = " and ".join(sorted({ego(spec).title for spec in model_specs}))
    short = ", ".join(sorted({str(spec.options["rounds"]) for spec in model_specs}))
    return (
        f"The demo plays {len(plan.episodes):,} episodes. {minds} plays only {len(model_specs)} of them, of {short} rounds "
        f"instead of {rounds[-1]}, because a language model on the processor is slow."
    )


def _cells(plan: StudyPlan, out: Path, specs: Collection[EpisodeSpec]) -> list[Cell]:
    """The measured cells of ``specs``, from the records in ``out``."""
    part = structs.replace(plan, episodes=PlannedEpisodes(specs))
    hashes = {spec.hash for spec in specs}
    return tabulate(part.cells(), (record for record in results(out)[1] if record.spec.hash in hashes))


def _show(cells: list[Cell]) -> None:
    """Prints the verdicts about the minds of ``cells``, language models first."""
    drawn(verdicts_as_text(verdicts(cells), WIDTH, sys.stdout.isatty()))


def _say(text: str) -> None:
    """Prints at once, so that a table is seen before the next part is played."""
    typer.echo(text)
    sys.stdout.flush()
