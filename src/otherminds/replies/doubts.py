"""Decides whether a choice that a reply states holds, or is hedged, conditional, taken back or quoted.

The readers of choices find statements such as ``A: Option J``; the functions here read the English words around one.
Every option in these words becomes one character first, so that the rules of
:mod:`otherminds.replies.doubt_words` are the same for all labels. Time is linear in the length of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from otherminds.core.data import Whose
from otherminds.replies.blocks import FENCE
from otherminds.replies.doubt_words import (
    ALONE,
    ANY,
    ASIDE,
    BESIDE,
    CHOSEN,
    CLAUSE,
    COMPARED,
    CONCEDED,
    ELSEWHERE,
    FIRST,
    FOLLOWING,
    FORESEEN_BESIDE,
    FORESEEN_FOLLOWING,
    FORESEEN_LEADING,
    FORESEEN_REASON,
    GRANTING,
    HEADING,
    KEPT,
    LATER,
    LEADING,
    LISTED,
    MINE,
    OTHERS,
    OWN_PART,
    PRAISE,
    REASON,
    RETRACTION,
    RUNNING,
    SENTENCE,
    TURN,
    TURNING,
    UNWILLING,
    WordRule,
)

NEAR = 300
"""Characters around a statement that are read for its own sentence."""
FAR = 20_000
"""Characters around a statement that are read at all; a reply that goes on for longer after one has lost its thread."""
EMPTY_TITLE = re.compile(
    r"^[^\w\n]*(?:(?:my|your|the|final)\s+){0,2}(?:a|answer|choice|decision|prediction)\s*:\W*\Z",
    re.MULTILINE | re.IGNORECASE,
)
"""A last line that is the title of an answer alone."""
STYLE = str.maketrans(
    dict.fromkeys('*_`"“”#>', "")
    | {"’": "'", "‘": "'", "—": " - ", "–": " - ", "…": "... "}
    | {chr(code): " " for code in range(FIRST, FIRST + 0x100)}
)


def doubt(before: str, after: str, label: str, labels: Sequence[str], whose: Whose = "own") -> str | None:
    """The kind of the first doubt about a statement of ``label``; ``None`` if the statement holds.

    ``before`` and ``after`` are the texts around it. Words that make an own choice a doubtful one, such as *probably*,
    are part of a prediction, and what the model itself chooses does not touch one.

    >>> doubt("", " (or maybe F)", "J", ("J", "F")), doubt("If they play F, ", ".", "J", ("J", "F"))
    ('alternative', 'condition')
    >>> doubt("", ", because F gives 0 if they play J.", "J", ("J", "F"))
    """
    if len(after) > FAR:
        return "endless"
    own, sentences = _split_sentences(after, label, labels)
    leading = _clause(before[-NEAR:], tuple(labels))
    if LATER.search(leading) and _first((UNWILLING,), before[-NEAR:].lower(), own):
        return "other round"
    return find_hedge(before, after, label, labels, whose) or _following(sentences, own, whose)


def find_hedge(
    before: str, after: str, label: str, labels: Sequence[str], whose: Whose = "own"
) -> str | None:
    """The kind of the first doubt in the sentence of a statement."""
    own, (first, *_) = _split_sentences(after[:NEAR], label, labels)
    if _first((LISTED,), _mark_options(after[:NEAR], tuple(labels)).lower(), own):
        return LISTED.name
    beside = COMPARED.sub(" ", REASON.split(first)[0])
    leading, around = LEADING, BESIDE
    if whose == "own":
        beside = ASIDE.split(beside)[0]
    else:
        beside, leading, around = (
            FORESEEN_REASON.split(OWN_PART.split(beside)[0])[0],
            FORESEEN_LEADING,
            FORESEEN_BESIDE,
        )
    return _first(leading, _clause(before[-NEAR:], tuple(labels)), own) or _first(around, beside, own)


def is_attributed(before: str, labels: Sequence[str]) -> bool:
    """Whether someone else than the model is the subject of a statement after ``before``.

    >>> is_attributed("The other player will choose: ", ("J", "F")), is_attributed("My choice: ", ("J", "F"))
    (True, False)
    """
    clause = _clause(before[-NEAR:], tuple(labels))
    return bool(OTHERS.search(clause)) and not MINE.search(clause)


def is_unanswered(text: str) -> bool:
    """Whether ``text`` repeats a prompt, or ends, with the title of an answer and nothing under it.

    >>> is_unanswered("Q: They choose?\\nAnswer: F\\nQ: You choose?\\nAnswer:"), is_unanswered("Answer: F\\nQ: And now?\\nAnswer:")
    (True, False)
    """
    if EMPTY_TITLE.search(text[-NEAR:]) is None:
        return False
    turn = TURN.search(text)
    return turn is None or not text[: turn.start()].strip()


def is_retracted(after: str, label: str, labels: Sequence[str]) -> bool:
    """Whether ``after`` takes back a statement of ``label``."""
    own, sentences = _split_sentences(after, label, labels)
    return any(_first((RETRACTION,), sentence, own) for sentence in sentences)


def is_contradicted(before: str, label: str, labels: Sequence[str]) -> bool:
    """Whether ``before`` begins with another option alone, or chooses one and does not take it back."""
    own, sentences = _split_sentences(before[-FAR:], label, labels)
    start = next((sentence for sentence in sentences if sentence.strip()), "")
    contradicts = _first((ALONE,), start, own) is not None
    for sentence in sentences:
        turned = TURNING.search(sentence) or _first((RETRACTION,), sentence, own)
        weighed = TURNING.search(sentence) or ELSEWHERE.search(sentence) or _first(LEADING, sentence, own)
        contradicts = bool((contradicts and not turned) or (not weighed and _first((CHOSEN,), sentence, own)))
    return contradicts


def _split_sentences(after: str, label: str, labels: Sequence[str]) -> tuple[str, list[str]]:
    """The character of ``label``, and the sentences after a statement of it: the rest of its own one, and the others."""
    own = chr(FIRST + list(labels).index(label))
    turn = TURN.search(after)
    text = own + _mark_options(after[: turn.start()] if turn else after, tuple(labels))
    return own, SENTENCE.split(RUNNING.sub(" ", text)[1:].lower())


def _following(sentences: list[str], own: str, whose: Whose) -> str | None:
    """The first doubt in the sentence of a statement and in those after it; a retraction may be revoked itself."""
    last_kept = max((k for k, sentence in enumerate(sentences) if _first((KEPT,), sentence, own)), default=-1)
    for k, sentence in enumerate(sentences):
        if k > last_kept and _first((RETRACTION,), sentence, own):
            return RETRACTION.name
        if whose == "other":
            about = OWN_PART.split(sentence)[0]
            if doubt_name := _first(FORESEEN_FOLLOWING, about, own) or _first((UNWILLING,), sentence, own):
                return doubt_name
        elif not ELSEWHERE.search(sentence):
            granted = _first((CONCEDED,), sentence, own) or (k and GRANTING.search(sentence))
            rules = FOLLOWING if granted else (*FOLLOWING, PRAISE)
            if doubt_name := _first(rules, sentence, own):
                return doubt_name
    return None


@lru_cache(maxsize=1024)
def _clause(before: str, labels: tuple[str, ...]) -> str:
    """The clause that leads to what follows ``before``: in its line, or in a line before that leads to it.

    Cached, since replies that are drawn again, or that repeat the prompt, have many texts in common.
    """
    text = _mark_options(FENCE.sub("", before), labels).lower()
    *lines, last = text.replace("e.g.", "for example ").split("\n")
    heading = next((line for line in reversed(lines) if line.strip()), "")
    return CLAUSE.split(f"{heading} {last}" if HEADING.search(heading) else last)[-1]


def _first(rules: Sequence[WordRule], text: str, own: str) -> str | None:
    return next((rule.name for rule in rules if _compile_rules(rule, own).search(text)), None)


@cache
def _compile_rules(rule: WordRule, own: str) -> re.Pattern[str]:
    words = "|".join(rule.words).replace(r"\W", rf"[^\w{FIRST:c}-{FIRST + 0xFF:c}]")
    return re.compile(words.replace("OTHER", f"(?!{own}){ANY}").replace("SAME", own))


def _mark_options(text: str, labels: tuple[str, ...]) -> str:
    """``text`` without markup, each name of an option as one character."""
    code = {_name(label): chr(FIRST + k) for k, label in enumerate(labels)}

    def mark(match: re.Match[str]) -> str:
        start, name = match["start"] or "", match["named"] or match["bare"] or match["odd"] or match["line"]
        return start + code.get(_name(name), name)

    return _names(labels).sub(mark, text.translate(STYLE))


def _name(text: str) -> str:
    return " ".join(text.casefold().split())


@cache
def _names(labels: tuple[str, ...]) -> re.Pattern[str]:
    """The names of options; articles, pronouns and numbers only where an option is meant."""
    by_label = {label: r"\s+".join(map(re.escape, label.split())) for label in sorted(labels, key=len)[::-1]}
    odd = [name for label, name in by_label.items() if label.casefold() in ("a", "i") or label.isdigit()]
    bare = [name for name in by_label.values() if name not in odd]
    every, odd, bare = ("|".join(names) or "(?!)" for names in (by_label.values(), odd, bare))
    after = r"(?:or|and|maybe|perhaps|possibly|with|to|choose|pick|select|take|play|say|not|over|than|answer:|choice:)"
    return re.compile(
        rf"(?<!\w)(?<!\w')(?:option\s+(?P<named>{every})|(?P<bare>{bare}))(?!\w)"
        rf"|(?P<start>\b{after}\s+|[/&|]\s*)(?P<odd>{odd})(?=[^\S\n]*(?:[],;:!?)/&|]|\.(?!\d)|$))"
        rf"|^(?P<line>{odd})(?=[.!]?$)",
        re.IGNORECASE | re.MULTILINE,
    )
