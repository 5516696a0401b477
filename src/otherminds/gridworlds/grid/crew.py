"""Threads that step the shards of a batch at once, where that is faster than one shard after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Thread
from time import perf_counter
from typing import Any
from weakref import finalize

TRIALS = 4  # Calls of each way that are timed; the fastest counts
PERIOD = 512  # Calls after which both ways are timed again

Job = Callable[[], Any]


class Crew:
    """Runs ``threads`` jobs at once, the first in the calling thread, or one after the other, whichever is faster.

    To hand a job over and to wait for it costs tens of microseconds, and far more where other programs use the cores: as
    long as the pictures of a hundred worlds take. What it gains cannot be known beforehand. So both ways are timed by
    ``clock`` in the first calls of each :data:`PERIOD`, in turn.

    ``at_once`` is the faster way.
    """

    def __init__(self, threads: int, clock: Callable[[], float] = perf_counter) -> None:
        self.at_once = True
        self._clock = clock
        self._calls = 0
        self._fastest = {True: float("inf"), False: float("inf")}
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._done: SimpleQueue[BaseException | None] = SimpleQueue()
        for _ in range(threads - 1):
            Thread(target=_work, args=(self._jobs, self._done), daemon=True).start()
        finalize(self, _dismiss, self._jobs, threads - 1)

    def run(self, jobs: Sequence[Job]) -> None:
        """Runs all ``jobs``, and returns when they are done. What one of them raises is raised here."""
        trial = self._calls % PERIOD
        self._calls += 1
        if trial >= 2 * TRIALS:
            self._run(jobs, self.at_once)
            return
        if trial == 0:
            self._fastest = {True: float("inf"), False: float("inf")}
        way = trial % 2 == 0
        started = self._clock()
        self._run(jobs, way)
        self._fastest[way] = min(self._fastest[way], self._clock() - started)
        self.at_once = self._fastest[True] < self._fastest[False]

    def _run(self, jobs: Sequence[Job], at_once: bool) -> None:
        if not at_once:
            for job in jobs:
                job()
            return
        for job in jobs[1:]:
            self._jobs.put(job)
        try:
            jobs[0]()
        finally:
            errors = [self._done.get() for _ in jobs[1:]]
        for error in errors:
            if error is not None:
                raise error


class _Report:
    """Puts what is raised within it into ``done``, or None."""

    def __init__(self, done: SimpleQueue[BaseException | None]) -> None:
        self._done = done

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self._done.put(error)
        return True


def _work(jobs: SimpleQueue[Job | None], done: SimpleQueue[BaseException | None]) -> None:
    while (job := jobs.get()) is not None:
        with _Report(done):
            job()


def _dismiss(jobs: SimpleQueue[Job | None], threads: int) -> None:
    for _ in range(threads):
        jobs.put(None)
