"""Executors, which play planned episodes and return stored lines, and the recorder of these lines."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator, Collection, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Protocol

from otherminds.core.errors import InternalError, OtherMindsError, StudyError
from otherminds.core.plugins import LOG
from otherminds.core.record import EpisodeSpec, Outcome
from otherminds.core.shards import read_line
from otherminds.play.loop import play_now
from otherminds.studies.ledger import Ledger
from otherminds.studies.plan import ego, load_plugins
from otherminds.studies.seating import prepared
from otherminds.studies.store import Store, failed_line, line_of

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
        workers = min(os.cpu_count() or 1, (episodes + CHUNK - 1) // CHUNK)
        context = multiprocessing.get_context("spawn")
        self._others = set(multiprocessing.active_children())
        self._pool = ProcessPoolExecutor(workers, context, _start_worker, (plugins,))
        self._room = 2 * workers
        self._chunk: list[EpisodeSpec] = []
        self._running: dict[asyncio.Future[list[bytes]], list[EpisodeSpec]] = {}

    def submit(self, spec: EpisodeSpec) -> bool:
        """See :meth:`Executor.submit`. Episodes go to the workers in chunks."""
        if len(self._running) >= self._room:
            return False
        self._chunk.append(spec)
        if len(self._chunk) == CHUNK:
            self._flush()
        return True

    async def results(self) -> AsyncIterator[Sequence[bytes]]:
        """See :meth:`Executor.results`. A chunk with an error is played again one by one."""
        while self._flush() or self._running:
            done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            lines: list[bytes] = []
            fault: BaseException | None = None
            for future in done:
                chunk = self._running.pop(future)
                error = future.exception()
                if error is None:
                    lines += future.result()
                elif isinstance(error, BrokenProcessPool | OtherMindsError):
                    fault = error
                elif len(chunk) == 1:
                    lines.append(failed_line(chunk[0], error))
                else:
                    for spec in chunk:
                        self._send([spec])
            if lines:
                yield lines
            if isinstance(fault, BrokenProcessPool):
                raise InternalError(
                    "a worker process was killed from outside; run the command again"
                ) from fault
            if fault is not None:
                raise fault

    async def close(self) -> None:
        """See :meth:`Executor.close`. Workers that are still playing are terminated."""
        if self._running:
            for worker in set(multiprocessing.active_children()) - self._others:
                worker.terminate()
        self._pool.shutdown(cancel_futures=True)
        await asyncio.gather(*self._running, return_exceptions=True)

    def _flush(self) -> bool:
        """Sends the episodes collected so far; false if there are none."""
        chunk, self._chunk = self._chunk, []
        if chunk:
            self._send(chunk)
        return bool(chunk)

    def _send(self, chunk: list[EpisodeSpec]) -> None:
        with _interrupts_held_back():
            future = self._pool.submit(play_lines, chunk)
        self._running[asyncio.wrap_future(future)] = chunk


def play_lines(specs: Sequence[EpisodeSpec]) -> list[bytes]:
    """The lines of episodes without a model, played one after the other."""
    return [line_of(*play_now(prepared(spec))) for spec in specs]


async def stop(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits until they have ended."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def _interrupts_held_back() -> Generator[None]:
    """Delays Ctrl-C, for this process and for good in workers that are started meanwhile.

    A worker that is interrupted while it starts prints a traceback and breaks the pool.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(plugins: tuple[str, ...]) -> None:
    """Makes a worker end with its parent, even when that is killed, and ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    LOG.disabled = True  # the main process has named the plugins that are left out
    load_plugins(plugins)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
