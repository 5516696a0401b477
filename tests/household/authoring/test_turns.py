"""The reader of turns takes a whole action or none."""

from __future__ import annotations

import json

import pytest

from otherminds.core.data import Invalid
from otherminds.core.model import Completion, ToolCall
from otherminds.household.authoring.conversation import LONGEST, AuthorTool, ToolUse, read_turn

TOOLS = {
    tool.name: tool
    for tool in (
        AuthorTool("bash", "command", "Run."),
        AuthorTool("write", "JSON", "Write."),
        AuthorTool("judge", "", "Ask."),
    )
}
LS, JUDGE = ToolUse("bash", "ls"), ToolUse("judge")
HEREDOC = "cat > f.py <<'E'\nx = [1, [2]]\nprint(x[0])\nE\npython3 f.py"

TAKEN = {
    "plain": ("Thought: look\nAction: bash[ls]", LS),
    "no thought": ("Action: bash[ls]", LS),
    "windows lines": ("Thought: look\r\nAction: bash[ls]\r\n", LS),
    "capitals": ("ACTION: bash[ls]", LS),
    "bold": ("**Thought:** hm\n**Action:** `bash[ls]`.", LS),
    "heading": ("### Action: bash[ls]", LS),
    "prose before": ("Let me see what is there.\n\nAction: bash[ls]", LS),
    "prose behind": ("Action: bash[ls]\nI wait for the result.", LS),
    "reasoning apart": ("<think>Action: judge[] perhaps</think>\nAction: bash[ls]", LS),
    "fence around all": ("```\nThought: x\nAction: bash[ls]\n```", LS),
    "fence around the call": ("Action:\n```bash\nbash[ls]\n```\nThat is it.", LS),
    "fence around the argument": ("Action: bash[\n```bash\nls\n```\n]", LS),
    "fence in the argument": (
        "Action: bash[cat > a.md <<'E'\n```\ncode\n```\nE\n]",
        ToolUse("bash", "cat > a.md <<'E'\n```\ncode\n```\nE"),
    ),
    "quoted first": ("The form is\n```\nAction: judge[]\n```\nso:\nAction: bash[ls]", LS),
    "action in the thought": ("Thought: my last Action: judge[] failed\nAction: bash[ls]", LS),
    "twice the same": ("Action: bash[ls]\nAgain:\nAction: bash[ls]", LS),
    "nested brackets": (
        "Action: bash[jq '.a[0][1]' f && [[ -f x ]]]",
        ToolUse("bash", "jq '.a[0][1]' f && [[ -f x ]]"),
    ),
    "many lines": (f"Action: bash[{HEREDOC}]", ToolUse("bash", HEREDOC)),
    "action in the argument": (
        "Action: bash[cat <<E\nAction: judge[]\nE\n]",
        ToolUse("bash", "cat <<E\nAction: judge[]\nE"),
    ),
    "stray closing bracket": ("Action: bash[grep ']' f]", ToolUse("bash", "grep ']' f")),
    "json": ('Action: write[{"a": [1, {"b": []}]}]', ToolUse("write", '{"a": [1, {"b": []}]}')),
    "no argument": ("Action: judge[]", JUDGE),
}
REFUSED = {
    "nothing": ("", "no action"),
    "prose": ("I would run ls.", "no action"),
    "not closed": ("Action: bash[ls", "not closed"),
    "inner bracket closed only": ("Action: bash[ls [ab]", "not closed"),
    "stray and not closed": ("Action: bash[grep ']' f | tail [1]", "does not end its line"),
    "two": ("Action: bash[ls]\nAction: judge[]", "2 different"),
    "invented result": ("Action: bash[ls]\nObservation: a\nAction: judge[]", "2 different"),
    "end in doubt": ("Action: bash[ls]\nI expect [a list]", "unclear"),
    "end in doubt, heredoc": ("Action: bash[cat <<E\n]\nE\n]", "unclear"),
    "text in the line": ("Action: bash[ls] and then judge", "end its line"),
    "quoted only": ("One writes\n```\nAction: bash[ls]\n```\nbut I do not.", "quoted"),
    "blockquote": ("> Action: bash[ls]", "no action"),
    "no brackets": ("Action: judge", "no tool with its brackets"),
    "words": ("Action: I will look\nAction: bash[ls]", "no tool with its brackets"),
    "unknown": ("Action: bsh[ls]", "did you mean bash"),
    "argument too many": ("Action: judge[now]", "takes no argument"),
    "argument missing": ("Action: bash[ ]", "needs an argument"),
    "long": ("Action: bash[ls]" + " " * LONGEST, "characters"),
}


@pytest.mark.parametrize("case", TAKEN)
def test_a_whole_action_is_taken(case: str) -> None:
    reply, use = TAKEN[case]
    assert read_turn(Completion(reply), TOOLS) == use


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_whole_action_is_refused_with_what_to_write(case: str) -> None:
    reply, why = REFUSED[case]
    found = read_turn(Completion(reply), TOOLS)
    assert isinstance(found, Invalid)
    assert why in found.reason
    assert ";" in found.reason, "says what to write instead"


@pytest.mark.parametrize("finish", ["length", "refusal", "filter"])
def test_a_reply_that_did_not_end_by_itself_has_no_action(finish: str) -> None:
    found = read_turn(Completion("Action: bash[ls]", finish=finish), TOOLS)  # type: ignore[arg-type]
    assert isinstance(found, Invalid)
    assert found.cause == finish


def called(*calls: tuple[str, str], text: str = "") -> ToolUse | Invalid:
    return read_turn(Completion(text, tools=tuple(ToolCall(*call) for call in calls)), TOOLS)


def test_native_calls_are_read_by_the_same_rules() -> None:
    ls = ("bash", '{"command": "ls"}')
    assert called(ls) == called(ls, ls) == called(ls, text="Action: bash[ls]") == LS
    assert called(("judge", "")) == called(("judge", "{}")) == JUDGE
    task = {"agent_secrets": {"agent_0": ["]"]}}
    found = called(("write", json.dumps({"JSON": task})))
    assert isinstance(found, ToolUse)
    assert json.loads(found.argument) == task
    for two in (called(ls, ("judge", "{}")), called(ls, text="Action: judge[]")):
        assert isinstance(two, Invalid)
        assert "2 different" in two.reason


@pytest.mark.parametrize(
    "call",
    [
        ("bash", "[1]"),
        ("bash", '{"command": "ls"'),
        ("bash", '{"cmd": "ls"}'),
        ("judge", '{"x": 1}'),
        ("sh", "{}"),
        ("bash", '{"command": "ls", "command": "rm"}'),
        ("bash", '{"command": "\\ud800"}'),
    ],
)
def test_a_malformed_native_call_is_no_action(call: tuple[str, str]) -> None:
    assert isinstance(called(call), Invalid)


@pytest.mark.parametrize(
    "hostile",
    [
        "Action: bash[" * (LONGEST // 14),
        "Action: bash[a]\n" * (LONGEST // 17),
        "```\nAction: bash[\n" * (LONGEST // 19),
        "```\nAction: bash[]\n```\nx\n" * (LONGEST // 30),
        "Action: bash[" + "] " * (LONGEST // 3),
        "Action: bash[]\n" + "]   x" * (LONGEST // 6),
        "Action:" + " \n" * (LONGEST // 3),
        "Action: bash[" + "```\n" * (LONGEST // 5) + "]",
        "[" * LONGEST * 3,
    ],
)
def test_a_hostile_reply_is_read_or_refused(hostile: str) -> None:
    """Reading takes linear time: where it is quadratic, this test does not end in its time."""
    assert isinstance(read_turn(Completion(hostile), TOOLS), Invalid | ToolUse)
