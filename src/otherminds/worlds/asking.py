"""The form of choices and questions with options: one sentence, an answer ``A: Option X``, and its strict parser."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from unicodedata import category

from otherminds.core.data import Ask, Invalid
from otherminds.core.replies import blocks, split_reasoning

CUE = "A: Option"
TEMPLATE = CUE + " {}"
JOINING = frozenset({"Mn", "Mc", "Me", "Cf"})
PAYS = r"[\"'*)]*[^\S\n]+(?:(?:would\s+)?(?:gives?|yields?|pays?|earns?)\b|\(?\d+(?:\.\d+)?\s?%)"
"""What follows an option in a statement about payoffs or chances."""
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


def asked(text: str, labels: Sequence[str], options: Sequence[Any]) -> Ask:
    """``text`` with its options, to be answered in a line ``A: Option X`` or as ``{"option": "X"}``."""
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
    )


def read(ask: Ask, reply: str) -> Any | Invalid:
    """The option of a line ``A: Option X``, or of a block ``{"option": "X"}``; reasoning is not read.

    Different answers are invalid, in any of the two forms, even if one is only considered.
    """
    answers = [block.get("option") for block in blocks(reply) if isinstance(block, dict)]
    found = {text.strip() for text in answers if isinstance(text, str)} & {*ask.labels}
    lines, weighed = _lines(split_reasoning(reply)[0], ask.labels)
    found |= lines
    if len(found) == 1 and weighed <= found:
        return ask.options[ask.labels.index(found.pop())]
    return Invalid("several different answers" if found else "no answer in the form asked for", reply)


def _lines(text: str, labels: tuple[str, ...]) -> tuple[set[str], set[str]]:
    """The labels that lines of ``text`` answer with, and those that are only considered.

    An answer is only considered if it is inside a line, in a question, or beside another one.
    """
    ordered = sorted(labels, key=len, reverse=True)
    names = "|".join(re.escape(label).replace(r"\ ", r"[^\S\n]+") for label in ordered)
    # Atomic, so that a longer name with something after it is not read as a shorter one.
    one = rf"(?:(^[^\w\n]*+)|(?<!\w))A:\s*Option\s+[\"'*]*(?>({names}))(?!\w|[-'’]\w|[.,:]\d)"
    beside = rf"[\"'*)]*\s*\(?(?:[,;/&|+]|or\b|and\b|vs\b\.?)\s*(?:Option\s+)?[\"'*]*(?:{names})(?!\w)"
    lettered = rf"[^\w\n]*\n\W*(?:B|2)\s*[:.)]\s*(?:Option\s+)?(?:{names})(?!\w)"
    doubt = re.compile(rf"[\"'*]*[^\S\n]*\?|{beside}|{PAYS}|{lettered}")
    found: tuple[set[str], set[str]] = set(), set()
    lines = "\n".join(text.splitlines())
    for answer in re.finditer(one, lines, re.MULTILINE):
        # A mark belongs to the letter before it, which is another one then.
        if category(lines[answer.end() : answer.end() + 1] or " ") not in JOINING:
            weighed = answer[1] is None or doubt.match(lines, answer.end()) is not None
            found[weighed].add(" ".join(answer[2].split()))
    return found
