"""The command line: ``otherminds --help``.

Exit codes: 0 done, 1 a run did not complete, 2 a wrong argument, file or folder, or output that cannot be written,
3 no reply of a model says anything, 141 the reader of the output has gone (128 + SIGPIPE, as of other tools).
"""

from __future__ import annotations

import errno
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from otherminds.cli.groups import policies_app, prompts_app
from otherminds.cli.shared import (
    AllowHost,
    MaxCost,
    MaxTokens,
    Out,
    OutputError,
    Prices,
    add_commands,
    examples,
    fill_descriptors,
    guard_output,
    known_name,
)
from otherminds.core.errors import OtherMindsError, StudyError, TaskError
from otherminds.core.text import plain

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
models_app = typer.Typer(help="Language models.", no_args_is_help=True)
app.add_typer(models_app, name="models")
app.add_typer(policies_app, name="policies")
app.add_typer(prompts_app, name="prompts")

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Faults of a disk that a write reports without the name of a file."""
NO_READER = 141
"""The exit code where the reader of the output has gone."""


def _show_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version
        from platform import platform, python_version

        typer.echo(f"otherminds {version('otherminds')} (Python {python_version()}, {platform()})")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Measure functional theory of mind: does an agent use what it can say about others?"""


DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Print the plan, its estimated tokens and time, where its models are asked, and all that would stop it; play and send nothing.",
    ),
]
AskServers = Annotated[
    bool,
    typer.Option(
        "--ask-servers", help="With --dry-run: also ask the servers of models which models they have."
    ),
]
Retry = Annotated[bool, typer.Option("--retry-failed", help="Play failed episodes again.")]
Models = Annotated[
    list[str] | None, typer.Option("--model", help="The model to use where the study says MODEL; repeatable.")
]
Minds = Annotated[
    list[str] | None,
    typer.Option(
        "--mind",
        help="A mind that plays tasks or a split; repeatable. With a model: MIND@MODEL, or MIND and --model. By seat: agent_0=qa@A,agent_1=qa@B.",
    ),
]
Splits = Annotated[
    list[str] | None,
    typer.Option(
        "--split",
        help="Play this split instead of the tasks of the study: standard, hard or dev; repeatable.",
    ),
]
Interventions = Annotated[
    list[str] | None,
    typer.Option(
        "--intervention",
        help="Play every cell in this arm too, such as remind (otherminds list interventions); repeatable.",
    ),
]
Rounds = Annotated[int | None, typer.Option(min=1, help="Rounds of every episode; overrides the study.")]
Episodes = Annotated[int | None, typer.Option(min=1, help="Episodes of every cell; overrides the study.")]
ReplyTokens = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="Maximal length of a reply of --model in tokens, reasoning included; 4096 suits reasoning models.",
    ),
]
Layout = Annotated[
    int | None,
    typer.Option(help="Show the run in the format of this table of Riemer et al. 2025: 1 to 4, 8 to 10."),
]
ExecutorSpec = Annotated[
    str,
    typer.Option(
        "--executor",
        help="What plays episodes without a model: processes:COUNT, ray:ADDRESS, dask:ADDRESS, parsl:FILE.py or submitit:FOLDER; see `otherminds list executors`.",
    ),
]
ShardName = Annotated[
    str,
    typer.Option(
        "--shard",
        help="Play only part I of N of the episodes, as I/N, such as 2/4; the parts may run at once, on several machines.",
    ),
]
Cache = Annotated[Path | None, typer.Option(help="Cache file of model replies; several runs may share it.")]


def _listed_kinds() -> Iterable[str]:
    from otherminds.cli.commands import listed_kinds

    return listed_kinds()


def _refuse_format(value: str) -> str:
    raise typer.BadParameter("`--format json` is now `--json`, and `--format html` is now `--page`")


@app.command(epilog=examples("otherminds demo --dry-run", "otherminds demo --out runs/demo"))
def demo(out: Out = Path("runs/demo"), dry_run: DryRun = False, retry_failed: Retry = False) -> None:
    """Run the shipped demo study: three games, three kinds of partners, reference minds and a small language model."""
    from otherminds.cli.commands import run_demo, show_dry_run
    from otherminds.studies.file import shipped
    from otherminds.studies.plan import plan_file
    from otherminds.studies.run_overrides import RunOverrides

    if dry_run:
        show_dry_run(shipped("demo"), out, RunOverrides())
    else:
        run_demo(plan_file(shipped("demo")), out, retry_failed=retry_failed)


@app.command(
    epilog=examples(
        "otherminds run demo --dry-run --out runs/demo",
        "otherminds run study.toml --model smollm2 --out runs/mine",
        "otherminds run riemer_table3 --model smollm2 --dry-run --out runs/table3",
        "otherminds run task.json --mind level_k --out runs/task",
    )
)
def run(
    study: Annotated[
        Path,
        typer.Argument(
            help="A study file (TOML), the name of a shipped study, or tasks (a file, a folder or a pool)."
        ),
    ],
    out: Out,
    mind: Minds = None,
    model: Models = None,
    split: Splits = None,
    intervention: Interventions = None,
    rounds: Rounds = None,
    episodes: Episodes = None,
    reply_tokens: ReplyTokens = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: Prices = None,
    cache: Cache = None,
    executor: ExecutorSpec = "processes",
    shard: ShardName = "",
    allow_host: AllowHost = None,
    dry_run: DryRun = False,
    ask_servers: AskServers = False,
    retry_failed: Retry = False,
) -> None:
    """Run a study, or resume one that was stopped.

    Models: smollm2, gguf:PATH, openai:MODEL@URL, anthropic:MODEL, gemini:MODEL, inspect:PROVIDER/MODEL; see `otherminds list models`.

    Exit codes: 0 complete; 1 episodes failed or were not played, or a limit was reached; 2 a wrong argument, file or folder; 3 every reply of a model is empty, refused, filtered or cut before an answer.
    """
    from otherminds.cli.commands import run_study, show_dry_run
    from otherminds.models.hosts import allowed_hosts
    from otherminds.studies.access import Limits, load_prices
    from otherminds.studies.file import find_study
    from otherminds.studies.run_overrides import RunOverrides
    from otherminds.studies.sharding import shard_of

    part = shard_of(shard) if shard else None
    overrides = RunOverrides(
        tuple(model or ()),
        rounds,
        episodes,
        reply_tokens,
        tuple(mind or ()),
        tuple(split or ()),
        tuple(intervention or ()),
    )
    limits = Limits(max_cost, max_tokens, load_prices(prices) if prices else {})
    hosts = allowed_hosts(allow_host or (), overrides.specs)
    if dry_run:
        show_dry_run(find_study(study), out, overrides, limits, cache, hosts, ask=ask_servers)
    else:
        run_study(
            find_study(study), out, overrides, limits, cache, executor, part, hosts, retry_failed=retry_failed
        )


@app.command(
    epilog=examples(
        "otherminds evaluate smollm2 --size glance",
        "otherminds evaluate openai:MODEL@http://localhost:8000/v1 --suite core --minutes 30",
    )
)
def evaluate(
    model: Annotated[str, typer.Argument(help="A language model, such as smollm2 or openai:MODEL@URL.")],
    suite: Annotated[str, typer.Option(help="The suite: core, matrix, grid, house or beliefs.")] = "core",
    minutes: Annotated[
        float | None, typer.Option(min=0, help="Play the largest size that fits into this time.")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0, help="Play the largest size that fits into this many US dollars; requires --prices."
        ),
    ] = None,
    prices: Prices = None,
    size: Annotated[
        str, typer.Option(help="Play this size: glance (core and beliefs), quick, standard or full.")
    ] = "",
    mind: Annotated[str, typer.Option(help="The strategy that asks the model, instead of the suite's.")] = "",
    reply_tokens: ReplyTokens = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Output folder; by default runs/evaluate/SUITE-MODEL."),
    ] = None,
    allow_host: AllowHost = None,
    dry_run: DryRun = False,
) -> None:
    """Play a language model through a versioned suite and score it, within a time and a budget.

    Ends with the verdict, its numbers, a page, and one line of JSON. The same command resumes an evaluation that was stopped.

    Exit codes are those of `otherminds run`.
    """
    from otherminds.cli.commands import show_evaluation
    from otherminds.models.hosts import allowed_hosts
    from otherminds.studies.access import load_prices
    from otherminds.studies.evaluation import EvaluationLimits

    allowed = EvaluationLimits(minutes, budget, load_prices(prices) if prices else {})
    hosts = allowed_hosts(allow_host or (), (model,))
    show_evaluation(model, suite, out, allowed, size, mind, reply_tokens, hosts, dry_run=dry_run)


@app.command(
    epilog=examples(
        "otherminds compare runs/evaluate/core-a runs/evaluate/core-b",
        "otherminds compare runs/evaluate/core-a runs/evaluate/core-b runs/evaluate/core-c --write ranks.tex",
        "otherminds compare runs/demo",
        "otherminds compare runs/demo --mind bayes --mind rmax",
    )
)
def compare(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER...", help="Output folders of evaluations or runs; one, for its minds."
        ),
    ],
    mind: Annotated[
        list[str] | None,
        typer.Option(
            "--mind",
            help="A mind of the single folder, by its name in its report; repeatable. All by default.",
        ),
    ] = None,
    write: Annotated[
        list[Path] | None,
        typer.Option(
            "--write", help="Write the ranking as LaTeX (FILE.tex) or as a drawing (FILE.svg); repeatable."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Say which models know more, use more of what they know, and earn more, paired by partner and seed.

    Two are compared; more are ranked, with ties said as ties.
    """
    from otherminds.cli.commands import show_comparison

    show_comparison(folders, mind or (), write or (), json=json)


@app.command(
    epilog=examples(
        "otherminds report runs/demo",
        "otherminds report runs/demo --page",
        "otherminds report runs/demo --json",
    )
)
def report(
    folder: Annotated[Path, typer.Argument(help="The output folder of a run.")],
    page: Annotated[
        bool,
        typer.Option("--page", help="Write the report as a page (HTML) in the folder, and print its path."),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON document.")] = False,
    form: Annotated[str | None, typer.Option("--format", "-f", hidden=True, parser=_refuse_format)] = None,
    layout: Layout = None,
    prices: Prices = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="The folder for the page, instead of that of the run, which is only read."
        ),
    ] = None,
) -> None:
    """Report on a run. All numbers are computed from its records."""
    from otherminds.cli.commands import show_report
    from otherminds.studies.access import load_prices

    if page and json:
        raise StudyError("give --page or --json, not both")
    form = "html" if page else "json" if json else "table"
    show_report(folder, form, layout, load_prices(prices) if prices else None, out)


@app.command(epilog=examples("otherminds status runs/demo", "otherminds status runs/a runs/b --json"))
def status(
    folders: Annotated[
        list[Path], typer.Argument(help="Output folders of runs, which may still be playing.")
    ],
    digest: Annotated[
        bool,
        typer.Option(
            "--digest", help="Also print a digest of the records, equal for equal records; reads all of them."
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each folder.")] = False,
) -> None:
    """Show how far runs and their shards are: episodes by state, where they play, rate, time left, and money.

    Exit codes: 0 all episodes are recorded and none failed; 1 otherwise.
    """
    from otherminds.cli.recorded import show_status

    show_status(folders, digest=digest, json=json)


@app.command(epilog=examples("otherminds merge host_1/run host_2/run --out runs/whole"))
def merge(
    folders: Annotated[list[Path], typer.Argument(help="Output folders of runs of one study.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to add their records to.")],
) -> None:
    """Merge the records of several runs of one study, such as shards of hosts without a common disk.

    Records are equal or they contradict each other: then they are named, and nothing is written.
    A second call adds nothing.
    """
    from otherminds.cli.recorded import show_merge

    show_merge(folders, out)


@app.command(name="list", epilog=examples("otherminds list scenarios", "otherminds list minds"))
def list_names(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            parser=known_name(_listed_kinds),
            help="worlds, scenarios, minds, partners, strategies, models, executors, studies or suites.",
        ),
    ],
) -> None:
    """List the names that a study can use."""
    from otherminds.cli.commands import show_list

    show_list(kind)


@app.command(
    epilog=examples(
        "otherminds episodes runs/demo", "otherminds episodes runs/demo --mind bayes --sort score --limit 5"
    )
)
def episodes(
    folder: Annotated[Path, typer.Argument(help="The output folder of a run.")],
    mind: Annotated[str, typer.Option(help="Only minds whose name contains this.")] = "",
    scenario: Annotated[str, typer.Option(help="Only scenarios whose name contains this.")] = "",
    world: Annotated[
        str, typer.Option(help="Only worlds whose name contains this: rps, rws-repeated, ...")
    ] = "",
    partner: Annotated[str, typer.Option(help="Only partners whose name contains this.")] = "",
    outcome: Annotated[
        str, typer.Option(help="Only this outcome: scored, invalid, cut, refused, failed or missing.")
    ] = "",
    sort: Annotated[
        str,
        typer.Option(help="number, score (F), literal (L), reward, mind, scenario or outcome; lowest first."),
    ] = "number",
    limit: Annotated[int | None, typer.Option(min=1, help="List at most this many.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """List the episodes of a run, with the number and the id that `replay` takes."""
    from otherminds.cli.recorded import show_episodes
    from otherminds.reports.episodes import Wanted

    show_episodes(folder, Wanted(mind, scenario, world, partner, outcome), sort, limit, json=json)


@app.command(epilog=examples("otherminds export runs/demo --out episodes.parquet"))
def export(
    folder: Annotated[Path, typer.Argument(help="The output folder of a run.")],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="The file, .parquet, .csv or .jsonl; an old one is replaced, but no file in a run's folder.",
        ),
    ],
) -> None:
    """Write the recorded episodes of a run as a table, one row each; Parquet needs the extra 'parquet'."""
    from otherminds.cli.commands import report_progress
    from otherminds.reports.exporting import export
    from otherminds.studies.run_dir import played

    plan, episodes = played(folder)
    planned = len(plan.episodes)
    count = export(report_progress(episodes, planned), out)
    lacking = f"; {count} of {planned} planned episodes are recorded" if count < planned else ""
    typer.echo(f"{count} episodes in {out}{lacking}")


@app.command(
    epilog=examples("otherminds replay runs/demo 0", "otherminds replay runs/demo 0 --page episode.html")
)
def replay(
    folder: Annotated[Path, typer.Argument(help="The output folder of a run.")],
    episode: Annotated[
        str,
        typer.Argument(
            help="The number of an episode (from 0), or the first digits of its hash; see `otherminds episodes`."
        ),
    ],
    prompts: Annotated[bool, typer.Option("--prompts", help="Also show every prompt and reply.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(
            help="Write an animated page (HTML) of the episode: the map or the rounds, and the hypotheses of minds."
        ),
    ] = None,
    film: Annotated[Path | None, typer.Option(help="Write a film of the episode: .gif or .mp4.")] = None,
    steps: Annotated[
        str, typer.Option(help="Steps to show on the page or film, as FROM:TO; all by default.")
    ] = "",
    speed: Annotated[
        float | None,
        typer.Option(min=0.1, max=1000, help="Steps per second; the default depends on the world."),
    ] = None,
) -> None:
    """Show a recorded episode as text, or write it as an HTML page or a film."""
    from otherminds.cli.recorded import show_again, show_replay

    if page or film:
        show_again(folder, episode, page, film, steps, speed)
    if prompts or not (page or film):
        show_replay(folder, episode, prompts=prompts)


@app.command("validate-env", epilog=examples("otherminds validate-env rps-mixed-v1 ibs-mixed-v1"))
def validate_env(
    scenarios: Annotated[
        list[str], typer.Argument(metavar="SCENARIO...", help="Scenarios to be trained in.")
    ],
    out: Annotated[Path, typer.Option("--out", help="The JSON file.")] = Path("validation.json"),
    episodes: Annotated[
        int, typer.Option(min=2, help="Least episodes of every mind and client; 24 to pass.")
    ] = 36,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds of every episode.")] = None,
) -> None:
    """Check scenarios as environments to train in: levels 3 and 4 of OpenEnv's RFC 008, from records that are kept.

    The records of a scenario are in the folder FILE.records/SCENARIO; every number is computed from them.

    Exit codes: 0 every verdict is pass or warn; 1 one is fail.
    """
    from otherminds.cli.commands import show_validation

    show_validation(scenarios, out, episodes, {} if rounds is None else {"rounds": rounds})


@models_app.command("pull", epilog=examples("otherminds models pull smollm2"))
def pull_model(name: Annotated[str, typer.Argument(help="The name of a model, such as smollm2.")]) -> None:
    """Download the weights of a model into the user cache and verify them."""
    from otherminds.models.files import pull

    typer.echo(pull(name))


add_commands(app)


def main() -> None:
    """Runs the command line. An error is printed as one line and determines the exit code.

    A request to terminate (SIGTERM) stops a run as Ctrl-C does.
    """
    fill_descriptors()
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with guard_output():
            _run()
    finally:
        signal.signal(signal.SIGTERM, before)


def _run() -> None:
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OutputError as error:
        if not error.left:
            sys.stderr.write(f"otherminds: {error}\n")
        sys.exit(NO_READER if error.left else 2)
    except OtherMindsError as error:
        sys.stderr.write(f"otherminds: {error}\n")
        sys.exit(2 if isinstance(error, StudyError | TaskError) else 1)
    except UnicodeEncodeError as error:
        if not "\ud800" <= error.object[error.start] <= "\udfff":
            raise
        subject = " ".join(plain(error.object)[:300].split())
        sys.stderr.write(f"otherminds: {subject}: a name that is not UTF-8 cannot be kept; rename it\n")
        sys.exit(2)
    except OSError as error:
        if error.filename is None and error.errno not in FULL:
            raise
        subject = error.filename or "a file cannot be written"
        sys.stderr.write(f"otherminds: {subject}: {error.strerror}\n")
        sys.exit(2)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Does what Ctrl-C does now, also where it is ignored, as shells do for background jobs."""
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)
