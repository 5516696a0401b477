"""The command ``otherminds pools author``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from otherminds.cli.options import AllowHost, MaxCost, MaxTokens, Out, Prices, listed
from otherminds.household.cli.authoring.options import Judges, Without, gates_without
from otherminds.household.cli.names import LARGEST, CategoryOption

if TYPE_CHECKING:
    from otherminds.household.task import Category


def author(
    model: Annotated[str, typer.Option(help="The model that writes tasks: a model, or scripted_author.")],
    out: Out,
    category: CategoryOption = "cooperative",
    depth: Annotated[int, typer.Option(min=1, max=3, help="How deep K is nested in their goals.")] = 2,
    n: Annotated[int, typer.Option("--n", min=1, help="Attempts.")] = 1,
    seed: Annotated[
        int, typer.Option(min=0, max=LARGEST, help="The seed of scenes, seed tasks and calls.")
    ] = 0,
    sandbox: Annotated[
        str,
        typer.Option(
            help="The sandbox of the author's shell: bubblewrap, docker:IMAGE, podman:IMAGE, unsafe-local; none for typed "
            "edits; auto for bubblewrap where it works, else typed edits."
        ),
    ] = "auto",
    judges: Judges = "",
    pool: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the pool that shows seed tasks and gets new ones; OUT/pool by default, which "
            "starts with the split dev."
        ),
    ] = None,
    rho: Annotated[
        float, typer.Option(min=0, max=1, help="The share of tasks shown that the targets failed.")
    ] = 0.8,
    max_turns: Annotated[int, typer.Option(min=1, help="Replies of the author in an attempt.")] = 60,
    max_unusable: Annotated[
        int, typer.Option(min=1, help="Replies in a row without an action that end an attempt.")
    ] = 5,
    reply_tokens: Annotated[
        int,
        typer.Option(min=1, help="Maximal length of a reply of the author in tokens, reasoning included."),
    ] = 4096,
    without: Without = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: Prices = None,
    allow_host: AllowHost = None,
) -> None:
    """Let a language model write tasks: attempts with checks, judges and a calibrator; what passes is added to a pool.

    The same command goes on where a run was stopped. Without any model: --model scripted_author
    --judges scripted_judge,scripted_judge:0.1 --sandbox none (it writes by typed edits).

    Exit codes: 0 all attempts were made, whether or not a task was kept; 1 stopped, or a limit was reached; 2 a wrong
    argument, file or folder.
    """
    from otherminds.household.authoring.attempt import AttemptOptions
    from otherminds.household.authoring.results import Assignment
    from otherminds.household.authoring.writing import Writers
    from otherminds.household.cli.authoring.attempts import Attempts, opened_pool, opened_sandbox
    from otherminds.models.hosts import allowed_hosts
    from otherminds.studies.access import Limits
    from otherminds.studies.prices import load_prices

    price_list = load_prices(prices) if prices else {}
    writers = Writers(
        model,
        listed(judges),
        gates=gates_without(without or ()),
        prices=price_list,
    ).check()
    options = AttemptOptions(
        name="",
        max_turns=max_turns,
        max_unusable=max_unusable,
        reply_tokens=reply_tokens,
        sandbox=opened_sandbox(sandbox),
    )
    assignment = Assignment(cast("Category", category), depth, seed)
    attempts = Attempts(writers, opened_pool(pool, out), out, assignment, rho, options)
    if stopped := attempts.make(n, Limits(max_cost, max_tokens, price_list), allowed_hosts(allow_host or ())):
        typer.echo(stopped, err=True)
        raise typer.Exit(1)
