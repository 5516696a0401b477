"""Replies of Google's Gemini API: the fields that are used.

Other fields are ignored; a field of another type makes the reply malformed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Raw, Struct, field

from otherminds.core.model import Completion, Finish, ToolCall
from otherminds.models.billing import CountedReply, StatedTokens, count_in, new_tokens
from otherminds.models.wrapper import make_completion

FINISHES: dict[str, Finish] = {
    "MAX_TOKENS": "length",
    "SAFETY": "filter",
    "RECITATION": "filter",
    "LANGUAGE": "filter",
    "OTHER": "filter",
    "BLOCKLIST": "filter",
    "PROHIBITED_CONTENT": "filter",
    "SPII": "filter",
    "IMAGE_SAFETY": "filter",
}
"""Why a reply ended. ``STOP``, malformed tool calls and unknown reasons are complete replies."""


class GeminiCall(Struct):
    """A tool call."""

    name: str = ""
    args: Raw = Raw(b"{}")


class GeminiPart(Struct, rename="camel"):
    """A part of a reply: text, which is a summary of thoughts if ``thought``, or a tool call."""

    text: str = ""
    thought: bool = False
    function_call: GeminiCall | None = None


class Content(Struct, frozen=True):
    """The parts of a reply; a reply cut before its answer has none."""

    parts: list[GeminiPart] = []


class GeminiToken(Struct, rename="camel"):
    """One of the likeliest tokens."""

    token: str = ""
    log_probability: float = float("-inf")


class GeminiPlace(Struct):
    """The likeliest tokens at one position, the likeliest first."""

    candidates: list[GeminiToken] = []


class Logprobs(Struct, frozen=True, rename="camel"):
    """The likeliest tokens at each position of a reply."""

    top_candidates: list[GeminiPlace] = []


class ReplyCandidate(Struct, rename="camel"):
    """One reply."""

    content: Content = Content()
    finish_reason: str = ""
    logprobs_result: Logprobs = Logprobs()
    index: int = 0


class PromptFeedback(Struct, frozen=True, rename="camel"):
    """Why a prompt has no reply."""

    block_reason: str = ""


class ContentReply(CountedReply, kw_only=True, rename="camel"):
    """``models/MODEL:generateContent``."""

    candidates: list[ReplyCandidate] = field(default_factory=list[ReplyCandidate])
    prompt_feedback: PromptFeedback = PromptFeedback()
    usage: Any = field(default=None, name="usageMetadata")

    def stated(self) -> StatedTokens:
        """The counts: those of the prompt include cached ones, those of candidates no thoughts."""
        prompt, cached, candidates, thought, total = (
            count_in(self.usage, f"{name}TokenCount")
            for name in ("prompt", "cachedContent", "candidates", "thoughts", "total")
        )
        counted = [count for count in (candidates, thought) if count is not None]
        return StatedTokens(
            prompt, new_tokens(prompt, sum(counted) if counted else None, None, total), cached
        )

    def said(self) -> Iterable[str]:
        for candidate in self.candidates:
            for part in candidate.content.parts:
                yield part.text
                if part.function_call is not None:
                    yield bytes(part.function_call.args).decode(errors="replace")


class GeminiModel(Struct, rename="camel"):
    """``models/MODEL``."""

    input_token_limit: int | None = None


def completion(reply: ContentReply) -> Completion:
    """The text, reasoning, tool calls, usage and end of a reply; a blocked prompt is one that was filtered."""
    if not reply.candidates:
        return Completion("", usage=reply.used(), finish="filter")
    first = min(reply.candidates, key=lambda candidate: candidate.index)
    parts = first.content.parts
    calls = (part.function_call for part in parts if part.function_call is not None)
    return make_completion(
        "".join(part.text for part in parts if not part.thought),
        reply.used(),
        [part.text for part in parts if part.thought],
        tuple(ToolCall(call.name, bytes(call.args).decode(errors="replace")) for call in calls),
        FINISHES.get(first.finish_reason, "stop"),
    )
