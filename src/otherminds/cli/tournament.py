"""The command ``otherminds tournament``: cross-play matrices and ratings."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from msgspec.structs import astuple

from otherminds.cli.commands import play
from otherminds.cli.shared import drawn
from otherminds.core.errors import StudyError
from otherminds.measures.tournament import Tournament, list_tournaments
from otherminds.reports.sheets import Sheet, fixed, interval, percent
from otherminds.reports.table import print_sheets, printable, printed
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
            raise StudyError(f"{study} is no folder of a run; add --out FOLDER to play it as a study")
        folder = out
        plan = plan_file(find_study(study), RunOverrides(tuple(model or ())))
        stopped = play(plan, folder, progress)
    planned, records = results(folder)
    tournaments = list_tournaments(records, Counter(spec.title for spec in planned.episodes))
    if not tournaments:
        raise StudyError(f"{folder} has no episode of two seats that counts")
    if json:
        typer.echo(msgspec.json.encode(tournaments).decode())
    else:
        sheets = [make(games) for games in tournaments for make in (_list_cross_play, _list_ratings)]
        drawn(printed(lambda console: print_sheets(console, sheets), WIDTH, False))
    if stopped:
        progress.say(stopped)
        raise typer.Exit(1)


def _list_cross_play(games: Tournament) -> Sheet:
    numbers = [f"{k}" for k in range(1, len(games.players) + 1)]
    rows = tuple(
        ((f"{number} {printable(player)}",), tuple((fixed(payoff, 2), "") for payoff in row))
        for number, player, row in zip(numbers, games.players, games.payoffs, strict=True)
    )
    scored = sum(map(sum, games.episodes))
    notes = [f"Payoff of the row against the column, mean of both seats; {scored} scored episodes."]
    if games.recorded < games.planned:
        notes.append(f"{games.recorded} of {games.planned} planned episodes are recorded.")
    if charged := games.lost - len(games.uncharged):
        notes.append(
            f"{charged} episodes were stopped by a player's reply or failure: it gets the least payoff in each round that is missing. "
            "For its opponent they do not count."
        )
    notes += [f"Not scored, and counted for nobody: {printable(episode)}." for episode in games.uncharged]
    return Sheet(f"cross-play: {printable(games.scenario)}", ("player", *numbers), rows, tuple(notes))


def _list_ratings(games: Tournament) -> Sheet:
    ranked = sorted(games.results, key=lambda r: (r.rating.mean is None, -(r.rating.mean or 0.0)))
    rows = tuple(
        (
            (printable(result.player),),
            (
                *((fixed(figure.mean, 2), interval(figure, 2)) for figure in astuple(result)[2:]),
                (str(result.lost), ""),
            ),
        )
        for result in ranked
    )
    note = "Rating: payoff against an average opponent here (least squares)."
    if games.unexplained is not None:
        note += f" Ratings do not explain {percent(games.unexplained)} % of the variation between cells."
    note += (
        " Conceded: what opponents get beyond their own rating. Transfer: cross-play − self-play. "
        "Lost: episodes that its replies or failures stopped. Intervals: bootstrap over seeds."
    )
    heads = ("player", "rating", "conceded", "self-play", "cross-play", "transfer", "lost")
    return Sheet("ratings", heads, rows, (note,))
