r"""A tolerant reader of choices and predictions: what a reply answers, in whatever dress it comes.

Read are statements: ``Answer: Option J``, ``**A:** J``, ``\boxed{J}``, ``{"option": "Option J"}``, ``I choose Option
J.``, a line that is the option alone, and for predictions ``They will choose F``, ``Prediction: F`` or ``Most likely
Option F``. Capitals, markdown, LaTeX, HTML, full-width letters and control tokens make no difference. The last statement
wins, since models reason before they answer. Where the last answering form names no option, the reply chooses something
that is none, whatever it discussed before. Nothing is guessed: a question, a condition, a negation, two options side by
side, a statement about the other party and the list of options of the prompt are no answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from otherminds.core.data import Invalid, Whose
from otherminds.replies.doubt_words import TURN
from otherminds.replies.doubts import doubt, find_hedge, is_attributed, is_retracted, is_unanswered
from otherminds.replies.forms import prepare_reply, without
from otherminds.replies.mentions import fold_text, replace_names
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
