"""Servers as they are: refused parameters, reasoning channels, stop reasons, limits of log-probabilities.

Each fake server follows what the named provider documents or sends. An answer that is there is found; one
that is not is blamed on what kept it away.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import ModelTool
from otherminds.core.model import Completion, Decoding
from otherminds.models.registry import open_model
from otherminds.models.scoring import regex
from tests.models import serving
from tests.models.providers import ANSWER, DECODING, HELLO, SERVERS, Server, always, replied


def asked_once(server: Server, key: str = "") -> tuple[Completion, list[Any]]:
    with serving.serving(server.answer) as local:
        model = open_model(f"{server.kind}:toy@{local.url}?context=20000{key}")

        async def twice() -> Completion:
            await model.generate(HELLO, DECODING)
            sent = len(local.asked)
            reply = await model.generate(HELLO, DECODING)
            assert len(local.asked) == sent + 1, "what was refused or cut once is not sent again"
            return reply

        return serving.closing(model, twice), local.asked


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for service in ("ANTHROPIC", "GEMINI"):
        monkeypatch.setenv(f"{service}_API_KEY", "hush")


@pytest.mark.parametrize("name", [name for name in SERVERS if name != "a thinker without end"])
def test_the_answer_is_found_or_its_lack_is_named(name: str) -> None:
    server = SERVERS[name]
    reply, _ = asked_once(server)
    assert (reply.text, reply.finish, reply.dropped) == (server.text, server.finish, server.dropped)


def test_a_thinker_without_end_is_cut_at_its_budget() -> None:
    server = SERVERS["a thinker without end"]
    reply, asked = asked_once(server)
    assert (reply.text, reply.finish) == ("", "length")
    assert [one.body["max_tokens"] for one in asked] == [24, 24 + 8192, 24 + 8192]


def test_usage_counts_the_reply_that_was_cut() -> None:
    server = SERVERS["Qwen3: think, cut at 24"]
    with serving.serving(server.answer) as local:
        model = open_model(f"openai:toy@{local.url}?context=20000&reasoning=1000")
        reply = serving.closing(model, lambda: model.generate(HELLO, DECODING))
    assert reply.usage.prompt == 18
    assert local.asked[-1].body["max_tokens"] == 1024


def test_a_key_of_one_letter_hides_no_parameter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHORT_KEY", "m")
    reply, _ = asked_once(SERVERS["GPT-5: max_tokens, temperature, top_p, stop"], key="&key=SHORT_KEY")
    assert reply.text == ANSWER


LINES = ("A: Option J", "A: Option F")


@given(st.lists(st.text(st.sampled_from(r"AJ \.^$*+?{}[]|()-:'"), min_size=1), min_size=1), st.text("AJ .+"))
def test_the_expression_of_a_choice_matches_its_texts_alone(choice: list[str], other: str) -> None:
    assert all(re.fullmatch(regex(choice), text) for text in choice)
    assert (re.fullmatch(regex(choice), other) is not None) is (other in choice)


def kind_of(owner: str, refused: str = "") -> Callable[[Any], Any]:
    """A server that names its kind, and refuses one field of requests."""

    def answer(asked: Any) -> serving.Reply:
        if asked.path.endswith("/models"):
            return serving.Reply({"data": [{"id": "toy", "owned_by": owner}]})
        if refused and refused in asked.body:
            return serving.Reply({"error": {"message": f"Unsupported parameter: '{refused}'"}}, 400)
        return replied()

    return answer


@pytest.mark.parametrize(
    ("owner", "refused", "sent", "dropped"),
    [
        ("vllm", "", {"structured_outputs": {"choice": [*LINES]}}, ()),
        ("sglang", "", {"regex": "(A: Option J|A: Option F)"}, ()),
        ("llamacpp", "", {"grammar": 'root ::= "A: Option J" | "A: Option F"'}, ()),
        ("vllm", "structured_outputs", {}, ("structured_outputs",)),
        ("vllm", "reasoning_effort", {"structured_outputs": {"choice": [*LINES]}}, ("reasoning_effort",)),
        ("openai", "", {}, ("choice",)),
        ("openai", "reasoning_effort", {}, ("choice", "reasoning_effort")),
        ("library", "", {}, ("choice",)),
    ],
)
def test_a_choice_is_asked_for_as_the_server_takes_it(
    owner: str, refused: str, sent: dict[str, Any], dropped: tuple[str, ...]
) -> None:
    decoding = Decoding(max_tokens=24, choice=LINES, effort="low")
    with serving.serving(kind_of(owner, refused)) as local:
        model = open_model(f"openai:toy@{local.url}?context=20000")
        reply = serving.closing(model, lambda: model.generate(HELLO, decoding))
    body = local.asked[-1].body
    guides = ("structured_outputs", "regex", "grammar")
    assert {name: value for name, value in body.items() if name in guides} == sent
    assert body.get("reasoning_effort") == (None if refused == "reasoning_effort" else "low")
    assert (reply.text, reply.dropped) == (ANSWER, dropped)


PAY = ModelTool(
    "pay", "Pays.", {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": []}
)


def test_the_one_call_of_older_servers_is_read() -> None:
    legacy = {"name": "pay", "arguments": '{"sum": 2}'}
    with serving.serving(always(None, "function_call", function_call=legacy)) as local:
        model = open_model(f"openai:toy@{local.url}?context=20000")
        reply = serving.closing(model, lambda: model.generate(HELLO, Decoding(tools=(PAY,))))
    assert [(one.name, one.arguments) for one in reply.tools] == [("pay", '{"sum": 2}')]
    assert (reply.text, reply.finish) == ("", "stop")


@pytest.mark.parametrize(
    ("calls", "tools"),
    [
        ([{"name": "pay", "arguments": '{"sum": 2}'}], [("pay", '{"sum": 2}')]),
        ([{"name": "pay", "arguments": {"sum": 2}}], [("pay", '{"sum": 2}')]),
        ([{"name": "pay", "arguments": None}], [("pay", "{}")]),
        ([{"name": "pay"}], [("pay", "{}")]),
        ([{"name": "pay", "arguments": '{"su'}], [("pay", '{"su')]),
        (
            [{"name": "pay", "arguments": {"sum": 2}}, {"name": "flee", "arguments": "{}"}],
            [("pay", '{"sum": 2}'), ("flee", "{}")],
        ),
        ([None], []),
    ],
)
def test_tool_calls_are_read_in_every_form(calls: list[Any], tools: list[tuple[str, str]]) -> None:
    wire = [{"id": "1", "type": "function", "function": one} if one else {"type": "custom"} for one in calls]
    with serving.serving(always(None, "tool_calls", tool_calls=wire)) as local:
        model = open_model(f"openai:toy@{local.url}?context=20000")
        reply = serving.closing(model, lambda: model.generate(HELLO, Decoding(tools=(PAY,))))
    assert (reply.text, reply.finish) == ("", "stop")
    assert [(one.name, one.arguments) for one in reply.tools] == tools
    (sent,) = local.asked[-1].body["tools"]
    assert sent == {
        "type": "function",
        "function": {"name": "pay", "description": "Pays.", "parameters": PAY.parameters},
    }


def test_a_server_that_ignores_the_choice_is_found_out() -> None:
    """vLLM before structured_outputs ignores the field, and says nothing."""

    def answer(asked: Any) -> serving.Reply:
        if asked.path.endswith("/models"):
            return serving.Reply({"data": [{"id": "toy", "owned_by": "vllm"}]})
        return replied("I like J.")

    with serving.serving(answer) as local:
        model = open_model(f"openai:toy@{local.url}?context=20000")
        reply = serving.closing(model, lambda: model.generate(HELLO, Decoding(choice=LINES)))
    assert reply.dropped == ("choice",)


@pytest.mark.parametrize(
    ("message", "most"),
    [("Invalid value: must be less than or equal to 5.", 5), ("top_logprobs must be between 0 and 8", 8)],
)
def test_fewer_likeliest_tokens_are_listed_where_a_server_wants_it(message: str, most: int) -> None:
    def answer(asked: Any) -> serving.Reply:
        if "top_logprobs" not in asked.body:
            return serving.Reply({"error": {"message": "no such path"}}, 404)
        if asked.body["top_logprobs"] > most:
            return serving.Reply({"error": {"message": message, "param": "top_logprobs"}}, 400)
        top = [{"token": " J", "logprob": -0.1}, {"token": " F", "logprob": -2.3}]
        choice = {"message": {"content": "J"}, "logprobs": {"content": [{"top_logprobs": top}]}}
        return serving.Reply({"choices": [choice]})

    with serving.serving(answer) as local:
        model: Any = open_model(f"openai:toy@{local.url}?context=20000")
        scores = serving.closing(model, lambda: model.score("A: Option", [" J", " F"]))
    assert scores.logprobs == (-0.1, -2.3)
    assert [one.body["top_logprobs"] for one in local.asked if "top_logprobs" in one.body] == [20, most]
