"""Anthropic's own service: what is asked, what is read, and whose fault a fault is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from otherminds.core.data import Message, ModelTool
from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Completion, Decoding, ToolCall, Usage
from otherminds.models.anthropic import CONTEXT
from otherminds.models.registry import identity, open_model, open_servers
from otherminds.studies.plan import plan_file
from otherminds.studies.run_overrides import RunOverrides
from tests.cases import for_each
from tests.models import serving
from tests.models.services import (
    LIMIT,
    STUDY,
    claude,
    claude_error,
    claude_invalid,
    claude_said,
    studied,
    text,
    without,
)

HELLO = [Message("system", "Be brief."), Message("user", "Which option?")]
CLOSED = {"type": "object", "properties": {"option": {"type": "string"}}, "additionalProperties": False}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-hush")


@contextmanager
def at(answer: serving.Answer = claude, options: str = "context=9000&timeout=5") -> Iterator[tuple[Any, Any]]:
    """A server that answers so, and its model."""
    with serving.serving(answer) as server:
        yield server, open_model(f"anthropic:toy@{server.url}?{options}")


def said(model: Any, messages: list[Message] = HELLO, **decoding: Any) -> Completion:
    return serving.closing(model, lambda: model.generate(messages, Decoding(**decoding)))


def test_a_request_has_the_documented_form() -> None:
    with at() as (server, model):
        assert said(model, temperature=0.5, max_tokens=7, stop=("Q:",), schema=CLOSED).text
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1/messages")
    assert asked.headers["anthropic-version"] == "2023-06-01"
    assert asked.body == {
        "model": "toy",
        "max_tokens": 7,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Which option?"}],
        "temperature": 0.5,
        "stop_sequences": ["Q:"],
        "output_config": {"format": {"type": "json_schema", "schema": CLOSED}},
    }


def test_what_the_service_does_anyway_is_not_asked_for() -> None:
    with at() as (server, model):
        assert said(model, [Message("user", "Which?")]).dropped == ("seed",)
    assert server.asked[0].body.keys() == {"model", "max_tokens", "messages"}


def test_a_conversation_has_turns_with_text_and_its_system_text_apart() -> None:
    rows = [("system", "A"), ("user", "B"), ("assistant", "C"), ("user", "D"), ("assistant", " \n")]
    rows += [("user", "E"), ("system", "F"), ("user", "G")]
    with at() as (server, model):
        said(model, [Message(role, content) for role, content in rows])
    turns = [("user", "B"), ("assistant", "C"), ("user", "D\n\nE\n\nG")]
    assert server.asked[0].body["messages"] == [{"role": role, "content": one} for role, one in turns]
    assert server.asked[0].body["system"] == "A\n\nF"


@for_each(
    ("blocks", "found"),
    [
        ([text(" A: Option J\n")], Completion("A: Option J")),
        ([], Completion("")),
        ([{"type": "a_block_of_tomorrow", "text": "B"}, text("A")], Completion("A")),
        ([text("A: "), text("Option J")], Completion("A: Option J")),
        (
            [{"type": "thinking", "thinking": "It copies.", "signature": "Eq"}, text("A: Option J")],
            Completion("A: Option J", "It copies."),
        ),
        (
            [
                {"type": "thinking", "thinking": "", "signature": "Eq"},
                {"type": "redacted_thinking", "data": "Ew"},
                text("<thinking>Hm.</thinking>A"),
            ],
            Completion("A", "Hm."),
        ),
        (
            [
                text("I look."),
                {"type": "tool_use", "id": "toolu_01", "name": "look", "input": {"at": ["é", 1.50]}},
                {"type": "tool_use", "id": "toolu_02", "name": "wait", "input": {}},
                {"type": "server_tool_use", "id": "srv_01", "name": "web", "input": {"q": 1}},
            ],
            Completion(
                "I look.", tools=(ToolCall("look", '{"at": ["\\u00e9", 1.5]}'), ToolCall("wait", "{}"))
            ),
        ),
    ],
)
def test_a_reply_is_taken_apart(blocks: list[dict[str, Any]], found: Completion) -> None:
    with at(lambda asked: claude_said(*blocks)) as (_, model):
        reply = said(model)
    assert (reply.text, reply.reasoning, reply.tools) == (found.text, found.reasoning, found.tools)


@for_each(
    ("counts", "found"),
    [
        ({}, Usage(9, 5)),
        ({"cache_read_input_tokens": None, "cache_creation_input_tokens": None}, Usage(9, 5)),
        ({"cache_read_input_tokens": 2000}, Usage(2009, 5, 2000)),
        ({"cache_read_input_tokens": 2000, "cache_creation_input_tokens": 300}, Usage(2309, 5, 2000)),
        ({"cache_creation_input_tokens": 300}, Usage(309, 5)),
    ],
)
def test_the_prompt_is_what_is_fresh_and_what_a_cache_holds(counts: dict[str, Any], found: Usage) -> None:
    with at(lambda asked: claude_said(text("A"), **counts)) as (_, model):
        assert said(model).usage == found


@for_each(
    ("stop", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "stop"),
        ("a reason of tomorrow", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("pause_turn", "length"),
        ("refusal", "refusal"),
    ],
)
def test_a_reply_says_why_it_ended(stop: str, finish: str) -> None:
    with at(lambda asked: claude_said(text("I"), stop=stop)) as (_, model):
        assert said(model).finish == finish


def test_a_thinker_that_is_cut_gets_the_tokens_it_needs() -> None:
    def thinks(asked: Any) -> serving.Reply:
        if asked.body["max_tokens"] < 900:
            return claude_said({"type": "thinking", "thinking": "First"}, stop="max_tokens")
        return claude_said({"type": "thinking", "thinking": "First, J."}, text("A: Option J"))

    with at(thinks) as (server, model):
        reply = said(model, max_tokens=24)
    assert (reply.text, reply.reasoning, reply.finish) == ("A: Option J", "First, J.", "stop")
    assert reply.usage == Usage(18, 10)
    assert [one.body["max_tokens"] for one in server.asked] == [24, 24 + 8192]


LOOK = ModelTool("look", "Looks into a box.", {"type": "object", "properties": {"box": {"type": "string"}}})


@for_each(
    ("effort", "thinking", "output"),
    [
        ("none", {"type": "disabled"}, None),
        ("minimal", {"type": "adaptive", "display": "summarized"}, {"effort": "low"}),
        ("high", {"type": "adaptive", "display": "summarized"}, {"effort": "high"}),
    ],
)
def test_an_effort_switches_thinking(effort: str, thinking: dict[str, str], output: Any) -> None:
    with at() as (server, model):
        assert said(model, effort=effort).dropped == ("seed",)
    assert server.asked[0].body["thinking"] == thinking
    assert server.asked[0].body.get("output_config") == output


def test_tools_are_offered_and_a_choice_is_named_as_missing() -> None:
    with at() as (server, model):
        assert said(model, tools=(LOOK,), choice=("A: Option J",)).dropped == ("choice", "seed")
    (tool,) = server.asked[0].body["tools"]
    assert tool == {"name": "look", "description": LOOK.about, "input_schema": LOOK.parameters}


DEPRECATED = "`{}` is deprecated for this model."


@for_each(
    ("answer", "decoding", "dropped"),
    [
        (claude, {"temperature": 0.7, "top_p": 0.9}, ("seed", "top_p")),
        (claude, {"stop": ("\n",)}, ("seed", "stop_sequences")),
        (claude, {"schema": {"type": "object"}}, ("output_config.format", "seed")),
        (
            without("temperature", claude_invalid(DEPRECATED.format("temperature")), claude),
            {"temperature": 0.7},
            ("seed", "temperature"),
        ),
        (
            without("top_p", claude_invalid(DEPRECATED.format("top_p")), claude),
            {"top_p": 0.9},
            ("seed", "top_p"),
        ),
        (claude, {"temperature": 0.7, "effort": "low"}, ("seed", "temperature")),
        (
            without("thinking", claude_invalid("adaptive thinking is not supported on this model"), claude),
            {"effort": "none"},
            ("seed", "thinking"),
        ),
        (
            without(
                "output_config", claude_invalid("This model does not support the effort parameter."), claude
            ),
            {"effort": "high"},
            ("output_config.effort", "seed"),
        ),
        (
            without("tools", claude_invalid("tools: this model has no tool use"), claude),
            {"tools": (LOOK,)},
            ("seed", "tools"),
        ),
        (
            without(
                "output_config", claude_invalid("This model does not support structured outputs."), claude
            ),
            {"schema": CLOSED},
            ("output_config.format", "seed"),
        ),
    ],
)
def test_what_the_model_refuses_is_left_out_from_then_on_and_named(
    answer: serving.Answer, decoding: dict[str, Any], dropped: tuple[str, ...]
) -> None:
    with at(answer) as (server, model):

        async def twice() -> list[Completion]:
            return [await model.generate(HELLO, Decoding(**decoding)) for _ in range(2)]

        replies = serving.closing(model, twice)
    assert [one.dropped for one in replies] == [dropped, dropped]
    assert len(server.asked) == 3, "a refused parameter is sent once"


def test_another_refusal_is_the_servers_and_sent_once() -> None:
    long = claude_invalid("prompt is too long: 200001 tokens > 200000 maximum")
    with at(lambda asked: long) as (server, model):
        with pytest.raises(ProviderError, match="HTTP 400: prompt is too long") as caught:
            said(model, temperature=0.5)
        assert not isinstance(caught.value, TransientError)
    assert len(server.asked) == 1


@for_each(
    ("status", "kind"),
    [(429, "rate_limit_error"), (500, "api_error"), (504, "timeout_error"), (529, "overloaded_error")],
)
def test_a_busy_service_may_answer_later(status: int, kind: str) -> None:
    busy = claude_error(status, kind, "Overloaded", **{"retry-after": "7"})
    with at(lambda asked: busy) as (_, model):
        with pytest.raises(TransientError, match=f"HTTP {status}: Overloaded") as caught:
            said(model)
        assert caught.value.after == 7


@for_each(
    "body",
    [
        b"",
        b"<html>",
        {},
        {"content": None},
        {"content": "A"},
        {"content": [{"text": "A"}]},
        {"content": [{"type": "text", "text": 1}]},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    ],
)
def test_a_malformed_reply_may_come_whole_the_next_time(body: Any) -> None:
    with at(lambda asked: serving.Reply(body)) as (_, model), pytest.raises(TransientError):
        said(model)


def test_the_key_is_in_its_header_only_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(asked: Any) -> serving.Reply:
        return claude_error(401, "authentication_error", f"invalid x-api-key {asked.headers['x-api-key']}")

    whose = r"ANTHROPIC_API_KEY, .* is set: check it$"
    with at(refuse) as (server, model), pytest.raises(ProviderError, match=whose) as caught:
        said(model)
    assert "hush" not in str(caught.value)
    assert caught.value.down
    (asked,) = server.asked
    assert [name for name, value in asked.headers.items() if "hush" in value] == ["x-api-key"]
    assert "hush" not in asked.path
    assert b"hush" not in asked.raw
    monkeypatch.setenv("MY_KEY", "other")
    with at(options="context=9&key=MY_KEY") as (server, model):
        said(model)
    assert server.asked[0].headers["x-api-key"] == "other"


@pytest.mark.parametrize("spec", ["anthropic:toy", "anthropic:toy?context=9", "anthropic:toy?key=MY_KEY"])
def test_a_missing_key_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    variable = "MY_KEY, named by key=MY_KEY," if "MY_KEY" in spec else "ANTHROPIC_API_KEY"
    with pytest.raises(
        StudyError, match=f"environment variable {variable} is not set; set it to the API key"
    ):
        open_model(spec)


def test_a_wrong_option_names_the_kind() -> None:
    with pytest.raises(StudyError, match="an anthropic: model has no option 'effort'"):
        open_model("anthropic:toy?effort=high")
    with pytest.raises(StudyError, match="such as ANTHROPIC_API_KEY, and never the key"):
        open_model("anthropic:toy?key=sk-ant-1")
    with pytest.raises(StudyError, match="write anthropic:MODEL@URL with one such as"):
        open_model("anthropic:toy@here")
    with pytest.raises(StudyError, match="names no model; write anthropic:MODEL@URL"):
        open_model("anthropic:")


def test_the_context_is_what_the_service_says() -> None:
    with at(options="") as (server, model):
        assert model.context == LIMIT
        assert [(one.method, one.path) for one in server.asked] == [("GET", "/v1/models/toy")]
    with at(lambda asked: claude_error(404, "not_found_error", "Not found"), "") as (_, model):
        assert model.context == CONTEXT
    with at(lambda asked: serving.Reply({"id": "toy"}), "") as (_, model):
        assert model.context == CONTEXT
    assert open_model("anthropic:toy?context=123").context == 123


def test_an_address_is_no_part_of_the_name() -> None:
    spec = "anthropic:toy@https://a/v1,https://b/v1?context=9"
    assert [one.spec for one in open_servers(spec)] == ["anthropic:toy", "anthropic:toy"]
    assert identity(spec) == identity("anthropic:toy") == "anthropic:toy"


@pytest.mark.parametrize("mind", ["lm", "social_lm"])
def test_lm_prompting_is_refused_while_a_study_is_planned(tmp_path: Path, mind: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace('"qa@MODEL"', f'"{mind}@MODEL"'))
    assert plan_file(path, RunOverrides(("gemini:toy",)))
    refusal = f"'{mind}@anthropic:toy' does not fit.*cannot score continuations.*such as qa"
    with pytest.raises(StudyError, match=refusal):
        plan_file(path, RunOverrides(("anthropic:toy@http://127.0.0.1:1/v1",)))


def test_a_study_is_played_as_with_a_model_in_this_process(tmp_path: Path) -> None:
    with serving.serving(claude) as server:
        there = studied(f"anthropic:toy@{server.url}", tmp_path / "there")
    here = studied("scripted:echo_last", tmp_path / "here")
    assert len(there) == 4
    assert {record.outcome.status for record in there} <= {"scored", "invalid"}
    for one, other in zip(there, here, strict=True):
        assert one.actions == other.actions
        calls = [(call.reply, call.completion_tokens) for call in one.calls]
        assert calls == [(call.reply, call.completion_tokens) for call in other.calls]
        assert all("seed" in call.dropped for call in one.calls)
        if one.spec.scenario.startswith("ipd"):
            assert {call.dropped for call in one.calls} == {("seed", "top_p")}, "qa sets a temperature too"
