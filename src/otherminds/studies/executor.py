"""Executors, which play planned episodes and return stored lines, and the recorder of these lines."""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterator, Collection, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any, Protocol

from otherminds.core.errors import InternalError, OtherMindsError, StudyError
from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.core.shards import read_line
from otherminds.play.loop import play_now
from otherminds.studies.ledger import Ledger
from otherminds.studies.plan import ego
from otherminds.studies.seating import prepared
from otherminds.studies.store import Store, failed_line, line_of
from otherminds.studies.workers import Workers

CHUNK = 16
"""Episodes that a worker process plays at a time."""


class Progress(Protocol):
    """Receives the progress of a run."""

    def start(self, planned: int, done: int, asked: int) -> None:
        """A run starts with ``planned`` episodes: ``done`` are recorded, ``asked`` are left that have a language model."""

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        """An episode was recorded."""

    def say(self, text: str) -> None:
        """Shows a message to the user."""


class Recorder:
    """Records finished episodes of ``todo``: in the store, then in the ledger, then on the screen."""

    def __init__(self, store: Store, ledger: Ledger, progress: Progress, todo: Sequence[EpisodeSpec]) -> None:
        self._store, self._ledger, self._progress = store, ledger, progress
        self._todo = {spec.hash: spec for spec in todo}

    def lease(self, specs: Sequence[EpisodeSpec]) -> None:
        """Marks episodes as being played."""
        if specs:
            self._ledger.mark((spec.hash, "leased") for spec in specs)

    def keep(self, lines: Sequence[bytes]) -> None:
        """Records finished episodes by their stored lines.

        Raises:
            StudyError: they cannot be written.
            InternalError: a line is damaged, or of an episode that was not to be played.
        """
        ended: list[tuple[EpisodeSpec, Outcome]] = []
        for raw in lines:
            try:
                line = read_line(raw)
            except StudyError as error:
                raise InternalError(f"an executor sent back {error}") from error
            if line.episode not in self._todo:
                raise InternalError("an executor sent back a line that was not asked for")
            ended.append((self._todo[line.episode], line.outcome()))
        self._store.append(lines)
        self._ledger.mark((spec.hash, outcome.status) for spec, outcome in ended)
        for spec, outcome in ended:
            if outcome.blame == InternalError.blame:
                who = f"{spec.title}, {ego(spec).title}, seed {spec.seed}"
                self._progress.say(f"{who}: failed: {outcome.reason}")
            self._progress.advance(spec, outcome)


class Executor(Protocol):
    """Plays planned episodes: in other processes, on this event loop, or on other machines.

    :func:`~otherminds.studies.seating.prepared` makes the episode from its spec; an executor
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


async def drive(executor: Executor, todo: Sequence[EpisodeSpec], recorder: Recorder) -> None:
    """Plays ``todo`` on ``executor``, in this order, and records it; then closes the executor.

    Episodes that the executor does not take are left.
    """
    waiting = deque(todo)

    def fill() -> None:
        taken: list[EpisodeSpec] = []
        while waiting and executor.submit(waiting[0]):
            taken.append(waiting.popleft())
        recorder.lease(taken)

    try:
        fill()
        async for lines in executor.results():
            recorder.keep(lines)
            fill()
    finally:
        await executor.close()


class ProcessPool:
    """The :class:`Executor` of episodes without a language model; ``plugins`` are imported in each worker."""

    def __init__(self, episodes: int, plugins: tuple[str, ...]) -> None:
        count = min(os.cpu_count() or 1, (episodes + CHUNK - 1) // CHUNK)
        self._workers = Workers(count, plugins)
        self._room = 2 * count
        self._chunk: list[EpisodeSpec] = []
        self._running: set[asyncio.Future[list[bytes]]] = set()

    def submit(self, spec: EpisodeSpec) -> bool:
        """See :meth:`Executor.submit`. Episodes go to the workers in chunks."""
        if len(self._running) >= self._room:
            return False
        self._chunk.append(spec)
        if len(self._chunk) == CHUNK:
            self._flush()
        return True

    async def results(self) -> AsyncIterator[Sequence[bytes]]:
        """See :meth:`Executor.results`."""
        while self._flush() or self._running:
            done, self._running = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            lines = [line for future in done if future.exception() is None for line in future.result()]
            faults = [error for future in done if (error := future.exception()) is not None]
            if lines:
                yield lines
            for fault in faults:
                if isinstance(fault, BrokenExecutor):
                    raise InternalError(
                        "a worker process was killed from outside; run the command again"
                    ) from fault
                raise fault

    async def close(self) -> None:
        """See :meth:`Executor.close`. Workers that are still playing are killed."""
        if self._running:
            self._workers.kill()
        self._workers.close()
        await asyncio.gather(*self._running, return_exceptions=True)

    def _flush(self) -> bool:
        """Sends the episodes collected so far; false if there are none."""
        chunk, self._chunk = self._chunk, []
        if chunk:
            self._running.add(asyncio.wrap_future(self._workers.submit(play_lines, chunk)))
        return bool(chunk)


def play_lines(specs: Sequence[EpisodeSpec]) -> list[bytes]:
    """The lines of episodes without a model, played one after the other."""
    return [_play_line(spec) for spec in specs]


def _play_line(spec: EpisodeSpec) -> bytes:
    try:
        return line_of(*play_now(prepared(spec)))
    except (OtherMindsError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - a mind can raise anything, and only its episode fails
        return failed_line(spec, error)


async def stop(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
