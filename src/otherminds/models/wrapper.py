"""Common parts of models: parsing a reply, and the base class of wrappers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar, cast

from msgspec import Struct

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Finish, Model, Scorer, Scores, ToolCall, Usage
from otherminds.core.replies import split_reasoning

Reply = TypeVar("Reply", Completion, Scores)


class ModelRequest(Struct, frozen=True):
    """One call: messages with a decoding, or a prompt (one message) with continuations to score."""

    messages: tuple[Message, ...]
    decoding: Decoding | None = None
    continuations: tuple[str, ...] = ()


class Wrapper(ABC):
    """Passes calls on to ``inner``, through :meth:`around`. It can score where ``inner`` can."""

    score: Callable[[str, Sequence[str]], Awaitable[Scores]]

    def __init__(self, inner: Model) -> None:
        self.inner = inner
        self.spec = inner.spec
        self.context = inner.context
        self.concurrency = inner.concurrency
        if hasattr(inner, "score"):
            self.score = self._score

    @abstractmethod
    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        """Answers ``request`` with a ``kind``, with or without ``call``, which asks the inner model."""

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        request = ModelRequest(tuple(messages), decoding)
        return await self.around(request, Completion, lambda: self.inner.generate(messages, decoding))

    def count(self, text: str) -> int:
        return self.inner.count(text)

    async def close(self) -> None:
        await close(self.inner)

    async def _score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        request = ModelRequest((Message("user", prompt),), None, tuple(continuations))
        inner = cast(Scorer, self.inner)
        return await self.around(request, Scores, lambda: inner.score(prompt, continuations))


def completed(
    text: str,
    usage: Usage,
    kept: Sequence[str | None] = (),
    tools: tuple[ToolCall, ...] = (),
    finish: Finish = "stop",
) -> Completion:
    """The completion of a reply ``text``, with its reasoning split off.

    ``kept`` is reasoning from separate fields; it precedes that in ``text``.
    """
    said, thought = split_reasoning(text)
    reasoning = filter(None, [*((part or "").strip() for part in kept), thought])
    return Completion(said, "\n".join(reasoning), usage, tools, finish)


async def close(model: Model) -> None:
    """Closes ``model``, if it has something to close."""
    shut = getattr(model, "close", None)
    if shut is not None:
        await shut()
