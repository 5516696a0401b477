"""Anthropic's and Google's own services as their documentation describes them: what they refuse, how they reply.

For :func:`tests.models.serving.serving`, which asks an ``Answer`` for each request.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from otherminds.core.data import Message
from otherminds.core.model import Decoding
from otherminds.core.record import Record
from otherminds.models.scripted import echo_last
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides
from tests.models.serving import Answer, Asked, Reply, replied

LIMIT = 200_000
"""The context of both services' models, in tokens."""


def claude_error(status: int, kind: str, message: str, **headers: str) -> Reply:
    """An error of Anthropic's service."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011"}
    return Reply(body, status, headers)


def claude_invalid(message: str) -> Reply:
    return claude_error(400, "invalid_request_error", message)


def claude_said(*blocks: dict[str, Any], stop: str = "end_turn", **usage: int | None) -> Reply:
    """A reply of Anthropic's service."""
    used = {"input_tokens": 9, "output_tokens": 5, **usage}
    message = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "toy",
        "content": list(blocks),
    }
    return Reply({**message, "stop_reason": stop, "stop_sequence": None, "usage": used})


def text(words: str) -> dict[str, Any]:
    """A block of text in a reply of Anthropic's service."""
    return {"type": "text", "text": words, "citations": None}


FIELDS = {
    "model",
    "max_tokens",
    "messages",
    "system",
    "temperature",
    "top_p",
    "stop_sequences",
    "output_config",
    "thinking",
    "tools",
}


def claude(asked: Asked) -> Reply:
    """Anthropic's service with the model ``toy``, which says what the scripted model ``echo_last`` says."""
    if "x-api-key" not in asked.headers:
        return claude_error(401, "authentication_error", "x-api-key header is required")
    if asked.headers.get("anthropic-version") != "2023-06-01":
        return claude_invalid("anthropic-version: header is required")
    if asked.path == "/v1/models/toy":
        return Reply({"type": "model", "id": "toy", "max_input_tokens": LIMIT, "max_tokens": 64_000})
    if asked.path != "/v1/messages":
        return claude_error(404, "not_found_error", "Not found")
    body = asked.body
    if body["model"] != "toy":
        return claude_error(404, "not_found_error", f"model: {body['model']}")
    for name in body.keys() - FIELDS:
        return claude_invalid(f"{name}: Extra inputs are not permitted")
    for i, one in enumerate(body["messages"]):
        if one["role"] not in ("user", "assistant"):
            return claude_invalid(f"messages.{i}.role: Input should be 'user' or 'assistant'")
        if not one["content"].strip():
            return claude_invalid("messages: text content blocks must contain non-whitespace text")
    if not all(stop.strip() for stop in body.get("stop_sequences", ())):
        return claude_invalid("stop_sequences: each stop sequence must contain non-whitespace")
    if {"temperature", "top_p"} <= body.keys():
        return claude_invalid("`temperature` and `top_p` cannot both be specified for this model.")
    if body.get("thinking", {}).get("type") == "adaptive" and "temperature" in body:
        return claude_invalid("`temperature` may only be set to 1 when thinking is enabled.")
    schema = body.get("output_config", {}).get("format", {}).get("schema", {"additionalProperties": False})
    if schema.get("additionalProperties") is not False:
        rule = "For 'object' type, 'additionalProperties' must be explicitly set to false"
        return claude_invalid(f"output_config.format.schema: {rule}")
    messages = [Message(one["role"], one["content"]) for one in body["messages"]]
    said = replied(echo_last(), messages, Decoding())
    used = {"input_tokens": said.usage.prompt, "output_tokens": said.usage.completion}
    return claude_said(text(said.text), **used)


def gemini_error(status: int, kind: str, message: str, *details: dict[str, Any]) -> Reply:
    """An error of Google's service."""
    return Reply(
        {"error": {"code": status, "message": message, "status": kind, "details": list(details)}}, status
    )


def gemini_invalid(message: str) -> Reply:
    return gemini_error(400, "INVALID_ARGUMENT", message)


def gemini_said(*parts: dict[str, Any], finish: str = "STOP", usage: dict[str, int] | None = None) -> Reply:
    """A reply of Google's service; one without parts has no field for them."""
    content = {"role": "model", **({"parts": list(parts)} if parts else {})}
    used = usage or {"promptTokenCount": 9, "candidatesTokenCount": 5, "totalTokenCount": 14}
    candidate = {"content": content, "finishReason": finish, "index": 0}
    return Reply({"candidates": [candidate], "usageMetadata": used, "modelVersion": "toy"})


CONFIG = {
    *("temperature", "topP", "seed", "maxOutputTokens", "stopSequences", "responseMimeType"),
    *("responseJsonSchema", "responseSchema", "thinkingConfig", "responseLogprobs", "logprobs"),
}
NAMELESS = "Method doesn't allow unregistered callers."


def gemini(asked: Asked) -> Reply:
    """Google's service with the model ``toy``, which says what the scripted model ``echo_last`` says."""
    if "x-goog-api-key" not in asked.headers:
        return gemini_error(403, "PERMISSION_DENIED", NAMELESS)
    if asked.path == "/v1beta/models/toy":
        return Reply({"name": "models/toy", "inputTokenLimit": LIMIT, "outputTokenLimit": 65_536})
    if asked.path != "/v1beta/models/toy:generateContent":
        return gemini_error(404, "NOT_FOUND", f"{asked.path} is not found for API version v1beta")
    body = asked.body
    for name in body.keys() - {"contents", "systemInstruction", "generationConfig", "tools"}:
        return gemini_invalid(f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.')
    config = body["generationConfig"]
    for name in config.keys() - CONFIG:
        where = "at 'generation_config': Cannot find field."
        return gemini_invalid(f'Invalid JSON payload received. Unknown name "{name}" {where}')
    if "responseJsonSchema" in config and config.get("responseMimeType") != "application/json":
        return gemini_invalid("response_mime_type must be application/json where there is a response schema")
    messages: list[Message] = []
    for one in body["contents"]:
        if one["role"] not in ("user", "model"):
            return gemini_invalid("Please use a valid role: user, model.")
        said = "".join(part["text"] for part in one["parts"])
        if not said:
            return gemini_invalid("Unable to submit request because it must have a text parameter.")
        messages.append(Message("assistant" if one["role"] == "model" else "user", said))
    reply = replied(echo_last(), messages, Decoding())
    used = {"promptTokenCount": reply.usage.prompt, "candidatesTokenCount": reply.usage.completion}
    return gemini_said({"text": reply.text}, usage=used)


def without(parameter: str, refusal: Reply, service: Answer) -> Answer:
    """``service`` with a model that answers requests with ``parameter`` by ``refusal``."""

    def answer(asked: Asked) -> Reply:
        body = asked.body or {}
        return refusal if parameter in {**body, **body.get("generationConfig", {})} else service(asked)

    return answer


STUDY = """
name = "own"
episodes = 2
rounds = 4
[[cells]]
scenarios = ["ipd-tit_for_tat-v1"]
minds = ["qa@MODEL"]
[[cells]]
scenarios = ["household-one_shot_relay-v1"]
options = { turns = 2 }
minds = ["tool_loop@MODEL"]
"""
"""Single messages in a matrix game, and conversations with a system message in the household."""


class Quiet:
    """A study's progress, which nobody watches."""

    def start(self, planned: int, done: int, asked: int) -> None: ...

    def advance(self, spec: Any, outcome: Any) -> None: ...

    def say(self, text: str) -> None: ...


def studied(model: str, folder: Path) -> list[Record]:
    """The records of :data:`STUDY` with ``model``, by scenario and seed."""
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY)
    run(plan_file(folder / "study.toml", RunOverrides((model,))), folder / "out", Quiet())
    return sorted(results(folder / "out")[1], key=lambda record: (record.spec.title, record.spec.seed))
