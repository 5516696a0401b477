"""Models in actors of Ray: one on each node, or one on each node with a GPU where there are any."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from inspect import isawaitable
from typing import Any

from msgspec import msgpack

from otherminds.core.data import Message
from otherminds.core.errors import OtherMindsError, StudyError, TransientError
from otherminds.core.model import Completion, Decoding, Model, Scores
from otherminds.core.plugins import load_plugins
from otherminds.models.registry import open_model
from otherminds.models.wrapper import Reply

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
