"""Models on Anthropic's own service, by its Messages API.

The form of requests and replies: https://platform.claude.com/docs/en/api/messages. The service gives no
log-probabilities, so these models cannot score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from msgspec import Raw, Struct
from msgspec.structs import replace

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Finish, ToolCall
from otherminds.models.faults import Parameters, RefusedError
from otherminds.models.hosts import Hosts
from otherminds.models.http import ServedModel, Server, open_server
from otherminds.models.registry import models
from otherminds.models.scoring import without
from otherminds.models.wrapper import (
    CountedReply,
    Reasoning,
    StatedTokens,
    count_in,
    dialogue,
    make_completion,
)

CONTEXT = 200_000
"""The context in tokens where the service does not state it."""
FORMAT, EFFORT = "output_config.format", "output_config.effort"
OPTIONAL = ("top_p", "stop_sequences", FORMAT, EFFORT, "temperature", "thinking", "tools")
WORDS = {
    FORMAT: r"output_config(?!\.effort)|output_format|structured outputs?",
    EFFORT: "output_config|effort",
    "tools": "tools?",
}
ABSENT = "seed"
"""A parameter that the service does not have."""
FINISHES: dict[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",
    "refusal": "refusal",
}
"""Why a reply ended. ``end_turn``, ``stop_sequence``, ``tool_use`` and unknown reasons are complete replies."""


class ContentBlock(Struct):
    """A part of a reply: text, thinking or a tool call; other types have none of these fields."""

    type: str
    text: str = ""
    thinking: str = ""
    name: str = ""
    input: Raw = Raw(b"{}")


class MessageReply(CountedReply, kw_only=True):
    """``messages``."""

    content: list[ContentBlock]
    stop_reason: str | None = None

    def stated(self) -> StatedTokens:
        """The counts; ``input_tokens`` are those neither read from a cache nor written to it."""
        fresh = count_in(self.usage, "input_tokens")
        cached = count_in(self.usage, "cache_read_input_tokens") or 0
        cache_writes = count_in(self.usage, "cache_creation_input_tokens") or 0
        prompt = None if fresh is None else fresh + cached + cache_writes
        return StatedTokens(prompt, count_in(self.usage, "output_tokens"), cached)

    def said(self) -> Iterable[str]:
        for block in self.content:
            yield from (block.text, block.thinking)
            yield bytes(block.input).decode(errors="replace") if block.type == "tool_use" else ""


class ClaudeModel(Struct):
    """``models/MODEL``."""

    max_input_tokens: int | None = None


class Anthropic(ServedModel):
    """A model on Anthropic's service."""

    def __init__(self, spec: str, name: str, server: Server, context: int) -> None:
        super().__init__(spec, name, server, context)
        self._parameters = Parameters(OPTIONAL, words=WORDS)

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """A reply; it names the parameters that were left out, the seed among them.

        A temperature and a top-p of 1 are the service's defaults and are not sent: models without these
        parameters refuse every value. An effort switches thinking on, and ``none`` switches it off.

        Raises:
            TransientError: a transient fault.
            ProviderError: the service refuses.
        """
        system, turns = dialogue(messages)
        request: dict[str, Any] = {
            "model": self._name,
            "max_tokens": decoding.max_tokens,
            "messages": [{"role": turn.role, "content": turn.content} for turn in turns],
        }
        if system:
            request["system"] = system
        if decoding.temperature != 1:
            request["temperature"] = decoding.temperature
        if decoding.top_p != 1:
            request["top_p"] = decoding.top_p
        if decoding.stop:
            request["stop_sequences"] = list(decoding.stop)
        if decoding.schema is not None:
            request[FORMAT] = {"type": "json_schema", "schema": decoding.schema}
        if decoding.effort == "none":
            request["thinking"] = {"type": "disabled"}
        elif decoding.effort:
            request["thinking"] = {"type": "adaptive", "display": "summarized"}
            request[EFFORT] = "low" if decoding.effort == "minimal" else decoding.effort
        if decoding.tools:
            request["tools"] = [
                {"name": tool.name, "description": tool.about, "input_schema": tool.parameters}
                for tool in decoding.tools
            ]
        try:
            reply = self.masked(completion(await self._parameters.agreed(request, self._post)))
        except RefusedError as error:
            if not error.filtered:
                raise
            reply = Completion("", usage=error.usage, finish="filter")
        dropped = tuple(sorted({ABSENT, *self._parameters.dropped}))
        return without(replace(reply, dropped=dropped), decoding, "choice")

    async def _post(self, accepted: dict[str, Any]) -> MessageReply:
        """The reply to a request whose output is configured under names with a point."""
        body = {name: value for name, value in accepted.items() if "." not in name}
        output = {name.partition(".")[2]: value for name, value in accepted.items() if "." in name}
        if output:
            body["output_config"] = output
        return await self._server.post(f"{self._server.base}/messages", body, MessageReply)


def completion(reply: MessageReply) -> Completion:
    """The text, reasoning, tool calls, usage and end of a reply."""
    calls = (block for block in reply.content if block.type == "tool_use")
    return make_completion(
        "".join(block.text for block in reply.content if block.type == "text"),
        reply.used(),
        [block.thinking for block in reply.content if block.type == "thinking"],
        tuple(ToolCall(call.name, bytes(call.input).decode(errors="replace")) for call in calls),
        FINISHES.get(reply.stop_reason or "", "stop"),
    )


@models.register("anthropic")
def anthropic(argument: str, hosts: Hosts | None = None) -> Reasoning:
    """anthropic:MODEL, a model on Anthropic's own service; the key comes from the environment."""
    name, server, chosen = open_server("anthropic", argument, hosts)
    context = chosen.context or _context(server, name)
    return Reasoning(Anthropic(f"anthropic:{name}", name, server, context), chosen.reasoning)


def _context(server: Server, name: str) -> int:
    entry = server.get(f"{server.base}/models/{quote(name, safe='')}", ClaudeModel)
    return (entry and entry.max_input_tokens) or CONTEXT
