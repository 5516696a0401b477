"""Worker processes.

Each worker has a pipe of its own, so that a worker can be killed at any moment: its pipe ends, and
nothing else does. The workers of :class:`concurrent.futures.ProcessPoolExecutor` share one pipe and its
lock; that pool waits for ever for the rest of a result whose worker is killed while it sends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TypeVar, cast

from otherminds.core.errors import InternalError, OtherMindsError
from otherminds.core.plugins import LOG, described, load_plugins

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
