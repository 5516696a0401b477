"""Models on Google's own service, by the Gemini API's ``generateContent``.

The form of requests and replies: https://ai.google.dev/api/generate-content.

Of replies only the fields that are used are read; a field of another type makes the reply malformed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from msgspec import Raw, Struct, field
from msgspec.structs import replace

from otherminds.core.data import Message, ModelTool
from otherminds.core.model import Completion, Decoding, Finish, Scores, ToolCall
from otherminds.models.faults import Parameters, RefusedError
from otherminds.models.hosts import Hosts
from otherminds.models.http import ServedModel, Server, open_server
from otherminds.models.registry import models
from otherminds.models.scoring import first_token, mark_unguided
from otherminds.models.wire import TOP, unavailable
from otherminds.models.wrapper import (
    CountedReply,
    Reasoning,
    StatedTokens,
    count_in,
    dialogue,
    make_completion,
    new_tokens,
)

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


CONTEXT = 32_768
"""The context in tokens where the service does not state it."""
LEVEL, BUDGET = "thinkingLevel", "thinkingBudget"
OPTIONAL = (
    *(LEVEL, BUDGET, "thinkingConfig", "topP", "seed", "stopSequences"),
    *("responseJsonSchema", "responseSchema", "temperature", "tools"),
)
FORMS = {"responseJsonSchema": "application/json", "responseSchema": "text/x.enum"}
"""The type of a reply by a JSON schema, and of one that is one of some texts."""
SCHEMA = "response_?(?:json_?)?schema|response_?mime_?type"
WORDS = {
    LEVEL: "thinking[_ ]?level",
    BUDGET: "(?:thinking[_ ]?)?budget",
    "thinkingConfig": "thinking_?config|include_?thoughts|thinking",
    "topP": "top_?p",
    "stopSequences": "stop_?sequences?",
    "responseJsonSchema": f"{SCHEMA}|json mode",
    "responseSchema": f"{SCHEMA}|enum",
    "tools": "tools?|function calling",
}


class Gemini(ServedModel):
    """A model on Google's service."""

    def __init__(self, spec: str, name: str, server: Server, context: int) -> None:
        super().__init__(spec, name, server, context)
        self._url = f"{_model(server, name)}:generateContent"
        self._parameters = Parameters(OPTIONAL, "logprobs", WORDS)

    async def generate(self, messages: Sequence[Message], decoding: Decoding) -> Completion:
        """A reply, with summaries of the thoughts as its reasoning; it names the parameters that were left out.

        Raises:
            TransientError: a transient fault.
            ProviderError: the service refuses.
        """
        config: dict[str, Any] = {
            "temperature": decoding.temperature,
            "topP": decoding.top_p,
            "seed": decoding.seed,
            "maxOutputTokens": decoding.max_tokens,
            "thinkingConfig": {"includeThoughts": True},
        }
        if decoding.stop:
            config["stopSequences"] = list(decoding.stop)
        if decoding.schema is not None:
            config["responseJsonSchema"] = decoding.schema
        elif decoding.choice:
            config |= _enumeration(decoding.choice)
        if decoding.effort == "none":
            config[BUDGET] = 0
        elif decoding.effort:
            config[LEVEL] = decoding.effort
        if decoding.tools:
            config["tools"] = [{"functionDeclarations": [_function(tool) for tool in decoding.tools]}]
        reply = await self._post_request(messages, config)
        answer = replace(self.masked(completion(reply)), dropped=self._parameters.dropped)
        return mark_unguided(answer, decoding, _enumeration)

    async def score(self, prompt: str, continuations: Sequence[str]) -> Scores:
        """The log-probability that a chat reply to ``prompt`` begins with each continuation.

        Few models list the likeliest tokens of a reply.

        Raises:
            TransientError: a transient fault.
            ProviderError: the service refuses, or cannot score these continuations.
        """
        config = {"temperature": 1.0, "maxOutputTokens": 1, "responseLogprobs": True, "logprobs": TOP}
        try:
            reply = await self._post_request([Message("user", prompt)], config)
        except RefusedError as error:
            if error.down:
                raise
            raise unavailable(self._server, f"refuses to list a reply's likeliest tokens ({error})") from None
        places = reply.candidates[0].logprobs_result.top_candidates if reply.candidates else []
        if not places:
            raise unavailable(self._server, "lists no likeliest tokens of a reply")
        hide = self._server.secrets.masked_reply
        top = [(hide(candidate.token), candidate.log_probability) for candidate in places[0].candidates]
        return Scores(first_token(continuations, top, self.spec), reply.used(), "chat")

    async def _post_request(self, messages: Sequence[Message], config: dict[str, Any]) -> ContentReply:
        """The reply to ``messages``, without the parameters in ``config`` that the model refuses.

        ``config`` also has what belongs elsewhere in a request: the tools, and the settings of thoughts.
        """
        system, turns = dialogue(messages)
        request: dict[str, Any] = {"contents": [_content(turn) for turn in turns]}
        if system:
            request["systemInstruction"] = {"parts": [{"text": system}]}

        async def post(accepted: dict[str, Any]) -> ContentReply:
            sent = {name: value for name, value in accepted.items() if name not in (LEVEL, BUDGET, "tools")}
            form = next((form for name, form in FORMS.items() if name in accepted), None)
            if form is not None:
                sent["responseMimeType"] = form
            thinking = {name: accepted[name] for name in (LEVEL, BUDGET) if name in accepted}
            if thinking:
                sent["thinkingConfig"] = accepted.get("thinkingConfig", {}) | thinking
            tools = {"tools": accepted["tools"]} if "tools" in accepted else {}
            body = {**request, **tools, "generationConfig": sent}
            return await self._server.post(self._url, body, ContentReply)

        reply = await self._parameters.agreed(config, post)
        if not reply.candidates and not reply.prompt_feedback.block_reason:
            raise self._server.malformed("no reply, and no reason for that")
        return reply


def _content(message: Message) -> dict[str, Any]:
    return {"role": "model" if message.role == "assistant" else "user", "parts": [{"text": message.content}]}


def _enumeration(choice: Sequence[str]) -> dict[str, Any]:
    return {"responseSchema": {"type": "STRING", "enum": list(choice)}}


def _function(tool: ModelTool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.about, "parametersJsonSchema": tool.parameters}


def _model(server: Server, name: str) -> str:
    return f"{server.base}/models/{quote(name, safe='')}"


@models.register("gemini")
def gemini(argument: str, hosts: Hosts | None = None) -> Reasoning:
    """gemini:MODEL, a model on Google's own service (Gemini API); the key comes from the environment."""
    name, server, chosen = open_server("gemini", argument, hosts)
    entry = None if chosen.context else server.get(_model(server, name), GeminiModel)
    context = chosen.context or (entry and entry.input_token_limit) or CONTEXT
    return Reasoning(Gemini(f"gemini:{name}", name, server, context), chosen.reasoning)
