"""The command ``replay``: one recorded episode as text, as a page or as a film."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from otherminds.core.disk import check_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.record import Record
from otherminds.core.record import prompts as full_prompts
from otherminds.reports.replay.general import choose_page, choose_text
from otherminds.reports.replay.minds import ended, tell_thoughts
from otherminds.studies.run_dir import plan_in, recorded
from otherminds.studies.terminal import Terminal

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
