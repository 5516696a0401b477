"""Predictions as shares: how likely each option is, and which option is the most likely one.

``P(J) = 0.7, P(F) = 0.3``, ``90% J, 10% F`` and ``J: 30%. F: 70%`` each give every option a share, and the shares add up
to one. The option with the clearly largest share is predicted. Shares of what was done before, of what the model plays
itself, and those under a condition predict nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from otherminds.replies.clauses import AWARDED, PATTERN, SUPPOSED, THINK, find_subject
from otherminds.replies.languages import ENGLISH, pattern
from otherminds.replies.mentions import Mention, mentions

SHARE = re.compile(
    r"(?<![\w.])(?:(?P<percent>\d{1,3}(?:\.\d+)?)\s?(?:%|per ?cent\b)|(?P<part>[01]?\.\d+|[01](?=\s*(?:[,;)\n]|$|\.\s))))(?![\w%])",
    re.IGNORECASE,
)
PARTED = re.compile(r"[,;\n]|[.!?]\s|\b(?:and|but|or|versus|vs|while|whereas)\b", re.IGNORECASE)
"""What never stands between an option and its share."""
REACH = 40
"""The most characters between an option and its share."""
APART = 80
"""The most characters between the shares of two options."""
NEAR = 200
"""Characters around shares that are read for what they are shares of."""
SENTENCE_END = re.compile(r"[.!?]\s|\n\s*\n|;\s")
ROUNDED = 0.02
"""How far the sum of shares may be from one."""
CLEARLY = 0.05
"""How much larger than every other one the largest share must be."""
FREQUENCY = re.compile(
    r"\bin\s+the\s+(?:first|second|last|other)\b|\bof\s+(?:the\s+|all\s+|our\s+|their\s+)?(?:\w+\s+)?(?:time|times|rounds|games|moves|cases)\b",
    re.IGNORECASE,
)
DENIED = re.compile(rf"{AWARDED.pattern}|\bnot\b|n't\b", re.IGNORECASE)
EXPECTED = re.compile(
    r"\bp(?:r|rob)?\s?\(|\b(?:probab\w+|likel\w+|chances?|odds|estimat\w*|next|will|would|belie\w+)\b|'ll\b",
    re.IGNORECASE,
)
"""Words by which shares are about what comes next."""
RATED = re.compile(
    r"\b(?:put|give|assign|rate|estimat\w*|probabilit\w+|likelihoods?|odds|belief)\b", re.IGNORECASE
)
"""Words by which the model rates what someone else does."""
PLANNED = re.compile(r"\b(?:strateg\w+|mix\w*|random\w+|plan\w*|play|own)\b", re.IGNORECASE)
"""Words by which shares without a subject are those of the model's own choice."""


class Shares(NamedTuple):
    """Shares of all options: where they begin and end, where the last option stands, and the one that they predict.

    ``label`` is ``None`` on a tie, and where the shares are about something else than the next move of the other player.
    """

    start: int
    at: int
    end: int
    label: str | None


class _Token(NamedTuple):
    start: int
    end: int
    option: Mention | None
    share: float


def shares(text: str, labels: Sequence[str]) -> Iterator[Shares]:
    """The places in ``text`` that give each of ``labels`` a share, in order, and what they predict.

    >>> [shown.label for shown in shares("P(J) = 0.7, P(F) = 0.3", ("J", "F"))]
    ['J']
    >>> texts = "50% J, 50% F", "They played J in 70% of the rounds, F in 30%."
    >>> [shown.label for text in texts for shown in shares(text, ("J", "F"))]
    [None, None]
    """
    tokens = _tokens(text, labels)
    width, k = 2 * len(labels), 0
    while k + width <= len(tokens):
        row = tokens[k : k + width]
        paired = _pair_shares(text, row, labels)
        if paired is None or _pair_shares(text, tokens[k + 1 : k + 1 + width], labels) not in (None, paired):
            k += 1
            continue
        k += width
        start, end = row[0].start, row[-1].end
        *_, second, first = sorted(paired.values())
        ahead = first - second >= CLEARLY and _foretells(text, start, end)
        at = next(token.start for token in reversed(row) if token.option)
        yield Shares(start, at, end, max(paired, key=paired.__getitem__) if ahead else None)


def _tokens(text: str, labels: Sequence[str]) -> list[_Token]:
    """The shares and the options in ``text``, in order; nothing where there are too few shares."""
    share_tokens = [
        _Token(
            match.start(),
            match.end(),
            None,
            float(match["percent"]) / 100 if match["percent"] else float(match["part"]),
        )
        for match in SHARE.finditer(text)
    ]
    if len(share_tokens) < len(labels) or len(labels) < 2:
        return []
    return sorted(
        [
            *share_tokens,
            *(_Token(mention.at, mention.end, mention, 0.0) for mention in mentions(text, labels)),
        ]
    )


def _pair_shares(text: str, row: Sequence[_Token], labels: Sequence[str]) -> dict[str, float] | None:
    """The share of each label, if ``row`` is one share beside each of them and the shares add up to one."""
    by_label: dict[str, float] = {}
    option_first = bool(row) and row[0].option is not None
    for before, after in zip(row[::2], row[1::2], strict=False):
        option, share = (before, after) if option_first else (after, before)
        between = text[before.end : after.start]
        if option.option is None or share.option or len(between) > REACH or PARTED.search(between):
            return None
        by_label[option.option.label] = share.share
    apart = [after.start - before.end for before, after in zip(row[1:-1:2], row[2::2], strict=False)]
    complete = by_label.keys() == {*labels} and max(apart, default=0) <= APART
    return by_label if complete and abs(sum(by_label.values()) - 1) <= ROUNDED else None


def _foretells(text: str, start: int, end: int) -> bool:
    """Whether the words around shares make them those of what the other player does next."""
    lead = SENTENCE_END.split(text[max(start - NEAR, 0) : start])[-1]
    tail = re.split(r"[.!?]\s|[,;\n]", text[end : end + NEAR])[0]
    words = f"{lead}{text[start:end]}{tail}"
    if pattern(ENGLISH.when).search(PATTERN.sub(" ", lead)) or DENIED.search(words) or SUPPOSED.search(lead):
        return False
    expects = pattern(ENGLISH.expect).search(words) is not None
    if not (expects or EXPECTED.search(words)) and (
        pattern(ENGLISH.past).search(words) or FREQUENCY.search(words)
    ):
        return False
    subject = find_subject(lead, len(lead), ENGLISH) or find_subject(tail, 0, ENGLISH)
    whose, since = subject or ("", words)
    if whose == "own":
        return expects or THINK.search(since) is not None or RATED.search(since) is not None
    return whose == "other" or PLANNED.search(lead) is None
