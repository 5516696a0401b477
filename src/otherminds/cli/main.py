"""The command line: ``otherminds --help``.

Exit codes: 0 done, 1 something went wrong in a run, 2 bad input.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from otherminds.cli.worlds import commands
from otherminds.core.errors import OtherMindsError, StudyError, TaskError

app = typer.Typer(
    help="Does an agent use what it knows about others, or only say it?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
models_app = typer.Typer(help="Language models.", no_args_is_help=True)
app.add_typer(models_app, name="models")
for _name in commands:
    app.add_typer(commands.get(_name), name=_name)

Out = Annotated[Path, typer.Option("--out", "-o", help="Output folder; the same one goes on where it was.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the plan and the estimated tokens; run nothing.")
]
Retry = Annotated[bool, typer.Option("--retry-failed", help="Play episodes again that failed.")]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", help="The model that takes the study's place MODEL; give it again for more."),
]
Minds = Annotated[
    list[str] | None,
    typer.Option("--mind", help="Who plays tasks; give it again for more. With a model: MIND@MODEL."),
]
Rounds = Annotated[int | None, typer.Option(min=1, help="Rounds of every episode, whatever the study says.")]
Episodes = Annotated[int | None, typer.Option(min=1, help="Episodes of every cell, whatever the study says.")]
ReplyTokens = Annotated[
    int | None,
    typer.Option(min=1, help="Room for a reply of --model, in tokens; thoughts count: 4096 if it reasons."),
]
MaxCost = Annotated[
    float | None,
    typer.Option(min=0, help="Stop when the study has cost this many US dollars; needs --prices."),
]
MaxTokens = Annotated[int | None, typer.Option(min=0, help="Stop when the study has used this many tokens.")]
Prices = Annotated[Path | None, typer.Option(help="Price file (TOML): dollars for a million tokens.")]
Layout = Annotated[
    int | None, typer.Option(help="Show the run in the paper's table of this number: 1 to 4, 8 to 10.")
]
Cache = Annotated[Path | None, typer.Option(help="File of model answers that several runs share.")]


class ReportForm(StrEnum):
    """How a report is given."""

    table = "table"
    json = "json"
    html = "html"


class ListKind(StrEnum):
    """What can be listed."""

    worlds = "worlds"
    scenarios = "scenarios"
    minds = "minds"
    partners = "partners"
    strategies = "strategies"
    models = "models"
    studies = "studies"


@app.command()
def demo(
    out: Out = Path("runs/demo"),
    dry_run: DryRun = False,
) -> None:
    """Run the shipped study: three games, three kinds of partner, yardsticks and a small language model."""
    from otherminds.cli.commands import RunRequest, run_study
    from otherminds.studies.shipped import shipped

    run_study(RunRequest(shipped("demo"), out, page=True), dry_run=dry_run)


@app.command()
def run(
    study: Annotated[
        Path,
        typer.Argument(help="A study file (TOML), a shipped study's name, or tasks: a file or folder."),
    ],
    out: Out,
    mind: Minds = None,
    model: Models = None,
    rounds: Rounds = None,
    episodes: Episodes = None,
    reply_tokens: ReplyTokens = None,
    max_cost: MaxCost = None,
    max_tokens: MaxTokens = None,
    prices: Prices = None,
    cache: Cache = None,
    dry_run: DryRun = False,
    retry_failed: Retry = False,
) -> None:
    """Run a study, or go on with one that was stopped.

    Models: smollm2, gguf:PATH, openai:MODEL@URL, inspect:PROVIDER/MODEL; see `otherminds list models`.
    """
    from otherminds.cli.commands import RunRequest, run_study
    from otherminds.studies.access import Limits
    from otherminds.studies.prices import load_prices
    from otherminds.studies.run_overrides import RunOverrides
    from otherminds.studies.shipped import found

    given = RunOverrides(tuple(model or ()), rounds, episodes, reply_tokens, tuple(mind or ()))
    limits = Limits(max_cost, max_tokens, load_prices(prices) if prices else {})
    run_study(RunRequest(found(study), out, given, limits, cache, retry_failed), dry_run=dry_run)


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="The output folder of a run.")],
    form: Annotated[
        ReportForm, typer.Option("--format", "-f", help="What to make of it.")
    ] = ReportForm.table,
    layout: Layout = None,
    prices: Prices = None,
) -> None:
    """Report on a run: every number is computed anew from its records."""
    from otherminds.cli.commands import show_report
    from otherminds.studies.prices import load_prices

    show_report(folder, form.value, layout, load_prices(prices) if prices else None)


@app.command(name="list")
def list_names(kind: Annotated[ListKind, typer.Argument(help="What to list.")]) -> None:
    """List what a study can name."""
    from otherminds.cli.commands import show_list

    show_list(kind.value)


@app.command()
def replay(
    folder: Annotated[Path, typer.Argument(help="The output folder of a run.")],
    episode: Annotated[str, typer.Argument(help="An episode's number (from 0), or the start of its hash.")],
    prompts: Annotated[bool, typer.Option("--prompts", help="Show every prompt and reply too.")] = False,
    page: Annotated[
        Path | None,
        typer.Option(
            help="Write an animated page (HTML) of an episode: its map, or else its rounds; and what minds thought."
        ),
    ] = None,
    film: Annotated[Path | None, typer.Option(help="Write a film of it: .gif, or .mp4.")] = None,
    steps: Annotated[
        str, typer.Option(help="Steps to show on page and film, FROM:TO; all, if not given.")
    ] = "",
    speed: Annotated[
        float | None,
        typer.Option(min=0.1, max=1000, help="Steps a second; what suits the world, if not given."),
    ] = None,
) -> None:
    """Show one recorded episode round by round, or as an animated page or film."""
    from otherminds.cli.replay import Showing, show_again, show_replay

    if page or film:
        show_again(folder, episode, Showing(page, film, steps, speed))
    if prompts or not (page or film):
        show_replay(folder, episode, prompts=prompts)


@models_app.command("pull")
def pull_model(name: Annotated[str, typer.Argument(help="A model's name, such as smollm2.")]) -> None:
    """Fetch a model's weights into the user's cache, and check them."""
    from otherminds.models.pull import pull

    typer.echo(pull(name))


def main() -> None:
    """Runs the command line; errors become one line and an exit code."""
    try:
        app()
    except OtherMindsError as error:
        sys.stderr.write(f"otherminds: {error}\n")
        sys.exit(2 if isinstance(error, StudyError | TaskError) else 1)
    except OSError as error:
        if error.filename is None:
            raise
        sys.stderr.write(f"otherminds: {error.filename}: {error.strerror}\n")
        sys.exit(2)
