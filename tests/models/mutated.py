"""Replies of every API with faults: parts exchanged, left out or doubled, and bytes changed; for tests and benchmarks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

from otherminds.core.encoding import encode
from otherminds.core.errors import OtherMindsError
from otherminds.models import anthropic, gemini, wire
from otherminds.models.http import Server
from otherminds.models.wrapper import sent_texts
from tests.models.providers import replied
from tests.models.services import claude_said, gemini_said, text

SERVER = Server("mutated", "http://127.0.0.1:1/v1", "NO_SUCH_KEY", 1.0, 1)
CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
TOP = {"content": [{"top_logprobs": [{"token": "J", "logprob": -0.1, "id": 3}]}]}
OPENAI: dict[str, Any] = {
    **replied("A: Option J", reasoning_content="It copies.", tool_calls=[CALL], refusal=None).body,
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 1}},
}
OPENAI["choices"][0]["logprobs"] = TOP
CLAUDE = claude_said(
    text("A: Option J"),
    {"type": "thinking", "thinking": "It copies."},
    {"type": "tool_use", "name": "f", "input": {"a": 1}},
    cache_read_input_tokens=1,
).body
GEMINI = gemini_said(
    {"text": "It copies.", "thought": True},
    {"text": "A: Option J"},
    {"functionCall": {"name": "f", "args": {"a": 1}}},
).body
ECHO = {"choices": [{"text": "", "index": 0, "logprobs": {"tokens": ["A"], "token_logprobs": [None], **TOP}}]}
APIS: dict[str, tuple[Any, Any, Any]] = {
    "openai": (OPENAI, wire.ChatReply, wire.completion),
    "anthropic": (CLAUDE, anthropic.MessageReply, anthropic.completion),
    "gemini": (GEMINI, gemini.ContentReply, gemini.completion),
    "openai, echo": (ECHO, wire.TextReply, wire.TextReply.used),
}
"""A good reply of each API, its form, and what reads it."""
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        2**31,
        2**63,
        2**64,
        10**30,
        1.5,
        1e300,
        "",
        "x",
        "\ud800",
        "\x00\x1b[2J",
        "9" * 5000,
    ),
    *([], {}, [[]], [None], {"": None}, {"text": "x"}, [{"type": "text", "text": 1}], [[[[[]]]]]),
)
RAW = (
    b"1e999",
    b"NaN",
    b"-Infinity",
    b"9" * 5000,
    b'"\\ud83d"',
    b'"\\ude00\\ud83d"',
    b'"\xff"',
    b"[" * 3000,
    b"{",
    b"",
)


ASKED = sent_texts(["Which option does the other player choose?"], 64)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to every part of a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield from places(part, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(copy[path[0]], path[1:], new)
    return copy


def mutants(good: Any, count: int, rng: Random) -> Iterator[bytes]:
    """``count`` bodies that differ from ``good`` in one place or in several."""
    every = list(places(good))
    mark = "\x01mark"
    for _ in range(count):
        kind = rng.randrange(4)
        if kind == 0:
            yield json.dumps(replaced(good, rng.choice(every), rng.choice(VALUES))).encode()
        elif kind == 1:
            body = json.dumps(replaced(good, rng.choice(every), mark)).encode()
            yield body.replace(json.dumps(mark).encode(), rng.choice(RAW))
        elif kind == 2:
            body = bytearray(json.dumps(good).encode())
            for _ in range(rng.randint(1, 8)):
                body[rng.randrange(len(body))] = rng.choice(b'{}[]",:0\\u\xff\x00 ')
            yield bytes(body)
        else:
            body = json.dumps(good).encode()
            start, end = sorted(rng.sample(range(len(body) + 1), 2))
            yield body[:start] + body[start:end] * rng.choice((0, 2, 3)) + body[end:]


def ends(api: str, count: int, seed: int) -> Counter[str]:
    """How ``count`` mutants of an API's reply end: read, or the name of the fault; any other error is raised."""
    good, form, read = APIS[api]
    found: Counter[str] = Counter()
    for body in mutants(good, count, Random(seed)):
        try:
            reply = SERVER.read(200, {}, body, form)
            used = ASKED.answered(reply.stated(), len(body), reply.said())
            assert used == used.possible
            encode(read(reply))
        except OtherMindsError as error:
            found[type(error).__name__ if _is_line(str(error)) else "a text of several lines"] += 1
        else:
            found["read"] += 1
    return found


def _is_line(text: str) -> bool:
    return text.isprintable() and len(text) < 500
