"""Servers as they are: refused parameters, reasoning channels, stop reasons, limits of log-probabilities.

Each fake server follows what the named provider documents or sends. An answer that is there is found; one
that is not is blamed on what kept it away.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherminds.core.data import Message, Tool
from otherminds.core.model import Completion, Decoding
from otherminds.models.guided import regex
from otherminds.models.registry import open_model
from tests.models import serving
from tests.models.services import claude, claude_said, gemini_invalid, gemini_said, text, without

HELLO = (Message("user", "Which option?"),)
ANSWER = "A: Option J"
DECODING = Decoding(
    temperature=0.7, top_p=0.95, max_tokens=24, stop=("\n\n",), schema={"type": "object"}, seed=3
)


class Server(NamedTuple):
    """A fake server, and what a model on it returns: text, why it ended, and the parameters left out."""

    answer: Callable[[Any], serving.Reply]
    text: str = ANSWER
    finish: str = "stop"
    dropped: tuple[str, ...] = ()
    kind: str = "openai"


def replied(text: str | None = ANSWER, finish: str = "stop", **fields: Any) -> serving.Reply:
    choice = {"message": {"role": "assistant", "content": text, **fields}, "finish_reason": finish}
    return serving.Reply({"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 5}})


def picky(message: str, *refused: str, status: int = 400, param: str | None = None) -> Callable[[Any], Any]:
    """Refuses requests with one of the parameters ``refused``; ``{}`` in the message is its name."""

    def answer(asked: Any) -> serving.Reply:
        for name in refused:
            if name in asked.body:
                error = {
                    "message": message.format(name),
                    "type": "invalid_request_error",
                    "param": param and name,
                }
                return serving.Reply({"error": error}, status)
        return replied()

    return answer


def thinking(tokens: int, cut: dict[str, Any], whole: dict[str, Any]) -> Callable[[Any], Any]:
    """Needs ``tokens`` before it answers; else its reply is cut."""

    def answer(asked: Any) -> serving.Reply:
        given = asked.body.get("max_tokens") or asked.body.get("max_completion_tokens")
        return replied(**cut, finish="length") if given < tokens else replied(**whole)

    return answer


def always(*args: Any, **fields: Any) -> Callable[[Any], Any]:
    return lambda asked: replied(*args, **fields)


def extra_forbidden(asked: Any) -> serving.Reply:
    if "seed" in asked.body:
        detail = [
            {"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}
        ]
        return serving.Reply({"object": "error", "message": {"detail": detail}}, 422)
    return replied()


def two_at_once(asked: Any) -> serving.Reply:
    if {"temperature", "top_p"} <= asked.body.keys():
        said = "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
        return serving.Reply({"error": {"message": said}}, 400)
    return replied()


UNSUPPORTED = "Unsupported parameter: '{}' is not supported with this model."
VALUE = (
    "Unsupported value: '{}' does not support 0.7 with this model. Only the default (1) value is supported."
)
SERVERS = {
    "OpenAI o1: temperature": Server(picky(VALUE, "temperature", param="p"), dropped=("temperature",)),
    "OpenAI o3: top_p": Server(picky(UNSUPPORTED, "top_p", param="p"), dropped=("top_p",)),
    "GPT-5: max_tokens, temperature, top_p, stop": Server(
        lambda asked: (
            picky(
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                "max_tokens",
            )(asked)
            if "max_tokens" in asked.body
            else picky(UNSUPPORTED, "temperature", "top_p", "stop", param="p")(asked)
        ),
        dropped=("stop", "temperature", "top_p"),
    ),
    "a server without seeds": Server(
        picky("Unrecognized request argument supplied: {}", "seed"), dropped=("seed",)
    ),
    "Mistral: extra inputs": Server(extra_forbidden, dropped=("seed",)),
    "Anthropic: one of two": Server(two_at_once, dropped=("top_p",)),
    "a server without stop": Server(picky("'{}' is not supported", "stop", status=422), dropped=("stop",)),
    "a server without schemas": Server(
        picky("response_format is not supported: {}", "response_format"), dropped=("response_format",)
    ),
    "DeepSeek: reasoning_content": Server(always(reasoning_content="It copies.")),
    "OpenRouter: reasoning": Server(always(reasoning="It copies.")),
    "Qwen3: think": Server(always(f"<think>F or J?</think>\n\n{ANSWER}")),
    "Qwen3: template opens think": Server(always(f"F or J?</think>\n\n{ANSWER}")),
    "Gemini: thought": Server(always(f"<thought>F or J?</thought>{ANSWER}")),
    "reasoning tags": Server(always(f"<reasoning>\nA: Option F?\n</reasoning>\n{ANSWER}")),
    "Magistral: [THINK]": Server(always(f"[THINK]A: Option F?[/THINK]{ANSWER}")),
    "gpt-oss: channels": Server(
        always(
            f"<|channel|>analysis<|message|>F?<|end|><|start|>assistant<|channel|>final<|message|>{ANSWER}<|return|>"
        )
    ),
    "gpt-oss: bare channels": Server(always(f"analysisWe need to choose. F?assistantfinal{ANSWER}")),
    "GPT-5: hidden reasoning, cut at 24": Server(thinking(900, {"text": ""}, {})),
    "Qwen3: think, cut at 24": Server(
        thinking(900, {"text": "<think>First"}, {"text": f"<think>F?</think>{ANSWER}"})
    ),
    "vLLM: reasoning field, cut at 24": Server(
        thinking(900, {"text": None, "reasoning_content": "First"}, {"reasoning_content": "First, F?"})
    ),
    "a thinker without end": Server(thinking(10**6, {"text": "<think>First"}, {}), text="", finish="length"),
    "an answer cut behind its line": Server(
        always(f"{ANSWER} is what", "length"), f"{ANSWER} is what", "length"
    ),
    "cut: MAX_TOKENS": Server(always("I think that", "MAX_TOKENS"), "I think that", "length"),
    "content filter": Server(always("", "content_filter"), "", "filter"),
    "Gemini: SAFETY": Server(always(None, "SAFETY"), "", "filter"),
    "OpenAI: refusal": Server(
        always(None, refusal="I can't help with that."), "I can't help with that.", "refusal"
    ),
    "Anthropic: refusal": Server(always("", "refusal"), "", "refusal"),
    "an unknown stop reason": Server(always(finish="eos")),
    "Claude: thinking": Server(
        lambda asked: claude_said({"type": "thinking", "thinking": "F?"}, text(ANSWER)),
        dropped=("seed",),
        kind="anthropic",
    ),
    "Claude: temperature and top_p, blank stop, open schema": Server(
        lambda asked: claude_said(text(ANSWER)) if (reply := claude(asked)).status == 200 else reply,
        dropped=("output_config.format", "seed", "stop_sequences", "top_p"),
        kind="anthropic",
    ),
    "Claude: adaptive thinking, cut at 24": Server(
        lambda asked: (
            claude_said({"type": "thinking", "thinking": "First"}, stop="max_tokens")
            if asked.body["max_tokens"] < 900
            else claude_said({"type": "thinking", "thinking": "First, F?"}, text(ANSWER))
        ),
        dropped=("seed",),
        kind="anthropic",
    ),
    "Claude: the context is full": Server(
        lambda asked: claude_said(text("I think"), stop="model_context_window_exceeded"),
        "I think",
        "length",
        ("seed",),
        "anthropic",
    ),
    "Claude: refusal": Server(
        lambda asked: claude_said(stop="refusal"), "", "refusal", ("seed",), "anthropic"
    ),
    "Gemini: thoughts": Server(
        lambda asked: gemini_said({"text": "F?", "thought": True}, {"text": ANSWER}), kind="gemini"
    ),
    "Gemini: thoughts, cut at 24": Server(
        lambda asked: (
            gemini_said(finish="MAX_TOKENS")
            if asked.body["generationConfig"]["maxOutputTokens"] < 900
            else gemini_said({"text": ANSWER})
        ),
        kind="gemini",
    ),
    "Gemini: a model that does not think": Server(
        without(
            "thinkingConfig",
            gemini_invalid("Thinking is not supported by this model."),
            lambda asked: gemini_said({"text": ANSWER}),
        ),
        dropped=("thinkingConfig",),
        kind="gemini",
    ),
    "Gemini: recitation": Server(lambda asked: gemini_said(finish="RECITATION"), "", "filter", kind="gemini"),
    "Gemini: a blocked prompt": Server(
        lambda asked: serving.Reply({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
        "",
        "filter",
        kind="gemini",
    ),
}


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


PAY = Tool("pay", "Pays.", {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": []})


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
