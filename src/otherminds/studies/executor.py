"""Executors, which play planned episodes and return stored lines: the interface, the registry, and processes of this machine.

A spec string names one: ``processes``, ``ray:ADDRESS``, ``dask:ADDRESS``, ..."""

from __future__ import annotations

import asyncio
import math
import os
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, TypeAlias, runtime_checkable

from otherminds.core.errors import InternalError, OtherMindsError, StudyError
from otherminds.core.model import Model
from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.core.registry import Registry, guarded
from otherminds.core.segments import read_line
from otherminds.models.hosts import Hosts
from otherminds.studies.chunks import Chunks, Workers
from otherminds.studies.plan import ego
from otherminds.studies.run_dir import Ledger
from otherminds.studies.status import StatusFile
from otherminds.studies.store import Store


class Progress(Protocol):
    """Receives the progress of a run."""

    def start(self, planned: int, done: int, asked: int) -> None:
        """A run starts with ``planned`` episodes: ``done`` are recorded, ``asked`` are left that have a language model."""

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        """An episode was recorded."""

    def say(self, text: str) -> None:
        """Shows a message to the user."""


class Recorder:
    """Records finished episodes of ``todo``: in the store, then in the ledger and status, then on the screen."""

    def __init__(
        self,
        store: Store,
        ledger: Ledger,
        status: StatusFile,
        progress: Progress,
        todo: Sequence[EpisodeSpec],
    ) -> None:
        self._store, self._ledger, self._status, self._progress = store, ledger, status, progress
        self._todo: dict[str, EpisodeSpec | None] = {spec.hash: spec for spec in todo}
        """``None`` for an episode that is recorded."""

    def lease(self, specs: Sequence[EpisodeSpec]) -> None:
        """Marks episodes as being played."""
        if specs:
            self._ledger.mark((spec.hash, "leased") for spec in specs)
            self._status.update()

    def keep(self, lines: Sequence[bytes]) -> None:
        """Records finished episodes by their stored lines. Further lines of an episode are dropped.

        Raises:
            StudyError: they cannot be written.
            InternalError: a line is damaged, or of an episode that was not to be played.
        """
        ended: list[tuple[EpisodeSpec, Outcome]] = []
        fresh: list[bytes] = []
        for raw in lines:
            try:
                line = read_line(raw)
            except StudyError as error:
                raise InternalError(f"an executor sent back {error}") from error
            if line.episode not in self._todo:
                raise InternalError("an executor sent back a line that was not asked for")
            if (spec := self._todo[line.episode]) is not None:
                self._todo[line.episode] = None
                fresh.append(raw)
                ended.append((spec, line.outcome()))
        self._store.append(fresh)
        self._ledger.mark((spec.hash, outcome.status) for spec, outcome in ended)
        self._status.update()
        for spec, outcome in ended:
            if outcome.blame == InternalError.blame:
                who = f"{spec.title}, {ego(spec).title}, seed {spec.seed}"
                self._progress.say(f"{who}: failed: {outcome.reason}")
            self._progress.advance(spec, outcome)


class Executor(Protocol):
    """Plays planned episodes: in other processes, on this event loop, or on other machines.

    :func:`~otherminds.minds.registry.prepare_setup` makes the episode from its spec; an executor
    returns its stored line (:func:`~otherminds.studies.store.line_of`).
    """

    def submit(self, spec: EpisodeSpec) -> bool:
        """Accepts an episode; false if there is no room for it, now or at all."""
        ...

    def results(self) -> AsyncIterator[Sequence[bytes]]:
        """Lines of finished episodes, in batches, until none is running; more may be submitted meanwhile.

        An episode that was stopped, to be played later, has no line.

        Raises:
            OtherMindsError: the run cannot continue. Lines of episodes that finished before were returned.
        """
        ...

    async def close(self) -> None:
        """Stops running episodes and waits until they have ended."""
        ...


@runtime_checkable
class ModelHost(Protocol):
    """An :class:`Executor` that opens models too, for example on the nodes of a cluster."""

    def servers(self, spec: str, hosts: Hosts) -> tuple[Model, ...]:
        """One model for each of its servers, as :func:`~otherminds.models.registry.open_servers`, with its errors."""
        ...


async def drive(executor: Executor, todo: Sequence[EpisodeSpec], recorder: Recorder) -> None:
    """Plays ``todo`` on ``executor``, in this order, and records it; then closes the executor.

    Episodes that the executor does not take are left.
    """
    waiting = deque(todo)

    def fill() -> None:
        submitted: list[EpisodeSpec] = []
        while waiting and executor.submit(waiting[0]):
            submitted.append(waiting.popleft())
        recorder.lease(submitted)

    try:
        fill()
        async for lines in executor.results():
            recorder.keep(lines)
            fill()
    finally:
        await executor.close()


async def stop(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


ExecutorKind: TypeAlias = Callable[[str, tuple[str, ...]], AbstractContextManager[Executor]]
"""``kind(where, plugins)`` opens an executor; ``where`` is the spec string after its first colon."""

executors: Registry[ExecutorKind] = Registry("executor", "otherminds.studies")


@contextmanager
def open_executor(spec: str, plugins: tuple[str, ...]) -> Generator[Executor]:
    """The executor that ``spec`` names, such as ``processes`` or ``dask:tcp://HOST:8786``, until the end of the block.

    ``plugins`` are the files of :attr:`~otherminds.studies.plan.StudyPlan.plugins`, which other machines
    need at the same paths.

    Raises:
        StudyError: there is no such executor, its package is not installed, or its machines do not answer.
    """
    kind, _, where = spec.partition(":")
    opened = executors.make(kind, {}, where, plugins)
    with ExitStack() as resources:
        with guarded(f"executor {spec!r} cannot be opened"):
            executor = resources.enter_context(opened)
        yield executor


def package(name: str, extra: str) -> ModuleType:
    """The optional package ``name``, which ``extra`` installs.

    Raises:
        StudyError: it is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise StudyError(
            f"this executor needs the extra {extra!r}; install it with: pip install 'otherminds[{extra}]'"
        ) from error


class ProcessPool(Chunks):
    """Plays chunks in ``count`` processes of this machine, by default one for each processor.

    A process that dies ends the run: something killed it, such as a lack of memory, and would again.
    """

    def __init__(self, plugins: tuple[str, ...], count: int = 0) -> None:
        count = count or os.cpu_count() or 1
        self._workers = Workers(count, plugins)
        super().__init__(self._workers, room=2 * count, patience=math.inf)
        self.tries = 1

    async def close(self) -> None:
        """See :meth:`~otherminds.studies.executor.Executor.close`. Workers that are still playing are killed."""
        if self._open:
            self._workers.kill()
        self._workers.close()

    def given_up(self, why: str) -> OtherMindsError:
        return InternalError("a worker process was killed from outside; run the command again")


@executors.register("processes")
@contextmanager
def processes(where: str, plugins: tuple[str, ...]) -> Generator[ProcessPool]:
    """Processes of this machine, one for each processor or processes:COUNT; the default."""
    if where and not (where.isdecimal() and int(where)):
        raise StudyError(f"processes:COUNT needs a whole number from 1, not {where!r}")
    yield ProcessPool(plugins, int(where or 0))
