"""The command ``selfcheck``: the promises of the software, tried on this machine."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import typer
from rich import box
from rich.table import Table

from otherminds.cli.printing import drawn
from otherminds.reports.table import printable, printed
from otherminds.selfcheck.promises import choose
from otherminds.selfcheck.trial import PromiseTrial, try_all
from otherminds.studies.terminal import Terminal

WIDTH = 120
"""Columns of the table."""


def show_selfcheck(names: Sequence[str], *, json: bool) -> None:
    """Tries promises, all by default, and prints a table or one line of JSON.

    Raises:
        typer.Exit: with code 1, if a promise fails.
        UnknownNameError: there is no such promise.
    """
    checks = choose(names)
    progress, order = Terminal(stderr=True), [*checks]
    trials: list[PromiseTrial] = []
    for trial in try_all(checks, lambda name: progress.print(f"{order.index(name) + 1}/{len(order)} {name}")):
        trials.append(trial)
        progress.print(f"    {trial.verdict} ({trial.seconds:.0f} s)")
    counts = {
        verdict: sum(one.verdict == verdict for one in trials) for verdict in ("holds", "fails", "not tried")
    }
    if json:
        typer.echo(msgspec.json.encode({"counts": counts, "promises": trials}).decode())
    else:
        drawn(_table(trials))
        seconds = sum(one.seconds for one in trials)
        numbers = ", ".join(f"{verdict}: {count}" for verdict, count in counts.items())
        typer.echo(f"{numbers} ({seconds:.0f} s)")
    if counts["fails"]:
        raise typer.Exit(1)


def _table(trials: Sequence[PromiseTrial]) -> str:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=True)
    for head, share in (
        ("name", None),
        ("promise", 3),
        ("how it was tried", 4),
        ("figure", 4),
        ("result", None),
    ):
        table.add_column(head, ratio=share, overflow="fold", no_wrap=share is None)
    for one in trials:
        texts = (one.name, one.promise, one.tried, one.figure, one.verdict)
        table.add_row(*(printable(text) for text in texts))
    return printed(lambda console: console.print(table), WIDTH, False).removesuffix("\n")
