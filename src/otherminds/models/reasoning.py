"""Tokens for models that reason before they answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Model
from otherminds.models.address import ALLOWANCE
from otherminds.models.wrapper import ModelRequest, Reply, Wrapper


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
        room = self.context - sum(self.count(one.content) for one in messages) - decoding.max_tokens
        return replace(decoding, max_tokens=decoding.max_tokens + max(0, min(self._tokens, room)))

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        return await call()
