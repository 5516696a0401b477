"""The commands of pools of household tasks: ``otherminds pools --help``."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from otherminds.cli.shared import AllowHost, MaxCost, MaxTokens, Out, Prices, examples, listed, seed_option
from otherminds.household.cli.options import (
    CategoryOption,
    Judges,
    PatternOption,
    SplitOption,
    Without,
    gates_without,
    refuse_existing,
)

if TYPE_CHECKING:
    from otherminds.household.pool.store import Pattern
    from otherminds.household.task import Category

pools_app = typer.Typer(
    help="Pools of household tasks: generate, let models write, browse, count, pack.", no_args_is_help=True
)
TASKS = 300
"""Tasks of a pool by default."""
ATTEMPTS = 400
"""Seeds that are rejected in a row before a task is given up, by default."""

Pool = Annotated[
    str, typer.Argument(metavar="POOL", help="The folder of a pool, a packed pool, or the name of a split.")
]
AuthoredFolder = Annotated[
    Path, typer.Argument(metavar="POOL", help="The folder of a pool that models wrote for.")
]


@pools_app.command(
    "author",
    epilog=examples(
        "otherminds pools author --model scripted_author --judges scripted_judge,scripted_judge:0.1 --sandbox none --out runs/written"
    ),
)
def author_tasks(
    model: Annotated[str, typer.Option(help="The model that writes tasks: a model, or scripted_author.")],
    out: Out,
    category: CategoryOption = "cooperative",
    depth: Annotated[int, typer.Option(min=1, max=3, help="How deep K is nested in their goals.")] = 2,
    n: Annotated[int, typer.Option("--n", min=1, help="Attempts.")] = 1,
    seed: Annotated[int, seed_option("The seed of scenes, seed tasks and calls.")] = 0,
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
    from otherminds.household.authoring.attempt import AttemptOptions, Writers
    from otherminds.household.authoring.results import Assignment
    from otherminds.household.cli.filling import Attempts, opened_pool, opened_sandbox
    from otherminds.models.hosts import allowed_hosts
    from otherminds.studies.access import Limits, load_prices

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


@pools_app.command(
    "evolve",
    epilog=examples(
        "otherminds pools evolve runs/evolved --author scripted_author --judges scripted_judge,scripted_judge:0.1 --targets 'level 2' --n 1"
    ),
)
def evolve_pool(
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
    seed: Annotated[int, seed_option("The seed of assignments and of what is shown.")] = 0,
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
    from otherminds.household.authoring.authored_pool import AuthoredPool
    from otherminds.household.authoring.evolution import Evolution, Generation, evolve
    from otherminds.household.cli.filling import describe_generation
    from otherminds.household.cli.printing import ProgressLines
    from otherminds.models.hosts import allowed_hosts
    from otherminds.models.wrappers import BudgetSpentError
    from otherminds.studies.access import Limits, load_prices
    from otherminds.studies.progress import ShownProgress

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
    authored, targets_progress, lines = AuthoredPool.create(pool, start), ShownProgress(), ProgressLines()
    limits = Limits(max_cost, max_tokens, load_prices(prices) if prices else {})

    def watch(generation: Generation) -> None:
        lines.update(partial(describe_generation, generation), now=generation.kept == generation.wanted)

    try:
        given_up = evolve(authored, evolution, workers, limits, targets_progress, watch, hosts)
    except BudgetSpentError as spent:
        given_up = [f"stopped: {spent}; the same command with a higher limit goes on from here"]
    except KeyboardInterrupt:
        given_up = ["stopped; the same command goes on from here"]
    finally:
        targets_progress.close()
    for line in given_up:
        lines.say(line)
    if given_up:
        raise typer.Exit(1)


@pools_app.command(
    "generate",
    epilog=examples(
        "otherminds pools generate --n 3 --out runs/pool",
        "otherminds pools generate --split dev --seed 7 --out runs/sealed",
    ),
)
def generate_pool(
    out: Out,
    n: Annotated[
        int | None, typer.Option("--n", min=1, help=f"Tasks; {TASKS} by default, or those of the split.")
    ] = None,
    seed: Annotated[
        int,
        seed_option("A seed gives the same tasks. For a sealed pool, draw one and tell nobody."),
    ] = 0,
    split: SplitOption = None,
    category: CategoryOption = None,
    pattern: PatternOption = None,
    depth: Annotated[
        int | None,
        typer.Option(min=1, max=4, help="Only goals of this depth; 3 at most without this option."),
    ] = None,
    agents: Annotated[int | None, typer.Option(min=2, max=4, help="Only this number of agents.")] = None,
    mechanics: Annotated[
        str, typer.Option(help="Mechanics that every task has, with commas: remote_control,inverse_state.")
    ] = "",
    apart: Annotated[
        list[str] | None,
        typer.Option(
            metavar="POOL", help="No task has the structure of a task of this pool or split; repeatable."
        ),
    ] = None,
    attempts: Annotated[
        int, typer.Option(min=1, help="Rejected seeds in a row after which a task is given up.")
    ] = ATTEMPTS,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Processes; by default one for each processor.")
    ] = None,
) -> None:
    """Generate proved tasks into a pool, without a language model.

    Each seed gives a candidate; those of which a verdict is not proved are rejected and counted, as are tasks whose
    structure is in the pool. The tasks do not depend on the number of processes. Needs the planner Fast Downward:
    pip install 'otherminds[verify]'.

    A sealed pool: an evaluator draws the seed, for example with `shuf -i 0-9223372036854775807 -n 1`, generates a pool
    and publishes neither seed nor tasks until its results are in.

    Exit codes: 0 complete; 1 stopped, or tasks were given up; 2 a wrong argument or folder.
    """
    from otherminds.household.cli.filling import generate
    from otherminds.household.generating.candidate import candidate
    from otherminds.household.generating.properties import TaskProperties, checked

    properties = TaskProperties(
        pattern=cast("Pattern | None", pattern),
        category=cast("Category | None", category),
        depth=depth,
        agents=agents,
        mechanics=tuple(sorted({name.strip() for name in mechanics.split(",") if name.strip()})),
    )
    generate(
        out,
        candidate,
        checked(properties),
        split or "",
        n or (0 if split else TASKS),
        seed,
        processes or os.cpu_count() or 1,
        attempts,
        apart or (),
    )


@pools_app.command(
    "stats", epilog=examples("otherminds pools stats standard", "otherminds pools stats runs/evolved")
)
def show_stats(pool: Pool) -> None:
    """Count the tasks of a pool by agents, depth of the question, mechanics, category and pattern, and say who solves them.

    The counts stand beside the shares of the paper. Below are the share of runs that each reference team solves, and the
    share of tasks of the best cheap team: of teams that have no model of their partners. For a pool that models wrote for,
    also its cost, the pass rate of targets by generation, and the yield (tables 3 and 7, figure 3 of the paper).
    """
    from otherminds.household.authoring.accounts import account_of
    from otherminds.household.authoring.authored_pool import is_authored
    from otherminds.household.cli.printing import print_sheets
    from otherminds.household.pool.store import pool_called
    from otherminds.household.reports.authoring_tables import cost_sheet, pass_rate_sheet, yield_sheet
    from otherminds.household.reports.pool_sheets import composition_sheet, team_sheet

    tasks = pool_called(pool)
    sheets = [composition_sheet(pool, tasks), team_sheet("teams", tasks)]
    if is_authored(Path(pool)):
        account = account_of(Path(pool))
        sheets += [cost_sheet(account), pass_rate_sheet(account), yield_sheet(account)]
    print_sheets(sheets)


@pools_app.command("browse", epilog=examples("otherminds pools browse dev --out dev.html"))
def browse_pools(
    pools: Annotated[
        list[str],
        typer.Argument(metavar="POOL", help="Folders of pools, packed pools, or names of included splits."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The page; by default POOL.html in the present folder.")
    ] = None,
) -> None:
    """Write one HTML page of all tasks: a table with filters, and each task with its map, secrets, proofs and a run.

    The run is that of the team level 3, which shows that the task is fair. Its calls are those of the certificate,
    played again in the simulator; without a certificate, as in a packed pool, the team plays again. The page needs no
    network and no other file.
    """
    from otherminds.core.disk import check_file, replace_file, resolve_path
    from otherminds.household.pool.store import PACKED, pool_called
    from otherminds.household.reports.pool_page import BrowsedPool, as_pool_page

    names = {pool: resolve_path(Path(pool)).name.removesuffix(PACKED) for pool in pools}
    page = out or Path(f"{names[pools[0]]}.html")
    check_file(page)
    if len({*names.values()}) < len(names):
        names = {pool: pool for pool in pools}
    read = [
        BrowsedPool(name, pool_called(pool), Path(pool) if Path(pool).is_dir() else None)
        for pool, name in names.items()
    ]
    replace_file(page, as_pool_page(read))
    typer.echo(page)


@pools_app.command("pack", epilog=examples("otherminds pools pack dev --out dev.jsonl.gz"))
def pack_pool(
    pool: Pool,
    out: Annotated[Path, typer.Option("--out", "-o", help="The file to write, NAME.jsonl.gz.")],
) -> None:
    """Write the tasks of a pool into one file, which `otherminds run` plays and other commands read as the pool."""
    from otherminds.household.pool.store import pack, pool_called

    tasks = pool_called(pool)
    refuse_existing(out)
    pack(tasks, out)
    typer.echo(f"{out}: {len(tasks)} tasks")


@pools_app.command("show", epilog=examples("otherminds pools show runs/evolved"))
def show_pool(pool: AuthoredFolder) -> None:
    """Show where the tasks of a pool come from: its generations, the attempts that passed each stage, and their cost."""
    from otherminds.household.authoring.accounts import account_of
    from otherminds.household.cli.printing import print_sheets
    from otherminds.household.reports.authoring_tables import acceptance_sheet, cost_sheet, generations_sheet

    account = account_of(pool)
    print_sheets([generations_sheet(account), acceptance_sheet(account), cost_sheet(account)])


@pools_app.command(
    "report", epilog=examples("otherminds pools report runs/evolved runs/without_council --out pools.html")
)
def report_pools(
    pools: Annotated[list[Path], typer.Argument(metavar="POOL", help="Folders of authored pools.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page.")] = Path("pools.html"),
) -> None:
    """Write one HTML page on one or more pools: yields, pass rates by generation, ablations, and the tables of each.

    Each pool is a row of the ablations (table 9), so that a pool made without a check can be set beside one with it.
    The tasks themselves are shown by `otherminds pools browse`.
    """
    from otherminds.core.disk import check_file, replace_file
    from otherminds.household.authoring.accounts import accounts_of
    from otherminds.household.reports.authoring_page import pools_page

    check_file(out)
    replace_file(out, pools_page(accounts_of(pools)))
    typer.echo(out)


@pools_app.command(
    "export", epilog=examples("otherminds pools export runs/evolved --out dataset --licence cc-by-4.0")
)
def export_pool(
    pool: AuthoredFolder,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the dataset, new or empty.")],
    licence: Annotated[
        str, typer.Option(help="The licence of the tasks, as the card of a dataset names it: cc-by-4.0, mit.")
    ],
    parquet: Annotated[
        bool, typer.Option("--parquet/--no-parquet", help="Also write Parquet; needs the extra 'parquet'.")
    ] = True,
) -> None:
    """Write a pool as a dataset for a hub: JSON lines and Parquet by generation, and a card (README.md).

    `otherminds pools pack` writes the one file that `otherminds run` plays.
    """
    from otherminds.household.authoring.accounts import account_of
    from otherminds.household.authoring.exporting import export

    export(account_of(pool), out, licence, parquet=parquet)
    typer.echo(out)
