"""Chunks of episodes on a cluster, by Dask, Parsl or Slurm: ``--executor dask:ADDRESS``, ``parsl:FILE.py``, ``submitit:FOLDER``.

Each requires the extra of its name. Workers need Other Minds in the same version.

The address of Dask is that of a scheduler, such as ``dask:tcp://HOST:8786``, or a scheduler file. Without one, Dask uses
``DASK_SCHEDULER_ADDRESS``, or starts workers on this machine. Episodes compute: give a worker process one thread
(``dask worker --nthreads 1``).

The file of Parsl makes a ``parsl.Config`` called ``config``: which machines, with which scheduler, and how many workers.

Slurm jobs go through submitit. All nodes share the folder: it holds the files and logs of jobs. Options of submitit follow
it, as in ``submitit:FOLDER?slurm_partition=cpu&timeout_min=60``. Without Slurm, jobs are processes of this machine."""

from __future__ import annotations

import math
import runpy
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from otherminds.core.errors import StudyError
from otherminds.studies.chunks import ROOM, Chunks
from otherminds.studies.executor import executors, package


@executors.register("dask")
@contextmanager
def dask(where: str, plugins: tuple[str, ...]) -> Generator[Chunks]:
    """Tasks of Dask, on the scheduler at dask:ADDRESS or in DASK_SCHEDULER_ADDRESS."""
    distributed = package("distributed", "dask")
    at = {"scheduler_file": where} if where.endswith(".json") else {"address": where or None}
    if not where and not package("dask", "dask").config.get("scheduler-address", None):
        at = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with distributed.Client(set_as_default=False, **at) as client:
        # Not pure: the same call again is another task, which may succeed where the first did not.
        pool = client.get_executor(pure=False)
        room = max(ROOM, 2 * sum(client.nthreads().values()))
        yield Chunks(pool, plugins, room, died=(distributed.scheduler.KilledWorker,))


@executors.register("parsl")
@contextmanager
def parsl(where: str, plugins: tuple[str, ...]) -> Generator[Chunks]:
    """Apps of Parsl, on the machines of the `config` in parsl:FILE.py."""
    pools = package("parsl.concurrent", "parsl")
    faults = package("parsl.executors.high_throughput.errors", "parsl")
    if not where:
        raise StudyError("parsl:FILE.py needs a file that makes a parsl.Config called config")
    config = runpy.run_path(where).get("config")
    if config is None:
        raise StudyError(f"{where} makes no config; write: config = parsl.Config(...)")
    with pools.ParslPoolExecutor(config) as pool:
        yield Chunks(pool, plugins, died=(faults.ManagerLost, faults.WorkerLost))


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
