"""Fills pools with generated and with authored tasks, says how it goes, and prints what became of seeds and attempts.

This is what ``otherminds pools generate``, ``pools author`` and ``pools evolve`` do, imported when one of them is called."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec
import typer

from otherminds.core.encoding import derive, digest
from otherminds.core.errors import StudyError
from otherminds.household.authoring.attempt import AttemptOptions, Writers
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.evolution import Generation
from otherminds.household.authoring.journal import AttemptStep
from otherminds.household.authoring.results import Assignment, AttemptLine, Spending, Stage
from otherminds.household.cli.printing import ProgressLines, draw_table
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
from otherminds.household.generating.properties import Generator, TaskProperties, composition, split
from otherminds.household.pool.folder import PoolWriter
from otherminds.household.pool.store import digest_bytes, pool_called
from otherminds.models.hosts import Hosts
from otherminds.models.wrappers import BudgetSpentError
from otherminds.studies.access import Limits
from otherminds.studies.chunks import Workers
from otherminds.studies.outside import RoleModels, role_models
from otherminds.studies.progress import Terminal, in_time

if TYPE_CHECKING:
    from otherminds.sandbox.kinds import Sandbox


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
        settings["apart"] = digest_bytes(" ".join(sorted(structures)).encode())
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


START = "dev"
"""The split with which a new pool starts."""
UNSHOWN = (
    "the pool has no results of targets (otherminds pools evolve gets them): authors are shown no tasks of it"
)
EDITS = "the author works with typed edits in place of a shell"


@dataclass(frozen=True)
class Attempts:
    """Attempts at tasks of one assignment, whose seed is that of all of them; in ``out``, one folder each."""

    writers: Writers
    pool: AuthoredPool
    out: Path
    asked: Assignment
    rho: float
    options: AttemptOptions

    def make(self, n: int, limits: Limits, hosts: Hosts) -> str:
        """Makes ``n`` attempts without those that are made, and prints where they ended.

        Models may be asked at the addresses in their names, and at ``hosts``. Returns why it stopped before; empty if it did not.

        Raises:
            StudyError: a model or a folder cannot be used.
            ProviderError: a model's service does not answer.
        """
        lines: list[AttemptLine] = []
        try:
            asyncio.run(self._make(n, limits, hosts, lines))
        except BudgetSpentError as spent:
            return f"stopped: {spent}; the same command with a higher limit goes on from here"
        except KeyboardInterrupt:
            return "stopped; the same command goes on from here"
        finally:
            if lines:
                show(lines)
        return ""

    async def _make(self, n: int, limits: Limits, hosts: Hosts, lines: list[AttemptLine]) -> None:
        done = {line.attempt: line for line in self.pool.attempts()}
        progress = AttemptProgress(n)
        if self.writers.gates.examples and not self.pool.results():
            progress.say(UNSHOWN)
        async with role_models(
            self.writers.roles.values(), self.out / "calls", limits, progress.say, hosts
        ) as models:
            for number in range(n):
                name = f"{self._name}-{number}"
                progress.begins(number)
                line = done.get(name) or await self._attempt(models, name, number, progress)
                lines.append(line)
                progress.report_end(line)

    async def _attempt(
        self, models: RoleModels, name: str, number: int, progress: AttemptProgress
    ) -> AttemptLine:
        seed = derive(self.asked.seed, "attempt", number)
        assignment = msgspec.structs.replace(self.asked, seed=seed)
        options = replace(self.options, name=name, watch=progress)
        folder = self.out / "attempts" / f"{number:04}"
        return await self.writers.attempted(models, self.pool, folder, assignment, self.rho, options)

    @property
    def _name(self) -> str:
        """The first part of the names of attempts: commands that make equal attempts have equal names."""
        writers, options = self.writers, self.options
        limits = (options.max_turns, options.max_unusable, options.reply_tokens)
        sandbox = options.sandbox.name if options.sandbox else ""
        settings = (writers.author, writers.judges, writers.gates, self.asked, self.rho, limits, sandbox)
        return digest(settings)[:12]


class AttemptProgress:
    """Says on standard error where each attempt ended, and every few seconds what the present one does."""

    def __init__(self, n: int) -> None:
        self._n, self._number = n, 0
        self._lines = ProgressLines()
        self.say = self._lines.say

    def begins(self, number: int) -> None:
        """Called when attempt ``number``, from 0, begins."""
        self._number = number + 1

    def __call__(self, step: AttemptStep) -> None:
        turn = f"turn {step.turn + 1}, {step.tool or 'no action'}"
        self._lines.update(lambda: f"attempt {self._number}/{self._n}: {turn}")

    def report_end(self, line: AttemptLine) -> None:
        """Says where an attempt ended."""
        where = f"kept as {line.task_id}" if line.task_id else f"ended at: {line.stage}"
        turns = f"{line.turns} turns, {line.unusable} of them without an action"
        self.say(f"attempt {self._number}/{self._n}: {where}; {turns}")


def show(lines: Sequence[AttemptLine]) -> None:
    """Prints the attempts by the stage where they ended, and what they cost."""
    terminal = Terminal()
    heads = ("ended at", "attempts", "turns", "no action", "seconds", "US dollars")
    table = draw_table("", *heads, numbers=True)
    ended = Counter(line.stage for line in lines)
    for stage in reversed(get_args(Stage)):
        if ended[stage]:
            table.add_row(*_row(stage, [line for line in lines if line.stage == stage]))
    table.add_section()
    table.add_row(*_row("all", lines))
    terminal.print(table)


def opened_pool(pool: Path | None, out: Path) -> AuthoredPool:
    """The pool in the folder ``pool``, else in ``out``; a new one starts with :data:`START`.

    Raises:
        StudyError: the folder holds something else, or cannot be written.
    """
    if pool is not None and pool.exists():
        return AuthoredPool(pool)
    return AuthoredPool.create(pool or out / "pool", START)


def opened_sandbox(name: str) -> Sandbox | None:
    """The sandbox ``name``; ``None`` for ``none``, and for ``auto`` where no sandbox works.

    Raises:
        StudyError: it does not work here, or there is no such sandbox; the text says what to install.
    """
    from otherminds.sandbox.kinds import open_sandbox

    if name == "none":
        return None
    try:
        return open_sandbox(name)
    except StudyError as error:
        if name != "auto":
            raise
        Terminal(stderr=True).print(f"{EDITS}: {error}", soft_wrap=True)
        return None


def _row(name: str, lines: Sequence[AttemptLine]) -> tuple[str, ...]:
    spent = sum((line.spending for line in lines), Spending())
    dollars = "unknown" if spent.dollars is None else f"{spent.dollars:.4f}"
    counts = (len(lines), sum(line.turns for line in lines), sum(line.unusable for line in lines))
    return (name, *map(str, counts), f"{spent.seconds:.0f}", dollars)


def describe_generation(generation: Generation) -> str:
    """The progress of a generation in one line.

    >>> describe_generation(Generation(2, 30, 10, {"kept": 10, "verified": 2}, 0.0, 60.0))
    'generation 2: 10/30 tasks; 12 attempts: kept 10, verified 2; about 2 min left'
    """
    ended = ", ".join(f"{stage} {count}" for stage, count in generation.stages.items())
    parts = [f"generation {generation.number}: {generation.kept}/{generation.wanted} tasks"]
    if generation.stages:
        parts.append(f"{sum(generation.stages.values())} attempts: {ended}")
    if generation.dollars:
        parts.append(f"{generation.dollars:.2f} US dollars")
    if generation.kept and (missing := generation.wanted - generation.kept):
        parts.append(f"about {in_time(generation.seconds / generation.kept * missing)} left")
    return "; ".join(parts)
