"""Chunks of episodes without a language model, played by any pool of workers, and the worker processes of this machine.

Each worker has a pipe of its own, so that a worker can be killed at any moment: its pipe ends, and
nothing else does. The workers of :class:`concurrent.futures.ProcessPoolExecutor` share one pipe and its
lock; that pool waits for ever for the rest of a result whose worker is killed while it sends."""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from time import monotonic
from typing import Protocol, TypeAlias, TypeVar, cast

from otherminds.core.errors import InternalError, OtherMindsError
from otherminds.core.record import EpisodeSpec
from otherminds.core.registry import LOG, described, guarded, load_plugins
from otherminds.minds.registry import prepare_setup
from otherminds.play.loop import play_now
from otherminds.studies.store import failed_line, line_of

A = TypeVar("A")
T = TypeVar("T")


class Workers:
    """Calls functions in ``count`` processes, which import ``plugins`` and start with the first calls."""

    def __init__(self, count: int, plugins: tuple[str, ...]) -> None:
        self._plugins = plugins
        self._threads = ThreadPoolExecutor(count, initializer=_hold_interrupts_back)
        self._here = threading.local()
        self._changing = threading.Lock()
        self._started: list[tuple[BaseProcess, Connection]] = []
        self._killed = False

    def submit(self, function: Callable[[A], T], argument: A) -> Future[T]:
        """Calls ``function`` in the next worker that is free. The function, its argument and its result are pickled.

        The future raises :class:`~otherminds.core.errors.OtherMindsError` if the function does
        (``InternalError`` for all other errors), and ``BrokenExecutor`` if the worker was killed.
        """
        return cast("Future[T]", self._threads.submit(self._call, function, argument))

    def kill(self) -> None:
        """Kills the workers: calls that have not ended raise ``BrokenExecutor``."""
        with self._changing:
            self._killed = True
            for process, _ in self._started:
                process.terminate()

    def close(self) -> None:
        """Cancels calls that have not begun, waits for the others, and ends the workers."""
        self._threads.shutdown(cancel_futures=True)
        for process, pipe in self._started:
            pipe.close()
            process.join()

    def _call(self, function: Callable[[A], T], argument: A) -> T:
        """Calls the function in the worker of this thread."""
        pipe: Connection | None = getattr(self._here, "pipe", None)
        try:
            if pipe is None:
                pipe = self._here.pipe = self._start()
            pipe.send((function, argument))
            answer: T | OtherMindsError = pipe.recv()
        except (EOFError, OSError) as error:
            raise BrokenExecutor("a worker process has ended") from error
        if isinstance(answer, OtherMindsError):
            raise answer
        return answer

    def _start(self) -> Connection:
        context = multiprocessing.get_context("spawn")
        with self._changing:
            if self._killed:
                raise EOFError
            ours, theirs = cast("tuple[Connection, Connection]", context.Pipe())
            process = context.Process(target=_serve, args=(theirs, self._plugins))
            process.start()
            theirs.close()
            self._started.append((process, ours))
        return ours


def _hold_interrupts_back() -> None:
    """Blocks Ctrl-C in this thread, and so in the processes that it starts.

    A worker that is interrupted while it starts prints a traceback.
    """
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _serve(pipe: Connection, plugins: tuple[str, ...]) -> None:
    """A worker: ignores Ctrl-C, answers calls until the pipe ends, and ends with its parent, even when that is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
    LOG.disabled = True  # the main process has named the plugins that are left out
    fault = _answer(load_plugins, plugins)
    with suppress(EOFError, OSError):
        while True:
            call = pipe.recv()
            pipe.send(fault or _answer(*call))


def _answer(function: Callable[[A], T], argument: A) -> T | OtherMindsError:
    try:
        return function(argument)
    except BaseException as error:  # noqa: BLE001 - a mind can raise anything, and this process must answer
        return error if isinstance(error, OtherMindsError) else InternalError(described(error))


CHUNK = 16
"""Episodes that a worker plays at a time."""
ROOM = 64
"""Chunks that a pool of unknown size has at a time."""
TRIES = 4
"""Times that a chunk is submitted, because its workers died or do not answer."""
PATIENCE = 3600.0
"""Seconds without any answer after which all chunks are submitted again."""
LATE = 1.0
"""Seconds after which a chunk may be late, at the earliest."""
TICK = 0.25
"""Seconds between two looks for late chunks."""

Answer: TypeAlias = list[bytes] | OtherMindsError
_LOADING = threading.Lock()


class Pool(Protocol):
    """Calls functions elsewhere: any :class:`concurrent.futures.Executor`, or :class:`~otherminds.studies.chunks.Workers`."""

    def submit(self, function: Callable[[A], T], argument: A, /) -> Future[T]:
        """Calls ``function(argument)``, both pickled where the pool needs that."""
        ...


@dataclass(eq=False)
class Chunk:
    """Episodes that are played together, and their unanswered calls; ``sent`` is the time of the last of ``tries``."""

    specs: list[EpisodeSpec]
    calls: set[Future[Answer]] = field(default_factory=set)
    sent: float = 0.0
    tries: int = 0


class Chunks:
    """The :class:`~otherminds.studies.executor.Executor` of episodes without a language model, over any ``pool``.

    The pool may be a ``ThreadPoolExecutor``, a ``ProcessPoolExecutor``, or what Dask, Parsl and others offer
    as a :class:`concurrent.futures.Executor`; it stays open. It may answer in any order, more than once, or not at all:

    - A chunk whose worker dies (``BrokenExecutor``, a cancelled future, or an error in ``died``) is submitted again.
    - When all episodes are submitted and the pool has room, a chunk that takes twice as long as the longest before
      it is submitted once more; the first answer counts (the backup tasks of Dean & Ghemawat 2004, "MapReduce").
    - After ``patience`` seconds without any answer, all chunks are submitted again.

    With an infinite ``patience``, for pools that report what they lose, only the first rule holds. A chunk is
    submitted at most :data:`TRIES` times. ``plugins`` are imported where a chunk is played. The
    pool has at most ``room`` chunks of ``size`` episodes at a time.
    """

    def __init__(
        self,
        pool: Pool,
        plugins: tuple[str, ...] = (),
        room: int = ROOM,
        size: int = CHUNK,
        patience: float = PATIENCE,
        died: tuple[type[BaseException], ...] = (),
    ) -> None:
        self.tries = TRIES
        self._pool, self._room, self._size, self._patience = pool, room, size, patience
        self._play = partial(play_chunk, plugins)
        self._died = (BrokenExecutor, CancelledError, *died)
        self._collected: list[EpisodeSpec] = []
        self._open: dict[Chunk, None] = {}
        self._ended: asyncio.Queue[tuple[Chunk, Future[Answer]]] = asyncio.Queue()
        self._longest = math.inf
        self._heard = math.inf

    def submit(self, spec: EpisodeSpec) -> bool:
        """See :meth:`~otherminds.studies.executor.Executor.submit`. Episodes go to the pool in chunks.

        Raises:
            StudyError: the pool takes no more calls.
        """
        if len(self._open) >= self._room:
            return False
        self._collected.append(spec)
        if len(self._collected) == self._size:
            self._flush()
        return True

    async def results(self) -> AsyncIterator[Sequence[bytes]]:
        """See :meth:`~otherminds.studies.executor.Executor.results`."""
        self._heard = monotonic()
        while self._flush() or self._open:
            lines: list[bytes] = []
            faults: list[OtherMindsError] = []
            for chunk, call in await self._take_arrivals():
                self._heard = monotonic()
                chunk.calls.discard(call)
                if chunk not in self._open:
                    continue
                fault = CancelledError() if call.cancelled() else call.exception()
                answer = call.result() if fault is None else self._fault(chunk, fault)
                if isinstance(answer, OtherMindsError):
                    faults.append(answer)
                elif answer is not None:
                    lines += answer
                    self._close(chunk)
            if lines:
                yield lines
            for fault in faults:
                raise fault
            for chunk in self._late():
                self._send(chunk)

    async def close(self) -> None:
        """See :meth:`~otherminds.studies.executor.Executor.close`. Calls that have not begun are cancelled."""
        for chunk in list(self._open):
            self._close(chunk)

    def _flush(self) -> bool:
        """Sends the episodes collected so far; false if there are none."""
        specs, self._collected = self._collected, []
        if specs:
            chunk = Chunk(specs)
            self._open[chunk] = None
            self._send(chunk)
        return bool(specs)

    def _send(self, chunk: Chunk) -> None:
        loop = asyncio.get_running_loop()

        def put_ended(call: Future[Answer]) -> None:
            with suppress(RuntimeError):  # the run is over, and its loop closed
                loop.call_soon_threadsafe(self._ended.put_nowait, (chunk, call))

        with guarded("the executor takes no more episodes"):
            call = self._pool.submit(self._play, chunk.specs)
        chunk.calls.add(call)
        chunk.sent = monotonic()
        chunk.tries += 1
        call.add_done_callback(put_ended)

    async def _take_arrivals(self) -> list[tuple[Chunk, Future[Answer]]]:
        """Calls that have ended; none if there are none for :data:`TICK` seconds."""
        arrived: list[tuple[Chunk, Future[Answer]]] = []
        with suppress(TimeoutError):
            arrived.append(await asyncio.wait_for(self._ended.get(), TICK))
        while not self._ended.empty():
            arrived.append(self._ended.get_nowait())
        return arrived

    def _fault(self, chunk: Chunk, fault: BaseException) -> OtherMindsError | None:
        """What ends the run after a call that failed; ``None`` if another call may succeed."""
        if isinstance(fault, OtherMindsError):
            return fault
        if not isinstance(fault, self._died):
            return InternalError(f"the executor failed: {described(fault)}")
        if chunk.tries < self.tries or chunk.calls:
            return None
        return self.given_up(f"the workers of a chunk died {chunk.tries} times ({described(fault)})")

    def given_up(self, why: str) -> OtherMindsError:
        """The error that ends the run when a chunk is not submitted again."""
        return InternalError(f"{why}; finished episodes are recorded, run the command again")

    def _late(self) -> list[Chunk]:
        """Chunks to submit again: without a call, late while nothing waits, or all after a long silence.

        Raises:
            InternalError: after a long silence, none may be submitted again.
        """
        now = monotonic()
        silent = now - self._heard > self._patience
        idle = len(self._open) < self._room and self._patience < math.inf
        longest = max(LATE, 2 * self._longest) if idle else math.inf
        late = [chunk for chunk in self._open if silent or not chunk.calls or now - chunk.sent > longest]
        again = [chunk for chunk in late if chunk.tries < self.tries]
        if silent:
            if not again:
                raise self.given_up(f"the executor has not answered for {self._patience:.0f} s")
            self._heard = now
        return again

    def _close(self, chunk: Chunk) -> None:
        """Counts a chunk as done, and cancels its other calls."""
        del self._open[chunk]
        took = monotonic() - chunk.sent
        self._longest = took if self._longest == math.inf else max(self._longest, took)
        for call in chunk.calls:
            with suppress(NotImplementedError):
                call.cancel()


def play_chunk(plugins: tuple[str, ...], specs: Sequence[EpisodeSpec]) -> Answer:
    """The lines of episodes without a model, after importing ``plugins``; or the error that ends the run."""
    try:
        with _LOADING:
            load_plugins(plugins)
        return play_lines(specs)
    except OtherMindsError as error:
        return error


def play_lines(specs: Sequence[EpisodeSpec]) -> list[bytes]:
    """The lines of episodes without a model, played one after the other."""
    return [_play_line(spec) for spec in specs]


def _play_line(spec: EpisodeSpec) -> bytes:
    try:
        return line_of(*play_now(prepare_setup(spec)))
    except (OtherMindsError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - a mind can raise anything, and only its episode fails
        return failed_line(spec, error)
