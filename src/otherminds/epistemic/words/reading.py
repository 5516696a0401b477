"""From text to statements: cuts a text into sentences and takes each whole, or not at all."""

from __future__ import annotations

from otherminds.epistemic.words.sentences import LONGEST, statement_of
from otherminds.epistemic.words.shapes import Voice
from otherminds.epistemic.words.statements import Statement

QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "\u201a": "\u2018\u2019",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    "(": ")",
    "[": "]",
}
"""What opens a quotation or an aside, and what can close it."""

APOSTROPHES = "'\u2018\u2019"
"""These quote only where they do not stand inside a word."""

STOPS = frozenset(".!?")
ABBREVIATED = frozenset({"approx.", "cf.", "etc.", "viz.", "vs."})


def read(text: str, me: str = "", you: str = "") -> tuple[Statement, ...]:
    """What a text says, sentence by sentence; whatever is not understood is left out.

    ``me`` is the agent who wrote it ("I"), ``you`` the one who reads it; a
    sentence with either word is not understood where the agent is not given. A
    sentence is understood only whole: no hedge, no condition, no denial that the
    language does not have, nothing inside quotation marks or brackets. Any text can be read:
    nothing is raised, and the work grows with its length alone.

    >>> read("Hello! I am in kitchen_1. Maybe cabinet_3 is open.", me="agent_0")
    (Fact(formula=Atom(predicate='agent_in_room', args=('agent_0', 'kitchen_1'))),)
    """
    return tuple(found for _, found in _sentences(text, Voice(me, you)) if found)


def unread(text: str, me: str = "", you: str = "") -> tuple[str, ...]:
    """The sentences of a text that :func:`read` leaves out, with single spaces.

    >>> unread("cabinet_3 is open. I think so. Maybe bowl_0 is inside cabinet_3.")
    ('I think so.', 'Maybe bowl_0 is inside cabinet_3.')
    """
    return tuple(sentence for sentence, found in _sentences(text, Voice(me, you)) if not found)


def _sentences(text: str, voice: Voice) -> list[tuple[str, Statement | None]]:
    """Each sentence with what it says, if that is understood."""
    if len(text) > LONGEST:
        return [(text, None)]
    return [(sentence, statement_of(sentence, voice)) for sentence in cut(text)]


def cut(text: str) -> list[str]:
    """The sentences, in doubt too long rather than too short: a part of one could say what the whole does not."""
    sentences: list[str] = []
    words: list[str] = []
    closing = ""
    for word in text.split():
        words.append(word)
        closing = _quoting(word, closing)
        if not closing and _ends(word):
            sentences.append(" ".join(words))
            words = []
    return [*sentences, " ".join(words)] if words else sentences


def _quoting(word: str, closing: str) -> str:
    """What closes the quotation that is open behind the word; empty if none is."""
    for at, char in enumerate(word):
        if char in APOSTROPHES:
            before, after = word[at - 1 : at], word[at + 1 : at + 2]
            if (after if closing else before).isalnum():
                continue
        closing = QUOTES.get(char, "") if not closing else "" if char in closing else closing
    return closing


def _ends(word: str) -> bool:
    """Whether a sentence ends here: not with a number, a letter (``B.``), ``e.g.``, ``etc.`` or ``...``."""
    body, stop = word[:-1], word[-1]
    plain = len(body) > 1 and not body.isdigit() and STOPS.isdisjoint(body)
    return stop in STOPS and plain and word not in ABBREVIATED
