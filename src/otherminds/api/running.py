"""Many episodes: ``run`` and ``arun``, one model through a suite and two results against each other, ``evaluate`` and ``compare``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from otherminds.api import public
from otherminds.api.playing import wait_for
from otherminds.api.scoring import Report, report
from otherminds.core.disk import replace_file
from otherminds.core.errors import StudyError
from otherminds.core.model import Price
from otherminds.models.hosts import Hosts, allowed_hosts
from otherminds.models.registry import identity
from otherminds.models.wrappers import BudgetSpentError
from otherminds.reports.build import write_page
from otherminds.reports.comparison import Comparison, compare_sides
from otherminds.reports.contenders import Contender, read_minds, read_runs
from otherminds.reports.evaluation import Evaluated, Observer, as_line, run_in, summarise_evaluation
from otherminds.reports.findings import findings_of
from otherminds.reports.ranking import RankingResult, rank_sides
from otherminds.studies.access import Limits, kept_prices
from otherminds.studies.evaluation import Evaluation, EvaluationChoice, EvaluationLimits, Need, Size
from otherminds.studies.evaluation import suite as shipped_suite
from otherminds.studies.file import check_study, find_study
from otherminds.studies.plan import StudyPlan, plan, plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run import run as run_plan
from otherminds.studies.run_dir import recorded
from otherminds.studies.run_overrides import RunOverrides, fill

R = TypeVar("R")
Study: TypeAlias = str | os.PathLike[str] | dict[str, Any] | Sequence[Mapping[str, Any]]
"""The name of a shipped study, the path of a study file or of tasks, a whole study, or its cells."""
AnyPath: TypeAlias = str | os.PathLike[str]


@public
def run(
    study: Study,
    out: AnyPath,
    *,
    models: str | Iterable[str] = (),
    episodes: int | None = None,
    rounds: int | None = None,
    retry_failed: bool = False,
    limits: Limits | None = None,
    cache: AnyPath | None = None,
    allow_hosts: Iterable[str] = (),
) -> Report:
    """Runs a study, or goes on with one that was stopped, and reports on it.

    Episodes that are recorded in ``out`` are not played again: the same call resumes a run, and
    so does ``otherminds run``. A progress bar is shown in a terminal and in a notebook. Minds
    without a model play in worker processes, which import the main module: a script keeps this
    call below ``if __name__ == "__main__":``.

    Args:
        study: The name of a shipped study, the path of a study file (TOML), or the path of tasks;
            or the cells of a study as mappings, with the keys that a study file has:
            ``[{"scenarios": ["rps-mixed-v1"], "minds": ["rmax"], "episodes": 30}]``.
        out: The output folder.
        models: The language models for a study that leaves its model open (``MODEL``).
        episodes: Episodes of every cell, whatever the study says.
        rounds: Rounds of every episode, whatever the study says.
        retry_failed: Play failed episodes again.
        limits: What the run may spend.
        cache: A file of model answers that several runs share.
        allow_hosts: Servers of others that the models of the study may be asked at, as for ``--allow-host``. Those in
            ``models`` are allowed. A study names servers, and cannot allow them.

    Returns:
        The report of all records in ``out``, as from `report`.

    Raises:
        StudyError: a name or value in the study is wrong (the text names the place), or ``out``
            belongs to another study.
        ProviderError: a model's service or files do not answer.
        BudgetSpentError: a limit is reached. What was played is recorded.
    """
    hosts = allowed_hosts(allow_hosts, _list_models(models))
    play = partial(_play, _plan(study, models, episodes, rounds), out, retry_failed, limits, cache, hosts)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return play(ShownProgress())
    return wait_for(in_thread(play))


@public
async def arun(
    study: Study,
    out: AnyPath,
    *,
    models: str | Iterable[str] = (),
    episodes: int | None = None,
    rounds: int | None = None,
    retry_failed: bool = False,
    limits: Limits | None = None,
    cache: AnyPath | None = None,
    allow_hosts: Iterable[str] = (),
) -> Report:
    """As `run`, in a thread of its own. When cancelled it stops after the next episode."""
    hosts = allowed_hosts(allow_hosts, _list_models(models))
    planned = await asyncio.to_thread(_plan, study, models, episodes, rounds)
    return await in_thread(partial(_play, planned, out, retry_failed, limits, cache, hosts))


def _play(
    planned: StudyPlan,
    out: AnyPath,
    retry: bool,
    limits: Limits | None,
    cache: AnyPath | None,
    hosts: Hosts,
    progress: ShownProgress,
) -> Report:
    try:
        run_plan(planned, Path(out), progress, retry, limits, Path(cache) if cache else None, hosts=hosts)
    finally:
        progress.close()
    return report(out)


def _plan(study: Study, models: str | Iterable[str], episodes: int | None, rounds: int | None) -> StudyPlan:
    overrides = RunOverrides(_list_models(models), rounds, episodes)
    if isinstance(study, str | os.PathLike):
        return plan_file(find_study(Path(study)), overrides)
    contents = study if isinstance(study, dict) else {"name": "cells", "cells": list(study)}
    return plan(fill(check_study(contents), overrides), Path())


def _list_models(models: str | Iterable[str]) -> tuple[str, ...]:
    return (models,) if isinstance(models, str) else tuple(models)


async def in_thread(play: Callable[[ShownProgress], R]) -> R:
    """What ``play`` returns, run in a thread; when cancelled it stops after the next episode."""
    progress = ShownProgress()
    try:
        return await asyncio.to_thread(play, progress)
    finally:
        progress.stopped = True


RESULT = "result.json"
"""The result in one line of JSON."""


@public
def evaluate(
    model: str,
    suite: str = "core",
    out: AnyPath | None = None,
    *,
    minutes: float | None = None,
    budget: float | None = None,
    prices: Mapping[str, Price] | None = None,
    size: str | None = None,
    mind: str = "",
    reply_tokens: int | None = None,
) -> Evaluated:
    """Plays a language model through a suite and scores it; called again, it goes on where it stopped.

    With ``minutes`` or ``budget``, a pilot measures speed and tokens, and the largest size that is expected to take at
    most 80 % of both is played. A larger size contains the episodes of a smaller one, which are not played again.
    When a limit is reached, the result is that of the largest size that is finished, or of the episodes of the
    smallest one so far. Episodes that failed, such as those of a server that was down, are played again.

    Args:
        model: A model as in studies, such as ``smollm2`` or ``openai:MODEL@URL``.
        suite: ``core``, ``matrix``, ``grid`` or ``house``.
        out: The output folder; by default ``runs/evaluate/SUITE-VERSION-MODEL``.
        minutes: Wall-clock time of this call.
        budget: US dollars, by ``prices``.
        prices: US dollars for a million tokens, by model.
        size: A size of the suite, instead of the largest that fits. A size that was begun is finished first;
            without a limit, the size that was begun last is played, else the smallest.
        mind: The strategy that asks the model, instead of the suite's.
        reply_tokens: The maximal length of a reply in tokens, reasoning included.

    Returns:
        The verdict (``sentence``, ``verdicts``), scores, costs, and how they came about.

    Raises:
        StudyError: a name or value is wrong, or ``out`` belongs to another evaluation.
        ProviderError: the model's service or files do not answer.
    """
    chosen = shipped_suite(suite)
    folder = default_folder(chosen.title, model, mind) if out is None else Path(out)
    allowed = EvaluationLimits(minutes, budget, dict(prices or {}))
    task = Evaluation(model, chosen, folder, allowed, mind, reply_tokens)
    play = partial(perform, task, chosen.size(size) if size else None)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return play(ShownProgress())[0]
    return wait_for(in_thread(play))[0]


def perform(task: Evaluation, size: Size | None, progress: ShownProgress) -> tuple[Evaluated, Path, str]:
    """Sizes and plays ``task``, and writes its page and its line.

    Returns the result, the page, and why it stopped before its end (empty if it did not).
    """
    try:
        picked = size or _choose_size(task, progress)
        progress.close()
        stopped = task.play(picked, progress)
    finally:
        progress.close()
    reported = task.to_report(picked) if stopped else picked
    if reported is not picked:
        progress.say(f"size {picked.name} is not finished; the result is that of size {reported.name}")
    plan, observer = task.plan(reported), Observer()
    timed = ((line.record(), line.timing) for _, line in recorded(task.folder, plan))
    findings = findings_of(plan.cells(), observer.watch(timed), kept_prices(task.folder), curves=True)
    card = task.held
    assert card is not None, "an evaluation that was played has a card"
    result = summarise_evaluation(findings, card, reported.name, plan.identity, observer.provenance)
    replace_file(task.out / RESULT, as_line(result) + "\n")
    page = task.folder / "report.html"
    write_page(
        findings, f"{result.suite} {reported.name}: {result.model}", page, made_by=task.arguments(reported)
    )
    return result, page, stopped


def default_folder(suite: str, model: str, mind: str) -> Path:
    """``runs/evaluate/SUITE-VERSION-MODEL``, and the mind if it is not the suite's, in characters that folders can have."""
    name = "".join(char if char.isalnum() or char in "-._" else "_" for char in identity(model))
    return Path("runs/evaluate") / "-".join(filter(None, (suite, name, mind)))


def _choose_size(task: Evaluation, progress: ShownProgress) -> Size:
    """The size to play: the one that was begun and is not finished, else the largest that fits.

    Without a limit it is the one that was begun last, else the smallest.
    """
    first = task.suite.sizes[0]
    begun = task.suite.size(task.held.size) if task.held else None
    if task.allowed.minutes is None and task.allowed.dollars is None:
        return begun or first
    if begun is not None and not task.finished(begun):
        return begun
    progress.say("a pilot measures the model's speed")
    try:
        task.pilot(progress)
    except BudgetSpentError as spent:
        progress.say(f"{spent} for the pilot; size {first.name} is played until the limit is reached")
        return first
    needs = task.needs()
    for need in needs:
        progress.say(f"  {in_words(need)}")
    fitting = task.fitting(needs)
    if not fitting:
        progress.say(
            f"no size is expected to fit; {first.name} is played until the limit is reached, and the same "
            "command goes on from there"
        )
    picked = fitting[-1] if fitting else first
    progress.say(f"size {picked.name} is played")
    return picked


def in_words(need: Need) -> str:
    """What a size takes, in one line."""
    cells = "1 cell" if need.cells == 1 else f"{need.cells} cells"
    words = f"{need.size:<10} {cells}, {need.episodes:,} episodes, about {need.calls:,} calls, "
    words += f"{need.usage.prompt:,} tokens read, {need.usage.completion:,} written"
    if need.seconds is not None:
        words += f", {need.seconds / 60:.1f} minutes"
    return words if need.dollars is None else f"{words}, {need.dollars:.2f} US dollars"


@public
def compare(
    first: AnyPath, second: AnyPath | None = None, *, minds: tuple[str, str] | None = None
) -> Comparison:
    """Compares two evaluations of one suite, two runs, or two minds of one run, paired by partner and seed.

    Two evaluations are compared at the smaller of their sizes, since a larger size contains a smaller one.

    Args:
        first: The folder of an evaluation or a run.
        second: Another one.
        minds: Two minds of ``first``, by their names in its report, instead of ``second``.

    Returns:
        A sentence (``sentence``) that says who knows more, uses more of what it knows, and earns more, the differences
        with intervals that hold together (Holm 1979), and the verdict about each (``verdicts``).

    Raises:
        StudyError: a folder holds no records, the two have no cell in common, or neither or both of ``second`` and
            ``minds`` are given.
    """
    if (second is None) == (minds is None) or (minds is not None and len(minds) != 2):
        raise StudyError("compare takes two folders, or one folder and two minds")
    sides, size = read_sides((first,) if second is None else (first, second), minds or ())
    return compare_sides(sides, size)


@public
def rank(*folders: AnyPath, minds: Sequence[str] = ()) -> RankingResult:
    """Ranks evaluations of one suite, runs, or minds of one run, over the episodes that all of them have.

    Args:
        folders: Folders of evaluations or runs; one, for its minds.
        minds: Minds of a single folder, by their names in its report; all of them by default.

    Returns:
        A sentence (``sentence``) that says who is better at what, and by score the minds with their tied sets: the largest sets of which no
        two can be told apart, at 95 % over all pairs and scores together (Holm 1979).

    Raises:
        StudyError: a folder holds no records, fewer than two sides are given, or all have no cell in common.
    """
    return rank_sides(*read_sides(folders, minds))


def read_sides(folders: Sequence[AnyPath], minds: Sequence[str] = ()) -> tuple[list[Contender], str]:
    """The runs in ``folders``, or ``minds`` of a single one (all by default), and the size of the suite of evaluations.

    Raises:
        StudyError: a folder has no run, minds are named of several folders, or the evaluations are of two suites.
    """
    places = [run_in(Path(folder)) for folder in folders]
    if len(places) == 1:
        return read_minds(places[0][0], minds), ""
    if minds:
        raise StudyError("minds are compared within one folder; give one, or no minds")
    choices = [choice for _, choice in places if choice]
    size = common_size(choices) if len(choices) == len(places) else ""
    return read_runs([folder for folder, _ in places]), size


def common_size(choices: Sequence[EvaluationChoice]) -> str:
    """The smallest of the sizes of evaluations.

    Raises:
        StudyError: they are of two suites, or two versions of one.
    """
    first = choices[0]
    for other in choices:
        if other.suite != first.suite:
            raise StudyError(
                f"suites {first.suite} and {other.suite} have other episodes; evaluate all models in one suite"
            )
    sizes = [size.name for size in shipped_suite(first.suite.rpartition("-")[0]).sizes]
    return min((choice.size for choice in choices), key=sizes.index)
