"""What is lost through the OpenAI-compatible faces of Anthropic's and Google's services.

One reply in both forms. What the faces return is documented at
https://platform.claude.com/docs/en/api/openai-sdk and https://ai.google.dev/gemini-api/docs/openai (2026).
"""

from __future__ import annotations

from typing import Any

import pytest

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding, Usage
from otherminds.models.registry import open_model
from tests.models import serving
from tests.models.services import claude_said, gemini_said, text

HELLO = [Message("user", "Which option?")]
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": False}
HOW = Decoding(temperature=0.5, max_tokens=2000, schema=SCHEMA, seed=3)


def face(content: str) -> serving.Reply:
    """A reply with the fields that both faces have."""
    usage = {"prompt_tokens": 2009, "completion_tokens": 75, "total_tokens": 2084}
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return serving.Reply({"object": "chat.completion", "choices": [choice], "usage": usage})


def claude(asked: Any) -> serving.Reply:
    """Thinks, and read most of the prompt from a cache. The face ignores seed and schema, and returns neither."""
    if asked.path.endswith("/chat/completions"):
        return face("A: Option J")
    thought = {"type": "thinking", "thinking": "It copies.", "signature": "Eq"}
    return claude_said(thought, text("A: Option J"), output_tokens=75, cache_read_input_tokens=2000)


def gemini(asked: Any) -> serving.Reply:
    """Thinks, and read most of the prompt from a cache. Thoughts are returned if they are asked for."""
    if asked.path.endswith("/chat/completions"):
        config = asked.body.get("extra_body", {}).get("google", {}).get("thinking_config", {})
        return face(f"{'<thought>It copies.</thought>' * ('include_thoughts' in config)}A: Option J")
    usage = {"promptTokenCount": 2009, "candidatesTokenCount": 5, "thoughtsTokenCount": 70}
    thought = {
        "text": "It copies.",
        "thought": asked.body["generationConfig"]["thinkingConfig"]["includeThoughts"],
    }
    return gemini_said(thought, {"text": "A: Option J"}, usage={**usage, "cachedContentTokenCount": 2000})


@pytest.mark.parametrize(
    ("kind", "service", "dropped"), [("anthropic", claude, ("seed",)), ("gemini", gemini, ())]
)
def test_a_face_loses_the_reasoning_and_the_cache(
    monkeypatch: pytest.MonkeyPatch, kind: str, service: serving.Answer, dropped: tuple[str, ...]
) -> None:
    monkeypatch.setenv(f"{kind.upper()}_API_KEY", "hush")
    found: dict[str, Completion] = {}
    for through in (kind, "openai"):
        with serving.serving(service) as server:
            model: Any = open_model(f"{through}:toy@{server.url}?context=20000")
            found[through] = serving.closing(model, lambda model=model: model.generate(HELLO, HOW))
    own, other = found[kind], found["openai"]
    assert own == Completion("A: Option J", "It copies.", Usage(2009, 75, 2000), dropped=dropped)
    assert other == Completion("A: Option J", "", Usage(2009, 75, 0))
