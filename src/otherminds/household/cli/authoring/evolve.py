"""The command ``otherminds pools evolve``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from otherminds.cli.options import AllowHost, MaxCost, MaxTokens, Prices, listed
from otherminds.household.cli.authoring.options import Judges, Without, gates_without


def evolve(
    pool: Annotated[
        Path,
        typer.Argument(help="The folder of the pool. The same command goes on where a run was stopped."),
    ],
    author: Annotated[str, typer.Option(help="The model that writes tasks: a model, or scripted_author.")],
    targets: Annotated[
        str,
        typer.Option(
            help="Whose failures are shown to authors, with commas: reference teams ('level 2'), models or MIND@MODEL."
        ),
    ],
    judges: Judges = "",
    rho: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="The share of tasks shown that the targets failed: 0.8 and 0.9 for the paper's splits.",
        ),
    ] = 0.9,
    n: Annotated[int, typer.Option("--n", min=1, help="Tasks of a generation.")] = 50,
    generations: Annotated[int, typer.Option(min=1, help="Generations.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="The seed of assignments and of what is shown.")] = 0,
    start: Annotated[
        str, typer.Option(help="The split or pool that a new pool starts with; empty for none.")
    ] = "dev",
    workers: Annotated[int, typer.Option(min=1, help="Attempts at the same time.")] = 4,
    rule: Annotated[str, typer.Option(help="The rule of the council: paper or median.")] = "paper",
    without: Without = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: Prices = None,
    allow_host: AllowHost = None,
) -> None:
    """Let authors write tasks that the targets fail, generation by generation.

    The targets play the tasks of the pool, authors are shown some with what became of them, and what passes all checks is
    added. Without any model: --author scripted_author --judges scripted_judge,scripted_judge:0.1 --targets 'level 2'.

    Exit codes: 0 complete; 1 stopped, a limit was reached, or tasks were given up; 2 a wrong argument or folder.
    """
    from otherminds.household.authoring.evolution import Evolution, evolve
    from otherminds.household.authoring.pooling.pool import AuthoredPool
    from otherminds.household.cli.authoring.progress import EvolutionProgress
    from otherminds.models.hosts import allowed_hosts
    from otherminds.models.metered import BudgetSpentError
    from otherminds.studies.access import Limits
    from otherminds.studies.prices import load_prices

    evolution = Evolution(
        author=author,
        judges=listed(judges),
        targets=listed(targets),
        rho=rho,
        n=n,
        generations=generations,
        seed=seed,
        rule=rule,
        gates=gates_without(without or ()),
    ).check()
    hosts = allowed_hosts(allow_host or ())
    authored, progress = AuthoredPool.create(pool, start), EvolutionProgress()
    limits = Limits(max_cost, max_tokens, load_prices(prices) if prices else {})
    try:
        given_up = evolve(authored, evolution, workers, limits, progress.targets, progress, hosts)
    except BudgetSpentError as spent:
        given_up = [f"stopped: {spent}; the same command with a higher limit goes on from here"]
    except KeyboardInterrupt:
        given_up = ["stopped; the same command goes on from here"]
    finally:
        progress.close()

    for line in given_up:
        progress.say(line)
    if given_up:
        raise typer.Exit(1)
