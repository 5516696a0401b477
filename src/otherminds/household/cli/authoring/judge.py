"""The command ``otherminds tasks judge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from otherminds.cli.options import AllowHost, MaxCost, MaxTokens, Prices, listed


def judge(
    task: Annotated[
        str, typer.Argument(help="A task file, or the name of an included task; not with --planted.")
    ] = "",
    judges: Annotated[
        str,
        typer.Option(help="Two models or more, with commas. Without judges, only the checks are made."),
    ] = "",
    rule: Annotated[
        str,
        typer.Option(
            help="paper: each judge has a mean of .65 and no criterion below .5; median: most judges, each with a line of the task."
        ),
    ] = "paper",
    planted: Annotated[
        int, typer.Option(min=0, help="Measure the judges on this many sound tasks with each fault planted.")
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the judges' calls.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="A folder for the calls and report.json. The same command resumes in it."
        ),
    ] = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: Prices = None,
    allow_host: AllowHost = None,
) -> None:
    """Judge a task by a council of models, beside what is proved about it.

    Printed are the checks, the scores with reasons and required changes, and each disagreement between a judge and a proof.
    With --planted, judges are measured instead: how many planted faults they catch, how many sound tasks they reject, how
    well they agree with proofs, and to how many independent judges they amount. Without any model:
    --judges scripted_judge:0.1,scripted_judge:0.2. Needs the planner Fast Downward: pip install 'otherminds[verify]'.

    Exit codes: 0 accepted by checks and judges, or measured; 1 rejected, or a limit was reached; 2 a wrong argument or
    file; 3 no reply of a judge could be read.
    """
    from otherminds.core.errors import StudyError
    from otherminds.household.cli.authoring.judging import Judging, measure, review
    from otherminds.models.hosts import allowed_hosts
    from otherminds.studies.access import Limits
    from otherminds.studies.prices import load_prices

    if bool(task) == bool(planted):
        raise StudyError("give either a task, or --planted with a number")
    names = listed(judges)
    if len(names) == 1 or (planted and not names):
        raise StudyError("a council has at least 2 judges; name them with commas: --judges A,B")
    limits = Limits(max_cost, max_tokens, load_prices(prices) if prices else {})
    judging = Judging(names, rule, seed, out, limits, allowed_hosts(allow_host or ()))
    code = measure(planted, judging) if planted else review(task, judging)
    if code:
        raise typer.Exit(code)
