"""The command ``otherminds tournament``: who got what against whom, with ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from otherminds.cli.commands import play
from otherminds.cli.shared import drawn
from otherminds.core.errors import StudyError
from otherminds.measures.tournament import Tournament, list_tournaments
from otherminds.reports.sheets import Sheet, fixed, interval, percent
from otherminds.reports.table import printable, printed, sheet_as_text
from otherminds.studies.file import find_study
from otherminds.studies.plan import plan_file
from otherminds.studies.progress import ShownProgress
from otherminds.studies.run_dir import holds_run, results
from otherminds.studies.run_overrides import RunOverrides

WIDTH = 140
"""Columns of the tables."""


def tournament(
    study: Annotated[Path, typer.Argument(help="The folder of a run, or a study to play in --out first.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where a study is played, or resumed.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", help="The model for MODEL; repeatable.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Print the cross-play matrix, ratings, and self-play against cross-play of every scenario with two seats.

    In a study, minds = [{players = ["TitForTat", "qa@smollm2"]}] is every pair. `otherminds run` plays it with limits of cost.

    \b
    Examples:
      otherminds tournament study.toml --out runs/tournament
      otherminds tournament runs/tournament --json
    """
    folder, stopped, progress = study, "", ShownProgress()
    if not holds_run(study):
        if out is None:
            raise StudyError(f"{study}: is no folder of a run; a study is played with --out FOLDER")
        folder = out
        plan = plan_file(find_study(study), RunOverrides(tuple(model or ())))
        stopped = play(plan, folder, progress)
    tournaments = list_tournaments(results(folder)[1])
    if not tournaments:
        raise StudyError(f"{folder}: no episode of two seats is scored there")
    if json:
        typer.echo(msgspec.json.encode(tournaments).decode())
    else:
        drawn(printed(lambda console: _print_all(console, tournaments), WIDTH, False))
    if stopped:
        progress.say(stopped)
        raise typer.Exit(1)


def _print_all(console: Console, tournaments: Sequence[Tournament]) -> None:
    for held in tournaments:
        for sheet in (_cross_play(held), _ratings(held)):
            console.print(sheet_as_text(sheet, console.width))
            for note in sheet.notes:
                console.print(note, highlight=False)
            console.print()


def _cross_play(held: Tournament) -> Sheet:
    numbers = [f"{k}" for k in range(1, len(held.players) + 1)]
    rows = tuple(
        ((f"{number} {printable(player)}",), tuple((fixed(payoff, 2), "") for payoff in row))
        for number, player, row in zip(numbers, held.players, held.payoffs, strict=True)
    )
    played = sum(map(sum, held.episodes))
    lost = f" {held.lost} more were not scored." if held.lost else ""
    note = f"Payoff of the row against the column, mean of both seats; {played} scored episodes.{lost}"
    return Sheet(f"cross-play: {printable(held.scenario)}", ("player", *numbers), rows, (note,))


def _ratings(held: Tournament) -> Sheet:
    ranked = sorted(held.results, key=lambda result: -(result.rating.mean or 0.0))
    rows = tuple(
        (
            (printable(result.player),),
            tuple(
                (fixed(figure.mean, 2), interval(figure, 2))
                for figure in (
                    *(result.rating, result.conceded, result.self_play, result.cross_play, result.transfer),
                )
            ),
        )
        for result in ranked
    )
    left = (
        ""
        if held.unexplained is None
        else f" They leave {percent(held.unexplained)} % of the variation between cells unexplained."
    )
    note = (
        "Rating: payoff against an average opponent here (least squares)."
        + left
        + " Conceded: what opponents get beyond "
        "their own rating. Transfer: cross-play − self-play. [a, b]: 95 % interval, bootstrap over seeds."
    )
    heads = ("player", "rating", "conceded", "self-play", "cross-play", "transfer")
    return Sheet("ratings", heads, rows, (note,))
