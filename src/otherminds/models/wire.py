"""Replies of OpenAI-compatible servers: the fields that are used.

Other fields are ignored; a field of another type makes the reply malformed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from otherminds.core.data import ModelTool
from otherminds.core.model import Completion, Finish, ToolCall, Usage
from otherminds.models.wrapper import CALLS, completed

Count = Annotated[int, Meta(ge=0, le=2**53)]


class PromptDetails(Struct):
    """Details of the tokens of a prompt."""

    cached_tokens: Count | None = None


class UsageReply(Struct):
    """Token counts."""

    prompt_tokens: Count | None = None
    completion_tokens: Count | None = None
    prompt_tokens_details: PromptDetails | None = None


class Reply(Struct):
    """The common part of replies."""

    usage: UsageReply | None = None

    def used(self) -> Usage:
        """The tokens used; missing counts are 0."""
        usage = self.usage or UsageReply()
        details = usage.prompt_tokens_details or PromptDetails()
        return Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0, details.cached_tokens or 0)


class ToolFunction(Struct):
    """The function of a tool call; some servers send the arguments as an object, and not as its text."""

    name: str
    arguments: str | dict[str, Any] | None = None

    def call(self) -> ToolCall:
        given = self.arguments
        return ToolCall(self.name, given if isinstance(given, str) else json.dumps(given or {}))


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

    ``refusal`` is OpenAI's field of a refusal in words, ``function_call`` the one call of replies before ``tool_calls``.
    """

    content: str | list[ContentPart] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[WireToolCall] | None = None
    function_call: ToolFunction | None = None

    @property
    def text(self) -> str:
        """The text, without reasoning."""
        if isinstance(self.content, list):
            return "".join(part.text or "" for part in self.content if part.thinking is None)
        return self.content or ""

    @property
    def thoughts(self) -> list[str | None]:
        """The reasoning that is kept apart from the text."""
        parts = [part.thought for part in self.content] if isinstance(self.content, list) else []
        return [self.reasoning_content or self.reasoning, *filter(None, parts)]


class TokenLogprob(Struct):
    """One of the likeliest tokens: its text, or its number where the server has one."""

    logprob: float
    token: str = ""
    id: int | None = None


class Place(Struct):
    """The likeliest tokens at one position, the likeliest first."""

    top_logprobs: list[TokenLogprob]


class ChatLogprobs(Struct):
    """The log-probabilities of a chat reply."""

    content: list[Place] | None = None


class ChatChoice(Struct):
    """One reply."""

    message: Said
    logprobs: ChatLogprobs | None = None
    finish_reason: str | None = None


class ChatReply(Reply, kw_only=True):
    """``chat/completions``."""

    choices: Annotated[list[ChatChoice], Meta(min_length=1)]


class Echoed(Struct):
    """Log-probabilities of the tokens of a completion, in OpenAI's older form or by position."""

    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    content: list[Place] | None = None


class TextChoice(Struct):
    """One completion."""

    text: str = ""
    index: int = 0
    logprobs: Echoed | None = None


class TextReply(Reply, kw_only=True):
    """``completions``."""

    choices: Annotated[list[TextChoice], Meta(min_length=1)]


class TokensReply(Struct):
    """llama.cpp's ``tokenize``."""

    tokens: list[int]


class LlamaMeta(Struct):
    """llama.cpp's metadata of a model."""

    n_ctx_train: int | None = None


class Served(Struct):
    """One served model; the field of its context depends on the server."""

    id: str = ""
    owned_by: str = ""
    max_model_len: int | None = None
    context_length: int | None = None
    meta: LlamaMeta | None = None


class ModelsReply(Struct):
    """``models``."""

    data: list[Served]


class ServerSettings(Struct):
    """llama.cpp's settings."""

    n_ctx: int | None = None


class PropsReply(Struct):
    """llama.cpp's ``props``."""

    default_generation_settings: ServerSettings = field(default_factory=ServerSettings)


FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "MAX_TOKENS": "length",
    "model_length": "length",
    "content_filter": "filter",
    "SAFETY": "filter",
    "refusal": "refusal",
}
"""Why a reply ended, by the words of servers; every other word counts as a complete reply."""


def completion(reply: ChatReply, dropped: tuple[str, ...] = ()) -> Completion:
    """The text, reasoning, tool calls and end of a reply."""
    choice = reply.choices[0]
    said = choice.message
    calls = [tool.function for tool in (said.tool_calls or [])[: CALLS + 1] if tool.function is not None]
    if said.function_call is not None and not calls:
        calls = [said.function_call]
    made = completed(
        said.text or said.refusal or "",
        reply.used(),
        said.thoughts,
        tuple(call.call() for call in calls),
        FINISHES.get(choice.finish_reason or "", "stop"),
    )
    return replace(made, finish="refusal" if said.refusal else made.finish, dropped=dropped)


def functions(tools: Sequence[ModelTool]) -> list[dict[str, Any]]:
    """The field ``tools`` of a request."""
    return [
        {
            "type": "function",
            "function": {"name": one.name, "description": one.about, "parameters": one.parameters},
        }
        for one in tools
    ]


def response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """The request of a reply by JSON ``schema``; OpenAI's strict mode needs closed objects."""
    strict = schema.get("additionalProperties") is False
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": strict, "schema": schema}}
