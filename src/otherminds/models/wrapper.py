"""Common parts of models: parsing a reply, the base class of wrappers, and tokens for reasoning."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby
from typing import TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Finish, Model, Scorer, Scores, ToolCall, Usage
from otherminds.models.address import ALLOWANCE
from otherminds.models.billing import Meter
from otherminds.replies.blocks import split_reasoning

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
        self.digest = weights_digest(inner)
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


class Reasoning(Wrapper):
    """Gives a model that reasons ``tokens`` of its own for that, beside those of the answer.

    ``Decoding.max_tokens`` is meant for the answer. A reply that is cut before its answer began is asked for once
    more, with ``tokens`` added (fewer where the context has no room); from then on every call has them. A reply that ends by itself does not depend on
    its bound, so no reply depends on which call came first. The usage is that of both calls.
    """

    def __init__(self, inner: Model, tokens: int = ALLOWANCE) -> None:
        super().__init__(inner)
        self._tokens = tokens
        self._reasons = False

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        if self._reasons:
            return await self.inner.generate(messages, self._longer(messages, decoding))
        reply = await self.inner.generate(messages, decoding)
        if reply.finish != "length" or reply.text:
            return reply
        self._reasons = True
        again = await self.inner.generate(messages, self._longer(messages, decoding))
        return replace(again, usage=reply.usage + again.usage)

    def _longer(self, messages: Sequence[Message], decoding: Decoding) -> Decoding:
        room = self.context - sum(self.count(message.content) for message in messages) - decoding.max_tokens
        return replace(decoding, max_tokens=decoding.max_tokens + max(0, min(self._tokens, room)))

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        return await call()


LONGEST = 500_000
"""Characters of a reply that are read, more than any budget of tokens allows."""
CALLS = 256
"""Tool calls of a reply that are read."""


def make_completion(
    text: str,
    usage: Usage,
    thoughts: Sequence[str | None] = (),
    tools: tuple[ToolCall, ...] = (),
    finish: Finish = "stop",
) -> Completion:
    """The completion of a reply ``text``, with its reasoning split off.

    ``thoughts`` is reasoning from separate fields; it precedes that in ``text``. A text of more than :data:`LONGEST`
    characters is cut there, and so are tools' arguments and the list of tool calls after :data:`CALLS`.
    """
    if len(text) > LONGEST or len(tools) > CALLS or any(len(call.arguments) > LONGEST for call in tools):
        text, tools, finish = text[:LONGEST], _shorten_calls(tools), "length"
    answer, thought = split_reasoning(text)
    reasoning = "\n".join(filter(None, [*((part or "").strip() for part in thoughts), thought]))
    return Completion(answer, reasoning[:LONGEST], usage, tools, finish)


def _shorten_calls(tools: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    return tuple(
        ToolCall(call.name[:LONGEST], call.arguments[: LONGEST // len(tools)]) for call in tools[:CALLS]
    )


def dialogue(messages: Sequence[Message]) -> tuple[str, list[Message]]:
    r"""The system text, and the other messages in turns: those of one role in a row become one.

    For services that take the system text apart and want turns with text in them; blank messages are left out.

    >>> dialogue([Message("system", "Be brief."), Message("user", "Hi."), Message("assistant", ""), Message("user", "Hello?")])
    ('Be brief.', [Message(role='user', content='Hi.\n\nHello?')])
    """
    spoken = [message for message in messages if message.content.strip()]
    system = "\n\n".join(message.content for message in spoken if message.role == "system")
    turns = (
        list(row)
        for _, row in groupby(
            (message for message in spoken if message.role != "system"), key=lambda message: message.role
        )
    )
    return system, [Message(row[0].role, "\n\n".join(message.content for message in row)) for row in turns]


def weights_digest(model: Model) -> str:
    """The SHA-256 of the file that ``model`` is loaded from; empty for a model that is no file of this machine."""
    return getattr(model, "digest", "")


def bill(model: Model, meter: Meter) -> bool:
    """Has ``model`` tell ``meter`` of each request that it sends; false if it cannot, such as a model of this process."""
    while isinstance(model, Wrapper):
        model = model.inner
    billed = getattr(model, "bill", None)
    if billed is not None:
        billed(meter)
    return billed is not None


async def close(model: Model) -> None:
    """Closes ``model``, if it has something to close."""
    shut = getattr(model, "close", None)
    if shut is not None:
        await shut()
