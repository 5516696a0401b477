"""The commands of :mod:`otherminds.cli.main` that plan, play and report, imported when one is called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from inspect import getdoc
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import msgspec
import typer
from msgspec import structs

from otherminds.api.playing import build
from otherminds.api.running import default_folder, in_words, perform, read_sides
from otherminds.api.validation import check_playable, check_records, play_episodes
from otherminds.cli.shared import drawn, follow_up
from otherminds.core.disk import replace_file
from otherminds.core.errors import StudyError, TaskError
from otherminds.core.model import Price, cost
from otherminds.core.record import EpisodeSpec
from otherminds.core.registry import Registry, parameters
from otherminds.measures.cells import Cell, tabulate, verdicts
from otherminds.minds.registry import models_of
from otherminds.models.hosts import Hosts, allowed_hosts, destinations
from otherminds.models.wrappers import BudgetSpentError
from otherminds.play.interventions import INTERVENTIONS
from otherminds.reports.build import WIDTH, has_curves, write_report
from otherminds.reports.comparison import as_json, compare_sides
from otherminds.reports.evaluation import as_line, as_text
from otherminds.reports.findings import findings_of
from otherminds.reports.opening import MEANING
from otherminds.reports.ranking import describe_ranking, rank_sides
from otherminds.reports.sections import silences
from otherminds.reports.table import scores_as_text, verdicts_as_text
from otherminds.studies.access import Limits, kept_prices
from otherminds.studies.dry_run import CellUsage, Key, check, estimate, over_budget, times, unwritable
from otherminds.studies.evaluation import Evaluation, EvaluationLimits, suite, suites
from otherminds.studies.executor import Progress, executors, open_executor
from otherminds.studies.file import FaultyStudyError, shipped_studies
from otherminds.studies.plan import PlannedEpisodes, StudyPlan, ego, plan_file
from otherminds.studies.progress import ShownProgress, in_time
from otherminds.studies.run import run
from otherminds.studies.run_dir import RecordedEpisode, is_owned, played, results, timings
from otherminds.studies.run_overrides import RunOverrides
from otherminds.studies.sharding import Shard

FILES: Mapping[str, Callable[[], Mapping[str, Path]]] = {"studies": shipped_studies, "suites": suites}
"""Kinds of names that are files of the package."""
ARMS = "interventions"
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


class Screen(Progress, Protocol):
    """A progress that is shown until it is closed."""

    def close(self) -> None:
        """Ends the display."""


def play(
    plan: StudyPlan,
    out: Path,
    progress: Screen,
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
    return (*(registry.plural for registry in _registries()), *FILES, ARMS)


def _registries() -> tuple[Registry[Any], ...]:
    """The registries of the names that a study can have."""
    from otherminds.core.scenario import scenarios, worlds
    from otherminds.games.registry import partners
    from otherminds.minds.registry import minds, strategies
    from otherminds.models.registry import models

    return worlds, scenarios, minds, partners, strategies, models, executors


def show_validation(names: Sequence[str], out: Path, episodes: int, options: Mapping[str, Any]) -> None:
    """Plays and checks each scenario, writes its results to ``out`` as it ends, and prints what does not pass.

    Raises:
        StudyError: before anything is played, a name is unknown or given twice, or a scenario or file cannot be used.
        typer.Exit: with code 1, if a verdict is ``fail``.
    """
    if len(set(names)) < len(names):
        raise StudyError("name each scenario once")
    targets = [(build(name, options), out.with_name(f"{out.name}.records") / name) for name in names]
    for target, folder in targets:
        check_playable(target, folder)
    validations: list[dict[str, Any]] = []
    replace_file(out, "[]\n")
    for name, (target, folder) in zip(names, targets, strict=True):
        play_episodes(target, episodes, folder)
        validations.append(check_records(folder))
        replace_file(out, msgspec.json.format(msgspec.json.encode(validations), indent=2))
        typer.echo(f"{name}: {validations[-1]['verdict']}")
        for result in validations[-1]["results"]:
            if result["status"] != "pass":
                measured = msgspec.json.encode(result["measured"]).decode()
                reasons = "".join(f" ({reason})" for reason in result["evidence"])
                typer.echo(f"  {result['status']} {result['check_id']}{reasons} {measured}")
    typer.echo(f"All checks: {out}")
    if any(validation["verdict"] == "fail" for validation in validations):
        raise typer.Exit(1)


def show_list(kind: str) -> None:
    """Prints the names of one kind, see :func:`listed_kinds`, with the first line of their documentation."""
    from otherminds.core.scenario import scenario

    if kind in FILES:
        for name, study in FILES[kind]().items():
            about = study.read_text(encoding="utf-8").split("\n")[0].removeprefix("# ")
            typer.echo(f"{name:<36} {about}")
        return
    if kind == ARMS:
        for name, about in INTERVENTIONS.items():
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
    _say("\nEvery score of this scenario:\n")
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


def show_comparison(
    folders: Sequence[Path], minds: Sequence[str], files: Sequence[Path], *, json: bool
) -> None:
    """Prints who is better at what: the differences of two, or a ranking of more, which is also written into ``files``.

    Raises:
        StudyError: one of the folders or minds cannot be compared, or a file cannot be written.
    """
    sides, size = read_sides(folders, minds)
    if files:
        from otherminds.reports.ranking_files import write_ranking

        ranking = rank_sides(sides, size)
        for path in files:
            write_ranking(ranking, path)
    if len(sides) == 2:
        comparison = compare_sides(sides, size)
        typer.echo(as_json(comparison) if json else repr(comparison))
    else:
        ranking = rank_sides(sides, size)
        typer.echo(describe_ranking(ranking) if json else repr(ranking))


def show_dry_run(
    study: Path,
    out: Path,
    overrides: RunOverrides,
    limits: Limits | None = None,
    cache: Path | None = None,
    hosts: Hosts | None = None,
    *,
    ask: bool = False,
) -> None:
    """Prints the plan of ``study``, the tokens, time and money that it is expected to take, and warnings.

    Also where each model would be asked, with which key. Nothing is sent, unless to ``ask`` servers what they serve.

    Raises:
        FaultyStudyError: with everything that would stop the run; the plan is printed if there is one.
    """
    limits, hosts = limits or Limits(), hosts or allowed_hosts()
    try:
        plan = plan_file(study, overrides)
    except (StudyError, TaskError) as error:
        faults = error.faults if isinstance(error, FaultyStudyError) else (str(error),)
        folders = unwritable(out, cache)
        if not folders:
            raise
        raise FaultyStudyError([*faults, *folders], str(study)) from error
    problems: list[str] = []
    here = False
    try:
        here = is_owned(out, plan)
    except StudyError as error:
        problems.append(str(error))
    needs = estimate(plan, results(out)[1] if here else ())
    tokens = _show_tokens(plan, needs)
    dollars = _show_cost(needs, limits.prices)
    for name in dict.fromkeys(name for spec in plan.episodes for name in models_of(spec)):
        with suppress(StudyError):  # it is among the problems
            hosts.check_model(spec := plan.access.get(name, name))
            for line in destinations(spec):
                typer.echo(line)
    checked = check(plan, out, limits, cache, hosts, ask=ask)
    for name, time in times(plan, needs, checked.paces, timings(out) if here else {}).items():
        typer.echo(f"about {in_time(time.seconds)} for the episodes of {name} ({time.source})")
    if any(not models_of(spec) for spec in plan.episodes):
        typer.echo("The time of episodes without a language model is not estimated.")
    if checked.unasked:
        typer.echo(f"Nothing was sent to a server. --ask-servers tries {', '.join(checked.unasked)}.")
    for warning in (*checked.warnings, *over_budget(limits, tokens, dollars)):
        typer.echo(f"warning: {warning}")
    faults = [*problems, *(problem for problem in checked.problems if problem not in problems)]
    if faults:
        raise FaultyStudyError(faults, str(study))


def _show_tokens(plan: StudyPlan, needs: Mapping[Key, CellUsage]) -> int:
    """Prints the episodes and the tokens of each cell, from recorded episodes where there are some; all tokens."""
    typer.echo(f"study {plan.name}: {len(plan.episodes)} episodes")
    for (scenario, mind), episodes in plan.cells().items():
        took = needs.get((scenario, mind))
        words = f"  about {took.read:,} tokens read, {took.written:,} written" if took else ""
        words += f" (from {took.played} played)" if took and took.played else ""
        typer.echo(f"  {scenario:<24} {mind:<32} {episodes:>6}{words}")
    if not needs:
        return 0
    read, completion = sum(took.read for took in needs.values()), sum(took.written for took in needs.values())
    typer.echo(f"about {read:,} tokens read and {completion:,} written in all")
    if any(not took.played for took in needs.values()):
        typer.echo(
            "Estimated without the model: no request is repeated, and a free reply has half of its maximal length. "
            "After a first episode of each cell (--episodes 1), a dry run estimates from recorded episodes."
        )
    return read + completion


def _show_cost(needs: Mapping[Key, CellUsage], prices: Mapping[str, Price]) -> float | None:
    """Prints what the study is expected to cost, in US dollars; ``None`` without prices."""
    if not prices or not needs:
        return None
    priced = [took for took in needs.values() if took.models.keys() <= prices.keys()]
    dollars = sum(cost(usage, prices[name]) for took in priced for name, usage in took.models.items())
    lacking = len(needs) - len(priced)
    left_out = f" ({lacking} cells have a model without a price)" if lacking else ""
    typer.echo(f"about {dollars:.2f} US dollars, if nothing is cached{left_out}")
    return dollars
