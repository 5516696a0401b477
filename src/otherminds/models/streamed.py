"""Streams of events that a server sends although none was asked for, as the one reply that they are pieces of.

The form of events: https://html.spec.whatwg.org/multipage/server-sent-events.html; that of the pieces:
https://platform.openai.com/docs/api-reference/chat-streaming.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""How a line of a stream begins; no JSON document begins so."""
TEXTS = ("content", "reasoning_content", "reasoning", "refusal")
"""Fields of a piece whose texts are joined."""


class FunctionDelta(Struct):
    """A piece of a tool call: its name comes once, its arguments in parts."""

    name: str | None = None
    arguments: str | None = None


class ToolCallDelta(Struct):
    """A piece of the tool call at place ``index``."""

    index: int = 0
    function: FunctionDelta | None = None


class Delta(Struct):
    """A piece of a message."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[ToolCallDelta] | None = None
    function_call: FunctionDelta | None = None


class ChoiceDelta(Struct):
    """A piece of the choice at place ``index``."""

    index: int = 0
    delta: Delta | None = None
    finish_reason: str | None = None


class StreamEvent(Struct):
    """One event; the last ones may have the usage alone. An error may come in the midst of a reply."""

    choices: list[ChoiceDelta] | None = None
    usage: Any = None
    error: Any = None


def join_stream(body: bytes) -> bytes | None:
    """The chat reply that a stream of events is pieces of, as JSON; ``None`` if ``body`` is no stream.

    Only the first choice is joined. An error in the stream is the reply.

    >>> join_stream(b'data: {"choices": [{"delta": {"content": "J"}}]}\\n\\ndata: [DONE]\\n\\n')
    b'{"choices":[{"message":{"content":"J","tool_calls":[]},"finish_reason":null}],"usage":null}'

    Raises:
        ValueError: a stream of another form, or one that ends before its reply does.
    """
    if not body.lstrip().startswith(STARTS):
        return None
    texts: dict[str, str] = {}
    tools: dict[int, FunctionDelta] = {}
    finish: str | None = None
    usage: Any = None
    ended = begun = False
    for line in body.splitlines():
        field, _, data = line.partition(b":")
        if field.strip() != b"data":
            continue
        if (data := data.strip()) == b"[DONE]":
            ended = True
            continue
        event = msgspec.json.decode(data, type=StreamEvent)
        if event.error:
            return msgspec.json.encode({"error": event.error})
        usage = event.usage or usage
        for piece in event.choices or ():
            if piece.index:
                continue
            begun = True
            finish = piece.finish_reason or finish
            delta = piece.delta or Delta()
            for name in TEXTS:
                if text := getattr(delta, name):
                    texts[name] = texts.get(name, "") + text
            calls = [(tool.index, tool.function) for tool in delta.tool_calls or ()]
            for index, function in (*calls, (-1, delta.function_call)):
                if function is not None:
                    before = tools.setdefault(index, FunctionDelta("", ""))
                    before.name = (before.name or "") + (function.name or "")
                    before.arguments = (before.arguments or "") + (function.arguments or "")
    if not begun:
        raise ValueError("it is a stream of events of an unknown form, and none was asked for")
    if not ended and finish is None:
        raise ValueError("it is a stream of events, which was not asked for and ends before its reply does")
    message = {**texts, "tool_calls": [{"function": tools[index]} for index in sorted(tools)]}
    return msgspec.json.encode({"choices": [{"message": message, "finish_reason": finish}], "usage": usage})
