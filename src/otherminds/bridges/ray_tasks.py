"""Chunks of episodes as tasks of Ray, and models as its actors: ``--executor ray:ADDRESS``. Requires the extra ``ray``.

The address is that of a cluster, such as ``ray:HOST:6379``. Without one, Ray uses ``RAY_ADDRESS``.
``ray:auto`` is a cluster that was started on this machine, and ``ray:local`` starts one. Ray 2.60 binds its services to
all interfaces, also with the node's address ``127.0.0.1``, so a cluster is started only if it is named. Its nodes need Other Minds in the same version.
Models that are loaded into a process (``smollm2``, ``gguf:PATH``) are loaded on the nodes
(:mod:`~otherminds.bridges.ray_models`); all else about episodes with models happens in this process.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, TypeVar

from otherminds.bridges.ray_models import gone, host_model
from otherminds.core.errors import StudyError
from otherminds.core.model import Model
from otherminds.models.hosts import Hosts
from otherminds.models.registry import LOADED, open_servers
from otherminds.studies.chunks import ROOM, Chunks
from otherminds.studies.executors import executors, package

A = TypeVar("A")
T = TypeVar("T")


class RayTasks:
    """Calls functions in tasks. Ray repeats none: :class:`~otherminds.studies.chunks.Chunks` does."""

    def __init__(self, ray: Any) -> None:
        self._call = ray.remote(max_retries=0)(_call_function)

    def submit(self, function: Callable[[A], T], argument: A) -> Future[T]:
        return self._call.remote(function, argument).future()


class RayChunks(Chunks):
    """Plays chunks in tasks, and opens models that are loaded in actors, one for each node."""

    def __init__(self, ray: Any, plugins: tuple[str, ...]) -> None:
        room = max(ROOM, 2 * int(ray.cluster_resources().get("CPU", 0)))
        super().__init__(RayTasks(ray), plugins, room, died=gone(ray))
        self._ray, self._plugins = ray, plugins

    def servers(self, spec: str, hosts: Hosts) -> tuple[Model, ...]:
        """See :meth:`~otherminds.studies.executor.ModelHost.servers`."""
        kind = spec.partition(":")[0]
        return host_model(self._ray, spec, self._plugins) if kind in LOADED else open_servers(spec, hosts)


@executors.register("ray")
@contextmanager
def ray(where: str, plugins: tuple[str, ...]) -> Generator[RayChunks]:
    """Tasks and actors of Ray, on the cluster at ray:ADDRESS or in RAY_ADDRESS."""
    library = package("ray", "ray")
    if not where and not os.environ.get("RAY_ADDRESS"):
        raise StudyError(
            "ray:ADDRESS needs a cluster: name one, or set RAY_ADDRESS; ray:auto finds one of this machine, and ray:local "
            "starts one, whose ports other machines can reach (Ray asks them for a token)"
        )
    with library.init(address=where or None, log_to_driver=False):
        yield RayChunks(library, plugins)


def _call_function(function: Callable[[A], T], argument: A) -> T:
    return function(argument)
