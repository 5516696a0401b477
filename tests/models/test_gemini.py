"""Google's own service: what is asked, what is read, and whose fault a fault is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import log
from pathlib import Path
from typing import Any

import pytest

from otherminds.core.data import Message, ModelTool
from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Completion, Decoding, Scores, ToolCall, Usage
from otherminds.models.gemini import CONTEXT
from otherminds.models.registry import identity, open_model
from tests.cases import for_each
from tests.models import serving
from tests.models.services import (
    LIMIT,
    gemini,
    gemini_error,
    gemini_invalid,
    gemini_said,
    studied,
    without,
)

HELLO = [Message("system", "Be brief."), Message("user", "Which option?")]
SCHEMA = {"type": "object", "properties": {"option": {"type": "string"}}}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-hush")


def beta(server: Any) -> str:
    """The base URL of the service on ``server``."""
    return f"{server.url.removesuffix('/v1')}/v1beta"


@contextmanager
def at(
    answer: serving.Answer = gemini, options: str = "context=9000&timeout=5", name: str = "toy"
) -> Iterator[tuple[Any, Any]]:
    """A server that answers so, and its model."""
    with serving.serving(answer) as server:
        yield server, open_model(f"gemini:{name}@{beta(server)}?{options}")


def said(model: Any, messages: list[Message] = HELLO, **decoding: Any) -> Completion:
    return serving.closing(model, lambda: model.generate(messages, Decoding(**decoding)))


def test_a_request_has_the_documented_form() -> None:
    with at() as (server, model):
        reply = said(model, temperature=0.5, top_p=0.9, max_tokens=7, stop=("Q:",), schema=SCHEMA, seed=3)
    assert reply.text
    assert reply.dropped == ()
    (asked,) = server.asked
    assert (asked.method, asked.path) == ("POST", "/v1beta/models/toy:generateContent")
    assert asked.body == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [{"role": "user", "parts": [{"text": "Which option?"}]}],
        "generationConfig": {
            "temperature": 0.5,
            "topP": 0.9,
            "seed": 3,
            "maxOutputTokens": 7,
            "stopSequences": ["Q:"],
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
            "thinkingConfig": {"includeThoughts": True},
        },
    }


def test_a_conversation_has_turns_with_text_and_its_system_text_apart() -> None:
    rows = [("user", "B"), ("assistant", "C"), ("user", "D"), ("assistant", " \n"), ("user", "E")]
    with at() as (server, model):
        said(model, [Message(role, content) for role, content in rows])
    turns = [("user", "B"), ("model", "C"), ("user", "D\n\nE")]
    assert server.asked[0].body["contents"] == [
        {"role": role, "parts": [{"text": one}]} for role, one in turns
    ]
    assert "systemInstruction" not in server.asked[0].body


@for_each("name", ["a/b", "a%3Fkey=1", "../a", "a:b", "a#b"])
def test_a_name_cannot_leave_its_place_in_the_path(name: str) -> None:
    with serving.serving(lambda asked: gemini_said({"text": "A"})) as server:
        said(open_model(f"gemini:{name}@{beta(server)}?context=9"))
    path = server.asked[0].path
    assert path.startswith("/v1beta/models/")
    assert path.count("/") == 3
    assert path.endswith(":generateContent")
    assert not set("?#") & set(path)
    assert "%3Fkey" not in path, "a percent sign is a character like others"


@for_each(
    ("parts", "found"),
    [
        ([{"text": " A: Option J\n"}], Completion("A: Option J")),
        ([], Completion("")),
        ([{"text": "A: "}, {"text": "Option J", "thoughtSignature": "Eq"}], Completion("A: Option J")),
        (
            [{"text": "**Thinking**\n\nIt copies.", "thought": True}, {"text": "A: Option J"}],
            Completion("A: Option J", "**Thinking**\n\nIt copies."),
        ),
        (
            [
                {"text": "I look."},
                {"functionCall": {"name": "look", "args": {"at": 1.50}}, "thoughtSignature": "Eq"},
                {"functionCall": {"name": "wait"}},
                {"executableCode": {"code": "1"}},
            ],
            Completion("I look.", tools=(ToolCall("look", '{"at": 1.5}'), ToolCall("wait", "{}"))),
        ),
    ],
)
def test_a_reply_is_taken_apart(parts: list[dict[str, Any]], found: Completion) -> None:
    with at(lambda asked: gemini_said(*parts)) as (_, model):
        reply = said(model)
    assert (reply.text, reply.reasoning, reply.tools) == (found.text, found.reasoning, found.tools)


@for_each(
    ("counts", "found"),
    [
        ({"promptTokenCount": 9, "candidatesTokenCount": 5}, Usage(9, 5)),
        ({"promptTokenCount": 9, "thoughtsTokenCount": 70, "totalTokenCount": 79}, Usage(9, 70)),
        (
            {"promptTokenCount": 2009, "candidatesTokenCount": 5, "thoughtsTokenCount": 70}
            | {"cachedContentTokenCount": 2000},
            Usage(2009, 75, 2000),
        ),
    ],
)
def test_thoughts_are_written_and_cached_tokens_are_part_of_the_prompt(
    counts: dict[str, int], found: Usage
) -> None:
    with at(lambda asked: gemini_said({"text": "A"}, usage=counts)) as (_, model):
        assert said(model).usage == found


@for_each(
    ("reason", "finish"),
    [
        ("STOP", "stop"),
        ("MALFORMED_FUNCTION_CALL", "stop"),
        ("UNEXPECTED_TOOL_CALL", "stop"),
        ("A_REASON_OF_TOMORROW", "stop"),
        ("MAX_TOKENS", "length"),
        ("SAFETY", "filter"),
        ("RECITATION", "filter"),
        ("LANGUAGE", "filter"),
        ("OTHER", "filter"),
        ("BLOCKLIST", "filter"),
        ("PROHIBITED_CONTENT", "filter"),
        ("SPII", "filter"),
    ],
)
def test_a_reply_says_why_it_ended(reason: str, finish: str) -> None:
    with at(lambda asked: gemini_said({"text": "I"}, finish=reason)) as (_, model):
        assert said(model).finish == finish


@for_each("reason", ["SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "OTHER"])
def test_a_prompt_that_is_blocked_has_a_filtered_reply(reason: str) -> None:
    usage = {"promptTokenCount": 9, "totalTokenCount": 9}
    blocked = serving.Reply({"promptFeedback": {"blockReason": reason}, "usageMetadata": usage})
    with at(lambda asked: blocked) as (_, model):
        assert said(model) == Completion("", usage=Usage(9), finish="filter")


def test_a_thinker_that_is_cut_gets_the_tokens_it_needs() -> None:
    def thinks(asked: Any) -> serving.Reply:
        if asked.body["generationConfig"]["maxOutputTokens"] < 900:
            counts = {"promptTokenCount": 9, "thoughtsTokenCount": 20}
            return gemini_said(finish="MAX_TOKENS", usage=counts)
        return gemini_said({"text": "First, J.", "thought": True}, {"text": "A: Option J"})

    with at(thinks) as (server, model):
        reply = said(model, max_tokens=24)
    assert (reply.text, reply.reasoning, reply.finish) == ("A: Option J", "First, J.", "stop")
    assert reply.usage == Usage(18, 25)
    asked = [one.body["generationConfig"]["maxOutputTokens"] for one in server.asked]
    assert asked == [24, 24 + 8192]


LOOK = ModelTool("look", "Looks into a box.", {"type": "object", "properties": {"box": {"type": "string"}}})


@for_each(
    ("effort", "thinking"), [("none", {"thinkingBudget": 0}), ("minimal", {"thinkingLevel": "minimal"})]
)
def test_an_effort_sets_how_much_it_thinks(effort: str, thinking: dict[str, Any]) -> None:
    with at() as (server, model):
        assert said(model, effort=effort).dropped == ()
    assert server.asked[0].body["generationConfig"]["thinkingConfig"] == {"includeThoughts": True, **thinking}


def test_tools_are_offered_and_a_choice_is_an_enumeration() -> None:
    with at(lambda asked: gemini_said({"text": "A: Option F"})) as (server, model):
        assert said(model, tools=(LOOK,), choice=("A: Option J", "A: Option F")).dropped == ()
        assert said(model, choice=("A: Option J",)).dropped == ("choice",), "the reply is another text"
    body = server.asked[0].body
    declared = {"name": "look", "description": LOOK.about, "parametersJsonSchema": LOOK.parameters}
    assert body["tools"] == [{"functionDeclarations": [declared]}]
    config = body["generationConfig"]
    assert config["responseMimeType"] == "text/x.enum"
    assert config["responseSchema"] == {"type": "STRING", "enum": ["A: Option J", "A: Option F"]}
    assert "tools" not in config


def test_a_level_of_thought_that_is_refused_is_left_out_and_thoughts_are_still_returned() -> None:
    def old(asked: Any) -> serving.Reply:
        level = "thinkingLevel" in asked.body["generationConfig"]["thinkingConfig"]
        return gemini_invalid("Thinking level is not supported for this model.") if level else gemini(asked)

    with at(old) as (server, model):
        assert said(model, effort="low").dropped == ("thinkingLevel",)
    assert server.asked[-1].body["generationConfig"]["thinkingConfig"] == {"includeThoughts": True}


UNKNOWN = "Invalid JSON payload received. Unknown name \"{}\" at 'generation_config': Cannot find field."
THINKING = (
    "Unable to submit request because Thinking_config.include_thoughts is only enabled when thinking is."
)


@for_each(
    ("parameter", "message"),
    [
        ("thinkingConfig", THINKING),
        ("thinkingConfig", "Thinking is not supported by this model."),
        ("topP", "* GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0]."),
        ("seed", UNKNOWN.format("seed")),
        ("stopSequences", "stop_sequences: at most 5 are allowed"),
        ("responseJsonSchema", UNKNOWN.format("responseJsonSchema")),
        ("responseJsonSchema", "JSON mode is not enabled for models/gemma-3-27b-it"),
        ("temperature", "temperature must be in the range [0.0, 2.0]."),
    ],
)
def test_what_the_model_refuses_is_left_out_from_then_on_and_named(parameter: str, message: str) -> None:
    with at(without(parameter, gemini_invalid(message), gemini)) as (server, model):

        async def twice() -> list[Completion]:
            how = Decoding(temperature=2.5, top_p=0.9, stop=("Q:",), schema=SCHEMA)
            return [await model.generate(HELLO, how) for _ in range(2)]

        replies = serving.closing(model, twice)
    assert [one.dropped for one in replies] == [(parameter,), (parameter,)]
    assert len(server.asked) == 3, "a refused parameter is sent once"
    left = server.asked[-1].body["generationConfig"]
    assert ("responseMimeType" in left) == ("responseJsonSchema" in left)


RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "36.5s"}
HELP = {"@type": "type.googleapis.com/google.rpc.Help", "links": [{"url": "https://ai.google.dev"}]}


@for_each(
    ("status", "details", "headers", "after"),
    [
        (429, [HELP, RETRY], {}, 36.5),
        (429, [RETRY], {"retry-after": "7"}, 7),
        (429, [HELP], {}, None),
        (429, [{"retryDelay": "soon"}, "odd", {"retryDelay": 3}], {}, None),
        (503, [], {}, None),
        (500, [], {"retry-after": "2"}, 2),
    ],
)
def test_a_busy_service_says_when_to_come_back(
    status: int, details: list[Any], headers: dict[str, str], after: float | None
) -> None:
    busy = gemini_error(status, "RESOURCE_EXHAUSTED", "You exceeded your current quota", *details)
    busy.headers = headers
    with at(lambda asked: busy) as (_, model):
        with pytest.raises(TransientError, match=f"HTTP {status}: You exceeded") as caught:
            said(model)
        assert caught.value.after == after


@for_each(
    "body",
    [
        b"<html>",
        {},
        {"candidates": []},
        {"promptFeedback": {}, "usageMetadata": {"promptTokenCount": 9}},
        {"candidates": "A"},
        {"candidates": [{"content": {"parts": [{"text": 1}]}}]},
        {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}},
    ],
)
def test_a_malformed_reply_may_come_whole_the_next_time(body: Any) -> None:
    with at(lambda asked: serving.Reply(body)) as (_, model), pytest.raises(TransientError):
        said(model)


INVALID = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}


@for_each(
    "refusal",
    [
        gemini_error(
            400,
            "INVALID_ARGUMENT",
            "API key AIza-hush not valid. Please pass a valid API key.",
            INVALID,
        ),
        gemini_error(403, "PERMISSION_DENIED", "AIza-hush has no access"),
    ],
)
def test_the_key_is_in_its_header_only_and_never_shown(refusal: serving.Reply) -> None:
    whose = r"GEMINI_API_KEY, .* is set: check it$"
    with at(lambda asked: refusal) as (server, model), pytest.raises(ProviderError, match=whose) as caught:
        said(model)
    assert "hush" not in str(caught.value)
    assert caught.value.down
    (asked,) = server.asked
    assert [name for name, value in asked.headers.items() if "hush" in value] == ["x-goog-api-key"]
    assert "?" not in asked.path
    assert b"hush" not in asked.raw
    with pytest.raises(ProviderError, match=whose), at(lambda asked: refusal, "timeout=5"):
        pass


def test_a_missing_key_is_named_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    with pytest.raises(StudyError, match="environment variable GEMINI_API_KEY is not set; set it to"):
        open_model("gemini:toy")
    with pytest.raises(StudyError, match="a gemini: model has no option 'effort'"):
        open_model("gemini:toy?effort=high")


def test_the_context_is_what_the_service_says() -> None:
    with at(options="") as (server, model):
        assert model.context == LIMIT
        assert [(one.method, one.path) for one in server.asked] == [("GET", "/v1beta/models/toy")]
    with at(lambda asked: gemini_error(404, "NOT_FOUND", "not found"), "") as (_, model):
        assert model.context == CONTEXT
    assert open_model("gemini:toy?context=123").context == 123
    assert identity("gemini:toy@http://a/v1beta?context=9") == open_model("gemini:toy?context=9").spec


def listing(*top: tuple[str, float]) -> serving.Reply:
    """A reply of one token with the likeliest tokens."""
    reply = gemini_said({"text": top[0][0] if top else "J"}, finish="MAX_TOKENS")
    likeliest = [{"token": token, "tokenId": i, "logProbability": one} for i, (token, one) in enumerate(top)]
    reply.body["candidates"][0]["logprobsResult"] = {"topCandidates": [{"candidates": likeliest}]}
    return reply


def scored(model: Any) -> Scores:
    return serving.closing(model, lambda: model.score("A: Option", [" J", " F"]))


def test_the_first_token_of_a_reply_scores_options() -> None:
    top = listing(("J", log(0.5)), ("F", log(0.25)), (" J", log(0.125)))
    with at(lambda asked: top) as (server, model):
        found = scored(model)
    assert found.logprobs == pytest.approx((log(0.625), log(0.25)))
    assert (found.form, found.usage) == ("chat", Usage(9, 5))
    assert server.asked[0].body == {
        "contents": [{"role": "user", "parts": [{"text": "A: Option"}]}],
        "generationConfig": {
            "temperature": 1.0,
            "maxOutputTokens": 1,
            "responseLogprobs": True,
            "logprobs": 20,
        },
    }


def test_fewer_likeliest_tokens_are_listed_where_the_service_wants_it() -> None:
    def few(asked: Any) -> serving.Reply:
        most = asked.body["generationConfig"]["logprobs"]
        return (
            listing(("J", -0.1), ("F", -2.3)) if most <= 5 else gemini_invalid("logprobs must be in [1, 5]")
        )

    with at(few) as (server, model):
        assert scored(model).logprobs == (-0.1, -2.3)
    assert [one.body["generationConfig"]["logprobs"] for one in server.asked] == [20, 5]


@for_each(
    ("answer", "why"),
    [
        (
            gemini_invalid("Logprobs is not enabled for models/gemini-2.5-pro"),
            "HTTP 400: Logprobs is not enabled",
        ),
        (gemini_said({"text": "J"}), "lists no likeliest tokens"),
        (gemini_said(finish="MAX_TOKENS"), "lists no likeliest tokens"),
        (serving.Reply({"promptFeedback": {"blockReason": "SAFETY"}}), "lists no likeliest tokens"),
        (listing(("The", -0.1)), "none of 'J', 'F' is a likely reply"),
    ],
)
def test_a_model_without_log_probabilities_says_so(answer: serving.Reply, why: str) -> None:
    said = f"LM prompting is unavailable.*{why}.*such as qa"
    with at(lambda asked: answer) as (_, model), pytest.raises(ProviderError, match=said) as caught:
        scored(model)
    assert not isinstance(caught.value, TransientError)


def test_a_refused_key_is_not_a_lack_of_log_probabilities() -> None:
    refusal = gemini_error(400, "INVALID_ARGUMENT", "API key not valid.", INVALID)
    whose = r"HTTP 400: API key not valid\.; GEMINI_API_KEY, .* is set: check it$"
    with at(lambda asked: refusal) as (_, model), pytest.raises(ProviderError, match=whose):
        scored(model)


def test_a_study_is_played_as_with_a_model_in_this_process(tmp_path: Path) -> None:
    with serving.serving(gemini) as server:
        there = studied(f"gemini:toy@{beta(server)}", tmp_path / "there")
    here = studied("scripted:echo_last", tmp_path / "here")
    assert len(there) == 4
    assert {record.outcome.status for record in there} <= {"scored", "invalid"}
    for one, other in zip(there, here, strict=True):
        assert one.actions == other.actions
        calls = [(call.reply, call.completion_tokens) for call in one.calls]
        assert calls == [(call.reply, call.completion_tokens) for call in other.calls]
        assert {call.dropped for call in one.calls} == {()}
