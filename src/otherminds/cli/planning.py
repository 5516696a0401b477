"""The dry run of :mod:`otherminds.cli.main`: what a run would play and take, and everything that would stop it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import typer

from otherminds.core.errors import StudyError, TaskError
from otherminds.core.model import Price, cost
from otherminds.models.hosts import Hosts, allowed_hosts, destinations
from otherminds.studies.access import Limits
from otherminds.studies.dry_run import check, over_budget, times, unwritable
from otherminds.studies.estimate import CellUsage, Key, estimate
from otherminds.studies.faults import FaultyStudyError
from otherminds.studies.plan import StudyPlan, ego, plan_file
from otherminds.studies.progress import in_time
from otherminds.studies.run_dir import is_owned, results, timings
from otherminds.studies.run_overrides import RunOverrides
from otherminds.studies.seating import models_of


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
    dollars = _show_cost(plan, needs, limits.prices)
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


def _show_cost(plan: StudyPlan, needs: Mapping[Key, CellUsage], prices: Mapping[str, Price]) -> float | None:
    """Prints what the study is expected to cost, in US dollars; ``None`` without prices."""
    if not prices or not needs:
        return None
    models = {(spec.title, ego(spec).title): models_of(spec) for spec in plan.episodes}
    priced = {
        key: prices[models[key][0]] for key in needs if len(models[key]) == 1 and models[key][0] in prices
    }
    dollars = sum(cost(needs[key].usage, price) for key, price in priced.items())
    lacking = len(needs) - len(priced)
    left_out = f" ({lacking} cells have no price, or several models)" if lacking else ""
    typer.echo(f"about {dollars:.2f} US dollars, if nothing is cached{left_out}")
    return dollars
