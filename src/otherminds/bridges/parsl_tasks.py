"""Chunks of episodes as apps of Parsl: ``--executor parsl:FILE.py``. Requires the extra ``parsl``.

The file makes a ``parsl.Config`` called ``config``: which machines, with which scheduler, and how many
workers. Workers need Other Minds in the same version.
"""

from __future__ import annotations

import runpy
from collections.abc import Generator
from contextlib import contextmanager

from otherminds.core.errors import StudyError
from otherminds.studies.chunks import Chunks
from otherminds.studies.executors import executors, package


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
