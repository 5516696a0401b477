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

from otherminds.core.model import Completion

Guide: TypeAlias = Callable[[Sequence[str]], dict[str, Any]]
"""The fields of a request by which its reply is one of the given texts."""
SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")
CHOICE, EFFORT = "choice", "reasoning_effort"
"""How ``Completion.dropped`` names what a model cannot do: replies from a list, and a given effort."""


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


def checked(reply: Completion, choice: Sequence[str], guide: Guide) -> Completion:
    """``reply``, which names :data:`CHOICE` as dropped where the server did not restrict it to ``choice``.

    That is: the server has no request for it, or the reply ended by itself and is none of the texts. Servers
    ignore fields that they do not know, so that no refusal says it.
    """
    obeyed = guide is not no_guide and (reply.finish != "stop" or reply.text.strip() in choice)
    if not choice or obeyed:
        return reply
    return replace(reply, dropped=tuple(sorted({*reply.dropped, CHOICE})))
