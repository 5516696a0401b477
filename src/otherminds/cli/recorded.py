"""The commands on recorded runs: ``status`` and ``merge`` of shards, ``episodes``, and ``replay``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any, cast

import msgspec
import typer
from rich.table import Table

from otherminds.cli.commands import report_progress
from otherminds.cli.shared import drawn, follow_up
from otherminds.core.disk import check_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.record import OUTCOMES, Record
from otherminds.core.record import prompts as full_prompts
from otherminds.core.text import escape_bytes
from otherminds.measures.basis import accuracy, share
from otherminds.measures.registry import Unknown
from otherminds.reports.episodes import (
    DIGITS,
    ORDERS,
    EpisodeLine,
    EpisodeList,
    Order,
    Wanted,
    line_of,
    substrate,
)
from otherminds.reports.replay.general import choose_page, choose_text
from otherminds.reports.replay.replays import ended, tell_thoughts
from otherminds.reports.table import printable, printed
from otherminds.studies.merging import merge
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.progress import Terminal, in_time
from otherminds.studies.run_dir import digest_of, plan_in, played, recorded
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


MISSING = "missing"
NOT_SCORED = Unknown("the episode was not scored")


def show_episodes(folder: Path, criteria: Wanted, order: str, limit: int | None, *, json: bool) -> None:
    """Prints the episodes of a run that meet ``criteria``, at most ``limit`` of them.

    Raises:
        StudyError: the folder holds no study, or there is no such outcome or order.
    """
    outcomes = (*OUTCOMES, MISSING)
    if criteria.outcome not in ("", *outcomes):
        raise StudyError(f"--outcome {criteria.outcome}: choose one of {', '.join(outcomes)}")
    if order not in ORDERS:
        raise StudyError(f"--sort {order}: choose one of {', '.join(ORDERS)}")
    listed = EpisodeList(filter(criteria.fits, lines_of(folder)), cast("Order", order), limit)
    try:
        for text in listed.json() if json else listed.text():
            typer.echo(text if json else "\n".join(map(printable, text.splitlines())), nl=not json)
    finally:
        listed.close()
    if not json:
        number = f"{listed.shown} of {listed.all} episodes"
        typer.echo(f"{number}; see one: {follow_up('replay', folder)} NUMBER")


def lines_of(folder: Path) -> Iterator[EpisodeLine]:
    """Every planned episode of a run: those that are recorded, then those that are missing.

    Raises:
        StudyError: the folder holds no study.
    """
    plan, episodes = played(folder)
    recorded = bytearray(len(plan.episodes))
    for number, record, _ in report_progress(episodes, len(plan.episodes)):
        recorded[number] = True
        scored = record.outcome.status == "scored"
        yield line_of(
            record,
            share(record) if scored else NOT_SCORED,
            accuracy(record) if scored else NOT_SCORED,
            number,
        )
    for number, is_recorded in enumerate(recorded):
        if not is_recorded:
            yield _missing(plan, number)


def _missing(plan: StudyPlan, number: int) -> EpisodeLine:
    spec = plan.episodes[number]
    world = substrate(spec.scenario)
    mind = ego(spec).title
    return EpisodeLine(number, spec.hash[:DIGITS], spec.title, world, mind, "", spec.seed, MISSING)


NUMBER = 8
"""A number with at least this many digits is the start of a hash, not the number of an episode."""


def find(folder: Path, episode: str) -> Record:
    """The record of number ``episode`` in the plan (from 0), else whose episode hash starts with it.

    Raises:
        StudyError: none, or several, fit.
    """
    plan = plan_in(folder)
    planned = len(plan.episodes)
    if episode.isdecimal() and len(episode) < NUMBER and int(episode) < planned:
        fits = [int(episode)]
    else:
        fits = [i for i, spec in enumerate(plan.episodes) if episode and spec.hash.startswith(episode)]
    if len(fits) != 1:
        many = f"{len(fits)} episodes start with" if fits else f"none of {planned} episodes is"
        raise StudyError(f"{folder}: {many} {episode!r}; give more of a hash, or a number below {planned}")
    for number, line in recorded(folder, plan):
        if number == fits[0]:
            return line.record()
    name = plan.episodes[fits[0]].hash
    raise StudyError(f"{folder}: episode {name} is planned but not recorded yet; run the study again")


def show_replay(folder: Path, episode: str, *, prompts: bool) -> None:
    """Prints an episode: minds, actions, predictions and rewards."""
    record = find(folder, episode)
    console = Terminal(soft_wrap=True)
    spec = record.spec
    console.print(f"{spec.title}  seed {spec.seed}  episode {spec.hash}")
    for part in choose_text(record).text(record):
        console.print(part)
    for line in tell_thoughts(record):
        console.print(line)
    totals = ", ".join(f"{seat} {record.total(seat):g}" for seat in record.seats)
    console.print(f"totals: {totals}; {ended(record)}; body {record.hash[:16]}")
    if prompts:
        for call, messages in zip(record.calls, full_prompts(record.calls), strict=True):
            console.rule(f"{call.seat} step {call.step} {call.purpose} (try {call.attempt + 1})")
            for message in messages:
                console.print(message.content)
            scored = dict(zip(call.continuations, call.scores, strict=False))
            console.print(f"-> {scored or call.reply!r}", style="bold")


def show_again(
    folder: Path, episode: str, page: Path | None, film: Path | None, steps: str, speed: float | None
) -> None:
    """Writes the page or the film of an episode; exit code 1 if it departs from its record when it is played again.

    ``steps`` is FROM:TO, or empty for all; ``speed`` is in steps per second, ``None`` for the default of the world.

    Raises:
        StudyError: the world cannot be shown as requested, or a file cannot be written.
    """
    record = find(folder, episode)
    playback = choose_page(record).play(record)
    if (film and playback.film is None) or (steps and playback.cut is None):
        raise StudyError(
            f"{record.spec.scenario!r} replays as a page (--page), whole: it has no film (--film) and no parts (--steps)"
        )
    if steps and playback.cut:
        limits = re.fullmatch(r"(\d*):(\d*)", steps)
        if limits is None:
            raise StudyError(f"--steps {steps}: give FROM:TO, as 100:250")
        first, last = (int(number) if number else None for number in limits.groups())
        playback = playback.cut(first, last)
    if page:
        _write(page, playback.page(speed))
    if film and playback.film:
        with _write_to(film):
            playback.film(film, speed)
    _report(playback.fault)


def _report(fault: str) -> None:
    """Prints where a replay differs from its record, with exit code 1."""
    if fault:
        typer.echo(f"otherminds: {fault}", err=True)
        raise typer.Exit(1)


def _write(path: Path, page: str) -> None:
    with _write_to(path):
        replace_file(path, page)


@contextmanager
def _write_to(path: Path) -> Iterator[None]:
    """Makes the folder of ``path``, and prints ``path`` once it is written."""
    check_file(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise StudyError(f"{path}: cannot be written ({error.strerror})") from error
    typer.echo(path)
