"""The default executor of episodes without a language model: processes of this machine."""

from __future__ import annotations

import math
import os
from collections.abc import Generator
from contextlib import contextmanager

from otherminds.core.errors import InternalError, OtherMindsError, StudyError
from otherminds.studies.chunks import Chunks
from otherminds.studies.executors import executors
from otherminds.studies.workers import Workers


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
