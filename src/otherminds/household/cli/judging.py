"""What ``otherminds tasks judge`` does, imported when it is called: judges one task, or measures judges on planted faults."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar

import msgspec
import typer
from rich.table import Table

from otherminds.cli.commands import SILENT
from otherminds.core.disk import replace_file
from otherminds.household.authoring.checking import checks_of
from otherminds.household.authoring.council import Council, CouncilRule
from otherminds.household.authoring.findings import disagreements, evidence, of_checks, of_judges
from otherminds.household.authoring.planted.measuring import (
    JudgedCase,
    agreement,
    cases,
    catch_rates,
    effective_judges,
    judged_cases,
    sound_tasks,
    unreadable,
)
from otherminds.household.authoring.results import Gates
from otherminds.household.cli.printing import draw_table
from otherminds.household.tasks.load import loaded
from otherminds.measures.intervals import Estimate
from otherminds.models.hosts import Hosts
from otherminds.models.wrappers import BudgetSpentError
from otherminds.studies.access import Limits
from otherminds.studies.outside import role_models
from otherminds.studies.progress import Terminal

T = TypeVar("T")
REPORT = "report.json"


class Judging(NamedTuple):
    """The models, the name of the rule, the seed of calls, the folder that keeps them (``None``: none), the limits, and the hosts."""

    judges: tuple[str, ...]
    rule: str
    seed: int
    out: Path | None
    limits: Limits
    hosts: Hosts


def review(name: str, judging: Judging) -> int:
    """Prints the checks of a task and what its judges say; returns the exit code.

    Raises:
        StudyError: a judge cannot be used, there is no such rule, or the planner is not installed.
        TaskError: there is no such task, or it has faults.
        ProviderError: the service of a judge does not answer.
    """
    task = loaded(name).sound(name)
    checked = checks_of(task)
    stage = checked.report.stage(Gates())
    typer.echo(of_checks(checked.report, Gates()))
    if not judging.judges:
        return int(stage is not None)
    with _folder(judging.out) as folder:
        report = _ask_council(judging, folder, lambda council: council.judged(task, checked.house, 0))
        if report is None:
            return 1
        conflicts = [*disagreements(report, evidence(checked.report, task.category))]
        fields = {"task": task.task_id, "stage": stage, "checks": checked.report, "rule": judging.rule}
        replace_file(
            folder / REPORT, msgspec.json.encode({**fields, "council": report, "disagreements": conflicts})
        )
    typer.echo("\n".join(of_judges(report, checked.report, task.category)))
    if stage:
        typer.echo(f"rejected by what is proved or found ({stage}), whatever judges say")
    if all(judgement.invalid for judgement in report.judgements):
        return SILENT
    return int(stage is not None or not report.accepted)


def measure(number: int, judging: Judging) -> int:
    """Prints how judges do on ``number`` sound tasks and the faults planted in them; returns the exit code.

    Raises:
        StudyError: there is no judge, one cannot be used, or the planner is not installed.
        ProviderError: the service of a judge does not answer.
    """
    with _folder(judging.out) as folder:
        faulty_tasks = tuple(cases(sound_tasks(number)))
        judged = _ask_council(judging, folder, lambda council: judged_cases(council, faulty_tasks))
        if judged is None:
            return 1
        replace_file(folder / REPORT, msgspec.json.encode({"judges": judging.judges, "cases": judged}))
    terminal = Terminal()
    terminal.print(_catches(judged, CouncilRule(judging.rule)))
    terminal.print(_agreements(judged, judging.judges))
    many = effective_judges(judged)
    if many.number is None:
        typer.echo(f"effective number of judges: unknown; {many.reason}")
    else:
        typer.echo(
            f"effective number of judges: {many.number:.2f}; correlation of errors {many.correlation:.2f}"
        )
    invalid = [unreadable(judged, place) for place in range(len(judging.judges))]
    for place, share in enumerate(invalid):
        typer.echo(
            f"judge_{place} ({judging.judges[place]}): share of invalid judgements {_format_estimate(share)}"
        )
    return SILENT if all(share.mean == 1 for share in invalid) else 0


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """``out``, or a folder that is removed at the end."""
    if out is not None:
        yield out
        return
    with TemporaryDirectory() as folder:
        yield Path(folder)


def _ask_council(judging: Judging, folder: Path, ask: Callable[[Council], Awaitable[T]]) -> T | None:
    """What ``ask`` returns of the council; ``None`` if a limit was reached, which is printed."""

    async def open_council() -> T:
        async with AsyncExitStack() as stack:
            opened = role_models(
                judging.judges, folder, judging.limits, partial(typer.echo, err=True), judging.hosts
            )
            models = await stack.enter_async_context(opened)
            sessions = [
                await stack.enter_async_context(models.session(f"judge_{place}", name, judging.seed))
                for place, name in enumerate(judging.judges)
            ]
            return await ask(Council(sessions, judging.rule))

    try:
        return asyncio.run(open_council())
    except BudgetSpentError as spent:
        typer.echo(f"stopped: {spent}; the same command with a higher limit goes on from here", err=True)
        return None


def _catches(judged: Sequence[JudgedCase], rule: CouncilRule) -> Table:
    table = draw_table(
        f"planted faults, rule {rule.name}", "fault", "criterion", "tasks", "checks", "rejected", "named"
    )
    for rate in catch_rates(judged, rule):
        cells = map(_format_estimate, (rate.checks, rate.rejected, rate.named))
        table.add_row(rate.fault or "(sound)", rate.criterion, str(rate.rejected.n), *cells)
    return table


def _agreements(judged: Sequence[JudgedCase], judges: Sequence[str]) -> Table:
    table = draw_table("agreement with proofs, Cohen's kappa", "criterion", *judges)
    kappas = [agreement(judged, place) for place in range(len(judges))]
    for criterion in dict.fromkeys(name for by_criterion in kappas for name in by_criterion):
        table.add_row(
            criterion,
            *(
                _format_estimate(by_criterion[criterion]) if criterion in by_criterion else ""
                for by_criterion in kappas
            ),
        )
    return table


def _format_estimate(estimate: Estimate) -> str:
    if estimate.mean is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.mean:.2f}"
    return f"{estimate.mean:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"
