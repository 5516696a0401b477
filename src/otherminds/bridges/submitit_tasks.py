"""Chunks of episodes as Slurm jobs: ``--executor submitit:FOLDER``. Requires the extra ``submitit``.

All nodes share the folder: it holds the files and logs of jobs. Options of submitit follow it, as in
``submitit:FOLDER?slurm_partition=cpu&timeout_min=60``. Without Slurm, jobs are processes of this machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from otherminds.core.errors import StudyError
from otherminds.studies.chunks import Chunks
from otherminds.studies.executors import executors, package

A = TypeVar("A")
T = TypeVar("T")

SIZE = 1000
"""Episodes of a job."""
JOBS = 32
"""Jobs at a time."""


class SlurmJobs:
    """Submits calls as jobs of submitit's ``executor``, and waits for each in a thread."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor
        self._threads = ThreadPoolExecutor(JOBS)
        self._jobs: list[Any] = []

    def submit(self, function: Callable[[A], T], argument: A) -> Future[T]:
        self._jobs.append(self._executor.submit(function, argument))
        return self._threads.submit(self._jobs[-1].result)

    def close(self) -> None:
        """Cancels jobs that have not ended."""
        for job in self._jobs:
            if not job.done():
                job.cancel()
        self._threads.shutdown()


@executors.register("submitit")
@contextmanager
def submitit(where: str, plugins: tuple[str, ...]) -> Generator[Chunks]:
    """Slurm jobs, with their files in submitit:FOLDER; options follow it, as in ?slurm_partition=cpu&timeout_min=60."""
    folder, _, options = where.partition("?")
    library = package("submitit", "submitit")
    if not folder:
        raise StudyError("submitit:FOLDER needs a folder for the files of jobs, which all nodes share")
    executor = library.AutoExecutor(folder=folder)
    executor.update_parameters(**{k: int(v) if v.isdecimal() else v for k, v in parse_qsl(options)})
    with closing(SlurmJobs(executor)) as jobs:
        yield Chunks(jobs, plugins, JOBS, SIZE, math.inf, (library.core.utils.UncompletedJobError,))
