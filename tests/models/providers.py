"""The table of fake servers of :mod:`.test_providers`: what each does, and what a call to it should end in.

It uses nothing that versions before it lack, since ``benchmarks/fake_servers.py`` asks older ones the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from otherminds.core.data import Message
from otherminds.core.model import Decoding
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
        always(f"{ANSWER}\nThe other player copies", "length"), f"{ANSWER}\nThe other player copies", "length"
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
