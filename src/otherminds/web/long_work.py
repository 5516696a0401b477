"""Work that takes longer than a page may: it is done in one thread, one piece after the other, and pages show how far it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from queue import SimpleQueue
from time import monotonic
from typing import Any, TypeAlias

from msgspec import Struct

from otherminds.core.errors import OtherMindsError

MOST = 64
"""Results that are kept."""
UNEXPECTED = "An error of the software ended this; its text is in the terminal."
Task: TypeAlias = Callable[[Callable[[int], None]], Any]
"""Does a piece of work; it calls its argument with how many episodes it has read, which ends it when the app does."""


class WorkStoppedError(OtherMindsError):
    """The app ends before the work is done."""

    blame = "study"


class Work(Struct):
    """A piece of work: its last ``result`` and the ``state`` of the run that it is about, or the ``fault`` that ended it.

    ``running``: it waits, or is being done anew; ``read`` episodes have been read for that. It took ``seconds``, and ended at ``ended``
    (monotonic).
    """

    result: Any = None
    state: Hashable = None
    fault: str = ""
    running: bool = False
    read: int = 0
    seconds: float = 0.0
    ended: float = 0.0


class Workshop:
    """Does work in a thread of its own."""

    def __init__(self) -> None:
        self._works: dict[Hashable, Work] = {}
        self._queue: SimpleQueue[tuple[Work, Hashable, Task]] = SimpleQueue()
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._begun = False

    def find(self, key: Hashable) -> Work:
        """The work under ``key`` as it is; empty if it was never asked for."""
        with self._lock:
            return self._works.get(key, Work())

    def ask(self, key: Hashable, state: Hashable, task: Task) -> Work:
        """The work under ``key``; ``task`` is done if its result is not of this ``state`` of the run."""
        with self._lock:
            work = self._works.setdefault(key, Work())
            if not work.running and (work.state != state or not work.ended):
                work.running, work.read = True, 0
                self._queue.put((work, state, task))
            for old in [old for old, other in self._works.items() if not other.running][:-MOST]:
                del self._works[old]
            if not self._begun:
                self._begun = True
                self._start()
            return work

    def close(self) -> None:
        """Ends the work that is being done, soon."""
        self._closed.set()

    def _start(self) -> None:
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while not self._closed.is_set():
            work, state, task = self._queue.get()
            began = monotonic()

            def tell(read: int, work: Work = work) -> None:
                work.read = read
                if self._closed.is_set():
                    raise WorkStoppedError("the app has ended")

            work.fault = UNEXPECTED
            try:
                work.result, work.fault = task(tell), ""
            except OtherMindsError as error:
                work.result, work.fault = None, str(error)
            finally:
                if work.fault == UNEXPECTED:
                    self._start()  # the error ends this thread
                work.state, work.ended = state, monotonic()
                work.seconds = work.ended - began
                work.running = False
