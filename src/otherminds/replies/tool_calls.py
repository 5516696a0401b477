"""Native tool calls as answers: which functions a question offers, and a reply's calls in words.

A call is turned into the written form of the same answer, below the text of its reply. The verbalizer's one
reader then decides, so that a text and a call that differ, or two calls that differ, are no answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Invalid, ModelTool
from otherminds.core.model import Completion, ToolCall
from otherminds.replies.blocks import last_block
from otherminds.replies.mentions import named

FENCED = re.compile(r"(`{3,}|~{3,})[\w+-]*\s*\{.*\}\s*\1", re.DOTALL)
"""Arguments within a fence."""
ANSWER = "answer"
"""The one function of a question without tools of its own; its arguments are an object of the question's schema."""


def offer_tools(ask: Ask) -> tuple[ModelTool, ...]:
    """The functions by which ``ask`` can be answered; none where it has neither tools nor a schema."""
    if ask.tools or ask.schema is None:
        return ask.tools
    return (ModelTool(ANSWER, "Answers the question.", ask.schema),)


def in_words(ask: Ask, reply: Completion, verbalizer: Verbalizer) -> str | Invalid:
    """The text of ``reply``, then each of its calls as a written answer; ``Invalid`` if one of them is malformed."""
    lines = [reply.text] if reply.text else []
    for call in reply.tools:
        arguments = _arguments(ask, call)
        line = arguments if isinstance(arguments, Invalid) else verbalizer.called(ask, call.name, arguments)
        if isinstance(line, Invalid):
            return line
        lines.append(line)
    return "\n".join(lines)


def _arguments(ask: Ask, call: ToolCall) -> Mapping[str, Any] | Invalid:
    """The arguments of ``call``, whose names and texts are as its function declares them."""
    raw = f"{call.name}({call.arguments})"
    tools = {tool.name: tool.parameters for tool in offer_tools(ask)}
    if call.name not in tools:
        return Invalid(f"there is no tool {call.name[:40]!r} here; the tools are {', '.join(tools)}", raw)
    properties, required = (tools[call.name].get(key, {}) for key in ("properties", "required"))
    parsed = _parse_arguments(call.arguments or "{}")
    if not isinstance(parsed, dict):
        return Invalid(f"the arguments of {call.name} are no JSON object", raw)
    arguments = cast("dict[str, Any]", parsed)
    if not {*required} <= arguments.keys() <= {*properties}:
        names = ", ".join(properties)
        return Invalid(
            f"{call.name} takes the arguments {names}" if names else f"{call.name} takes none", raw
        )
    for name, value in arguments.items():
        if properties[name].get("type") == "string" and not isinstance(value, str):
            return Invalid(f"the argument {name} of {call.name} must be a text", raw)
    return {name: _name_listed(value, properties[name].get("enum", ())) for name, value in arguments.items()}


def _parse_arguments(text: str) -> Any:
    """The arguments as JSON, bare or within a fence; ``None`` if they are neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return last_block(text) if FENCED.fullmatch(text.strip()) else None


def _name_listed(value: Any, values: Sequence[Any]) -> Any:
    """The one of ``values`` that ``value`` names, as *Option J* names *J*; else ``value`` itself."""
    texts = [text for text in values if isinstance(text, str)]
    label = named(value, texts) if isinstance(value, str) and value not in texts else None
    return value if label is None else label
