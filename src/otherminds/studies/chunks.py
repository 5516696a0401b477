"""Chunks of episodes without a language model, played by any pool of workers, here or on other machines."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Protocol, TypeAlias, TypeVar

from otherminds.core.errors import InternalError, OtherMindsError
from otherminds.core.plugins import described, guarded, load_plugins
from otherminds.core.record import EpisodeSpec
from otherminds.play.loop import play_now
from otherminds.studies.seating import prepare_setup
from otherminds.studies.store import failed_line, line_of

A = TypeVar("A")
T = TypeVar("T")

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
    """Calls functions elsewhere: any :class:`concurrent.futures.Executor`, or :class:`~otherminds.studies.workers.Workers`."""

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
