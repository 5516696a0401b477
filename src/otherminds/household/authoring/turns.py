r"""Reads the turn of an author: ``Thought: ...``, then one ``Action: tool[argument]``, or a native tool call.

A reply has one action, complete, or none: whatever could be read in two ways is :class:`~otherminds.core.data.Invalid`,
with what to write instead. The rules:

1. ``Action:`` is at the start of a line, in any case, possibly in bold or as a heading; elsewhere it is prose.
2. The argument ends at the bracket that matches the opening one, and that bracket ends its line. Text may follow, but no
   line of it ends with a closing bracket, which could be the true end of the argument.
3. If the matching bracket is in the middle of a line, the argument has closing brackets without opening ones
   (``grep ']' file``). It then ends at the last bracket of the reply, which has to be its end, if there are more closing
   brackets than opening ones.
4. More opening than closing brackets are an action that is not closed.
5. An action inside a code fence counts if nothing follows the fence; otherwise it is a quotation. A fence around the
   tool's call, or around the whole argument, is taken off.
6. Equal actions are one; different ones are none. A reply that was cut at its limit of tokens has none.

Lines of Windows are read as others. Reading takes time linear in the length of the reply, which is bounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from msgspec import Struct

from otherminds.core.data import Invalid, ModelTool
from otherminds.core.errors import TaskError
from otherminds.core.model import Completion, ToolCall
from otherminds.core.near import near, quoted
from otherminds.core.user_files import json_value
from otherminds.replies.blocks import FENCE, split_reasoning

LONGEST = 300_000
"""Characters of a reply; a longer one is not read."""
START = r"^[ \t]*+(?:\#{1,6}[ \t]++)?[*_]{0,3}action[*_]{0,3}[ \t]*+:[*_]{0,3}"
EVENT = re.compile(rf"(?P<fence>{FENCE.pattern})|(?P<start>{START})", re.MULTILINE | re.IGNORECASE)
CALL = re.compile(
    r"\s*+(?P<fence>(?:`{3,}+|~{3,}+)[\w+-]*+[ \t]*+\n\s*+)?`?(?P<tool>[a-z_]\w*+)[ \t]*+(?P<open>\[)?",
    re.IGNORECASE,
)
BRACKET = re.compile(r"[\[\]]")
LINE_END = re.compile(r"[`*_. \t]*+(?=\n|\Z)")
"""What may follow a closing bracket in its line: the end of bold or code, and a full stop."""
CLOSING = re.compile(r"\][`*_. \t]*+$", re.MULTILINE)
ENVELOPE = re.compile(r"\s*(?:`{3,}|~{3,})[\w+-]*[ \t]*\n(.*)\n[ \t]*(?:`{3,}|~{3,})\s*", re.DOTALL)
FORM = "write `Thought: ...`, then on a line of its own one `Action: tool[argument]`, and nothing behind it"
UNREAD = {
    "length": "the reply was cut at its limit of tokens; write a shorter one, with the action at its end",
    "refusal": "the model declined to answer; write one action",
    "filter": "a content filter removed the reply; write one action",
}
"""Why a reply that did not end by itself has no action."""


class AuthorTool(Struct, frozen=True):
    """A tool of an author: its name, the name of its argument (empty: it has none), and what it does."""

    name: str
    argument: str
    about: str

    @property
    def form(self) -> str:
        """How it is called."""
        return f"{self.name}[{self.argument}]"

    @property
    def native(self) -> ModelTool:
        """The same as a function of a model with tool calls."""
        properties = {self.argument: {"type": "string"}} if self.argument else {}
        schema = {
            "type": "object",
            "properties": properties,
            "required": [*properties],
            "additionalProperties": False,
        }
        return ModelTool(self.name, self.about, schema)


class ToolUse(Struct, frozen=True):
    """An action: a tool and its argument, empty for tools without one."""

    tool: str
    argument: str = ""

    @property
    def text(self) -> str:
        """The action as it is written."""
        return f"Action: {self.tool}[{self.argument}]"


class _ParsedAction(NamedTuple):
    """An action in a text, and where the text behind it starts."""

    use: ToolUse
    end: int


def read_turn(reply: Completion, tools: Mapping[str, AuthorTool]) -> ToolUse | Invalid:
    """The action of ``reply``, or why there is none and what to write instead.

    >>> tools = {"bash": AuthorTool("bash", "command", ""), "judge": AuthorTool("judge", "", "")}
    >>> read_turn(Completion("Thought: Look first.\\nAction: bash[jq '.rooms[0]' current_scene.json]"), tools)
    ToolUse(tool='bash', argument="jq '.rooms[0]' current_scene.json")
    >>> read_turn(Completion("Action: judge[]\\nAction: bash[ls]"), tools).reason
    'there are 2 different actions, and none was done; write one action, and wait for its result'
    """
    if reply.finish != "stop":
        return Invalid(UNREAD[reply.finish], reply.text[:LONGEST], reply.finish)
    if len(reply.text) > LONGEST:
        return Invalid(f"the reply has more than {LONGEST} characters; {FORM}", reply.text[:LONGEST])
    text = split_reasoning(reply.text)[0].replace("\r\n", "\n").replace("\r", "\n")
    text_uses = _uses(text)
    if isinstance(text_uses, Invalid):
        return text_uses
    called = [_native(call, tools) for call in reply.tools]
    for use in called:
        if isinstance(use, Invalid):
            return use
    uses = dict.fromkeys([*text_uses, *(use for use in called if isinstance(use, ToolUse))])
    if not uses:
        quoted_only = re.search(START, text, re.MULTILINE | re.IGNORECASE)
        why = (
            "the action is quoted in a code fence, with text behind it"
            if quoted_only
            else "there is no action"
        )
        return Invalid(f"{why}; {FORM}", reply.text)
    if len(uses) > 1:
        fault = f"there are {len(uses)} different actions, and none was done"
        return Invalid(f"{fault}; write one action, and wait for its result", reply.text)
    return _fitting(next(iter(uses)), tools, reply.text)


def _fitting(use: ToolUse, tools: Mapping[str, AuthorTool], raw: str) -> ToolUse | Invalid:
    """The action, if there is such a tool, with an argument where it takes one."""
    if use.tool not in tools:
        forms = ", ".join(tool.form for tool in tools.values())
        return Invalid(
            f"there is no tool {quoted(use.tool)}{near(use.tool, tools)}; the tools are {forms}", raw
        )
    tool = tools[use.tool]
    if bool(use.argument) == bool(tool.argument):
        return use
    lack = f"{tool.name} needs an argument" if tool.argument else f"{tool.name} takes no argument"
    return Invalid(f"{lack}; write Action: {tool.form}", raw)


def _uses(text: str) -> list[ToolUse] | Invalid:
    """The actions in ``text`` without those that are quoted."""
    uses: list[ToolUse] = []
    at, fenced = 0, False
    while event := EVENT.search(text, at):
        at = event.end()
        if event["fence"] is not None:
            fenced = not fenced
            continue
        closing = FENCE.search(text, at) if fenced else None
        limit = closing.start() if closing else len(text)
        if closing and text[closing.end() :].strip():
            at, fenced = closing.end(), False
            continue
        use = _read_action(text, at, limit)
        if isinstance(use, Invalid):
            return use
        uses.append(use.use)
        at = use.end
    if len(uses) == 1 and CLOSING.search(text, at):
        return Invalid(
            f"a line behind the action ends with a closing bracket, so that the end of the action is unclear; {FORM}",
            text,
        )
    return uses


def _read_action(text: str, start: int, limit: int) -> _ParsedAction | Invalid:
    """The action whose ``Action:`` ends at ``start``; it ends before ``limit``."""
    call = CALL.match(text, start, limit)
    if call is None or call["open"] is None:
        return Invalid(f"there is no tool with its brackets after `Action:`; {FORM}", text)
    tool, opened = call["tool"], call.start("open")
    depth = 0
    end = -1
    for bracket in BRACKET.finditer(text, opened, limit):
        depth += 1 if bracket[0] == "[" else -1
        if not depth:
            end = bracket.start()
            break
    if end < 0:
        return Invalid(
            f"the bracket of {tool}[ is not closed: the brackets of an argument have to balance; close it, or write "
            "the argument in another way (in bash a closing bracket in a comment will do: `# ]`)",
            text,
        )
    if not LINE_END.match(text, end + 1, limit):
        end = _last(text, opened, limit)
        if end < 0:
            return Invalid(f"the closing bracket of {tool}[ does not end its line; {FORM}", text)
    after = LINE_END.match(text, end + 1, limit)
    behind = after.end() if after else end + 1
    if (
        call["fence"]
        and (closing := FENCE.search(text, behind))
        and not text[behind : closing.start()].strip()
    ):
        behind = closing.end()
    return _ParsedAction(ToolUse(tool, _bare(text[opened + 1 : end])), behind)


def _last(text: str, opened: int, limit: int) -> int:
    """The bracket that ends the reply, if more brackets close than open up to it; else -1."""
    argument = text[opened:limit].rstrip("`~*_. \t\n")
    if not argument.endswith("]") or argument.count("]") <= argument.count("["):
        return -1
    return opened + len(argument) - 1


def _bare(argument: str) -> str:
    """An argument without blanks and a fence around it."""
    fenced = ENVELOPE.fullmatch(argument)
    return (fenced[1] if fenced else argument).strip()


def _native(call: ToolCall, tools: Mapping[str, AuthorTool]) -> ToolUse | Invalid:
    """A native call; an argument that is not text is written as JSON."""
    if call.name not in tools or len(call.arguments) > LONGEST:
        return ToolUse(call.name[:100])
    name = tools[call.name].argument
    raw = f"{call.name}({call.arguments})"
    try:
        decoded_arguments = json_value(
            (call.arguments or "{}").encode("utf-8", "replace"), call.name, TaskError
        )
    except TaskError:
        decoded_arguments = None
    if not isinstance(decoded_arguments, dict):
        return Invalid(f"the arguments of {call.name} are no JSON object; call it again", raw)
    arguments = cast("dict[str, Any]", decoded_arguments)
    if {*arguments} != ({name} if name else set()):
        takes = f"the argument {name}" if name else "no argument"
        return Invalid(f"{call.name} takes {takes}; call it again", raw)
    value = arguments.get(name, "")
    return ToolUse(call.name, (value if isinstance(value, str) else json.dumps(value)).strip())
