"""Replies of OpenAI-compatible servers, and the methods to score continuations on a server.

Other fields are ignored. A field of another type makes the reply malformed, except counts of tokens: these are
read by :func:`~otherminds.models.wrapper.read_count`, so that no answer is lost for its bill.

Methods to score, the most exact first:

1. :class:`EchoCompletion`: the server returns the log-probabilities of a prompt's own tokens
   (vLLM, SGLang). All continuations go into one request.
2. :class:`ChainTokeniser`: the server tokenises, and lists the likeliest next tokens (llama.cpp). The
   chain over tokens is followed step by step, as in the embedded model.
3. :class:`FirstToken`: the server only chats. The first token of the reply to the prompt as a
   message represents the option."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence, Set
from itertools import accumulate
from typing import Annotated, Any, Protocol, TypeAlias

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from otherminds.core.data import ModelTool
from otherminds.core.errors import ProviderError
from otherminds.core.model import Completion, Finish, Scores, ToolCall, Usage
from otherminds.models.faults import MalformedError, RefusedError
from otherminds.models.http import Server
from otherminds.models.scoring import FLOOR, WIDTHS, chain, count_shared, first_token, next_token
from otherminds.models.wrapper import CALLS, CountedReply, StatedTokens, count_in, make_completion, new_tokens


class WireReply(CountedReply, kw_only=True):
    """The common part of replies."""

    def stated(self) -> StatedTokens:
        prompt, completion, total = (
            count_in(self.usage, f"{name}_tokens") for name in ("prompt", "completion", "total")
        )
        thought = count_in(self.usage, "completion_tokens_details", "reasoning_tokens")
        cached = count_in(self.usage, "prompt_tokens_details", "cached_tokens")
        return StatedTokens(prompt, new_tokens(prompt, completion, thought, total), cached)

    def said(self) -> Iterable[str]:
        return ()


class ToolFunction(Struct):
    """The function of a tool call; some servers send the arguments as an object, and not as its text.

    A text is passed on as it is, in a fence or not.
    """

    name: str = ""
    arguments: Any = None

    def call(self) -> ToolCall:
        arguments = self.arguments
        return ToolCall(self.name, arguments if isinstance(arguments, str) else json.dumps(arguments or {}))


class WireToolCall(Struct):
    """One tool call; those of other kinds have no ``function``."""

    function: ToolFunction | None = None


class ContentPart(Struct):
    """One part of a message: its ``text``, or ``thinking`` as a text or as parts (Mistral)."""

    type: str = "text"
    text: str | None = None
    thinking: str | list[ContentPart] | None = None

    @property
    def thought(self) -> str:
        """The reasoning in it."""
        inside = self.thinking or ""
        return inside if isinstance(inside, str) else "".join(part.text or "" for part in inside)


class Said(Struct):
    """A message, as one text or in parts; reasoning has one of two field names, or parts of its own.

    ``refusal`` is OpenAI's field of a refusal in words, ``function_call`` its older field of one tool call.
    """

    content: str | list[ContentPart | str] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[WireToolCall] | None = None
    function_call: ToolFunction | None = None

    @property
    def parts(self) -> list[ContentPart]:
        """The content in parts."""
        parts = self.content if isinstance(self.content, list) else [self.content or ""]
        return [ContentPart(text=part) if isinstance(part, str) else part for part in parts]

    @property
    def text(self) -> str:
        """The text, without reasoning."""
        return "".join(part.text or "" for part in self.parts if part.thinking is None)

    @property
    def texts(self) -> Iterable[str]:
        """All texts that were generated."""
        yield from filter(None, (self.text, self.refusal, *self.thoughts))
        for function in self.functions:
            yield function.call().arguments

    @property
    def functions(self) -> list[ToolFunction]:
        """The functions of its tool calls, at most one more than are read; else that of the older field."""
        called = [tool.function for tool in (self.tool_calls or [])[: CALLS + 1] if tool.function is not None]
        return called or ([self.function_call] if self.function_call is not None else [])

    @property
    def thoughts(self) -> list[str | None]:
        """The reasoning that is kept apart from the text."""
        thoughts = [part.thought for part in self.parts]
        return [self.reasoning_content or self.reasoning, *filter(None, thoughts)]


class TokenLogprob(Struct):
    """One of the likeliest tokens: its text, or its number where the server has one."""

    logprob: float
    token: str = ""
    id: int | None = None


class TokenPosition(Struct):
    """The likeliest tokens at one position, the likeliest first."""

    top_logprobs: list[TokenLogprob]


class ChatLogprobs(Struct):
    """The log-probabilities of a chat reply."""

    content: list[TokenPosition] | None = None


class ChatChoice(Struct):
    """One reply. Only a filtered one may lack its ``message``."""

    message: Said | None = None
    logprobs: ChatLogprobs | None = None
    finish_reason: str | None = None
    index: int | None = None

    def __post_init__(self) -> None:
        if self.message is None and self.finish != "filter":
            raise ValueError("a choice has no message")

    @property
    def finish(self) -> Finish:
        """Why it ended."""
        return FINISHES.get((self.finish_reason or "").lower(), "stop")


class ChatReply(WireReply, kw_only=True):
    """``chat/completions``."""

    choices: Annotated[list[ChatChoice], Meta(min_length=1)]

    @property
    def first(self) -> ChatChoice:
        """The choice with the lowest index, the one that was asked for."""
        return min(self.choices, key=lambda choice: choice.index or 0)

    def said(self) -> Iterable[str]:
        for choice in self.choices:
            if choice.message is not None:
                yield from choice.message.texts


class EchoedPrompt(Struct):
    """Log-probabilities of the tokens of a completion, in OpenAI's older form or by position."""

    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    content: list[TokenPosition] | None = None


class TextChoice(Struct):
    """One completion."""

    text: str = ""
    index: int = 0
    logprobs: EchoedPrompt | None = None


class TextReply(WireReply, kw_only=True):
    """``completions``."""

    choices: Annotated[list[TextChoice], Meta(min_length=1)]


class TokensReply(Struct):
    """llama.cpp's ``tokenize``."""

    tokens: list[int]


class LlamaMeta(Struct):
    """llama.cpp's metadata of a model."""

    n_ctx_train: int | None = None


class ModelEntry(Struct):
    """One served model; the field of its context depends on the server."""

    id: str = ""
    owned_by: str = ""
    max_model_len: int | None = None
    context_length: int | None = None
    meta: LlamaMeta | None = None


class ModelsReply(Struct):
    """``models``."""

    data: list[ModelEntry]


class ServerSettings(Struct):
    """llama.cpp's settings."""

    n_ctx: int | None = None


class PropsReply(Struct):
    """llama.cpp's ``props``."""

    default_generation_settings: ServerSettings = field(default_factory=ServerSettings)


FINISHES: dict[str, Finish] = {
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length", "token_limit"), "length"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "content-filter", "safety", "sensitive"), "filter"
    ),
    **dict.fromkeys(("prohibited_content", "blocklist", "spii", "recitation", "error_toxic"), "filter"),
    **dict.fromkeys(("guardrail_intervened", "moderation"), "filter"),
    "refusal": "refusal",
}
"""Why a reply ended, by the words of servers in lower case; every other word counts as a complete reply."""


def completion(reply: ChatReply, dropped: tuple[str, ...] = ()) -> Completion:
    """The text, reasoning, tool calls and end of a reply."""
    choice = reply.first
    message = choice.message or Said()
    shaped = make_completion(
        message.text or message.refusal or "",
        reply.used(),
        message.thoughts,
        tuple(function.call() for function in message.functions),
        choice.finish,
    )
    return replace(shaped, finish="refusal" if message.refusal else shaped.finish, dropped=dropped)


def functions(tools: Sequence[ModelTool]) -> list[dict[str, Any]]:
    """The field ``tools`` of a request."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.about, "parameters": tool.parameters},
        }
        for tool in tools
    ]


def response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """The request of a reply by JSON ``schema``; OpenAI's strict mode needs closed objects."""
    strict = schema.get("additionalProperties") is False
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": strict, "schema": schema}}


Chat: TypeAlias = Callable[[dict[str, Any], int], Awaitable[ChatReply]]
"""``chat(request, most)``: the reply to a chat request, of at most ``most`` tokens."""

TOP = 20
"""The likeliest first tokens to request: the most that OpenAI lists."""
VOCABULARY = 2**19
"""An upper bound of any vocabulary."""
TRIES = 2
"""Malformed replies after which a method counts as not offered."""


class ScoringMethod(Protocol):
    """A method to score; raises as :meth:`otherminds.models.openai.OpenAI.score` does."""

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores: ...


async def find_way(server: Server, name: str, chat: Chat) -> ScoringMethod:
    """The most exact method that ``server`` offers for the model ``name``, by test requests.

    Raises:
        TransientError: a transient fault; nothing is known yet.
    """
    for most in (0, 1):
        if await _offers_method(echo := EchoCompletion(server, name, most)):
            return echo
    if await _offers_method(chained := ChainTokeniser(server, name)):
        return chained
    return FirstToken(server, chat)


async def _offers_method(way: ScoringMethod) -> bool:
    """Whether the server supports ``way``; false if refused, or malformed twice."""
    for _ in range(TRIES):
        try:
            first, second = (await way.score("A: Option", [" A", " B"])).logprobs
        except RefusedError:
            return False
        except MalformedError:
            continue
        return first <= 0 and second <= 0
    return False


class EchoCompletion:
    """Completions that repeat their prompt, with ``most`` new tokens, which are ignored.

    Some servers require at least one.
    """

    def __init__(self, server: Server, name: str, most: int) -> None:
        self._server = server
        self._name = name
        self._most = most

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """The summed log-probabilities after the tokens of the prompt that all texts share."""
        texts = [prompt + text for text in continuations]
        request: dict[str, Any] = {"model": self._name, "prompt": texts, "max_tokens": self._most}
        request |= {"echo": True, "logprobs": 1, "temperature": 1.0}
        reply = await self._server.post(f"{self._server.base}/completions", request, TextReply)
        choices = sorted(reply.choices, key=lambda choice: choice.index)
        if len(choices) != len(texts):
            raise self._server.malformed(f"{len(choices)} choices for {len(texts)} texts")
        echoes = [
            self._match_echo(choice.logprobs, text) for choice, text in zip(choices, texts, strict=True)
        ]
        within = (echo.within(text) for echo, text in zip(echoes, continuations, strict=True))
        start = min(count_shared([echo.tokens for echo in echoes]), *within)
        return Scores(tuple(self._sum(echo.logprobs[start:]) for echo in echoes), reply.used())

    def _match_echo(self, echoed: EchoedPrompt | None, text: str) -> _Repeated:
        """The tokens of ``text``, without new ones."""
        if echoed is None or echoed.tokens is None or echoed.token_logprobs is None:
            raise self._server.malformed("no log-probabilities of the prompt's tokens")
        if len(echoed.tokens) != len(echoed.token_logprobs):
            raise self._server.malformed("not one log-probability for each token")
        echoed_text = "".join(echoed.tokens)
        ends = enumerate(accumulate(map(len, echoed.tokens)), 1)
        count = next((i for i, end in ends if echoed_text.endswith(text, 0, end)), None)
        if count is not None:
            return _Repeated(echoed.tokens[:count], echoed.token_logprobs[:count])
        # Some tokenisers omit blanks, or replace parts of characters.
        count = len(echoed.tokens) - self._most
        tokens = [_dense(token) for token in echoed.tokens[:count]]
        if text.isascii() and not "".join(tokens).endswith(_dense(text)):
            raise self._server.malformed("it does not repeat the prompt")
        return _Repeated(tokens, echoed.token_logprobs[:count], dense=True)

    def _sum(self, logprobs: Sequence[float | None]) -> float:
        numbers = [logprob for logprob in logprobs if logprob is not None]
        if len(numbers) < len(logprobs):
            raise self._server.refused(
                "a text's first token has no probability; the prompt must not be empty"
            )
        return sum(numbers)


class _Repeated(Struct):
    """A text's tokens, without white space if ``dense``. The first token has no log-probability."""

    tokens: list[str]
    logprobs: list[float | None]
    dense: bool = False

    def within(self, continuation: str) -> int:
        """The number of tokens wholly before the ``continuation`` at the end."""
        remaining, i = len(_dense(continuation) if self.dense else continuation), len(self.tokens)
        while remaining > 0 and i > 0:
            i -= 1
            remaining -= len(self.tokens[i])
        return i


def _dense(text: str) -> str:
    return "".join(text.split())


class ChainTokeniser:
    """llama.cpp's tokeniser, and the likeliest tokens after each prefix."""

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._name = name
        self._harmless: int | None = None

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """The log-probabilities chained over tokens, as :class:`otherminds.models.embedded.Embedded` does it."""
        start = await self._tokens(prompt)
        tokenised = [await self._tokens(prompt + text) for text in continuations]
        if len(set(map(tuple, tokenised))) < len(set(continuations)):
            raise self._server.malformed("different texts have the same tokens")
        token_chain = chain(start, tokenised)
        logprobs: dict[tuple[int, ...], dict[int, float]] = {}
        total = Usage()
        for path in token_chain.paths():
            logprobs[path], usage = await self._following(
                [*token_chain.head, *path], token_chain.wanted[path]
            )
            total += usage
        return Scores(token_chain.scores(logprobs), total)

    async def _tokens(self, text: str) -> list[int]:
        request = {"content": text, "add_special": True, "parse_special": False}
        return (await self._server.post(f"{self._server.root}/tokenize", request, TokensReply)).tokens

    async def _following(self, tokens: Sequence[int], targets: Set[int]) -> tuple[dict[int, float], Usage]:
        if self._harmless is None:
            letter = await self._tokens("a")
            if not letter:
                raise self._server.malformed("no tokens of a letter")
            self._harmless = letter[-1]
        usage = Usage()
        logprobs: dict[int, float] = {}
        for width in (*WIDTHS, VOCABULARY):
            request = {"model": self._name, **next_token(tokens, width, self._harmless), "cache_prompt": True}
            reply = await self._server.post(f"{self._server.root}/v1/completions", request, TextReply)
            usage += reply.used()
            listed = reply.choices[0].logprobs
            if listed is None or not listed.content:
                raise self._server.malformed("no log-probabilities of the next token")
            likeliest = listed.content[0].top_logprobs
            logprobs = {token.id: max(token.logprob, FLOOR) for token in likeliest if token.id is not None}
            if targets <= logprobs.keys():
                return logprobs, usage
        raise self._server.refused(f"it gives no probability to tokens {sorted(targets - logprobs.keys())}")


class FirstToken:
    """A chat reply of one token to the prompt as a message."""

    def __init__(self, server: Server, chat: Chat) -> None:
        self._server = server
        self._chat = chat

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """The log-probabilities of :func:`~otherminds.models.scoring.first_token`."""
        request = {"messages": [{"role": "user", "content": prompt}], "temperature": 1.0}
        try:
            reply = await self._chat({**request, "logprobs": True, "top_logprobs": TOP}, 1)
        except RefusedError as error:
            if error.status in (401, 403):
                raise
            why = f"refuses to list a reply's likeliest tokens ({error})"
            raise unavailable(self._server, why) from None
        listed = reply.first.logprobs
        if listed is None or not listed.content:
            raise unavailable(self._server, "lists no likeliest tokens of a reply")
        hide = self._server.secrets.masked_reply
        top = [(hide(token.token), token.logprob) for token in listed.content[0].top_logprobs]
        return Scores(first_token(continuations, top, self._server.spec), reply.used(), "chat")


def unavailable(server: Server, why: str) -> ProviderError:
    """The error of a server that does not score, where ``it`` also does what ``why`` says."""
    return server.refused(
        f"LM prompting is unavailable: this server does not score continuations, and it {why}; "
        "use a strategy that asks for text, such as qa"
    )
