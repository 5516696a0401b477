"""Chunks of episodes as tasks of Ray, and models as its actors: ``--executor ray:ADDRESS``. Requires the extra ``ray``.

The address is that of a cluster, such as ``ray:HOST:6379``. Without one, Ray uses ``RAY_ADDRESS``.
``ray:auto`` is a cluster that was started on this machine, and ``ray:local`` starts one. Ray 2.60 binds its services to
all interfaces, also with the node's address ``127.0.0.1``, so a cluster is started only if it is named. Its nodes need
Other Minds in the same version. Models that are loaded into a process (``smollm2``, ``gguf:PATH``) are loaded on the nodes:
one on each, or one on each with a GPU where there are any; all else about episodes with models happens in this process."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from functools import lru_cache
from inspect import isawaitable
from typing import Any, TypeVar

from msgspec import msgpack

from otherminds.core.data import Message
from otherminds.core.errors import OtherMindsError, StudyError, TransientError
from otherminds.core.model import Completion, Decoding, Model, Scores
from otherminds.core.registry import load_plugins
from otherminds.models.hosts import Hosts
from otherminds.models.registry import LOADED, open_model, open_servers
from otherminds.models.wrapper import Reply
from otherminds.studies.chunks import ROOM, Chunks
from otherminds.studies.executor import executors, package

OPENING = 600.0
"""Seconds in which all nodes have to load a model."""
PAUSE = 0.5
"""Seconds between two tries to count tokens while a node is away."""


def gone(ray: Any) -> tuple[type[BaseException], ...]:
    """The errors of Ray that mean that a worker or its node has died, or its answer with it."""
    faults = ray.exceptions
    return (
        faults.WorkerCrashedError,
        faults.NodeDiedError,
        faults.RayActorError,
        faults.ObjectLostError,
        faults.OutOfMemoryError,
        faults.TaskUnschedulableError,
    )


class ModelActor:
    """A model on a node. Errors of Other Minds are returned: Ray would make others of them.

    Replies are encoded by msgspec. A pickled reply would have other bytes in a record: msgspec leaves out a field
    with its default only if it is the same object, which a string that was pickled is not.
    """

    def __init__(self, spec: str, plugins: tuple[str, ...]) -> None:
        self._spec, self._plugins = spec, plugins
        self._model: Model | None = None

    async def ask(self, method: str, *arguments: Any) -> Any:
        """The encoded reply of a method of the model."""
        try:
            answer = getattr(self._open_model(), method)(*arguments)
            return msgpack.encode(await answer if isawaitable(answer) else answer)
        except OtherMindsError as error:
            return error

    async def about(self) -> tuple[str, int, int, bool] | OtherMindsError:
        """The attributes of the model, and whether it can score."""
        try:
            model = self._open_model()
        except OtherMindsError as error:
            return error
        return model.spec, model.context, model.concurrency, hasattr(model, "score")

    def _open_model(self) -> Model:
        if self._model is None:
            load_plugins(self._plugins)
            self._model = open_model(self._spec)
        return self._model


class RayModel:
    """The :class:`~otherminds.core.model.Model` in ``actors[0]``; the others have the same model.

    While its node is away, a call raises :class:`~otherminds.core.errors.TransientError`: it is repeated, and Ray
    starts the actor again, on another node if need be.
    """

    score: Callable[[str, Sequence[str]], Awaitable[Scores]]

    def __init__(self, ray: Any, actors: Sequence[Any], about: tuple[str, int, int, bool]) -> None:
        self.spec, self.context, self.concurrency, scores = about
        self._ray, self._actors = ray, actors
        self.count = lru_cache(4096)(self._count)
        if scores:
            self.score = self._score

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        return await self._ask(Completion, "generate", messages, decoding)

    async def close(self) -> None:
        self._ray.kill(self._actors[0])

    async def _score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        return await self._ask(Scores, "score", prompt, continuations)

    async def _ask(self, kind: type[Reply], method: str, *arguments: Any) -> Reply:
        try:
            answer = await self._actors[0].ask.remote(method, *arguments)
        except gone(self._ray) as error:
            raise TransientError(
                f"model {self.spec}: its node does not answer ({type(error).__name__})"
            ) from error
        return msgpack.decode(_raise_errors(answer), type=kind)

    def _count(self, text: str) -> int:
        """Asks the first actor that answers."""
        until = time.monotonic() + OPENING
        while time.monotonic() < until:
            for actor in self._actors:
                try:
                    return msgpack.decode(
                        _raise_errors(self._ray.get(actor.ask.remote("count", text))), type=int
                    )
                except gone(self._ray):
                    time.sleep(PAUSE)
        raise TransientError(f"model {self.spec}: no node answers")


def host_model(ray: Any, spec: str, plugins: tuple[str, ...]) -> tuple[RayModel, ...]:
    """The model ``spec`` in actors, one for each node.

    Raises:
        StudyError: not all nodes have loaded it after :data:`OPENING` seconds.
        OtherMindsError: a node cannot open it.
    """
    nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
    nodes = [node for node in nodes if node["Resources"].get("GPU")] or nodes
    near = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
    kind = ray.remote(ModelActor)
    actors = [
        kind.options(
            num_cpus=0,
            num_gpus=1 if node["Resources"].get("GPU") else 0,
            max_restarts=-1,
            scheduling_strategy=near(node["NodeID"], soft=True),
        ).remote(spec, plugins)
        for node in nodes
    ]
    try:
        abouts = ray.get([actor.about.remote() for actor in actors], timeout=OPENING)
    except ray.exceptions.GetTimeoutError as error:
        raise StudyError(f"model {spec}: not all {len(nodes)} nodes loaded it in {OPENING:.0f} s") from error
    return tuple(
        RayModel(ray, actors[i:] + actors[:i], _raise_errors(about)) for i, about in enumerate(abouts)
    )


def _raise_errors(answer: Any) -> Any:
    if isinstance(answer, OtherMindsError):
        raise answer
    return answer


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
