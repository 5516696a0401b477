"""A server that lies about what it did: it states any counts, or breaks its replies off; for tests of money."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from otherminds.core.model import Price
from tests.models.serving import Answer, Asked, Reply, scripted

NUMBERS: st.SearchStrategy[Any] = st.one_of(
    st.integers(-(2**70), 2**70),
    st.sampled_from(
        [0, 1, -1, 2**53, 2**63, 10**400, True, False, None, "", "0", "1", "nan", "-inf", "1e999"]
    ),
    st.floats(),
    st.integers(-5, 300).map(str),
    st.just([7]),
    st.just({"count": 7}),
)
"""What stands where a count belongs."""


def usages() -> st.SearchStrategy[Any]:
    """Usages of OpenAI's form: whole ones, parts of them, and other values."""
    whole = st.fixed_dictionaries(
        {},
        optional={
            "prompt_tokens": NUMBERS,
            "completion_tokens": NUMBERS,
            "total_tokens": NUMBERS,
            "prompt_tokens_details": st.fixed_dictionaries({}, optional={"cached_tokens": NUMBERS}) | NUMBERS,
            "completion_tokens_details": st.fixed_dictionaries({}, optional={"reasoning_tokens": NUMBERS}),
        },
    )
    return st.none() | whole | NUMBERS


CACHED = st.integers(1, 10**9).map(
    lambda n: {"prompt_tokens": 1, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": n}}
)
"""More cached tokens than tokens."""
TEXTS = st.sampled_from(["", "A: Option J", "A: Option F", "x" * 3000, "J", "\n", "<think>", "a b " * 500])


def _said(parts: tuple[str, Any]) -> Reply:
    text, usage = parts
    message = {"role": "assistant", "content": text}
    body = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    return Reply(json.dumps(body).encode())


def replies() -> st.SearchStrategy[Reply]:
    """Replies to a chat request: readable ones with any usage, unreadable ones, refusals, and broken-off ones."""
    said = st.tuples(TEXTS, usages() | CACHED).map(_said)
    shapeless = st.sampled_from([b"", b"{}", b"<html>", b"[" * 999, b'{"choices": []}', b"\x00\xff"]).map(
        Reply
    )
    errors = st.builds(
        lambda status, words: Reply({"error": {"message": words}}, status, {"retry-after-ms": "0"}),
        st.sampled_from([400, 403, 408, 413, 422, 429, 500, 502, 503, 504, 529]),
        st.sampled_from(
            ["no", "content_filter", "slow down", "top_p is not supported", "max_completion_tokens"]
        ),
    )
    cut = st.builds(lambda reply, by: Reply(reply.body, cut=by), said, st.integers(1, 30))
    return said | shapeless | errors | cut


class Adversary:
    """Answers chat requests with ``script``, again and again; ``served`` counts them."""

    def __init__(self, script: list[Reply]) -> None:
        self._script = script
        self.served = 0
        self.largest = 0
        """The bytes of the largest request."""

    def __call__(self, asked: Asked) -> Reply:
        if asked.method != "POST":
            return Reply({"data": [{"id": "toy", "max_model_len": 65536}]})
        self.largest = max(self.largest, len(asked.raw))
        reply = self._script[self.served % len(self._script)]
        self.served += 1
        # A fresh one, since a server may change what it sends.
        return Reply(reply.body, reply.status, dict(reply.headers), reply.cut, reply.wait)


PRICE = Price(1.0, 4.0, 0.1)


def kinds(usage: Any) -> Iterator[tuple[str, Answer]]:
    """A server of each kind that says one letter, and states ``usage`` in its own words where that is a table."""
    given = usage if isinstance(usage, dict) else {}
    details = given.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    prompt, written = given.get("prompt_tokens"), given.get("completion_tokens")
    claude = {"input_tokens": prompt, "output_tokens": written, "cache_read_input_tokens": cached}
    google = {"promptTokenCount": prompt, "candidatesTokenCount": written, "cachedContentTokenCount": cached}
    bodies = {
        "openai": {"choices": [{"message": {"content": "J"}}], "usage": usage},
        "anthropic": {
            "content": [{"type": "text", "text": "J"}],
            "usage": claude if isinstance(usage, dict) else usage,
        },
        "gemini": {
            "candidates": [{"content": {"parts": [{"text": "J"}]}}],
            "usageMetadata": google if isinstance(usage, dict) else usage,
        },
    }
    for kind, body in bodies.items():
        encoded = json.dumps(body).encode()
        yield kind, lambda asked, encoded=encoded: Reply(encoded)


def saying(usage: Any) -> Answer:
    honest = scripted()

    def answer(asked: Asked) -> Reply:
        reply = honest(asked)
        if asked.method == "POST":
            reply.body = {**reply.body, "usage": usage}
        return reply

    return answer


LIARS: dict[str, Answer] = {
    "more cached than all": saying(
        {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 10**6}}
    ),
    "no usage": saying(None),
    "no tokens": saying({"prompt_tokens": 0, "completion_tokens": 0}),
    "negative": saying({"prompt_tokens": -500, "completion_tokens": -1}),
    "one token": saying({"prompt_tokens": 1, "completion_tokens": 1}),
    "NaN": lambda asked: Reply(
        json.dumps(saying({"prompt_tokens": float("nan"), "completion_tokens": 1})(asked).body).encode()
    ),
    "unreadable": lambda asked: Reply(b"<html>Welcome</html>"),
    "refusals": lambda asked: Reply({"error": {"message": "no"}}, 422),
    "broken": lambda asked: Reply(b"", 500, {"retry-after-ms": "0"}),
    "cut": lambda asked: Reply({"choices": []}, cut=3),
}
"""Servers that answer as a scripted model and state false counts or none, and servers without a readable reply."""
