"""Replies that are one of several given texts: the request of each kind of server.

A server names its kind in the field ``owned_by`` of its list of models. OpenAI, Ollama and OpenRouter have
no such request; a JSON schema is what they share with the others. Sources: vLLM, "Structured Outputs"
(``structured_outputs`` replaced ``guided_choice``, which version 0.12 removed); SGLang, "Structured Outputs"
(``regex``); llama.cpp, "GBNF Guide" (``grammar``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from msgspec.structs import replace

from otherminds.core.model import Completion, Decoding

Guide: TypeAlias = Callable[[Sequence[str]], dict[str, Any]]
"""The fields of a request by which its reply is one of the given texts."""
SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")
NAMED = {"effort": "reasoning_effort"}
"""Options of a request that ``Completion.dropped`` names otherwise."""


def grammar(choice: Sequence[str]) -> str:
    r"""llama.cpp's grammar of replies that are one of ``choice``.

    >>> grammar(["A: Option J", 'say "F"'])
    'root ::= "A: Option J" | "say \\"F\\""'
    """
    return f"root ::= {' | '.join(json.dumps(text, ensure_ascii=False) for text in choice)}"


def regex(choice: Sequence[str]) -> str:
    r"""A regular expression that matches exactly the texts of ``choice``; blanks are not escaped.

    >>> regex(["it holds.", "unknown"])
    '(it holds\\.|unknown)'
    """
    escaped = (SPECIAL.sub(r"\\\g<0>", text) for text in choice)
    return f"({'|'.join(escaped)})"


def no_guide(choice: Sequence[str]) -> dict[str, Any]:
    """A server that has no request for ``choice``."""
    return {}


GUIDES: dict[str, Guide] = {
    "vllm": lambda choice: {"structured_outputs": {"choice": list(choice)}},
    "sglang": lambda choice: {"regex": regex(choice)},
    "llamacpp": lambda choice: {"grammar": grammar(choice)},
}


def mark_unguided(reply: Completion, decoding: Decoding, guide: Guide) -> Completion:
    """``reply``, which names ``choice`` as dropped where the server did not restrict it to ``decoding.choice``.

    That is: the server has no request for it, or the reply ended by itself and is none of the texts. Servers
    ignore fields that they do not know, so that no refusal says it.
    """
    obeyed = guide is not no_guide and (reply.finish != "stop" or reply.text.strip() in decoding.choice)
    return reply if obeyed else without(reply, decoding, "choice")


def without(reply: Completion, decoding: Decoding, *options: str) -> Completion:
    """``reply`` of a model that lacks ``options`` of requests: those that ``decoding`` uses are named as dropped."""
    lacking = {NAMED.get(option, option) for option in options if getattr(decoding, option)}
    return replace(reply, dropped=tuple(sorted({*reply.dropped, *lacking}))) if lacking else reply
