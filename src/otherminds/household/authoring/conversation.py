"""The conversation with an author: what it is told, and how the action of its turn is read.

What it is told is the content of Juneja et al. 2026, appendix F, in our words; the tools are those that this author has. A
turn is ``Thought: ...``, then one ``Action: tool[argument]``, or a native tool call. A reply has one action, complete, or none:
whatever could be read in two ways is :class:`~otherminds.core.data.Invalid`, with what to write instead. The rules:

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

Lines of Windows are read as others. Reading takes time linear in the length of the reply, which is bounded."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, cast

from msgspec import Struct

from otherminds.core.data import Invalid, Message, ModelTool
from otherminds.core.errors import TaskError
from otherminds.core.model import Completion, ToolCall, Unfinished
from otherminds.core.text import near, quote_name
from otherminds.core.user_files import json_value
from otherminds.household.authoring.checking import FILE
from otherminds.household.authoring.results import Assignment, Gates
from otherminds.household.authoring.workspace import SAMPLED, SCENE, SUBMITTED, TEMPLATE, seed_file
from otherminds.household.pool.store import PATTERNS, Pattern
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
UNREAD: dict[Unfinished, str] = {
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
    if reply.finish in UNREAD:
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
            f"there is no tool {quote_name(use.tool)}{near(use.tool, tools)}; the tools are {forms}", raw
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


MEANS: Mapping[Pattern, str] = {
    "delegation": "an agent has to choose whom to inform, and only one can act on it",
    "sequencing": "the right order of acts depends on what another agent already knows",
    "relay": "the sender cannot reach the actor, and has to find a way through others",
    "gated": "an agent's right act depends on a fact that only another agent can observe",
    "mixed": "private goals change how useful or reliable another agent is",
}
"""The functional patterns."""
DESIGN = """You design tasks for a team of agents in a house, which measure whether agents use what they know about others.
Each agent sees only the room that it is in, has secrets of its own, and can send few messages."""
FORMAT = """Each of your replies has this form, with exactly one action, and nothing behind it:
Thought: your reasoning, in short
Action: tool[argument]
The brackets of an argument have to balance. The result of the action comes in the next message."""
RULES = f"""Rules:
- Write the goal (problem_pddl) first; it is the source of truth. Write the description, secrets and mechanics to fit it. Do not write :objects or :init.
- The description (task) is public and speaks of the whole in general words; it names no object, furniture or target of a goal.
- Secrets say what is so: rooms that are closed, targets by their exact names, limits of messages, how a mechanic works. They never say what to do about it: no plan, no order of acts, no "tell", "ask" or "wait for".
- Every agent makes a contribution that no other can make. No mechanic is decoration.
- At least one act depends on information: an agent cannot know what to do without what another one knows.
- A room that the outermost agent of (K ...) could walk to makes the K trivial: bar it.
- Only articulated furniture can be open or closed in a goal. All names are those of {SCENE}.
- active_mechanics lists the mechanics of mechanic_bindings. agent_knows, with the secrets as formulas, may be left out if each secret is one plain sentence, as in available_mechanics.md."""
SECRETS = """Secrets:
bad: "Wait for agent_2 to tell you whether stand_34 is open, then forward that to agent_0."
good: "You cannot enter hallway_2." "You can only message agent_1." "You can send 2 messages." "By the end, you must know that agent_1 knows that stand_34 is open." "cabinet_3 must end open.\""""
CHECKS = """Before you submit, ask yourself:
- Without any message, can the agents still reach all physical goals? Then the task tests nothing.
- Can the outermost agent of a K goal go and look for itself? Then that goal is trivial."""


def system_prompt(tools: Mapping[str, AuthorTool], gates: Gates) -> str:
    """The rules of the work, and exactly the tools that are offered."""
    listed = "\n".join(f"{tool.form} -- {tool.about}" for tool in tools.values())
    patterns = "\n".join(f"- {name}: {MEANS[name]}" for name in PATTERNS)
    return "\n\n".join(
        (
            DESIGN,
            FORMAT,
            f"Tools:\n{listed}",
            _workflow(tools, gates),
            RULES,
            SECRETS,
            f"Functional patterns; name the one of your task in the field pattern:\n{patterns}",
            CHECKS,
        )
    )


def format_assignment(assignment: Assignment, seeds: int) -> str:
    """The first message: what is asked for, and the files of the workspace; ``seeds`` is the number of seed tasks."""
    private = (
        " In a mixed task some agents also have a private goal (private_goals), which conflicts with what others want and is told to them alone."
        if assignment.category == "mixed"
        else ""
    )
    samples = (
        f"{SAMPLED}/: {seeds} tasks of the pool, each with what became of it ({seed_file(1)}, ...)"
        if seeds
        else f"{SAMPLED}/: empty"
    )
    return (
        f"Write a {assignment.category} task whose goal has K nested to depth {assignment.depth}.{private}\n"
        f"Workspace: {FILE} (the task), {TEMPLATE} (the blank task), {SCENE} (rooms, furniture, objects, starts), "
        f"available_mechanics.md, available_predicates.md, available_actions.md, {samples}, {SUBMITTED}/."
    )


def _workflow(tools: Mapping[str, AuthorTool], gates: Gates) -> str:
    change = "bash" if "bash" in tools else "edit or write"
    passed = [name for name, on in (("judge", gates.council), ("test_task", gates.calibration)) if on]
    return "Work in this order:\n" + "\n".join(
        f"{number}. {text}" for number, text in enumerate(_work(change, passed), 1)
    )


def _work(change: str, passed: list[str]) -> Iterable[str]:
    yield "new_scene[N]."
    yield f"Look at the tasks in {SAMPLED}/, and at the mechanics and predicates."
    yield f"Write {FILE} with {change}: the goal first, then description, secrets and mechanics."
    yield "judge[]; correct what it says, until it passes."
    yield "test_task[]; a task that fails with full information is worthless."
    needs = f", once the file has passed {' and '.join(passed)} as it is" if passed else ""
    yield f"submit_task[]{needs}."


HEAD = 200
"""Characters that are left of a shortened text."""
EACH = 8
"""Tokens that a message may need besides its text."""
FILLED = 0.75
"""The part of the room that a conversation takes once it is shortened, so that the next turns leave it as it is."""


class Conversation:
    """The opening messages, and for each turn the author's reply and the answer to it.

    ``room`` is the number of tokens of a prompt, and ``count`` counts those of a text.
    """

    def __init__(self, system: str, first: str, room: int, count: Callable[[str], int]) -> None:
        self._opening = (Message("system", system), Message("user", first))
        self._turns: list[tuple[str, str]] = []
        self._room, self._count = room, count
        self._sizes: dict[str, int] = {}

    def add(self, reply: str, answer: str) -> None:
        """Adds a turn."""
        self._turns.append((reply or "(empty)", answer))

    def fitting(self, shortened: int) -> int | None:
        """The number of turns, from the first, that have to be shortened; ``shortened`` are already.

        The last turn is shortened only if nothing else is left; ``None`` if that is not enough either.
        """
        if self._size(shortened) <= self._room:
            return shortened
        for number in range(shortened + 1, len(self._turns)):
            if self._size(number) <= self._room * FILLED:
                return number
        few = (max(shortened, len(self._turns) - 1), len(self._turns))
        return next((number for number in few if self._size(number) <= self._room), None)

    def messages(self, shortened: int) -> tuple[Message, ...]:
        """The prompt, with that number of turns shortened."""
        turn_texts = [
            (_short(reply), _short(answer)) if number < shortened else (reply, answer)
            for number, (reply, answer) in enumerate(self._turns)
        ]
        turns = ((Message("assistant", reply), Message("user", answer)) for reply, answer in turn_texts)
        return (*self._opening, *(message for pair in turns for message in pair))

    def _size(self, shortened: int) -> int:
        return sum(self._tokens(message.content) + EACH for message in self.messages(shortened))

    def _tokens(self, text: str) -> int:
        if text not in self._sizes:
            self._sizes[text] = self._count(text)
        return self._sizes[text]


def _short(text: str) -> str:
    cut_length = len(text) - HEAD
    return (
        text
        if cut_length <= HEAD
        else f"{text[:HEAD]}\n[... {cut_length} characters left out, since the conversation is long]"
    )
