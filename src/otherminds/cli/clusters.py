"""The commands ``status`` and ``merge``: how far the shards of a study are, and their records in one folder."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec
import typer
from rich.table import Table

from otherminds.cli.printing import drawn
from otherminds.core.quoting import escape_bytes
from otherminds.core.record import OUTCOMES
from otherminds.reports.table import printable, printed
from otherminds.studies.merging import merge
from otherminds.studies.progress import in_time
from otherminds.studies.run_dir import digest_of
from otherminds.studies.status import Part, StudyStatus, status_of

WIDTH = 120
"""Columns of the table."""


def show_status(folders: Sequence[Path], *, digest: bool, json: bool) -> None:
    """Prints the state of the studies in ``folders``, as a table or a line of JSON each.

    Raises:
        typer.Exit: with code 1, if an episode failed or is not recorded.
        StudyError: a folder holds no study, or its files cannot be read.
    """
    done = True
    for folder in folders:
        status = status_of(folder)
        value = digest_of(folder) if digest else ""
        if json:
            typer.echo(msgspec.json.encode(_plain(status, value)).decode())
        else:
            drawn(_table(status))
            typer.echo(_summary(status))
            if value:
                typer.echo(f"digest {value}")
        done = done and _count_recorded(status) == status.planned and not status.states.get("failed")
    if not done:
        raise typer.Exit(1)


def show_merge(folders: Sequence[Path], out: Path) -> None:
    """Merges runs and prints what was added, and the digest of all.

    Raises:
        ContradictionError: records of an episode differ.
        StudyError: a folder cannot be used.
    """
    merged = merge(folders, out, lambda text: typer.echo(text, err=True))
    typer.echo(
        f"{out}: {merged.added} episodes added; {merged.recorded} of {merged.planned} are recorded, "
        f"digest {merged.digest}"
    )


def _table(study: StudyStatus) -> str:
    """A row for each part: where it plays and how far it is."""
    table = Table(
        title=printable(f"{study.name} ({study.folder})"), title_justify="left", box=None, pad_edge=False
    )
    for name in ("shard", "state", "where"):
        table.add_column(name)
    for name in ("planned", "playing", "recorded", "failed", "per second", "time left", "tokens", "dollars"):
        table.add_column(name, justify="right")
    for part in study.parts:
        name = f"{part.shard.index}/{part.shard.count}" if part.shard else "all"
        status = part.status
        if status is None:
            table.add_row(name, "not begun")
            continue
        seconds = status.seconds_left
        table.add_row(
            name,
            _state(part),
            printable(f"{status.host}:{status.process}") if status.host else "",
            str(status.episodes),
            str(status.leased),
            str(status.recorded),
            str(status.states.get("failed", 0)),
            f"{status.rate:.3g}" if part.running else "",
            in_time(seconds) if part.running and isfinite(seconds) else "",
            f"{status.tokens:,}",
            "" if status.dollars is None else f"{status.dollars:.2f}",
        )
    return printed(lambda console: console.print(table), WIDTH, False).removesuffix("\n")


def _state(part: Part) -> str:
    if part.running:
        return "playing"
    assert part.status is not None, "a part that has begun"
    return "done" if part.status.recorded == part.status.episodes else "stopped"


def _count_recorded(status: StudyStatus) -> int:
    return sum(status.states.get(outcome, 0) for outcome in OUTCOMES)


def _summary(status: StudyStatus) -> str:
    """All parts in one line."""
    words = [f"{_count_recorded(status)} of {status.planned} episodes recorded"]
    if failed := status.states.get("failed"):
        words.append(f"{failed} failed")
    if status.rate:
        words.append(f"{status.rate:.3g} a second")
    if isfinite(status.seconds_left) and status.seconds_left:
        words.append(f"{in_time(status.seconds_left)} left")
    if status.tokens:
        words.append(f"{status.tokens:,} tokens")
    if status.estimated_tokens:
        words.append(f"{status.estimated_tokens:,} of them estimated")
    if status.dollars is not None:
        words.append(f"{status.dollars:.2f} US dollars")
    return ", ".join(words)


def _plain(status: StudyStatus, digest: str) -> dict[str, Any]:
    """The state of a study as JSON takes it; what is not known is ``null``."""
    fields = {
        "folder": escape_bytes(status.folder),
        "study": status.name,
        "planned": status.planned,
        "states": dict(status.states),
        "rate": status.rate,
        "seconds_left": status.seconds_left if isfinite(status.seconds_left) else None,
        "tokens": status.tokens,
        "estimated_tokens": status.estimated_tokens,
        "dollars": status.dollars,
        "digest": digest or None,
    }
    parts = [
        {
            "shard": f"{part.shard.index}/{part.shard.count}" if part.shard else None,
            "running": part.running,
            "status": part.status,
        }
        for part in status.parts
    ]
    return {**fields, "parts": parts}
