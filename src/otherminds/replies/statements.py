"""The statements of a choice or a prediction in a reply, and the answers in it that name no option.

Statements are structured forms, titles (``Final answer: Option J``), sentences (``I choose Option J.``, ``They will
choose F.``) and lines that are the option alone. Each says whose choice it is, where it says so.

Predictions may also be shares: how likely each option is.

``P(J) = 0.7, P(F) = 0.3``, ``90% J, 10% F`` and ``J: 30%. F: 70%`` each give every option a share, and the shares add up
to one. The option with the clearly largest share is predicted. Shares of what was done before, of what the model plays
itself, and those under a condition predict nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from otherminds.core.data import Whose
from otherminds.replies.clauses import (
    AGAINST,
    AWARDED,
    PATTERN,
    SUPPOSED,
    THINK,
    Party,
    clauses,
    explains,
    find_decisions,
    find_subject,
)
from otherminds.replies.forms import find_forms, read_form
from otherminds.replies.mentions import (
    AFTER_WORD,
    ANSWERS,
    ENGLISH,
    FORECASTS,
    LETTER,
    OPTION,
    Mention,
    alternatives,
    fold_text,
    mentions,
    named,
    pattern,
)

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
NEAR_SHARES = 200
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
    lead = SENTENCE_END.split(text[max(start - NEAR_SHARES, 0) : start])[-1]
    tail = re.split(r"[.!?]\s|[,;\n]", text[end : end + NEAR_SHARES])[0]
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


SIGN = r"\s*(?:(?::|;|=|->|→|⇒|-(?=\s)|[.)](?=\s*(?:the\s+)?option))+|(?<=\s)(?:is|will be|would be)(?=\s)|(?<=[^\x00-\x7f])(?:是|为|は|는|은|هو|है)|(?<=\w\s)(?:ist|est|es|é|è|это|هو|है|—)(?=\s))\s*"
LEAD = (
    r"(?:(?:so|thus|therefore|hence|my|the|final|best|correct|own|i|is)[,\s]+){0,4}"
    r"(?:a|ans|answer|option|choice|decision|action|selection|move|response|edit|correction|result|antwort|réponse|pick|vote|verdict"
    r"|respuesta|resposta|risposta|ответ|答案|答|回答|我选择|选择|选)"
    r"(?:\s+(?:is|now))?\s*(?:(?::|;|=|->|→|⇒|-(?=\s)|[.)](?=\s*(?:the\s+)?option))+\s*(?:the\s+)?|(?<=[选择]))"
)
"""The beginning of a statement with a sign, such as ``Final answer:``."""
ABROAD = rf"{ANSWERS}{SIGN}"
ME = r"(?:^[^\w\n]*+|(?<=[.;]\s))(?:for me(?=\s*[,:])|me|i|myself|mine|my (?:own )?(?:move|play|action|turn|next move))\s*(?::|(?<=for me),|=|->|→|-(?=\s))+\s*"
"""The title of the own choice."""
THEM = (
    r"(?:(?:so|thus|therefore|hence|my|the|final|best|next|their|his|her|most|likely|predicted|expected|round \d+)[,\s]+){0,4}"
    r"(?:predictions?|predicted|forecast|expectation|expected|opponents?|partner|other player|other|player 2|they|them|he|she|counterpart|rival|adversary|opp|p2|player b|their|his|her)"
    r"(?:'s?)?(?:\s+(?:likely|probable|predicted|expected|next|own|future|move|choice|option|action|play|answer|decision|pick|response|selection|for|the|this|in|round"
    r"|\d+|other|player'?s?|opponent'?s?|of|plays?|chooses?|picks?)){0,8}"
    r"\s*(?:(?::|=|->|→|⇒|[-–—](?=\s))+|(?:\s(?:is|will be|would be|:))+(?=\s))\s*(?:the\s+)?"
    r"|(?<!my )next\s+(?:is|comes|will be)\s+(?:the\s+)?|for (?:them|him|her|the other(?: player)?|my (?:opponent|partner))\s*[,:]\s*"
)
"""The title of a prediction."""
SUMMED = r"(?:(?:so|my|the|best|final|safe|smart)\s+){0,3}(?:(?:bet|call|estimate|guess|read|conclusion|outcome|bottom line|tl;?\s?dr|summary)\s*[:=→-]|(?:in (?:short|sum|summary)|to sum up|long story short)\s*[:,])+\s*(?:the\s+)?"
"""The title of a conclusion, which ends a prediction."""
FORECAST = rf"{FORECASTS}[^:\n.,。]{{0,40}}?{SIGN}"
VERB = (
    r"(?:i(?:'ll|'d|'m| will| would| shall| am| have| should| must| want| decide(?:d)?)?(?: now| therefore| thus| finally"
    r"| going| like| decided| choosing| to| rather)*\s+(?:choose|pick|select|take|play|throw|go with|go to|decide on|decided on|opt for|choosing"
    r"|picking|selecting|taking|playing|going with|going for|go for|settle on|settle for|stick with|sticking with|prefer"
    r"|meant?|mean|(?:answer|respond|reply)(?:ing)? with|leaning towards?|lean towards?|lean to|guess|meet at)"
    r"|my (?:final )?(?:choice|answer|decision|pick|move|selection) (?:is|will be|would be)"
    r"|the (?:final |best |correct |right )?(?:answer|choice|option|decision)(?: for me)? is"
    r"|^[^\w\n]*(?:choose|pick|select|take|play|go with|(?:going|i go|i'm going) (?:with|for)|choosing|picking|selecting|playing|sticking with)"
    r"|(?<=: )(?:choose|pick|select|take|play|go with|going with)|(?:we|us|let us|let's) (?:choose|pick|play|go with)"
    r"|(?:the )?best for me is)"
    r"\s*:?\s*(?:to\s+)?(?:the\s+|l')?"
)
"""The beginning of a statement in words, such as ``I choose``."""
GENERAL = re.compile(
    r"(?:the\b|my .*answer|i.*\b(?:mean|meant|guess|answer)\b|choose|pick|select)", re.IGNORECASE
)
"""Beginnings of a statement that is about whatever was asked for."""
SELF = r"(?:(?:so|thus|therefore|hence|and|but)\s+)?i(?:'ll| will| shall| would| should| choose to| am going to)?(?: also| now)?"
"""The subject of a label that is a verb, as in ``I will cooperate``."""
SO = r"(?:(?<=[,.;:]\s)|^)(?:so|therefore|thus|hence|instead|final|finally|wait|actually|definitely|probably|this time|on reflection|that is|(?<=,\s)but|if i (?:had|have) to (?:guess|pick|choose|say)|(?<=[;.]\s)=+|but i want [^,.;:\n]{1,40})[,:]?"
"""A conclusion that ends a sentence, such as ``so Option J.``"""
GAP = r"[\s'(\[]{0,3}"
"""What may be between the words of a statement."""
BARE = r"^[^\w\n]*+(?:\d{1,2}[.)]\s?)?"
"""The beginning of a line that is an option alone."""
TAIL = r"(?<=\w[.!?]\s)"
"""The beginning of a last sentence that is an option alone."""
END = r"(?:,? (?:as well|too|again|now|this (?:round|time)))?(?:[\s,]+(?:option\s+)?LABEL(?!\w))*[^\w:?]*(?:$|\n)"
"""The end of a line that is an option alone, or the same option several times."""
WHY = (
    r",?\s+(?:because|since|as|for the|to (?:get|earn|win|match|avoid)|rather than|instead of|given|(?:would be|is) (?:the )?"
    r"(?:best|better|optimal|safer|safest|right)|en|weil|parce|it is\b|please\b|is (?:my(?! (?:prediction|forecast|guess|expectation|bet))"
    r"|what i(?! (?:expect|predict|think|believe|anticipate|guess))))\b|\s+-\s"
)
"""What may follow an option alone: its reason."""
LIKELY = (
    r"[\s,(-]+(?:(?:most|very|quite|almost|high|fairly|pretty|i'd|i|would|it|is|am)\s+)*(?:likely|probably|think|guess|believe|expect|predict|assume|suspect|reckon|say|for sure|obviously|without question|no question"
    r"|definitely|surely|certainly|no doubt|without (?:a )?doubt|again|next|with \d+\s?%|\d+\s?%|bet|confiden\w+)\b"
    r"|\.\s+(?:confidence|certainty|probability|likelihood|they|he|she|the other|my opponent|their)\b|\s*\(\s*(?:so |and |while )?i(?:'m|'ll|'d| will| am| choose| pick| play| go)\b"
)
"""What may follow a predicted option alone: how sure it is."""
REASON = re.compile(
    r"\s*(?:[.!]\s+|[,;]\s*|:\s+|\s-\s*|\s\(\s*|\s(?=(?:just|like|same|as|after|copying|mirroring|to|in\s(?:response|retaliation|return|reply))\b))(?P<why>(?!which\b)[^.!?\n]+)(?!\?)[.!\n]?"
)
"""The words behind a predicted option alone, which may be the reason for it."""
MEANT = re.compile(
    r"\s+for\s+(?:(?P<own>me|myself|us)|them|him|her|(?:the\s+|my\s+)?(?:other(?:\s+player)?|opponent|partner))\b(?!\s+to\b)",
    re.IGNORECASE,
)
"""Whose choice an option is, behind it."""
THIS = re.compile(
    r"(?:(?:option|choice|answer|one)\s+)?(?:this|that|it|these|those|so|them|him|her|the (?:same|above|former|latter|best|better|other|one|option|optimal|safe\w*|option that)|what|which|"
    r"whichever|because|since|as|based|due|given|in|on|by|with|for|from|out|after|here|now|then|there|not|wisely|carefully|accordingly|first|between|"
    r"my|an? (?:option|choice|strategy|move|balanced|safe\w*|rational|better)|among|one|again|also|final|clear|consistent|simple|easy|obvious|motivated|justified|rational"
    r"|optimal|better|safe|best|correct|up to|about|at|if|when|whether|why|how|is|was|will|would|are|has|had|can|and|or|but|follow\w*|keep\w*|maximi\w+|see\w*|an?(?=\s+\w)|i|we|you"
    r"|they|he|she|let's|below|above)\b|[:,.]",
    re.IGNORECASE,
)
"""What a statement may name in place of an option, that is none itself: something said elsewhere, or prose."""
NAMELESS = re.compile(rf"(?:{OPTION})?[\W_]*$", re.IGNORECASE)
TITLE = re.compile(
    rf"(?:^|(?<=[.!?]\s))[^\w\n\uf8f0-\uf8f3]{{0,8}}(?P<title>(?:(?:so|thus|therefore|hence|and)[,\s]+)?(?:(?:my|the|final|own|our|official|ultimate|definitive|actual|revised)\s+){{0,3}}"
    r"(?:a|ans|answer|option|choice|decision|selection|pick|move|action|vote|verdict|conclusion|chosen(?:\s+\w+)?|selected(?:\s+\w+)?|option\s+(?:chosen|selected)|result|output|response)(?:\s+(?:is|now|for (?:this|the current) round|(?:for|in) round \d+))?\s*(?P<sign>(?::|=|->|→|⇒)+|[-–—](?=\s))"
    rf"|(?:the\s+|my\s+)?final\s+(?:answer|choice|decision)(?=\s*$)"
    rf"|(?:(?:so|thus|therefore|hence|and)[,\s]+)?(?:my|the)\s+(?:final\s+)?(?:answer|choice|decision|pick|selection|move)\s+(?:(?:for (?:this|the current) round|(?:for|in) round \d+)\s+)?(?:is|will be|remains)(?=\s)|{ABROAD})"
    r"[^\S\n]*(?P<slot>[^\n]*)(?=(?:\n+(?P<below>[^\n]*))?)",
    re.IGNORECASE | re.MULTILINE,
)
"""A title of an answer, and what stands under it."""
FORETITLE = re.compile(
    rf"(?:^|(?<=[.!?]\s))[^\w\n\uf8f0-\uf8f3]{{0,8}}(?P<title>{THEM}|{FORECAST})[^\S\n]*(?P<slot>[^\n]*)(?=(?:\n+(?P<below>[^\n]*))?)",
    re.IGNORECASE | re.MULTILINE,
)
"""A title of a prediction, and what stands under it."""
ANNOUNCED = re.compile(
    r"(?:(?:let's|let us)\s+(?:choose|pick|select|go with|play)|(?<!\w)(?:i|we)(?:'ve| have)?\s+decided\s+(?:to|on)"
    r"|(?<!\w)(?:i|we)(?:'ll|'m|'d| will| shall| am| would| have| hereby)?(?: now| therefore| thus| finally| going| decided| to| rather| simply| just| instead| hereby)*\s+"
    r"(?:choose|pick|select|opt for|go with|going with|going for|go for|settle on|settle for|decide on|decided on|stick with|sticking with|choosing|picking|selecting|vote for|submit)"
    r"|(?:^|(?<=[.!?:]\s))(?:going|sticking) with|(?<!\w)(?:i|we)(?:'ll| will| shall|'m going to| am going to)(?: now| therefore| simply| just| instead)?\s+(?:play|take|throw|do)(?=\s+(?:option\b|\w+\W*$)))"
    r"(?!\w)\s*:?\s*(?P<slot>[^\n.,;!?()\uf8f0-\uf8f3]*)",
    re.IGNORECASE | re.MULTILINE,
)
"""The announcement of an own choice, and what it names."""
NAMED_FIRST = re.compile(
    r"(?:^|(?<=[.!?]\s))[^\w\n]{0,8}(?P<slot>[^\n.,;:!?\uf8f0-\uf8f3]{1,40}?)\s+(?:is my (?:final )?(?:answer|choice|decision|pick|move)|it is)[^\w\n]{0,8}$",
    re.IGNORECASE | re.MULTILINE,
)
"""An own choice whose name comes first: ``Option C is my choice``."""
LISTED_ALONE = re.compile(
    r"(?:^[^\w\n]*|[=→⇒]\s*|(?<=[;.,]\s)[-=]+\s*)option\s+(?P<slot>\w{1,20})[^\w\n:]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that is an option alone."""
ABSTAINS = re.compile(
    r"(?<!\w)i(?:'ll| will| must| have to| would rather)?\s+(?:(?P<slot>abstain)|(?P<refuses>(?:refuse|decline|choose not|decided not|prefer not)(?:\s+to)?(?:\s+(?:choose|answer|play|pick|decide|participate|select))\b))",
    re.IGNORECASE,
)
"""The announcement that nothing is chosen."""
IN_PASSING = re.compile(
    r"(?:^|(?<=[.!?]\s))[^\w\n]{0,8}(?:(?:so|therefore|thus|hence|in conclusion|overall)(?P<sign>:)?[,:\s]+(?:(?:i|we)(?:'ll| will| shall)\s+)?|(?:so |therefore |thus )?(?:i|we)(?:'ll| will| shall)(?: now| therefore| thus)?\s+)(?P<slot>(?!choose|pick|select|go|play|take|continue|explain|answer|respond|think|see|try|wait)\w+)"
    r"(?:\s+(?:with them|with him|with her|again|now|this (?:round|time)))?(?:,\s+(?:that|which|this)[^.\n]*)?[.!]?[^\w\n]{0,8}$",
    re.IGNORECASE | re.MULTILINE,
)
"""A conclusion in passing, which only overrules an option that is named in passing itself."""
FORETOLD = re.compile(
    r"(?:(?<!\w)i(?:'d| would| would also)? (?:predict|expect|anticipate|foresee)(?=\s+(?:option\b|\w+(?:\s+(?:from|by)\s+(?:them|him|her|(?:my|the) \w+(?: player)?)|\s+(?:again|next|now))?\W*$))|(?<!\w)(?:they|he|she|(?:the |my )?(?:other player|opponent|partner))(?:'ll| will| is going to| are going to| should)(?: \w+ly)?(?: most| again)?\s+"
    r"(?:choose|pick|select|opt for|go with|settle on|stick with|play|throw)"
    r"|(?<!\w)(?:they|he|she|(?:the |my )?(?:other player|opponent|partner))\s+(?:chooses?|picks?|selects?|plays?|throws?|opts for|goes with|settles on|sticks with)(?=\s+(?:option\b|(?-i:[A-Z])\w*\W*$))"
    r"|(?:^|(?<=[.!?]\s))[^\w\n]{0,8}(?:most likely|most probably|probably|presumably|likely|my guess is)(?=\s+(?:option\b|\w+\W*$)))(?!\w)\s*:?\s*(?P<slot>[^\n.,;!?()\uf8f0-\uf8f3]*)",
    re.IGNORECASE | re.MULTILINE,
)
"""The announcement of what the other player does, and what it names."""
ANNOUNCEMENTS: tuple[tuple[re.Pattern[str], Party], ...] = ((ANNOUNCED, "own"), (FORETOLD, "other"))
INVERSIONS: tuple[tuple[re.Pattern[str], Party], ...] = ((NAMED_FIRST, "own"), (LISTED_ALONE, ""))
VAGUE = re.compile(r"(?:result|output|response)\b", re.IGNORECASE)
"""Titles under which only a short name is an answer."""
SLOT_END = re.compile(
    r"[.!?。！？](?:\s|$)|\s+(?:because|since|as|so|to|in|for|this|given|rather|and|but|over|instead)\b|[,;(،、]|\s-+\s"
)
"""What ends the name of an option."""
NEAR = 120
"""Characters before an option that are read for the sentence before it."""
WORDS = 5
"""The most words in a name; a longer text in place of an option is prose."""
DECIDED = re.compile(r"(?:final|my|ultimate|official|revised)\b|^[^\w]*a\s*:", re.IGNORECASE)
"""Titles under which even prose is the answer."""


class Statement(NamedTuple):
    """A choice that a reply states: where it begins, where its label begins and ends, and the label.

    ``titled`` says whether it names no subject, as ``Answer: Option J`` or a line that is the option alone. ``whose``
    is the party whose choice it is. ``firm`` is false for an option alone and for a conclusion in passing.
    """

    start: int
    at: int
    end: int
    label: str
    titled: bool
    whose: Party = ""
    firm: bool = True


class Unlisted(NamedTuple):
    """An answering form without an option: where it begins and ends, whose choice it is, and what it says.

    ``said`` is empty where it mentions an option and does not choose it. ``firm`` is false for a conclusion in passing.
    """

    start: int
    end: int
    whose: Party
    said: str
    firm: bool = True


def statements(text: str, labels: Sequence[str], whose: Whose) -> list[Statement]:
    """The choices that ``text`` states, in order: those of ``whose`` party, or of no one in particular."""
    by_place: dict[int, Statement] = {}
    for statement in (*_in_forms(text, labels), *_in_english(text, labels, whose)):
        by_place.setdefault(statement.at, statement)
    for clause in clauses(text, labels):
        start, at, end, label = clause.mention
        if at not in by_place or (
            clause.subject == "other" and not (by_place[at].firm or by_place[at].whose)
        ):
            by_place[at] = Statement(start, at, end, label, False, clause.whose)
    for start, at, end, label in shares(text, labels) if whose == "other" else ():
        by_place = {k: statement for k, statement in by_place.items() if not start <= k < end}
        if label is not None:
            by_place[at] = Statement(start, at, end, label, False, "other")
    return [by_place[at] for at in sorted(by_place) if by_place[at].whose in (whose, "")]


def _in_forms(text: str, labels: Sequence[str]) -> Iterator[Statement]:
    for form in find_forms(text):
        choice = read_form(form, labels)
        if choice is not None:
            whose, label = choice
            at = form.start + max(text[form.start : form.end].rfind(label), 1)
            yield Statement(form.start, at, form.end, label, True, whose)


def _in_english(text: str, labels: Sequence[str], whose: Whose) -> Iterator[Statement]:
    by_name = {fold_text(label): label for label in labels}
    for match in _statement_pattern(tuple(labels)).finditer(text):
        label, tail = match["label"], text[match.end() : match.end() + 120]
        parts = {name for name, part in match.groupdict().items() if part is not None}
        alone = not {"bare", "tail", "so", "self", "me"}.isdisjoint(parts)
        end = END.replace("LABEL", re.escape(label))
        why = f"{WHY}|{LIKELY}" if whose == "other" else WHY
        if "tail" in parts and _ends_a_list(
            text[max(match.start() - NEAR, 0) : match.start()], label, labels
        ):
            continue
        reason = REASON.match(tail) if whose == "other" else None
        explained = reason is not None and explains(reason["why"], labels)
        if alone and whose == "other" and AGAINST.match(tail.lstrip(" .,;-(")):
            continue
        explained = explained or (whose == "other" and MEANT.match(tail) is not None)
        if not alone or explained or re.match(f"{end}|{why}", tail, re.IGNORECASE):
            titled = not {"lead", "bare", "tail", "abroad"}.isdisjoint(parts)
            party: Party = ""
            if not {"them", "forecast", "summed", "another"}.isdisjoint(parts):
                party = "other"
            elif (
                (match["lead"] or "").lstrip().startswith("我")
                or not {"me", "self"}.isdisjoint(parts)
                or ("verb" in parts and not GENERAL.match(match["verb"]))
            ):
                party = "own"
            if meant := MEANT.match(tail):
                party = "own" if meant["own"] else "other"
            firm = {"bare", "tail", "so"}.isdisjoint(parts) or ":" in match[0]
            start = match.start() if match["so"] is None else match.end("so")
            yield Statement(
                start, match.start("label"), match.end(), by_name[fold_text(label)], titled, party, firm
            )


def _ends_a_list(before: str, label: str, labels: Sequence[str]) -> bool:
    """Whether the sentence ``before`` an option alone ends with another option, as in a list."""
    last = re.split(r"[.!?\n]", before.rstrip(" .!?"))[-1]
    named_last = [mention for mention in mentions(last, labels) if not re.search(r"\w", last[mention.end :])]
    return any(fold_text(mention.label) != fold_text(label) for mention in named_last)


@lru_cache(maxsize=256)
def _statement_pattern(labels: tuple[str, ...]) -> re.Pattern[str]:
    acts = (
        rf"|(?P<self>(?<!\w){SELF}(?=\s))"
        if all(label.isalpha() and len(label) > 2 for label in labels)
        else ""
    )
    option = rf"{GAP}(?:a\s?:)?{GAP}(?P<another>(?:yet\s+)?another\s+)?(?:{OPTION}\s?:?)?{GAP}:?{GAP}(?P<label>{alternatives(labels)}){AFTER_WORD}"
    return re.compile(
        rf"(?:(?P<them>(?<!\w){THEM})|(?P<forecast>(?<!{LETTER}){FORECAST})|(?P<summed>(?<!\w){SUMMED})|(?P<me>{ME})|(?P<lead>(?<!\w){LEAD})|(?P<abroad>(?<!{LETTER}){ABROAD})"
        rf"|(?P<verb>(?<!\w){VERB}){acts}|(?P<so>{SO})|(?P<bare>{BARE})|(?P<tail>{TAIL})){option}",
        re.IGNORECASE | re.MULTILINE,
    )


def unlisted_answers(text: str, labels: Sequence[str], whose: Whose) -> list[Unlisted]:
    """The answers in ``text`` that name no option, in order: those of ``whose`` party, or of no one in particular."""
    answers = [
        Unlisted(
            form.start, form.end, form.whose, "" if mentions(form.said, labels) else form.said or "nothing"
        )
        for form in find_forms(text)
        if read_form(form, labels) is None
    ]
    answers += _under(TITLE, "", text, labels)
    answers += _under(FORETITLE, "other", text, labels)
    for announced, party in ANNOUNCEMENTS:
        for match in announced.finditer(text):
            slot = SLOT_END.split(match["slot"])[0].strip()
            if _names_none(slot, labels) and len(slot.split()) <= WORDS:
                answers.append(Unlisted(match.start(), match.end(), party, slot))
    for named_first, party in INVERSIONS:
        for match in named_first.finditer(text):
            slot = match["slot"].strip()
            if _names_none(slot, labels) and len(slot.split()) <= WORDS:
                answers.append(Unlisted(match.start(), match.end(), party, slot))
    answers += [
        Unlisted(match.start(), match.end(), "own", (match["slot"] or match["refuses"]))
        for match in ABSTAINS.finditer(text)
    ]
    for match in IN_PASSING.finditer(text):
        if _names_none(match["slot"], labels):
            answers.append(
                Unlisted(match.start(), match.end(), "own", match["slot"], match["sign"] is not None)
            )
    answers += [
        Unlisted(start, end, "own", decision) for start, end, decision in find_decisions(text, labels)
    ]
    return sorted(answer for answer in answers if answer.whose in (whose, ""))


def _under(title: re.Pattern[str], party: Party, text: str, labels: Sequence[str]) -> Iterator[Unlisted]:
    options = [mention.start for mention in mentions(text, labels)]
    for match in title.finditer(text):
        slot, end = match["slot"], match.end("slot")
        if NAMELESS.match(slot) and match["below"] is not None:
            slot, end = match["below"], match.end("below")
        if FORM_MARK.search(slot) or NAMELESS.match(slot):
            continue
        name = SLOT_END.split(slot.strip())[0].strip()
        if VAGUE.match(match["title"]) and (len(slot.split()) > 2 or name[:1].isdigit()):
            continue
        begin = end - len(slot)
        first = next((at for at in options if begin <= at < end), None)
        if first is not None:
            name, *after = SLOT_END.split(text[begin:first].strip())
            if after and _names_none(name, labels) and len(name.split()) <= WORDS:
                yield Unlisted(match.start(), begin, party, "")
        elif (
            (text[end:].strip() or not _is_cut(name, labels))
            and (len(name.split()) <= WORDS or DECIDED.search(match["title"]))
            and _names_none(name, labels)
        ):
            yield Unlisted(match.start(), end, party, name)


FORM_MARK = re.compile("[\uf8f0-\uf8f3]")


def _is_cut(name: str, labels: Sequence[str]) -> bool:
    """Whether ``name`` is the beginning of an option's name, or of the word *option*."""
    begun = fold_text(name)
    return any(fold_text(form).startswith(begun) for label in labels for form in (label, f"option {label}"))


def _names_none(slot: str, labels: Sequence[str]) -> bool:
    """Whether ``slot`` names something, and no option."""
    if NAMELESS.match(slot) or THIS.match(slot) or named(slot, labels) is not None:
        return False
    begins = re.match(rf"[\W]*(?:{OPTION})?\W*(?:{alternatives(labels)})(?!{LETTER})", slot, re.IGNORECASE)
    return begins is None and not mentions(slot, labels)
