"""From the text of a secret to its statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from otherminds.household.epistemic.words import Asks, Doing, Secret
from otherminds.household.epistemic.words.free.parser import WordToken
from otherminds.household.epistemic.words.free.reading import MOST, WORD, normalize_spelling, token_of
from otherminds.household.epistemic.words.free.telling import secrets
from otherminds.household.epistemic.words.sentences import LONGEST, split_sentences, statement_of
from otherminds.household.epistemic.words.shapes import Voice

SPELT = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
NUMBERS: Mapping[str, str] = {word: str(number) for number, word in enumerate(SPELT, start=2)}
"""Numbers in words, except one, which is also a pronoun."""
TOGETHER = 2
"""The largest number of sentences that are parsed as one."""
SENTENCES = 100
"""The largest number of sentences of a secret."""


@lru_cache(maxsize=4096)
def told_freely(text: str, you: str = "") -> tuple[Secret, ...]:
    """The statements of a secret of agent ``you``, in free words or in the controlled language.

    Facts are in their positive form (not open is closed). A secret is understood as a whole or not at all: the tuple is
    empty if one of its sentences is not understood or has several meanings. Hedges, conditions, questions, plans, advice,
    and past or possible states are not understood. Never raises.

    >>> told_freely("Neither kitchen_1 nor bedroom_2 is open to you.", you="agent_0")
    (Barred(agent='agent_0', rooms=('kitchen_1', 'bedroom_2')),)
    >>> told_freely("You could once enter kitchen_1.", you="agent_0")
    ()
    """
    sentences = split_sentences(text) if len(text) <= LONGEST else []
    return _all(sentences, you) if 0 < len(sentences) <= SENTENCES else ()


def _all(sentences: list[str], you: str) -> tuple[Secret, ...]:
    """The statements of all sentences, where two that follow one another may be one statement; empty if one is not read."""
    prefixes: list[tuple[Secret, ...] | None] = [(), *([None] * len(sentences))]
    for start in range(len(sentences)):
        before = prefixes[start]
        for count in range(1, TOGETHER + 1):
            end = start + count
            if before is not None and end <= len(sentences) and prefixes[end] is None:
                statements = _sentence(" ".join(sentences[start:end]), you)
                prefixes[end] = (*before, *statements) if statements else None
    return prefixes[-1] or ()


def _sentence(text: str, you: str) -> tuple[Secret, ...]:
    statement = statement_of(text, Voice(you=you))
    if statement is not None:
        return () if isinstance(statement, Asks | Doing) else (statement,)
    words = _tokens(text, you)
    if not words or len(words) > MOST:
        return ()
    readings = {reading for reading in secrets().readings("Secret", words) if reading}
    return readings.pop() if len(readings) == 1 else ()


def _tokens(sentence: str, you: str) -> list[WordToken]:
    """The words, names, numbers and marks of a sentence, without its last stop."""
    text = normalize_spelling(sentence).rstrip()
    if text.endswith(("..", "?", "?!")):
        return []
    return [secret_token(word, you) for word in WORD.findall(text.rstrip(".! "))]


def secret_token(word: str, you: str) -> WordToken:
    """A word of a sentence to ``you``, with its class."""
    if you and word in ("you", "your"):
        return WordToken(you, word.upper())
    number = NUMBERS.get(word, word)
    return WordToken(number, "NUMBER") if number.isdecimal() else token_of(word)
