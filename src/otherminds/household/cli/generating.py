"""Generates a pool for ``otherminds pools generate``, says how it goes, and prints what became of the seeds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import typer

from otherminds.core.errors import StudyError
from otherminds.household.cli.printing import ProgressLines, draw_table
from otherminds.household.generating.composition import composition, split
from otherminds.household.generating.pooling import (
    DUPLICATE,
    Pooling,
    PoolSlot,
    SeedTally,
    consecutive,
    here,
    slots_of,
    tried,
)
from otherminds.household.generating.wanted import Generator, TaskProperties
from otherminds.household.pool.entry import digest
from otherminds.household.pool.folder import PoolWriter
from otherminds.household.pool.splits import pool_called
from otherminds.studies.progress import in_time
from otherminds.studies.terminal import Terminal
from otherminds.studies.workers import Workers


def generate(
    out: Path,
    generator: Generator,
    properties: TaskProperties,
    split_name: str,
    count: int,
    seed: int,
    processes: int,
    most: int,
    others: Sequence[str],
) -> None:
    """Fills the pool in ``out`` with ``count`` tasks that have ``properties``, or with those of the split ``split_name``.

    If ``count`` is 0, there are as many as the split has.
    No task has the structure of one in the pools and splits ``others``.

    Raises:
        StudyError: a split is given and properties are too, or the folder cannot be used.
        TaskError: there is no such pool among ``others``.
        typer.Exit: with code 1, after Ctrl-C, or if tasks were given up.
    """
    settings: dict[str, Any] = {"seed": seed}
    if split_name:
        if properties != TaskProperties():
            raise StudyError("--split has a composition of its own; leave out the other properties of tasks")
        about = split(split_name)
        number = count or about.tasks
        settings |= {"split": split_name, "n": number}
        slots = slots_of(composition(number, about.hard), split_name, seed)
    else:
        settings |= msgspec.to_builtins(properties)
        slots = consecutive(properties, count, seed)
    structures = {pooled.entry.structure for name in others for pooled in pool_called(name)}
    if structures:
        settings["apart"] = digest(" ".join(sorted(structures)).encode())
    writer, lines = PoolWriter(out, settings), ProgressLines()
    workers = Workers(processes, ()) if processes > 1 else None
    submit = partial(workers.submit, tried) if workers else here

    def watch(tally: SeedTally) -> None:
        lines.update(partial(in_words, tally))

    try:
        tally = Pooling(slots, generator, writer, submit, processes, most, watch, structures).fill()
    except KeyboardInterrupt:
        lines.say("stopped; the same command goes on from here")
        raise typer.Exit(1) from None
    finally:
        if workers:
            workers.kill()
            workers.close()
        writer.release()
    show_tally(tally)
    for slot in tally.unfilled:
        lines.say(given_up(slot, most))
    if tally.unfilled:
        raise typer.Exit(1)


def in_words(tally: SeedTally) -> str:
    """The progress in one line."""
    parts = [f"{tally.kept}/{tally.wanted} tasks", f"{tally.candidates} candidates"]
    if tally.rejected:
        counts = ", ".join(f"{verdict} {count}" for verdict, count in tally.rejected.most_common())
        parts.append(f"rejected: {counts}")
    if tally.new:
        each = tally.elapsed / tally.new
        parts.append(f"{each:.1f} s a kept task")
        if missing := tally.wanted - tally.kept:
            parts.append(f"about {in_time(each * missing)} left")
    return "; ".join(parts)


def given_up(slot: PoolSlot, most: int) -> str:
    """A message about a slot that could not be filled."""
    properties = {name: value for name, value in msgspec.to_builtins(slot.wanted).items() if value}
    has = ", ".join(
        f"{name} {', '.join(value) if name == 'mechanics' else value}" for name, value in properties.items()
    )
    which = f"task {slot.name} of the split" if slot.name else "the rest of the tasks"
    about = f" ({has})" if has else ""
    return (
        f"{which}{about} was given up after {most} seeds in a row that were rejected; "
        "raise --attempts and give the same command again"
    )


def show_tally(tally: SeedTally) -> None:
    """Prints candidates, verdicts and the processor time by step."""
    terminal = Terminal()
    counts = draw_table("", "candidates", "seeds", "%", numbers=True)
    rows = {"kept": tally.kept, **dict(tally.rejected.most_common())}
    rows = {
        **{name: n for name, n in rows.items() if name != DUPLICATE},
        DUPLICATE: tally.rejected[DUPLICATE],
    }
    for name, number in rows.items():
        counts.add_row(name, str(number), _percent(number, tally.candidates))
    counts.add_section()
    counts.add_row("all", str(tally.candidates), "")
    terminal.print(counts)
    steps = draw_table("", "processor time", "s", "%", numbers=True)
    total = sum(tally.seconds.values())
    for step, seconds in sorted(tally.seconds.items(), key=lambda item: -item[1]):
        steps.add_row(step, f"{seconds:.1f}", _percent(seconds, total))
    steps.add_section()
    steps.add_row("all", f"{total:.1f}", "")
    if tally.kept:
        steps.add_row("a kept task", f"{total / tally.kept:.1f}", "")
    terminal.print(steps)


def _percent(part: float, total: float) -> str:
    return f"{100 * part / total:.1f}" if total else "–"
