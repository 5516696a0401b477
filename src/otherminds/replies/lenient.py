r"""A tolerant reader of choices: what a reply decides, in whatever dress it comes.

Read are statements of a choice: ``Answer: Option J``, ``**A:** J``, ``\boxed{J}``, ``{"option": "Option J"}``,
``I choose Option J.``, or a line that is the option alone. Capitals, markdown, LaTeX, HTML, full-width letters and
control tokens make no difference. The last statement wins, since models reason before they answer. Nothing is guessed:
a question, a condition, a negation, two options side by side, a statement about the other player and the list of
options of the prompt are no choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any, NamedTuple
from unicodedata import category, normalize

from otherminds.replies.blocks import FENCE, STRUCK, split_reasoning, worded
from otherminds.replies.doubt_words import TURN
from otherminds.replies.doubts import attributed, doubt, hedged, retracted

LONGEST = 20_000
"""Characters at the end of a reply that are read; answers come last."""
CONTROL = re.compile(r"<\|[^|<>\n]{1,30}\|>|</?s>|<(?:eos|bos|pad|end_of_turn)>|\[/?INST\]", re.IGNORECASE)
HTML = re.compile(r"<(?P<name>/?[a-z][a-z0-9_]{0,20})(?: [^<>\n]{0,80})?\s?/?>", re.IGNORECASE)
BRACES = re.compile(r"\{[^{}]{0,2000}\}")
STYLED = re.compile(r"\\(?:text|textbf|mathrm|mathbf|operatorname)\s*\{([^{}\n]{0,80})\}")
BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{([^{}]{0,80})\}")
UNTICKED = re.compile(r"^[^\w\n\[]*+\[ \].*$", re.MULTILINE)
MARKS = str.maketrans(dict.fromkeys('*`_$#>|~"“”„«»', " ") | {"’": "'", "‘": "'"})
RUNS_ON = re.compile(rf"{TURN.pattern}|^[^\S\n]*(?P<told>In round \d)", re.MULTILINE | re.IGNORECASE)
"""The start of a next turn that a model invents."""
BEGIN = 20
"""Characters at the start of a reply in which an answer comes before all reasoning."""
KEYS = (
    "option",
    "answer",
    "choice",
    "action",
    "decision",
    "final_answer",
    "selected_option",
    "final",
    "result",
    "a",
)
"""Keys of a structured reply that name its choice."""
LEAD = (
    r"(?:(?:so|thus|therefore|hence|my|the|final|best|correct|own|i|is)[,\s]+){0,4}"
    r"(?:a|ans|answer|option|choice|decision|action|selection|move|response|edit|correction|result|antwort|réponse"
    r"|respuesta|resposta|risposta|ответ|答案|答|回答|我选择|选择|选)"
    r"(?:\s+(?:is|now))?\s*(?:(?::|;|=|->|→|⇒|-(?=\s)|[.)](?=\s*(?:the\s+)?option))+\s*(?:the\s+)?|(?<=[选择]))"
)
"""The beginning of a statement with a sign, such as ``Final answer:``."""
VERB = (
    r"(?:i(?:'ll|'d|'m| will| would| shall| am| have| should| must| want| decide(?:d)?)?(?: now| therefore| thus| finally"
    r"| going| like| decided| choosing| to| rather)*\s+(?:choose|pick|select|take|play|throw|go with|go to|decide on|decided on|opt for|choosing"
    r"|picking|selecting|taking|playing|going with|going for|go for|settle on|settle for|stick with|sticking with|prefer"
    r"|meant?|mean|leaning towards?|lean towards?|lean to|guess|meet at)"
    r"|my (?:final )?(?:choice|answer|decision|pick|move|selection) (?:is|will be|would be)"
    r"|the (?:final |best |correct |right )?(?:answer|choice|option|decision)(?: for me)? is"
    r"|^(?:choose|pick|select|take|play|go with)|(?<=: )(?:choose|pick|select|take|play|go with)|(?:we|let us|let's) (?:choose|pick|play)"
    r"|(?:the )?best for me is|ich (?:wähle|nehme|entscheide mich für)|je choisis|elijo|escolho|scelgo|я выбираю)"
    r"\s*:?\s*(?:to\s+)?(?:the\s+|l')?"
)
"""The beginning of a statement in words, such as ``I choose``."""
SELF = r"(?:(?:so|thus|therefore|hence|and|but)\s+)?i(?:'ll| will| shall| would| should| choose to| am going to)?(?: also| now)?"
"""The subject of a label that is a verb, as in ``I will cooperate``."""
SO = r"(?:(?<=[,.;:]\s)|^)(?:so|therefore|thus|hence|instead|final|finally|wait|actually|definitely|probably|this time|on reflection|but i want [^,.;:\n]{1,40})[,:]?"
"""A conclusion that ends a sentence, such as ``so Option J.``"""
GAP = r"[\s'(\[]{0,3}"
"""What may be between the words of a statement."""
BARE = r"^[^\w\n]*+(?:\d\.\s?)?"
"""The beginning of a line that is an option alone."""
AFTER_WORD = r"(?!\w|[-'’]\w|\+|'(?=\s*$)|[.,:]\d|\s?%)"
END = r"(?:,? (?:as well|too|again|now|this (?:round|time)))?(?:[\s,]+(?:option\s+)?LABEL(?!\w))*[^\w:?]*(?:$|\n)"
"""The end of a line that is an option alone, or the same option several times."""
WHY = (
    r",?\s+(?:because|since|as|for the|to (?:get|earn|win|match|avoid)|rather than|instead of|given|(?:would be|is) (?:the )?"
    r"(?:best|better|optimal|safer|safest|right)|en|weil|parce|it is\b|please\b|is (?:my|what i))\b|\s+-\s"
)
"""What may follow an option alone: its reason."""
UNKNOWN = re.compile(
    r"^[^\w\n]*+(?:a|answer|final answer|my answer|my choice):\s*option\s+(\w{1,2})(?!\w)",
    re.MULTILINE | re.IGNORECASE,
)
"""An answer that may name no option."""
JOINED = re.compile(r"\W*(?:(?:or|and|else|otherwise|alternatively|a|option)\b\W*)*", re.IGNORECASE)
"""The text between two statements that are offered together."""
RECENT = 10
"""Earlier statements that may contradict the last one."""


class Statement(NamedTuple):
    """A choice that a reply states: where it begins, where its label begins and ends, and the label.

    ``titled`` says whether it names no subject, as ``Answer: Option J`` or a line that is the option alone.
    """

    start: int
    at: int
    end: int
    label: str
    titled: bool


def choice(reply: str, labels: Sequence[str]) -> str | None:
    r"""The label that ``reply`` chooses; ``None`` where it chooses none, or not clearly.

    Raises nothing; at most :data:`LONGEST` characters of the answer are read.

    >>> [choice(text, ("J", "F")) for text in ("**Answer:** J", r"\boxed{\text{Option F}}", "J or F", "Not J.")]
    ['J', 'F', None, None]
    """
    answer = split_reasoning(reply)[0][-LONGEST:]
    for written in (answer, answer.replace('\\"', '"')):
        words = worded(written, lambda block: _sentences(block, labels))
        if words != written:
            break
    text = plain(FENCE.sub("", words))
    stated = statements(text, labels)
    found = [one for one in stated if not (one.titled and attributed(text[: one.start], labels))]
    for turn in RUNS_ON.finditer(text):
        if any(one.at < (BEGIN if turn["told"] else turn.start()) for one in found):
            found = [one for one in found if one.at < turn.start()]
            text = text[: turn.start()]
            break
    found = after_lists(text, found, labels)
    if not found:
        return None
    *earlier, last = found
    if doubt(text[: last.start], text[last.end :], last.label, labels) is not None:
        return None
    unknown = [one.end() for one in UNKNOWN.finditer(text) if _folded(one[1]) not in map(_folded, labels)]
    if any(not retracted(text[end : last.at], last.label, labels) for end in unknown[-RECENT:]):
        return None
    rivals = [one for one in earlier[-RECENT:] if one.label != last.label]
    stands = any(
        JOINED.fullmatch(between := text[one.end : last.at])
        or (
            hedged(text[: one.start], text[one.end :], one.label, labels) is None
            and not retracted(between, one.label, labels)
        )
        for one in rivals
    )
    return None if stands else last.label


def _sentences(block: Any, labels: Sequence[str]) -> str | None:
    """The choices under :data:`KEYS` in a block as lines, and its other texts as sentences; ``None`` without a choice."""
    by_name = {_folded(label): label for label in labels}
    parts: list[str] = []
    chosen = False
    for key, value in _values(block):
        label = by_name.get(_folded(value).removeprefix("a: ").removeprefix("option "))
        if label is not None and key in KEYS:
            parts.append(f"\nAnswer: Option {label}.\n")
            chosen = True
        elif isinstance(value, str) and label is None:
            parts.append(f"{key.replace('_', ' ')}: {' '.join(value.split())}. ")
    return "".join(parts) if chosen else None


def _values(block: Any) -> Iterator[tuple[str, str | int]]:
    """The texts and numbers in a block and in the blocks in it, with their keys."""
    for key, value in block.items() if isinstance(block, dict) else enumerate(block):
        if isinstance(value, dict | list):
            yield from _values(value)
        elif isinstance(value, str | int):
            yield _folded(key).replace(" ", "_"), value


def plain(answer: str) -> str:
    """``answer`` without markup, in one form of letters."""
    text = normalize("NFKC", unescape(answer))
    if not text.isascii():
        text = "".join(c for c in text if category(c) != "Cf")
    text = STRUCK.sub(" ", CONTROL.sub(" ", text))
    for _ in range(2):
        text = STYLED.sub(r" \1 ", text)
    text = HTML.sub("\n", BOXED.sub(r"\n\1\n", text))
    text = UNTICKED.sub("", BRACES.sub(" ", text)).translate(MARKS)
    return re.sub(r"[^\S\n]+", " ", text.replace("\\", " "))


def statements(text: str, labels: Sequence[str]) -> Iterator[Statement]:
    """The choices that ``text`` states, in order."""
    ordered = sorted(labels, key=len, reverse=True)
    names = "|".join(re.escape(label).replace(r"\ ", r"[\s-]+") for label in ordered)
    by_name = {_folded(label): label for label in labels}
    acts = (
        rf"|(?P<self>(?<!\w){SELF}(?=\s))"
        if all(label.isalpha() and len(label) > 2 for label in labels)
        else ""
    )
    option = rf"{GAP}(?:a\s?:)?{GAP}(?:(?:option|opção|opción|选项)\s?:?)?{GAP}:?{GAP}(?P<label>{names}){AFTER_WORD}"
    stated = re.compile(
        rf"(?:(?P<lead>(?<!\w){LEAD})|(?<!\w){VERB}{acts}|(?P<so>{SO})|(?P<bare>{BARE})){option}",
        re.IGNORECASE | re.MULTILINE,
    )
    for one in stated.finditer(text):
        label, rest = one["label"], text[one.end() : one.end() + 120]
        alone = not {"bare", "so", "self"}.isdisjoint(
            name for name, part in one.groupdict().items() if part is not None
        )
        end = END.replace("LABEL", re.escape(label))
        if not alone or re.match(f"{end}|{WHY}", rest, re.IGNORECASE):
            titled = one["lead"] is not None or one["bare"] is not None
            yield Statement(one.start(), one.start("label"), one.end(), by_name[_folded(label)], titled)


def after_lists(text: str, found: list[Statement], labels: Sequence[str]) -> list[Statement]:
    """The statements behind the last list of all options, in any order; all, if there is none."""
    n, start = len(labels), 0
    names = "|".join(map(re.escape, labels))
    words = re.compile(rf"(?<!\w)(?:{names}|a|option|or)(?!\w)|[\W\d]", re.IGNORECASE)
    for k in range(len(found) - n + 1 if n > 1 else 0):
        row = found[k : k + n]
        if {one.label for one in row} == {*labels} and not words.sub("", text[row[0].at : row[-1].at]):
            start = k + n
    return found[start:]


def _folded(text: Any) -> str:
    return " ".join(normalize("NFKC", str(text)).casefold().replace("-", " ").split()).strip(" .'\"()[]*")
