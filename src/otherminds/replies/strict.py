"""The strict reader: one answer in the form asked for, ``A: Option X`` or ``{"option": "X"}``, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from unicodedata import category

from otherminds.core.data import Ask, Invalid
from otherminds.replies.blocks import STRUCK, put_blocks_in_words, split_reasoning
from otherminds.replies.doubts import doubt, is_attributed, is_contradicted, is_unanswered
from otherminds.replies.lenient import none_of, other_option

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
    text = put_blocks_in_words(split_reasoning(reply)[0], lambda block: _sentences(block, ask.labels))
    lines = STRUCK.sub(" ", "\n".join(text.splitlines()))
    answers, weighed = _answers(lines, ask.labels)
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


def _answers(lines: str, labels: tuple[str, ...]) -> tuple[list[tuple[str, int, int]], set[str]]:
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
