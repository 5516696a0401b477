"""What all models share: requests, the base class of wrappers, tokens for reasoning, and what a request costs.

Counts that a server states are used where they can be true. Where they are missing or impossible, the tokens are
estimated from the bytes that were sent and read, from above, and are marked as estimated. Every request that was sent is
charged, also one whose reply never came. The most that it may cost is reserved before it is sent, so that a process that is
killed meanwhile leaves a charge behind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import ceil, isfinite
from typing import Any, Protocol, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Finish, Model, Scorer, Scores, ToolCall, Usage
from otherminds.models.hosts import ALLOWANCE
from otherminds.replies.blocks import split_reasoning

MOST_COUNTED = 2**40
"""The most tokens of one call that are believed; larger counts are taken as this one, as an estimate."""
DENSE = 3
"""Bytes per token of an estimate, below those of usual tokenisers: SmolLM2's has 4.1 in English prose."""
SPARSE = 16
"""The most bytes per token that are believed, where a run of one byte counts as one: tokens of blanks can be long."""
PIECE = 2**20
"""Characters of a text that are looked at together."""
TEXTS = ("messages", "prompt", "system", "contents", "systemInstruction")
"""Where requests have their text; servers need not count schemas and tools."""
BOUNDS = ("max_tokens", "max_completion_tokens", "maxOutputTokens", "n_predict")
"""The names of the bound on new tokens."""
NOT_SERVED = (501, 503, 529)
"""Statuses above 499 of a server that did nothing: no such path, no room."""


class Meter(Protocol):
    """Is told of each request."""

    def check(self) -> None:
        """Raises :class:`~otherminds.models.wrappers.BudgetSpentError` if no more may be sent."""
        ...

    def reserve(self, most: Usage) -> int | None:
        """Keeps that a request is about to be sent which may cost ``most``. Returns the number of this reservation."""
        ...

    def pay(self, usage: Usage, reservation: int | None) -> None:
        """Counts a request that was sent, in place of its ``reservation``."""
        ...


class NoMeter:
    """Allows every request, and counts none."""

    def check(self) -> None: ...

    def reserve(self, most: Usage) -> int | None: ...

    def pay(self, usage: Usage, reservation: int | None) -> None: ...


class StatedTokens(Struct, frozen=True):
    """Counts of tokens as a server states them; ``None`` where it states none that can be read."""

    prompt: int | None = None
    completion: int | None = None
    cached: int | None = None


class CountedReply(Struct, kw_only=True):
    """A reply with counts of tokens: ``usage``, as the server states them, then as they are charged."""

    usage: Any = None

    @abstractmethod
    def stated(self) -> StatedTokens:
        """The counts that the server states."""

    @abstractmethod
    def said(self) -> Iterable[str]:
        """The texts that were generated."""

    def used(self) -> Usage:
        """The tokens that are charged; before that, those that the server states."""
        if isinstance(self.usage, Usage):
            return self.usage
        stated = self.stated()
        return Usage(stated.prompt or 0, stated.completion or 0, stated.cached or 0).possible


class RequestSize(Struct, frozen=True):
    """A request: the ``size`` of what was sent in bytes, its ``texts``, and the most new tokens that it asks for.

    A token that is sent as its number stands for itself.
    """

    size: int
    texts: tuple[str | int, ...]
    most: int

    @property
    def prompt(self) -> int:
        """The tokens of the prompt, estimated from above."""
        return ceil(self.size / DENSE)

    def unanswered(self) -> Usage:
        """What is charged if no reply was read, and one may have been generated."""
        return Usage(self.prompt, self.most, 0, self.prompt, self.most)

    def not_served(self) -> Usage:
        """What is charged if the server refused."""
        return Usage(self.prompt, 0, 0, self.prompt)

    def answered(self, stated: StatedTokens, read: int, reply_texts: Iterable[str]) -> Usage:
        """What is charged for a reply of ``read`` bytes that says the texts ``reply_texts``.

        >>> RequestSize(30, ("How do you do?",), 8).answered(StatedTokens(9, 3), 90, ["Well."])
        Usage(prompt=9, completion=3, cached=0, estimated_prompt=0, estimated_completion=0)
        >>> RequestSize(30, ("How do you do?",), 8).answered(StatedTokens(0), 90, ["Well."])
        Usage(prompt=10, completion=8, cached=0, estimated_prompt=10, estimated_completion=8)
        """
        prompt, completion, cached = stated.prompt, stated.completion, stated.cached or 0
        guessed_prompt = guessed_completion = 0
        if prompt is None or cached > prompt or _impossible(prompt, self.size, self.texts):
            prompt = guessed_prompt = max(self.prompt, prompt or 0)
            cached = 0
        texts = tuple(reply_texts)
        if completion is None or _impossible(completion, read, texts):
            completion = max(min(ceil(read / DENSE), self.most), _least(texts))
            guessed_completion = completion
        if prompt >= MOST_COUNTED:
            prompt = guessed_prompt = MOST_COUNTED
        if completion >= MOST_COUNTED:
            completion = guessed_completion = MOST_COUNTED
        return Usage(prompt, completion, cached, guessed_prompt, guessed_completion).possible


def sent(size: int, body: Mapping[str, Any]) -> RequestSize:
    """The request ``body``, which was sent in ``size`` bytes."""
    texts = tuple(_leaves([body[name] for name in TEXTS if name in body]))
    config = cast("Mapping[str, Any]", body.get("generationConfig", body))
    most = max((read_count(config.get(name)) or 0 for name in BOUNDS), default=0)
    prompt: Any = body.get("prompt")
    several = len(cast("list[Any]", prompt)) if isinstance(prompt, list) and _is_text(prompt) else 1
    return RequestSize(size, texts, most * several)


def sent_texts(texts: Sequence[str], most: int) -> RequestSize:
    """A request of ``texts`` for at most ``most`` new tokens, whose bytes on the wire are not known."""
    return RequestSize(sum(len(text.encode(errors="surrogatepass")) for text in texts), tuple(texts), most)


def was_served(status: int) -> bool:
    """Whether a server with this HTTP status may have generated something."""
    return not (400 <= status < 500 or status in NOT_SERVED)


def read_count(value: object) -> int | None:
    """A count of tokens as servers send it: a whole number, a float (rounded up) or a text of digits.

    A count above :data:`MOST_COUNTED` is lowered to it. Anything else is no count: a negative number, null, NaN, an
    infinity, a truth value.

    >>> [read_count(value) for value in (7, 6.5, "7", 2**53, -7, None, True, "inf", [7])]
    [7, 7, 7, 1099511627776, None, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except OverflowError:
        return MOST_COUNTED if isinstance(value, int) and value > 0 else None
    except ValueError:
        return None
    return ceil(min(number, MOST_COUNTED)) if isfinite(number) and number >= 0 else None


def count_in(usage: object, *path: str) -> int | None:
    """The count at ``path`` in a table of counts, by :func:`read_count`; ``None`` where there is none."""
    for name in path:
        usage = cast("dict[str, object]", usage).get(name) if isinstance(usage, dict) else None
    return read_count(usage)


def new_tokens(
    prompt: int | None, completion: int | None, thought: int | None, total: int | None
) -> int | None:
    """The tokens that a reply took, by the largest of what a server states.

    Some servers count reasoning among the tokens of the ``completion`` and some beside them, where only the ``total`` has both.

    >>> new_tokens(10, 5, 3, 15), new_tokens(10, 5, 30, None), new_tokens(10, 5, 3, 18)
    (5, 35, 8)
    """
    if completion is None and thought is None and (total is None or prompt is None):
        return None
    visible, thought = completion or 0, thought or 0
    return max(visible if thought <= visible else visible + thought, (total or 0) - (prompt or 0), 0)


def _impossible(count: int, size: int, texts: Iterable[str | int]) -> bool:
    """Whether no tokeniser could need as few as ``count`` tokens for ``texts``, which are at most ``size`` bytes."""
    return count * SPARSE < size and count < _least(texts)


def _least(texts: Iterable[str | int]) -> int:
    """The least tokens of ``texts`` that are believed."""
    return ceil(
        sum(_count_varied_bytes(text) if isinstance(text, str) else SPARSE // 2 for text in texts) / SPARSE
    )


def _count_varied_bytes(text: str) -> int:
    """The bytes of ``text`` that differ from the one before.

    >>> _count_varied_bytes("aaab  c")
    4
    """
    import numpy as np

    size = 0
    for start in range(0, len(text), PIECE):
        piece = np.frombuffer(text[start : start + PIECE].encode(errors="surrogatepass"), np.uint8)
        size += int(np.count_nonzero(piece[1:] != piece[:-1])) + 1
    return size


def _leaves(value: Any) -> Iterator[str | int]:
    """The texts and numbers in a JSON value."""
    if isinstance(value, Mapping):
        for inner in cast("Mapping[str, Any]", value).values():
            yield from _leaves(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in cast("Sequence[Any]", value):
            yield from _leaves(inner)
    elif isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        yield value


def _is_text(prompts: list[Any]) -> bool:
    return all(isinstance(prompt, str) for prompt in prompts)


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
