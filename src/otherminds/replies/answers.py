r"""How a question with options asks for its answer, and the readers of it: strict, by tool calls, and tolerant.

The strict form is ``A: Option X`` or ``{"option": "X"}`` and nothing else. A native tool call is turned into the written
form of the same answer, below the text of its reply. The verbalizer's one reader then decides, so that a text and a call
that differ, or two calls that differ, are no answer.

The tolerant reader takes what a reply answers in whatever dress it comes.

Read are statements: ``Answer: Option J``, ``**A:** J``, ``\boxed{J}``, ``{"option": "Option J"}``, ``I choose Option
J.``, a line that is the option alone, and for predictions ``They will choose F``, ``Prediction: F`` or ``Most likely
Option F``. Capitals, markdown, LaTeX, HTML, full-width letters and control tokens make no difference. The last statement
wins, since models reason before they answer. Where the last answering form names no option, the reply chooses something
that is none, whatever it discussed before. Nothing is guessed: a question, a condition, a negation, two options side by
side, a statement about the other party and the list of options of the prompt are no answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast
from unicodedata import category

from otherminds.core.contracts import Verbalizer
from otherminds.core.data import Ask, Invalid, ModelTool, Whose
from otherminds.core.model import Completion, ToolCall
from otherminds.replies.blocks import STRUCK, last_block, put_blocks_in_words, split_reasoning
from otherminds.replies.doubts import (
    TURN,
    doubt,
    find_hedge,
    is_attributed,
    is_contradicted,
    is_retracted,
    is_unanswered,
)
from otherminds.replies.forms import prepare_reply, without
from otherminds.replies.mentions import fold_text, named, replace_names
from otherminds.replies.statements import Statement, Unlisted, statements, unlisted_answers

RUNS_ON = re.compile(rf"{TURN.pattern}|^[^\S\n]*(?P<told>In round \d)", re.MULTILINE | re.IGNORECASE)
"""The start of a next turn that a model invents."""
BEGIN = 20
"""Characters at the start of a reply in which an answer comes before all reasoning."""
UNKNOWN = re.compile(
    r"^[^\w\n]*+(?:a|answer|final answer|my answer|my choice):\s*option\s+(\w{1,2})(?!\w)",
    re.MULTILINE | re.IGNORECASE,
)
"""An answer that may name no option."""
JOINED = re.compile(r"\W*(?:(?:or|and|else|otherwise|alternatively|a|option)\b\W*)*", re.IGNORECASE)
"""The text between two statements that are offered together."""
OWNED = re.compile(
    r"\b(?:my (?:own )?(?:choice|move|option|action|decision|pick|play|strategy|response|reply)|i (?:will|should|would|choose|play|pick|go)|for me|me)\b",
    re.IGNORECASE,
)
"""The own choice as the subject of a title."""
SPOKEN = re.compile(
    r"(?:the |my )?(?:other(?: player| agent| person)?|opponent|partner|counterpart|rival|they|them|he|she|player (?:2|two|b))(?:'s (?:words|message|reply))?"
    r"(?: says?| said)?\s*:\W*(?:\w+[,!]\W*){0,2}$",
    re.IGNORECASE,
)
"""The label of what the other player says, directly before its words."""
RECENT = 10
"""Earlier statements that may contradict the last one."""
SHOWN = 80
"""Characters of another answer that are kept."""


class OtherOption(NamedTuple):
    """What a reply chooses that is none of the options, in its words."""

    said: str


def choice(
    reply: str, labels: Sequence[str], whose: Whose = "own", names: Mapping[str, str] | None = None
) -> str | OtherOption | None:
    r"""The label that ``reply`` answers with, or what it names instead; ``None`` where it gives no clear answer.

    Args:
        reply: The reply of a model. At most its last 20,000 characters are read.
        labels: The options.
        whose: Whether the own choice is asked for, or what the other player does.
        names: The game's names of the options with their labels, where the prompt shows both.

    >>> [choice(text, ("J", "F")) for text in ("**Answer:** J", r"\boxed{\text{Option F}}", "J or F", "Not J.")]
    ['J', 'F', None, None]
    >>> said = "They will choose F, so I will choose J."
    >>> choice(said, ("J", "F")), choice(said, ("J", "F"), "other")
    ('J', 'F')
    >>> choice("Option F\nrejected.\nFinal answer: Cooperate", ("J", "F"))
    OtherOption(said='Cooperate')
    """
    text = without(
        prepare_reply(replace_names(reply, names or {}), labels), "own" if whose == "other" else "other"
    )
    if is_unanswered(text):
        return None
    text, answers = _answers(text, labels, whose)
    if is_unanswered(text):
        return None
    end, firm = (answers[-1].at, answers[-1].firm) if answers else (-1, False)
    missing = [answer for answer in unlisted_answers(text, labels, whose) if answer.firm or not firm]
    if missing and missing[-1].end > end:
        return OtherOption(missing[-1].said[:SHOWN]) if missing[-1].said else None
    if not answers:
        return None
    return None if _is_doubted(text, answers, missing, labels, whose) else answers[-1].label


def none_of(other: OtherOption, reply: str) -> Invalid:
    """The outcome of a ``reply`` that chooses ``other``."""
    return Invalid(f"it chooses {other.said!r}, which is none of the options", reply, "option")


def other_option(reply: str, labels: Sequence[str], whose: Whose = "own") -> OtherOption | None:
    """What the last answering form of ``reply`` names, if it is none of the options."""
    answer = choice(reply, labels, whose)
    return answer if isinstance(answer, OtherOption) else None


def _answers(text: str, labels: Sequence[str], whose: Whose) -> tuple[str, list[Statement]]:
    """``text`` up to a turn that the model invents, and the statements in it that can be answers."""
    answers = [
        statement
        for statement in statements(text, labels, whose)
        if not _of_another(statement, text, labels, whose)
    ]
    for turn in RUNS_ON.finditer(text):
        if any(statement.at < (BEGIN if turn["told"] else turn.start()) for statement in answers):
            answers = [statement for statement in answers if statement.at < turn.start()]
            text = text[: turn.start()]
            break
    return text, after_lists(text, answers, labels)


def _of_another(statement: Statement, text: str, labels: Sequence[str], whose: Whose) -> bool:
    """Whether the words before a statement without a subject give it to the party that is not asked for."""
    if whose == "own" and SPOKEN.search(
        text, max(text.rfind("\n", 0, statement.at) + 1, statement.start - SHOWN), statement.start
    ):
        return True
    if not statement.titled:
        return False
    if whose == "own":
        return is_attributed(text[: statement.start], labels)
    line = text[text.rfind("\n", 0, statement.at) + 1 : statement.at]
    return bool(OWNED.search(line)) and not is_attributed(text[: statement.start], labels)


def _is_doubted(
    text: str, answers: Sequence[Statement], missing: Sequence[Unlisted], labels: Sequence[str], whose: Whose
) -> bool:
    """Whether the last of the statements ``answers`` is left open, taken back or contradicted."""
    *earlier, last = answers
    if doubt(text[: last.start], text[last.end :], last.label, labels, whose) is not None:
        return True
    unknown = [
        match.end() for match in UNKNOWN.finditer(text) if fold_text(match[1]) not in map(fold_text, labels)
    ]
    unknown = [end for end in unknown if end <= last.at]
    if not last.firm:
        unknown += [unlisted_answer.end for unlisted_answer in missing if unlisted_answer.end <= last.at]
    if any(not is_retracted(text[end : last.at], last.label, labels) for end in unknown[-RECENT:]):
        return True
    rivals = [rival for rival in earlier[-RECENT:] if rival.label != last.label]
    return any(
        JOINED.fullmatch(between := text[rival.end : last.at])
        or (
            find_hedge(text[: rival.start], text[rival.end :], rival.label, labels, whose) is None
            and not is_retracted(between, rival.label, labels)
        )
        for rival in rivals
    )


def after_lists(text: str, stated: list[Statement], labels: Sequence[str]) -> list[Statement]:
    """The statements behind the last list of all options, in any order; all, if there is none."""
    n, start = len(labels), 0
    names = "|".join(map(re.escape, labels))
    words = re.compile(rf"(?<!\w)(?:{names}|a|option|or)(?!\w)|[\W\d]", re.IGNORECASE)
    for k in range(len(stated) - n + 1 if n > 1 else 0):
        row = stated[k : k + n]
        if {statement.label for statement in row} == {*labels} and not words.sub(
            "", text[row[0].at : row[-1].at]
        ):
            start = k + n
    return stated[start:]


CUE = "A: Option"
TEMPLATE = CUE + " {}"
JOINING = frozenset({"Mn", "Mc", "Me", "Cf"})
UNFORMED = "no answer in the form asked for"


def read(ask: Ask, reply: str) -> Any | Invalid:
    """The option of a line ``A: Option X``, or of a block ``{"option": "X"}``; reasoning is not read.

    Different answers are invalid, in any of the two forms, even if one is only considered; and so is an answer that
    the words around it leave open, take back or quote (:func:`otherminds.replies.doubts.doubt`). Where the last
    answering form of a reply names no option, whatever its form, the cause is ``option``.
    """
    if (label := reply.strip().removeprefix(f"{CUE} ")) in ask.labels and reply.lstrip().startswith(CUE):
        return ask.options[ask.labels.index(label)]  # one of the listed answers and nothing else
    text = put_blocks_in_words(split_reasoning(reply)[0], lambda block: _sentences(block, ask.labels))
    lines = STRUCK.sub(" ", "\n".join(text.splitlines()))
    answers, weighed = _strict_answers(lines, ask.labels)
    answered = {label for label, _, _ in answers}
    if (other := other_option(reply, ask.labels, ask.whose)) is not None:
        return none_of(other, reply)
    if is_unanswered(lines):
        return Invalid(UNFORMED, reply)
    if answered <= {*ask.labels} and len(answered) == 1 and weighed <= answered:
        label, start, end = answers[-1]
        before, after = lines[:start], lines[end:]
        if (
            doubt(before, after, label, ask.labels, ask.whose) is None
            and (ask.whose == "other" or not is_contradicted(before, label, ask.labels))
            and (ask.whose == "other" or not is_attributed(before, ask.labels))
        ):
            return ask.options[ask.labels.index(label)]
        return Invalid("no clear answer", reply)
    return Invalid("several different answers" if answered & {*ask.labels} else UNFORMED, reply)


def _sentences(block: Any, labels: Sequence[str]) -> str | None:
    """A block ``{"option": "X"}`` as a line, with its other texts as sentences around it."""
    option = block.get("option") if isinstance(block, dict) else None
    if not isinstance(option, str) or option.strip() not in labels:
        return None
    words = {key: " ".join(text.split()) for key, text in block.items() if isinstance(text, str)}
    words = {key: text for key, text in words.items() if key == "option" or " " in text}
    return " ".join(
        f"\n{TEMPLATE.format(text)}." if key == "option" else f"{key.replace('_', ' ')}: {text}."
        for key, text in words.items()
    )


def _strict_answers(lines: str, labels: tuple[str, ...]) -> tuple[list[tuple[str, int, int]], set[str]]:
    """The answers in the form of the template, with their places, and the labels that are named so inside a line.

    An answer may be no label.
    """
    ordered = sorted(labels, key=len, reverse=True)
    names = "|".join(re.escape(label).replace(r"\ ", r"[^\S\n]+") for label in ordered)
    # Atomic, so that a longer name with something after it is not read as a shorter one.
    form = (
        rf"(?:(^[^\w\n]*+)|(?<!\w))A:\s*Option\s+[\"'*]*(?:(?>({names}))|([A-Z]|\d+)(?!\s*:))"
        r"(?!\w|[-'’]\w|[.,:]\d)"
    )
    answers: list[tuple[str, int, int]] = []
    weighed: set[str] = set()
    for answer in re.finditer(form, lines, re.MULTILINE):
        # A mark belongs to the letter before it, which is another one then.
        if category(lines[answer.end() : answer.end() + 1] or " ") not in JOINING:
            label = " ".join((answer[2] or answer[3]).split())
            if answer[1] is not None:
                answers.append((label, answer.start(), answer.end()))
            elif answer[2]:
                weighed.add(label)
    return answers, weighed


RAW = 200
"""Characters of an unreadable value that are kept."""


def listed(labels: Sequence[str], word: str) -> str:
    """The options in a sentence, ``word`` before the last.

    >>> listed(["J", "F", "B"], "or")
    'Option J, Option F or Option B'
    """
    return several([f"Option {label}" for label in labels], word)


def several(names: Sequence[str], word: str) -> str:
    """Names in a row, ``word`` before the last.

    >>> several(["rock", "paper", "scissors"], "or"), several(["rock"], "or")
    ('rock, paper or scissors', 'rock')
    """
    return f" {word} ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def unread(reason: str, value: Any) -> Invalid:
    """An unreadable value: the reason, and its first characters.

    >>> unread("no act", ["rest"])
    Invalid(reason='no act', raw="['rest']", cause='reply')
    """
    return Invalid(reason, repr(value)[:RAW])


def asked(
    text: str,
    labels: Sequence[str],
    options: Sequence[Any],
    whose: Whose = "own",
    names: Sequence[str] = (),
    continuation: str = "",
) -> Ask:
    """``text`` with its options, to be answered in a line ``A: Option X`` or as ``{"option": "X"}``.

    ``whose``, ``names`` and ``continuation`` are those of :class:`~otherminds.core.data.Ask`.
    """
    return Ask(
        text=text,
        labels=tuple(labels),
        options=tuple(options),
        cue=CUE,
        template=TEMPLATE,
        schema={
            "type": "object",
            "properties": {"option": {"type": "string", "enum": list(labels)}},
            "required": ["option"],
            "additionalProperties": False,
        },
        continuation=continuation,
        whose=whose,
        names=tuple(names),
    )


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
