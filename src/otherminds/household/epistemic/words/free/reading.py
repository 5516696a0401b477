"""The words, names and marks of free sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import zip_longest

from otherminds.household.epistemic.predicates import AGENT, NAME
from otherminds.household.epistemic.words.free.grammar import FORMS, language
from otherminds.household.epistemic.words.free.parser import WordToken

MOST = 60
"""The largest number of words of a sentence that is parsed."""
PLAIN_WORD = re.compile(r"[a-z]+|[0-9]+", re.ASCII)
WORD = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*_[0-9]+|'s|'re|'m|'ve|'ll|'d|[a-z]+|[0-9]+|\S", re.ASCII)
SPACED = re.compile(r"\b(?:(the|a|an) ([a-z]+ [a-z]+)|([a-z]+ of [a-z]+)|([a-z]+)) #?([0-9]+)\b", re.ASCII)
"""``table 18``, ``chest of drawers 43``, ``coffee table 3``."""
FAMILIAR = ("_adv", "_opening", "_is_on_top", "_is_inside", "_is_next_to")
CHANGING = ("is_open", "is_closed_bare", "is_clean_bare", "is_dirty", "is_filled_bare", "is_empty_bare")
ACTING = (*CHANGING, "is_powered_on", "is_powered_off", "put", "pick")
QUOTED = re.compile(r"[`*]{1,2}([a-z]\w*_[0-9]+)[`*]{1,2}", re.ASCII)
SPELLED = (
    *(("\u2019", "'"), ("can't", "can not"), ("cannot", "can not"), ("won't", "will not"), ("n't", " not")),
    *((" with id ", " "), ("\u2013", "-"), ("\u2014", "-"), ("->", "="), ("\u2192", "=")),
)


def tokens(sentence: str) -> list[WordToken]:
    """The words, names and marks of a sentence, without its last stop; ``table 18`` is a name like ``table_18``.

    >>> [token.text for token in tokens("It's on the Coffee Table 3!")]
    ['it', "'s", 'on', 'the', 'coffee_table_3']
    """
    text = SPACED.sub(_join_name, normalize_spelling(sentence)).rstrip(".! ")
    word_tokens = [token_of(word) for word in WORD.findall(text)]
    return [
        token
        for token, after in zip_longest(word_tokens, word_tokens[1:])
        if not (after and _is_apposition(token, after))
    ]


def may_name(sentence: str, names: Iterable[str]) -> bool:
    """Whether a sentence has the number of one of the names, or its type as words.

    >>> may_name("Put teh bowl on tabel 18", ["table_18"]), may_name("Hello team!", ["table_18"])
    (True, False)
    """
    text = normalize_spelling(sentence)
    words = {word for form in PLAIN_WORD.findall(text) for word in (form, form.removesuffix("s"))}
    kinds = (name.rpartition("_") for name in names)
    return any(number in words or words.issuperset(kind.split("_")) for kind, _, number in kinds)


def normalize_spelling(sentence: str) -> str:
    """A sentence in lower case, without contractions of "not" and marks around names, and with plain characters."""
    text = QUOTED.sub(r"\1", sentence.casefold())
    for spelling, plain in SPELLED:
        text = text.replace(spelling, plain)
    return text


def _is_apposition(word: WordToken, name: WordToken) -> bool:
    """Whether a word is the type of the following name: the cabinet cabinet_7."""
    return not word.kind and bool(name.kind) and word.text in name.text.split("_")[:-1]


@cache
def _common() -> frozenset[str]:
    """Words that are not part of a name before a number."""
    acts = (f"_{verb}_{form}" for verb in ACTING for form in FORMS)
    return language().lists["COMMON"] | language().words(*FAMILIAR, *acts)


def _join_name(match: re.Match[str]) -> str:
    """``table_18`` for ``table 18``; two words form a name only after an article."""
    article, *types, number = match.groups()
    words, common = next(text for text in types if text).split(" "), _common()
    first = next((k for k, word in enumerate(words) if word not in common), len(words))
    if first == len(words) or any(word in common - {"of"} for word in words[first:]):
        return match[0]
    lead = [*([article] if article else []), *words[:first]]
    return " ".join([*lead, f"{'_'.join(words[first:])}_{number}"])


def token_of(word: str) -> WordToken:
    """A word, mark or name with its class; the floor of a room is a thing."""
    if AGENT.fullmatch(word):
        return WordToken(word, "AGENT")
    if not NAME.fullmatch(word):
        return WordToken(word)
    kind = word.rpartition("_")[0]
    room = kind in language().lists["ROOMS"] or (kind.endswith("room") and not kind.startswith("floor_"))
    return WordToken(word, "ROOM" if room else "THING")
