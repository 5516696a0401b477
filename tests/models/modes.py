"""The modes of :mod:`.test_modes`: what a server sends, and the outcome that a call to it truly has.

Outcomes: ``scored`` (the whole answer is there), ``refused``, ``filtered``, ``cut``, ``unread`` (a reply without an
answer), ``failed`` (a fault of the provider, after some tries) and ``stopped`` (asked once; no other call would succeed).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.models.serving import Asked, Reply

ANSWER = "A: Option J"
USAGE = {"prompt_tokens": 9, "completion_tokens": 5}


class Mode(NamedTuple):
    """A server of one ``kind``; ``prompt`` is the number of tokens of the prompt that are counted, 0 if they are
    estimated, ``tool`` the call read."""

    outcome: str
    answer: Callable[[Asked], Reply]
    kind: str = "openai"
    prompt: int | None = None
    tool: str | None = None


def always(body: Any, status: int = 200, **headers: str) -> Callable[[Asked], Reply]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked: Reply(body, status, named)


def chat(text: Any = ANSWER, finish: Any = "stop", usage: Any = USAGE, **message: Any) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, **message},
        "finish_reason": finish,
    }
    return {"choices": [choice], "usage": usage}


def said(text: Any = ANSWER, finish: Any = "stop", **message: Any) -> Callable[[Asked], Reply]:
    return always(chat(text, finish, **message))


def billed(usage: Any) -> Callable[[Asked], Reply]:
    return always(chat(usage=usage))


def error(status: int, message: str, **fields: Any) -> Callable[[Asked], Reply]:
    return always({"error": {"message": message, **fields}}, status, retry_after_ms="0")


def without(*names: str, status: int = 400, body: Callable[[str], Any]) -> Callable[[Asked], Reply]:
    """Refuses requests that have one of the parameters ``names``."""

    def answer(asked: Asked) -> Reply:
        refused = next((name for name in names if name in asked.body), None)
        return Reply(chat()) if refused is None else Reply(body(refused), status)

    return answer


def unknown(name: str) -> dict[str, Any]:
    return {"error": {"message": f"Unknown parameter: '{name}'.", "param": name, "code": "unknown_parameter"}}


def extra(name: str) -> dict[str, Any]:
    return {
        "detail": [{"loc": ["body", name], "msg": "extra fields not permitted", "type": "value_error.extra"}]
    }


def stream(*events: Any, end: str = "data: [DONE]\n\n") -> Callable[[Asked], Reply]:
    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events) + end
    return lambda asked: Reply(body.encode(), headers={"content-type": "text/event-stream"})


def piece(finish: str | None = None, index: int = 0, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def called(*arguments: str) -> list[dict[str, Any]]:
    """A tool call in pieces."""
    first = {"index": 0, "function": {"name": "choose", "arguments": arguments[0]}}
    rest = [{"index": 0, "function": {"arguments": more}} for more in arguments[1:]]
    return [piece(tool_calls=[one]) for one in (first, *rest)]


def claude(text: str = ANSWER, stop: str = "end_turn", usage: Any = None) -> Callable[[Asked], Reply]:
    content = [{"type": "text", "text": text}] if text else []
    return always({"content": content, "stop_reason": stop, "usage": usage})


def claude_error(status: int, message: str, kind: str) -> Callable[[Asked], Reply]:
    return always({"type": "error", "error": {"type": kind, "message": message}}, status, retry_after_ms="0")


def gemini(text: str | None = ANSWER, finish: str = "STOP", usage: Any = None) -> Callable[[Asked], Reply]:
    content = {} if text is None else {"content": {"parts": [{"text": text}], "role": "model"}}
    return always({"candidates": [{**content, "finishReason": finish}], "usageMetadata": usage})


def unordered() -> dict[str, Any]:
    whole = chat()
    other = {"index": 1, "message": {"content": "A: Option F"}, "finish_reason": "stop"}
    return {**whole, "choices": [other, *whole["choices"]]}


RAW = json.dumps(chat())
CALL = {"name": "choose", "arguments": '{"option": "Option J"}'}
FENCED = '```json\n{"option": "Option J"}\n```'
MODES: dict[str, Mode] = {
    "plain": Mode("scored", said(), prompt=9),
    # Usage.
    "usage as floats": Mode("scored", billed({"prompt_tokens": 9.0, "completion_tokens": 5.5}), prompt=9),
    "usage as texts": Mode("scored", billed({"prompt_tokens": "9", "completion_tokens": "five"}), prompt=9),
    "usage above 2^53": Mode(
        "scored", billed({"prompt_tokens": 2**60, "completion_tokens": 5}), prompt=2**40
    ),
    "usage above 2^64": Mode(
        "scored", billed({"prompt_tokens": 2**70, "completion_tokens": 5}), prompt=2**40
    ),
    "usage above every float": Mode(
        "scored", always(RAW.replace(": 9", ": 1" + "0" * 400).encode()), prompt=2**40
    ),
    "usage 1e999": Mode("scored", always(RAW.replace(": 9", ": 1e999").encode()), prompt=0),
    "usage negative": Mode("scored", billed({"prompt_tokens": -9, "completion_tokens": 5}), prompt=0),
    "usage null": Mode("scored", billed(None), prompt=0),
    "usage of nulls": Mode("scored", billed({"prompt_tokens": None, "completion_tokens": None}), prompt=0),
    "usage a text": Mode("scored", billed("9 tokens"), prompt=0),
    "usage a list": Mode("scored", billed([9, 5]), prompt=0),
    "usage with a text of details": Mode(
        "scored", billed({**USAGE, "prompt_tokens_details": "none"}), prompt=9
    ),
    "usage NaN": Mode("scored", always(RAW.replace(": 9", ": NaN").encode()), prompt=0),
    # Forms.
    "BOM": Mode("scored", always(b"\xef\xbb\xbf" + RAW.encode())),
    "stray NaN": Mode("scored", always(RAW.replace('"index": 0', '"index": 0, "score": NaN').encode())),
    "stray infinity": Mode(
        "scored", always(RAW.replace('"index": 0', '"index": 0, "score": -Infinity').encode())
    ),
    "choices out of order": Mode("scored", always(unordered())),
    "content in parts": Mode("scored", said([{"type": "text", "text": ANSWER}])),
    "content in texts": Mode("scored", said(["A: ", "Option J"])),
    "no choices": Mode("failed", always({"choices": [], "usage": USAGE})),
    "an empty body": Mode("failed", always(b"")),
    "HTML with status 200": Mode("failed", always(b"<html>Sign in</html>")),
    "an error with status 200": Mode("stopped", always({"error": {"message": "overloaded", "code": 503}})),
    # Streams.
    "stream": Mode(
        "scored", stream(piece(role="assistant"), piece(content="A: Opt"), piece("stop", content="ion J"))
    ),
    "stream without an end mark": Mode("scored", stream(piece("stop", content=ANSWER), end="")),
    "stream with usage last": Mode(
        "scored", stream(piece("stop", content=ANSWER), {"choices": [], "usage": USAGE}), prompt=9
    ),
    "stream with comments": Mode(
        "scored", lambda asked: Reply(b": wait\n\n" + stream(piece("stop", content=ANSWER))(asked).body)
    ),
    "stream of two choices": Mode(
        "scored", stream(piece("stop", 1, content="A: Option F"), piece("stop", content=ANSWER))
    ),
    "stream of a tool call": Mode(
        "unread", stream(*called('{"option": ', '"Option J"}'), piece("tool_calls")), tool=CALL["arguments"]
    ),
    "stream that is cut": Mode("failed", stream(piece(content="A: Opt"), end="")),
    "stream that breaks off": Mode(
        "stopped", stream(piece(content="A:"), {"error": {"message": "lost", "code": 502}})
    ),
    "stream of unknown events": Mode("failed", stream({"type": "response.created"})),
    # Tool calls.
    "function_call": Mode("unread", said(None, "function_call", function_call=CALL), tool=CALL["arguments"]),
    "fenced arguments": Mode(
        "unread",
        said(None, "tool_calls", tool_calls=[{"function": {**CALL, "arguments": FENCED}}]),
        tool=FENCED,
    ),
    # Ends.
    "safety": Mode("filtered", said("", "safety")),
    "SAFETY": Mode("filtered", said("", "SAFETY")),
    "content_filter": Mode("filtered", said("", "content_filter")),
    "content_filter without a message": Mode(
        "filtered", always({"choices": [{"index": 0, "finish_reason": "content_filter"}]})
    ),
    "Zhipu: sensitive": Mode("filtered", said("", "sensitive")),
    "refusal in its field": Mode("refused", said(None, refusal="I cannot.")),
    "refusal as the end": Mode("refused", said("", "refusal")),
    "cut": Mode("cut", said("I think", "length")),
    "Mistral: cut": Mode("cut", said("I think", "model_length")),
    "empty": Mode("unread", said("")),
    # Filters with an HTTP status.
    "Azure: content_filter": Mode(
        "filtered",
        error(
            400,
            "The response was filtered.",
            code="content_filter",
            innererror={"code": "ResponsibleAIPolicyViolation"},
        ),
    ),
    "OpenAI: content policy": Mode("filtered", error(400, "Rejected.", code="content_policy_violation")),
    "DeepSeek: risk": Mode("filtered", error(400, "Content Exists Risk")),
    "Alibaba: inspection": Mode(
        "filtered", error(400, "Inappropriate content.", code="data_inspection_failed")
    ),
    "OpenRouter: moderation": Mode(
        "filtered",
        error(403, "openai/gpt requires moderation on OpenRouter.", metadata={"flagged_input": "x"}),
    ),
    # Money, keys, names.
    "OpenAI: insufficient_quota": Mode(
        "stopped",
        error(429, "You exceeded your current quota, please check your plan.", code="insufficient_quota"),
    ),
    "OpenAI: billing": Mode("stopped", error(429, "Hard limit.", code="billing_hard_limit_reached")),
    "DeepSeek: no balance": Mode("stopped", error(402, "Insufficient Balance")),
    "wrong key": Mode("stopped", error(401, "Incorrect API key provided")),
    "no such model": Mode("stopped", error(404, "The model does not exist")),
    "busy for ever": Mode("stopped", error(429, "Rate limit reached for requests")),
    "broken for ever": Mode("stopped", error(500, "Internal error")),
    "too long a prompt": Mode(
        "failed", error(400, "maximum context length is 8 tokens", code="context_length_exceeded")
    ),
    # Parameters.
    "unknown max_tokens": Mode("scored", without("max_tokens", body=unknown)),
    "unknown max_tokens with 422": Mode("scored", without("max_tokens", status=422, body=extra)),
    "extra fields, named": Mode("scored", without("seed", "top_p", "stop", status=422, body=extra)),
    "extra fields, not named": Mode(
        "scored",
        without("seed", "stop", status=422, body=lambda name: {"detail": "extra fields not permitted"}),
    ),
    "a bad value for ever": Mode("failed", error(400, "Invalid value for messages")),
    # Anthropic.
    "Anthropic": Mode("scored", claude(usage={"input_tokens": "9", "output_tokens": 5.0}), "anthropic", 9),
    "Anthropic: usage null": Mode("scored", claude(usage={"input_tokens": None}), "anthropic", 0),
    "Anthropic: refusal": Mode("refused", claude("", "refusal"), "anthropic"),
    "Anthropic: cut": Mode("cut", claude("I think", "max_tokens"), "anthropic"),
    "Anthropic: filter": Mode(
        "filtered",
        claude_error(400, "Output blocked by content filtering policy", "invalid_request_error"),
        "anthropic",
    ),
    "Anthropic: credit": Mode(
        "stopped", claude_error(400, "Your credit balance is too low", "invalid_request_error"), "anthropic"
    ),
    "Anthropic: overloaded": Mode(
        "stopped", claude_error(529, "Overloaded", "overloaded_error"), "anthropic"
    ),
    # Gemini.
    "Gemini": Mode("scored", gemini(usage={"promptTokenCount": "9"}), "gemini", 9),
    "Gemini: usage a text": Mode("scored", gemini(usage="none"), "gemini", 0),
    "Gemini: SAFETY": Mode("filtered", gemini(None, "SAFETY"), "gemini"),
    "Gemini: blocked prompt": Mode(
        "filtered", always({"promptFeedback": {"blockReason": "SAFETY"}}), "gemini"
    ),
    "Gemini: cut": Mode("cut", gemini("I think", "MAX_TOKENS"), "gemini"),
    "Gemini: invalid key": Mode(
        "stopped", error(400, "API key not valid.", details=[{"reason": "API_KEY_INVALID"}]), "gemini"
    ),
}
