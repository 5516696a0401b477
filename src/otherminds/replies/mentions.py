"""Where a text names an option, in any script, and what a slot for an option contains."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple
from unicodedata import normalize

from otherminds.replies.languages import OPTION

WIDE = "\u0600-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of scripts that are written on to a name in other letters, without a space."""
LETTER = rf"[^\W{WIDE}]"
NAME_ENDS = rf"(?!{LETTER}|[-'’]\w|\+|[.,:]\d|\s?%)"
"""The end of a name."""
AFTER_WORD = rf"(?!'(?=\s*$)){NAME_ENDS}"
"""The end of a name that is stated, not quoted."""
WRAPPED = " \t\n.,:;!'\"()[]{}*<>"
PLAIN_WORDS = frozenset({"a", "i", "o", "e", "y", "u"})
"""Labels of one letter that are also words."""


class Mention(NamedTuple):
    """One naming of an option: where it begins, with the word *option*; where its label begins and ends; the label."""

    start: int
    at: int
    end: int
    label: str


def fold_text(text: Any) -> str:
    """``text`` without capitals, hyphens, quotation marks and brackets around it."""
    words = " ".join(normalize("NFKC", str(text)).casefold().replace("-", " ").split())
    return words.strip(" .'\"()[]*")


def named(slot: Any, labels: Sequence[str]) -> str | None:
    """The label that ``slot`` is, alone or behind ``A:`` and the word *option*.

    >>> named("A: Option j.", ("J", "F")), named("Cooperate", ("J", "F"))
    ('J', None)
    """
    bare = re.sub(rf"^(?:a\s?:\s*)?(?:{OPTION}\s*:?\s*)?", "", fold_text(slot), flags=re.IGNORECASE)
    return next(
        (label for label in labels if fold_text(label) in (bare.strip(WRAPPED), fold_text(slot))), None
    )


def mentions(text: str, labels: Sequence[str]) -> list[Mention]:
    """Every naming of an option in ``text``, in order.

    A label of one letter has its own case, unless the word *option* comes before it. Labels that are numbers or words of
    one letter (*a*, *I*) need that word, or the end of a phrase behind them.

    >>> [mention.label for mention in mentions("我选择选项F。 I am at J, not at j.", ("J", "F"))]
    ['F', 'J']
    """
    by_name = {fold_text(label): label for label in labels}
    mentioned: list[Mention] = []
    for match in _names(tuple(labels)).finditer(text):
        label = by_name[fold_text(match["label"])]
        if match["option"] is None:
            if len(label) == 1 and match["label"] != label:
                continue
            odd = label.isdigit() or label.casefold() in PLAIN_WORDS
            if odd and not re.match(r"\s*(?:[.,;!?)\]'\"。、]|$)", text[match.end() :][:4]):
                continue
        mentioned.append(Mention(match.start(), match.start("label"), match.end(), label))
    return mentioned


@lru_cache(maxsize=256)
def _names(labels: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf"(?<!{LETTER})(?<!\w')(?:(?P<option>{OPTION}\s?:?\s?['(\[]?\s?)|(?<!{LETTER}))(?P<label>{alternatives(labels)}){NAME_ENDS}",
        re.IGNORECASE,
    )


def alternatives(labels: Sequence[str]) -> str:
    """The labels as alternatives of a regular expression, the longest first."""
    ordered = sorted(labels, key=len, reverse=True)
    return "|".join(re.escape(label).replace(r"\ ", r"[\s-]+") for label in ordered)


def replace_names(text: str, names: Mapping[str, str]) -> str:
    """``text`` with every name of an option in a game in place of its label.

    ``names`` maps names to labels: *cooperate* to *J*.

    >>> replace_names("I will cooperate.", {"cooperate": "J"}), replace_names("A: Cooperate", {"cooperate": "J"})
    ('I will choose Option J.', 'A: Option J')
    """
    if not names:
        return text
    by_name = {name.casefold(): label for name, label in names.items()}
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))

    def option(match: re.Match[str]) -> str:
        lead = f"{match['lead']}choose " if match["lead"] else match["option"] or ""
        return f"{lead}Option {by_name[match['name'].casefold()]}"

    names_in_words = (
        rf"(?P<lead>\b(?:will|would|shall|should|to|'ll|going to)\s+)?(?P<option>Option\s+)?"
        rf"(?<!\w)(?P<name>{words})(?!\w)"
    )
    return re.sub(
        names_in_words,
        lambda match: option(match).replace("Option Option", "Option"),
        text,
        flags=re.IGNORECASE,
    )


def without_supposition(text: str, label: str) -> str:
    """``text`` without clauses that repeat the supposition of a policy question, such as ``if I choose Option J``.

    >>> without_supposition("If I choose Option J in this round, they will choose Option F.", "J")
    ' they will choose Option F.'
    """
    clause = (
        r"(?:if|when|once|after|assuming(?: that)?|suppose|supposing|given that|in case)\s+(?:i|you|we)\s+(?:now\s+)?"
        r"(?:choose|chose|pick|picked|play|played|select|selected|go with|went with|take|took)\s+(?:option\s+)?"
        rf"[\"'*]*{re.escape(label)}[\"'*]*(?!\w)(?:\s+(?:in\s+)?(?:this|the current|the present)\s+round|\s+in\s+round\s+\d+"
        r"|\s+now|\s+this time)?(?:,?\s+then)?[,:]?"
    )
    return re.sub(rf"(?<!\w){clause}", "", text, flags=re.IGNORECASE)


def shown_names(prompt: str, labels: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """The game's own ``names`` of the options, if ``prompt`` shows each beside its label; empty otherwise.

    The first letters of the names count as names where the prompt shows these beside the labels.

    >>> shown_names("Option J (cooperate) or Option F (defect)?", ("J", "F"), ("cooperate", "defect"))
    {'cooperate': 'J', 'defect': 'F'}
    >>> shown_names("Do you cooperate? Option J or Option F?", ("J", "F"), ("cooperate", "defect"))
    {}
    """
    for in_prompt in (names, [name[:1].upper() for name in names]):
        pairs = dict(zip(in_prompt, labels, strict=False))
        fresh = {name.casefold() for name in pairs}.isdisjoint(label.casefold() for label in labels)
        if fresh and len(pairs) == len(labels) and all(_beside(prompt, *pair) for pair in pairs.items()):
            return pairs
    return {}


OTHER_CASES = {"i": {"ı", "İ"}, "k": {"\N{KELVIN SIGN}"}, "s": {"ſ"}, "å": {"\N{ANGSTROM SIGN}"}}
"""Letters that regular expressions take for the same, beside a letter's own two cases."""


def _beside(prompt: str, name: str, label: str) -> bool:
    """Whether ``prompt`` links ``name`` and ``label`` directly: ``J (cooperate)``, ``J = cooperate``, ``J means cooperate``."""
    return any(
        pattern.match(prompt, place.start())
        for pattern, start in (_link(label, name), _link(name, label))
        for place in start.finditer(prompt)
    )


@lru_cache(maxsize=256)
def _link(before: str, after: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What links ``before`` with ``after``, and how that starts.

    The second pattern passes over most of a long prompt: one that ignores case, as the first, tries every place.
    """
    link = r"['\"*]*\s*(?:\(|\[|=|:|->|→|,?\s*(?:which\s+)?(?:means?|is|stands\s+for|called|meaning))\s*['\"*]*(?:to\s+)?(?:option\s+)?"
    whole = re.compile(rf"(?<!\w){re.escape(before)}{link}{re.escape(after)}(?!\w)", re.IGNORECASE)
    letters = "".join(
        f"[{re.escape(''.join(sorted({c, c.lower(), c.upper()} | OTHER_CASES.get(c.lower(), set()))))}]"
        for c in before
    )
    return whole, re.compile(letters + r"(?=['\"*]*\s*(?:[(\[=:→]|->|,?\s*(?i:which|mean|is|stands|called)))")
