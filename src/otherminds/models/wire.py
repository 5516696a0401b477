"""Replies of OpenAI-compatible servers: the fields that are used.

Other fields are ignored. A field of another type makes the reply malformed, except counts of tokens: these are
read by :func:`~otherminds.models.billing.read_count`, so that no answer is lost for its bill.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from otherminds.core.data import ModelTool
from otherminds.core.model import Completion, Finish, ToolCall
from otherminds.models.billing import CountedReply, StatedTokens, count_in, new_tokens
from otherminds.models.wrapper import CALLS, make_completion


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
