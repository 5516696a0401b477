"""Choices and predictions in sentences, in twelve languages: who is to choose, and what.

A sentence is read in pieces, such as ``They will choose F`` and ``so I will choose J``. A piece states something if it
names one option, who chooses it and that it comes next; what was chosen before, a negation, a condition and a question
state nothing. In English only statements about the other player are read here: those about the own choice have rules of
their own in :mod:`otherminds.replies.statements`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from otherminds.replies.mentions import (
    ARABIC,
    CHINESE,
    ENGLISH,
    FOREIGN,
    FRENCH,
    GERMAN,
    HINDI,
    ITALIAN,
    JAPANESE,
    KOREAN,
    OPTION,
    PORTUGUESE,
    RUSSIAN,
    SPANISH,
    Language,
    Mention,
    mentions,
    pattern,
)

Party = Literal["own", "other", ""]
"""Whose behaviour a statement is about; empty where it does not say so."""
PARTIES: tuple[Party, Party] = ("other", "own")
SENTENCE = re.compile(r"(?:[^.!?。؟।\n;]|[.!?](?!\)?(?:\s|$)))+[.!?。؟।;]?")
LONGEST = 600
"""Characters of a sentence that are read; in a longer one no choice is clear."""
SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), JAPANESE),
    (re.compile("[\uac00-\ud7af]"), KOREAN),
    (re.compile("[\u0600-\u06ff]"), ARABIC),
    (re.compile("[\u0900-\u097f]"), HINDI),
    (re.compile("[\u0400-\u04ff]"), RUSSIAN),
    (re.compile("[\u3400-\u9fff]"), CHINESE),
)
LATIN = (ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN)
COMMA = re.compile(r"[,、،]|\s-+\s|:(?=\s*(?:i|they|my)\b)", re.IGNORECASE)
GOES_ON = re.compile(
    r"^(?:[,、،]|and|und|et|y|e|и|并且|그리고|और|but|aber|mais|pero|mas|ma|но|但)$", re.IGNORECASE
)
"""The joins over which the subject of a piece goes on."""
BESIDE = re.compile(
    r"(?:\b(?:not|than|over|instead\s+of|versus|vs\.?|against|nor|from|after|rounds?\s+of|my|your|unlike|statt|anstatt|nicht|plutôt\s+que|au\s+lieu\s+d[e']|et\s+pas|en\s+(?:vez|lugar)\s+de"
    r"|y\s+no|em\s+vez\s+de|e\s+não|invece\s+di|piuttosto\s+che|e\s+non|вместо|а\s+не|بدلا\s+من)|而不是|而非|(?:respon\w+|react\w*|repl\w+|answer\w*)\s+to)\s*$",
    re.IGNORECASE,
)
"""What comes before an option that another one is compared with."""
COMPARED = re.compile(
    r"^\s*(?:ではな|じゃな|よりも|(?:가|이)\s*아니|말고|대신|के\s*बजाय|を避け|でなく)", re.IGNORECASE
)
"""What comes behind an option that another one is compared with."""
PATTERN = re.compile(
    r"\b(?:even\s+)?(?:if|assuming|when)\s+(?:\w+\s+){0,3}(?:pattern|history|trend|past|strategy|behaviou?r|habit|rule)\s+(?:\w+\s*){0,3}"
    r"|\b(?:if|assuming)\s+(?:they|he|she|the\s+(?:other\s+player|opponent))\s+(?:keeps?|continues?|follows?|stays?|sticks?)\b[^,.]*"
    r"|\bassum(?:e|ing)\s+that\b|\bif\s+i(?:'m|\s+am)\s+(?:right|correct|not\s+mistaken)\b|\bif\s+(?:i\s+(?:had|have|must)\s+(?:to\s+)?\w+|pressed|forced|pushed|things\s+go\b[^,.]*)|\bi(?:'d)?\s+(?:assume|wouldn't\s+be\s+surprised)\b",
    re.IGNORECASE,
)
"""A condition that the past goes on: it is what a prediction rests on, and makes no case of it."""
ACTED_ON = re.compile(
    r"\b(?:punish|exploit|beat|match|answer|counter|forgive|meet|follow|copy|reward|repay|hit|surprise)(?:es|s|ing)?\s+(?:me|them|him|us)\b",
    re.IGNORECASE,
)
"""What one player does to the other: its object is no subject."""
REASONED = re.compile(
    r"\b(?:because|since|weil|denn|da|car|parce\s+que|puisque|porque|ya\s+que|pues|pois|perché|poiché|потому\s+что|так\s+как|поскольку)\b"
    r"|因为|因為|由于|لأن|क्योंकि|なぜなら|왜냐",
    re.IGNORECASE,
)
"""The joins after which a reason stands."""
SURPRISED = re.compile(
    r"\bi(?:'d|\s+would)\s+be\s+(?:\w+\s+)?(?:surprised|shocked|amazed|astonished)\s+[^.,;]{0,40}?\b(?:anything|any\s+other\s+\w+)"
    r"\s+(?:but|except|besides|other\s+than|else\s+than|than)\b",
    re.IGNORECASE,
)
"""A surprise at all but one option, which expects that one."""
CERTAIN = re.compile(
    r"\b(?:without|no)\s+(?:a\s+|any\s+)?doubts?\b|\bno\s+reason\b|\bwithout\s+(?:hesitation|exception)\b|\bnot\s+only\b|毫不犹豫|毫无疑问|间?違いな[くい]|ohne\s+zweifel"
    r"|sans\s+(?:aucun\s+)?doute|sin\s+(?:ninguna\s+)?duda|sem\s+dúvida|senza\s+dubbio|без\s+сомнени\w+",
    re.IGNORECASE,
)
"""Negations that deny nothing."""
THINK = re.compile(
    r"\b(?:think|believe|reckon|guess|figure|imagine|sure|certain|confident|lean\w*|bet|money|would\s+say|'d\s+say|say)\b",
    re.IGNORECASE,
)
SUPPOSED = re.compile(
    r"\b(?:they|he|she|opponent|player|partner)\s+(?:\w+\s+)?(?:expects?|thinks?|wants?|believes?|predicts?|hopes?|assumes?)\s+(?:that\s+)?(?:me|i)\b",
    re.IGNORECASE,
)
"""What the other player believes about the model."""
BETWEEN = re.compile(
    r"\b(?:between|zwischen|entre|tra|fra|между)\b|之间|之間|の間|どちら|사이|(?<!\w)بين(?!\w)|के बीच",
    re.IGNORECASE,
)
"""Words that leave several options side by side."""
GROUNDS = re.compile(
    r"\s*(?:given|based\s+on|judging\s+by|considering|from|after|looking\s+at|without|no\s+doubt|going\s+by|in\s+view\s+of|in\s+light\s+of|barring|following|true\s+to|as\s+(?:always|usual|ever|before)|(?:just\s+|the\s+)?(?:same|like)\b)\b",
    re.IGNORECASE,
)
"""The beginning of what a prediction rests on."""
AWARDED = re.compile(
    r"\b(?:pay\w*|points?|scores?|rewards?|utilit\w+|gain\w*|earn\w*|costs?|w[io]ns?|los(?:es?|t)|g(?:ives|ave)|gets?|(?:they|he|she)\s+(?:\w+\s+)?sa(?:y|id))\b",
    re.IGNORECASE,
)
"""Words of what an option pays, and of what is only said of it."""
HABIT = re.compile(
    r"\b(?:patterns?|evidence|history|trends?|guide|habits?|streaks?|in\s+a\s+row|alternat\w+|always|usual\w*|every\s+(?:time|round)|so\s+far|tit[\s-]for[\s-]tat|cycles?"
    r"|copying|mirroring|matching|retaliat\w+|revenge|punish\w*|respon(?:se|ding)|same|before|last\s+(?:time|round)|(?:reason|need)\s+to\s+(?:change|switch)|(?:nothing|no)\s+(?:has\s+)?change[ds]?)\b",
    re.IGNORECASE,
)
"""Words of what the other player tends to do, without a subject."""
LEFT = re.compile(
    r"(?:\b(?:not|never|nothing|(?:reason|need)\s+to)|n't)\s+(?:\w+\s+){0,2}(?:chang|switch|deviat|mov|leav|left|stop|lost|fail)\w*|\bno\s+change\b",
    re.IGNORECASE,
)
"""The denial that an option is left."""
PERCENT = re.compile(r"(\d{1,3})(?:\.\d+)?\s?%|(?<![\d.])(0?\.\d+)")
"""A share, as a percentage or as a part of one."""
AGAINST = re.compile(
    r"^[^.!?\n]*(?:\b(?:never|rarely|seldom|hardly|not)|n't)\s+(?:\w+\s+)?(?:play|choose|pick|select|use|take|go)\w*(?:\s+(?:for|with))?\s+(?:it|that|this)\b"
    r"|^[^.!?\n]*\b(?:avoid\w*|hates?|dislik\w+|abandon\w*)\s+(?:it|that|this)\b",
    re.IGNORECASE,
)
"""Words that deny the option before them."""


class Clause(NamedTuple):
    """A statement in words: the mention of its option, whose behaviour it is, and whom it names as the subject."""

    mention: Mention
    whose: Party
    subject: Party


def clauses(text: str, labels: Sequence[str]) -> Iterator[Clause]:
    """The statements about a choice in the sentences of ``text``, in order.

    >>> stated = clauses("They will choose F, so I will choose J. Ich wähle J.", ("J", "F"))
    >>> [(clause.mention.label, clause.whose) for clause in stated]
    [('F', 'other'), ('J', 'own')]
    """
    for sentence in SENTENCE.finditer(text):
        words = SURPRISED.sub(lambda match: "I expect".ljust(len(match[0])), sentence[0])
        if len(words) <= LONGEST and words[-1] not in "?؟" and mentions(words, labels):
            language = spoken(words)
            for clause in _clauses_in(words, labels, language):
                mention = clause.mention
                start, at, end = (sentence.start() + k for k in mention[:3])
                yield clause._replace(mention=Mention(start, at, end, mention.label))


@lru_cache(maxsize=1024)  # a sentence comes again with every reply that repeats what was told
def spoken(words: str) -> Language:
    """The language of ``words``: by its script, else the one with most of its words in it."""
    for script, language in SCRIPTS:
        if script.search(words):
            return language

    words = re.sub(r"\boptions?\b", " ", words, flags=re.IGNORECASE)

    def known(language: Language) -> int:
        cues = (language.own, language.other, language.choose, language.expect, language.likely)
        return sum(len(pattern(cue).findall(words)) for cue in cues)

    return max(LATIN, key=known)


def pieces(words: str, language: Language) -> list[tuple[int, str, str]]:
    """The pieces of a sentence: where each begins, its text, and the word or mark that joins it to the one before."""
    joins = sorted(
        {
            (match.start(), match.end())
            for cut in (COMMA, pattern(language.joins))
            for match in cut.finditer(words)
        }
    )
    parts: list[tuple[int, str, str]] = []
    at, join = 0, ""
    for start, end in joins:
        if start < at:
            continue
        if words[at:start].strip():
            parts.append((at, words[at:start], join))
            join = ""
        join = (join + words[start:end]).strip() if join in ",、،" else join
        at = end
    if words[at:].strip():
        parts.append((at, words[at:], join))
    return parts


def _clauses_in(words: str, labels: Sequence[str], language: Language) -> Iterator[Clause]:
    if pattern(language.when).search(PATTERN.sub(" ", words)):
        return
    if BETWEEN.search(words) and len({mention.label for mention in mentions(words, labels)}) > 1:
        return
    subject: Party = ""
    stated: set[Party] = set()
    for start, piece, join in pieces(words, language):
        if not GOES_ON.match(join):
            subject = ""
        reason = REASONED.search(join) is not None
        free, mentioned = _drop_compared(piece, labels)
        subject, before = find_subject(free, mentioned[0].start if mentioned else len(free), language) or (
            subject,
            "",
        )
        if len({mention.label for mention in mentioned}) != 1:
            continue
        whose = _whose(free, mentioned[0], subject, before, language)
        if whose is None and _concludes(words, start, mentioned[0], free, labels):
            whose = "other"
        if whose is not None and not (reason and stated and (whose == "" or whose in stated)):
            stated.add(whose)
            first = mentioned[0]
            yield Clause(
                Mention(start + first.start, start + first.at, start + first.end, first.label), whose, subject
            )


def _concludes(words: str, start: int, option: Mention, piece: str, labels: Sequence[str]) -> bool:
    """Whether an option alone ends a sentence that begins with a reason for it: ``Given their history, F.``"""
    lead = words[: start + option.start].rstrip()
    joined = lead.endswith(":") or not re.search(r"\w", piece[: option.start])
    ends = not re.search(r"\w", words[start + option.end :])
    recounts = lead.endswith(":") and (pattern(ENGLISH.past).search(lead) or find_subject(lead, 0, ENGLISH))
    return joined and ends and not recounts and not mentions(lead, labels) and explains(lead, labels)


def _drop_compared(piece: str, labels: Sequence[str]) -> tuple[str, list[Mention]]:
    """``piece`` without the options that another one is compared with, and the mentions of the others."""
    uncompared: list[Mention] = []
    for mention in mentions(piece, labels):
        before = BESIDE.search(piece[: mention.start])
        if before or COMPARED.match(piece[mention.end :]):
            start = before.start() if before else mention.start
            piece = piece[:start] + " " * (mention.end - start) + piece[mention.end :]
        else:
            uncompared.append(mention)
    return piece, uncompared


def find_subject(piece: str, at: int, language: Language) -> tuple[Party, str] | None:
    """The subject of a piece, the last one before ``at`` or the first behind it, and the text from it on."""
    piece = ACTED_ON.sub(lambda match: " " * len(match[0]), piece)
    cues: list[tuple[int, int, Party]] = [
        (match.start(), match.end(), whose)
        for whose, words in zip(PARTIES, (language.other, language.own), strict=True)
        for match in pattern(words).finditer(piece)
    ]
    inside = [cue for cue in cues if not any(o[0] <= cue[0] and cue[1] <= o[1] and o != cue for o in cues)]
    ahead = [cue for cue in inside if cue[0] < at]
    if ahead:
        last = max(ahead)
        return last[2], piece[last[0] : at]
    behind = [cue for cue in inside if cue[0] >= at]
    return (min(behind)[2], piece) if behind else None


def _whose(piece: str, option: Mention, subject: Party, since: str, language: Language) -> Party | None:
    """Whose next behaviour ``piece`` states; ``None`` where it states none. ``since`` is the text from its subject on."""
    if pattern(language.no).search(CERTAIN.sub(" ", piece)):
        return None
    shares = [float(match[1] or 100 * float(match[2])) for match in PERCENT.finditer(piece)]
    if shares and max(shares) <= 50:
        return None
    expects, likely, chooses, past = (
        [match.start() for match in pattern(words).finditer(piece)]
        for words in (language.expect, language.likely, language.choose, language.past)
    )
    if past and max(past) > max([*expects, *likely], default=-1):
        return None
    if SUPPOSED.search(piece):
        return None
    if subject == "other":
        return "other" if expects or likely or chooses else None
    if expects:
        return "other"
    if subject == "own":
        if language is ENGLISH:
            return "other" if THINK.search(since) else None
        return "own" if chooses else None
    if likely:
        return "other"
    return "" if chooses and language is not ENGLISH else None


def explains(reason: str, labels: Sequence[str]) -> bool:
    """Whether ``reason``, the words behind an option alone, says why the other player chooses that option.

    >>> [explains(words, ("J", "F")) for words in ("they always repeat it", "the usual pattern", "they get 10 points")]
    [True, True, False]
    """
    shares = [float(match[1] or 100 * float(match[2])) for match in PERCENT.finditer(reason)]
    denied = (
        (shares and max(shares) <= 50)
        or SUPPOSED.search(reason)
        or pattern(ENGLISH.no).search(LEFT.sub(" ", CERTAIN.sub(" ", reason)))
        or AWARDED.search(reason)
    )
    if denied or pattern(ENGLISH.when).search(PATTERN.sub(" ", reason)):
        return False
    whose, _ = find_subject(reason, 0, ENGLISH) or ("", "")
    expected = whose == "" and (
        pattern(ENGLISH.likely).search(reason) or pattern(ENGLISH.expect).search(reason)
    )
    about = whose == "other" or expected or HABIT.search(reason) or GROUNDS.match(reason)
    return bool(about) and not any(mention.start == 0 for mention in mentions(reason, labels))


def find_decisions(text: str, labels: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """The announcements of an own choice in other languages than English that name no option: where, and in what words."""
    for sentence in SENTENCE.finditer(text):
        words = sentence[0]
        if len(words) > LONGEST or words[-1] in "?؟":
            continue
        language = spoken(words)
        if language not in FOREIGN or not pattern(language.decides).search(words):
            continue
        for start, piece, _ in pieces(words, language):
            decision = pattern(language.decides).search(piece)
            if decision is None or mentions(piece, labels):
                continue
            other_words = piece.replace(decision[0], "")
            pointed = pattern(language.this).search(piece) or pattern(language.no).search(piece)
            if not pointed and not re.fullmatch(rf"\W*(?:{OPTION})?\W*", other_words, re.IGNORECASE):
                yield sentence.start() + start, sentence.start() + start + len(piece), piece.strip()
