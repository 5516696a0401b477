"""The form of choices and questions with options: one sentence, and an answer ``A: Option X``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from otherminds.core.data import Ask, Invalid, Whose
from otherminds.replies.strict import CUE, TEMPLATE

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
