"""Parses replies: one call of a tool, or one answer to a probe; anything else is ``Invalid``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from otherminds.core.data import UNKNOWN, Ask, Invalid
from otherminds.household.commands import QUOTES, Command, Malformed, command, parse
from otherminds.household.spaces import HALVES
from otherminds.replies.blocks import blocks, split_reasoning

ACTION = "Action:"
ANSWER = "Answer:"
MARKUP = " \t*`_."
"""Characters that are removed around an answer in its line."""
NO_CALL = "no call of a tool in the form asked for"
BRACKETS = re.compile(r"[\[\]\n\r]")


def read_call(reply: str) -> str | Invalid:
    """The single call in ``reply``, as it is written there.

    The call is in a line ``Action: Navigate[kitchen_1]``, in a block ``{"action": "..."}``, or it is the whole reply.
    Several different calls are invalid, even if one is only mentioned inside a line. Names are not checked here: the
    world does that.

    >>> read_call("I go and look.\\nAction: Explore[kitchen_1]")
    'Explore[kitchen_1]'
    >>> read_call("Explore[kitchen_1] would be best.").reason
    'no call of a tool in the form asked for'
    """
    text, answers, weighed = positions(reply, ACTION)
    actions = [block["action"] for block in blocks(text) if isinstance(block, dict) and "action" in block]
    call_texts = [*answers, *(call for call in actions if isinstance(call, str))]
    if not call_texts and "[" in text:
        call_texts = [text.strip(MARKUP + "\n")]
    read = {call: parse_call(call) for call in call_texts}
    calls = {command: call for call, command in read.items() if isinstance(command, Command)}
    wrong = [fault.text for fault in read.values() if isinstance(fault, Malformed)]
    mentioned = {aside for call in weighed if isinstance(aside := parse_call(call), Command)}
    if len(calls) == 1 and not wrong and mentioned <= {*calls}:
        return next(iter(calls.values()))
    if calls:
        return Invalid("several different calls", reply)
    return Invalid(wrong[0] if answers and wrong else NO_CALL, reply)


def write_call(name: str, arguments: Mapping[str, str]) -> str | Invalid:
    """A native tool call as the line that :func:`read_call` reads; line breaks become blanks.

    >>> write_call("Navigate", {"target": "kitchen_1"})
    'Action: Navigate[kitchen_1]'
    >>> write_call("Navigate", {"target": "kitchen_1, on"}).reason
    'Malformed call! Write Navigate[target].'
    >>> write_call("Wait", {})
    'Action: Wait[]'
    """
    call = command(name, arguments)
    read_back = parse_call(str(call))
    if read_back == call:
        return f"{ACTION} {call}"
    return Invalid(read_back.text if isinstance(read_back, Malformed) else NO_CALL, str(call))


def parse_call(text: str) -> Command | Malformed:
    """Parses one call strictly: a second call is not accepted as an argument of the first."""
    call = parse(text)
    if isinstance(call, Malformed):
        return call
    if HALVES.search(text):
        return Malformed(NO_CALL)
    if call.tool != "Communicate":
        return Malformed(NO_CALL) if any(BRACKETS.search(arg) for arg in call.args) else call
    message = text[text.index(",") + 1 : text.rindex("]")].strip()
    ends = rf"{QUOTES[message[0]]}\s*\]" if message[0] in QUOTES and message != call.args[1] else r"[\[\]]"
    return Malformed(NO_CALL) if re.search(ends, call.args[1]) else call


def read_answer(ask: Ask, reply: str) -> Any | Invalid:
    """The single answer to a probe in ``reply``.

    The answer is in a line ``Answer: it holds``, in a block ``{"answers": [{"probe_id": .., "predicate": ..,
    "holds": .., "args": [..]}]}`` (Juneja et al. 2026, appendix H), or in such an entry alone. An entry with another
    predicate or other arguments is a valid answer.
    """
    text, answers, weighed = positions(reply, ANSWER)
    options = dict(zip(ask.labels, ask.options, strict=True))
    wrong = any(answer not in options for answer in answers)
    choices = [options[answer] for answer in answers if answer in options]
    read = [answer_of_entry(entry) for block in blocks(text) for entry in entries(ask, block)]
    faults = [fault for fault in read if isinstance(fault, str)]
    choices += [choice for choice in read if not isinstance(choice, str)]
    if not choices:
        return Invalid(faults[0] if faults else "no answer in the form asked for", reply)
    first = choices[0]
    agreed = all(choice == first for choice in choices) and all(
        options.get(label) in (None, first) for label in weighed
    )
    if agreed and not wrong and not faults:
        return first
    return Invalid("several different answers", reply)


def entries(ask: Ask, block: Any) -> Iterator[dict[str, Any]]:
    """The entries of a block that answer the probe of ``ask``; a single entry needs no id."""
    if not isinstance(block, dict):
        return
    assert ask.schema is not None, "every probe has a schema"
    probe_id = ask.schema["properties"]["answers"]["items"]["properties"]["probe_id"]["enum"][0]
    listed = block.get("answers", [block] if "predicate" in block else [])
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and entry.get("probe_id", listed == [entry]) in (probe_id, True):
            yield entry


def answer_of_entry(entry: dict[str, Any]) -> dict[str, Any] | str:
    """An entry as an answer, or the reason why it is invalid."""
    holds, args = entry.get("holds"), entry.get("args")
    if not isinstance(entry.get("predicate"), str):
        return "predicate must be a name"
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        return "args must be a list of names"
    if entry["predicate"] == UNKNOWN["predicate"]:
        return dict(UNKNOWN) if holds is None else "holds must be null where the predicate is unknown"
    if not isinstance(holds, bool):
        return "holds must be true or false, or null where the predicate is unknown"
    return {"predicate": entry["predicate"], "holds": holds, "args": args}


def positions(reply: str, cue: str) -> tuple[str, list[str], list[str]]:
    """The text without cued lines, the answers after ``cue`` at the start of a line, and those after ``cue`` inside a line.

    Reasoning is removed first.
    """
    plain_lines: list[str] = []
    answers: list[str] = []
    weighed: list[str] = []
    for line in split_reasoning(reply)[0].splitlines():
        before, separator, answer = line.partition(cue)
        if separator and not before.strip(" \t*`_>#-"):
            answers.append(answer.strip(MARKUP))
            continue
        plain_lines.append(line)
        if separator:
            weighed.append(answer.strip(MARKUP + "\"'"))
    return "\n".join(plain_lines), answers, weighed
