"""The command ``selfcheck``: the promises of the software, tried on this machine.

The command line imports this module at every call, so the checks, which import all worlds, are imported when they are tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from otherminds.selfcheck.check import PromiseTrial

WIDTH = 120
"""Columns of the table."""


def selfcheck(
    names: Annotated[
        list[str] | None, typer.Argument(help="Try these promises only, by their names in the table.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Try the promises of the software on this machine, and print a table of what holds.

    Takes a few minutes; needs no network, key or GPU. Servers of its own are on this machine, and files in a temporary folder.

    Exit codes: 0 no promise fails; 1 one fails.

    \b
    Examples:
      otherminds selfcheck
      otherminds selfcheck hidden senders
    """
    import msgspec

    from otherminds.cli.shared import drawn
    from otherminds.selfcheck.check import try_all
    from otherminds.selfcheck.promises import choose
    from otherminds.studies.progress import Terminal

    checks = choose(names or ())
    progress, order = Terminal(stderr=True), [*checks]
    trials: list[PromiseTrial] = []
    for trial in try_all(checks, lambda name: progress.print(f"{order.index(name) + 1}/{len(order)} {name}")):
        trials.append(trial)
        progress.print(f"    {trial.verdict} ({trial.seconds:.0f} s)")
    counts = {
        verdict: sum(trial.verdict == verdict for trial in trials)
        for verdict in ("holds", "fails", "not tried")
    }
    if json:
        typer.echo(msgspec.json.encode({"counts": counts, "promises": trials}).decode())
    else:
        drawn(_table(trials))
        seconds = sum(trial.seconds for trial in trials)
        numbers = ", ".join(f"{verdict}: {count}" for verdict, count in counts.items())
        typer.echo(f"{numbers} ({seconds:.0f} s)")
    if counts["fails"]:
        raise typer.Exit(1)


def _table(trials: Sequence[PromiseTrial]) -> str:
    from rich import box
    from rich.table import Table

    from otherminds.reports.table import printable, printed

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=True)
    for head, share in (
        ("name", None),
        ("promise", 3),
        ("how it was tried", 4),
        ("figure", 4),
        ("result", None),
    ):
        table.add_column(head, ratio=share, overflow="fold", no_wrap=share is None)
    for trial in trials:
        texts = (trial.name, trial.promise, trial.tried, trial.figure, trial.verdict)
        table.add_row(*(printable(text) for text in texts))
    return printed(lambda console: console.print(table), WIDTH, False).removesuffix("\n")
