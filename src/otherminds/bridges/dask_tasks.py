"""Chunks of episodes as tasks of Dask: ``--executor dask:ADDRESS``. Requires the extra ``dask``.

The address is that of a scheduler, such as ``dask:tcp://HOST:8786``, or a scheduler file. Without one, Dask
uses ``DASK_SCHEDULER_ADDRESS``, or starts workers on this machine. Workers need Other Minds in the same
version. Episodes compute: give a worker process one thread (``dask worker --nthreads 1``).
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from otherminds.studies.chunks import ROOM, Chunks
from otherminds.studies.executors import executors, package


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
