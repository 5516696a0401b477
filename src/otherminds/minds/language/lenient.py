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

from otherminds.core.replies import blocks, split_reasoning

LONGEST = 20_000
"""Characters at the end of a reply that are read; answers come last."""
CONTROL = re.compile(r"<\|[^|<>\n]{1,30}\|>|</?s>|<(?:eos|bos|pad|end_of_turn)>|\[/?INST\]", re.IGNORECASE)
HTML = re.compile(r"<(?P<name>/?[a-z][a-z0-9_]{0,20})(?: [^<>\n]{0,80})?\s?/?>", re.IGNORECASE)
BRACES = re.compile(r"\{[^{}]{0,2000}\}")
STYLED = re.compile(r"\\(?:text|textbf|mathrm|mathbf|operatorname)\s*\{([^{}\n]{0,80})\}")
BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{([^{}]{0,80})\}")
UNTICKED = re.compile(r"^\W*\[ \].*$", re.MULTILINE)
MARKS = str.maketrans(dict.fromkeys('*`_$#>|~"“”„«»', " ") | {"’": "'", "‘": "'"})
RUNS_ON = re.compile(
    r"^\s*(?:(?:Q|Question|Human|User|Round \d+|Instruction)\s*:|(?P<told>In round \d))",
    re.MULTILINE | re.IGNORECASE,
)
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
BARE = r"^\W*(?:\d\.\s*)?"
"""The beginning of a line that is an option alone."""
AFTER_WORD = r"(?!\w|[-'’]\w|\+|'(?=\s*$)|[.,:]\d|\s?%)"
END = r"(?:,? (?:as well|too|again|now|this (?:round|time)))?(?:[\s,]+(?:option\s+)?LABEL(?!\w))*[^\w:?]*(?:$|\n)"
"""The end of a line that is an option alone, or the same option several times."""
WHY = (
    r",?\s+(?:because|since|as|for the|to (?:get|earn|win|match|avoid)|rather than|instead of|given|(?:would be|is) (?:the )?"
    r"(?:best|better|optimal|safer|safest|right)|en|weil|parce|it is\b|please\b|is (?:my|what i))\b|\s+-\s"
)
"""What may follow an option alone: its reason."""
PAYS = r"\s+(?:gives?|yields?|pays?|earns?|gets?|would (?:give|yield|pay|earn)|points?\b|leads?|results?)|\s*\(?\s*\d+\s?%"
"""What follows an option in a statement about payoffs or chances."""
BESIDE = r"\W{0,4}(?:or|and|vs\.?|versus|/|&|\+|,)\s*(?:option\s+)?(?:%s)(?!\w)"
LATER = re.compile(
    r"[^.;!?\n]{0,80}\b(?:if|unless|when(?:ever)?|most of the time|sometimes|last (?:round|time)|with probability|half the time)\b"
)
"""A condition or a time in the rest of the sentence."""
OTHERS = re.compile(
    r"\b(?:they|he|she|you|your|their|his|her|them|opponent|opponents|partner|partners|players?|player \w)(?:'s|')?(?:\s+\w+){0,3}\W*$"
)
"""A subject other than the model, directly before a statement."""
DOUBT = re.compile(
    r"\b(?:if|unless|whether|suppose|assuming|not|when|whenever|should (?:the|they|you|he|she)|never|neither|cannot|avoid|no circumstances|no way|example|format|and stop|e\.g)\b|n't\b"
)
"""A condition, a negation or a quotation in the sentence before a statement."""
BREAK = re.compile(r"[.;!?\n](?!g\.)|, (?=so\b|therefore\b)|\bbut\b", re.IGNORECASE)
CORRECTION = re.compile(
    r"\b(?:wait\b|correction|actually|sorry|i meant|on second thought|mistake\b|wrong\b|no,)", re.IGNORECASE
)
EITHER = re.compile(r"\b(?:alternatively|otherwise|or else|either)\b", re.IGNORECASE)


class Statement(NamedTuple):
    """A choice that a reply states: its place in the text, the label, and whether it is only considered."""

    at: int
    end: int
    label: str
    doubtful: bool


def choice(reply: str, labels: Sequence[str]) -> str | None:
    r"""The label that ``reply`` chooses; ``None`` where it chooses none, or not clearly.

    Raises nothing; at most :data:`LONGEST` characters of the answer are read.

    >>> [choice(text, ("J", "F")) for text in ("**Answer:** J", r"\boxed{\text{Option F}}", "J or F", "Not J.")]
    ['J', 'F', None, None]
    """
    answer = split_reasoning(reply)[0][-LONGEST:]
    keyed = structured(answer, labels)
    if keyed:
        return keyed[-1] if len({*keyed}) == 1 or CORRECTION.search(answer) else None
    text = plain(answer)
    found = list(statements(text, labels))
    for turn in RUNS_ON.finditer(text):
        if any(one.at < (BEGIN if turn["told"] else turn.start()) for one in found):
            found = [one for one in found if one.at < turn.start()]
            break
    found = after_lists(text, found, labels)
    if not found or found[-1].doubtful or CORRECTION.search(text, found[-1].end):
        return None
    between = text[found[-2].end : found[-1].at] if len(found) > 1 else ""
    return None if found[-2:][0].label != found[-1].label and EITHER.search(between) else found[-1].label


def structured(answer: str, labels: Sequence[str]) -> list[str]:
    """The labels that the structured blocks of an answer choose."""
    by_name = {_folded(label): label for label in labels}
    found = blocks(answer) or blocks(answer.replace('\\"', '"'))
    values = [_folded(value).removeprefix("a: ") for block in found for value in _named(block)]
    names = (by_name.get(value.removeprefix("option ")) for value in values)
    return [name for name in names if name is not None]


def _named(block: Any) -> Iterator[str | int]:
    """The values under :data:`KEYS` in a block and the blocks in it."""
    for key, value in block.items() if isinstance(block, dict) else enumerate(block):
        if isinstance(value, dict | list):
            yield from _named(value)
        elif isinstance(value, str | int) and _folded(key).replace(" ", "_") in KEYS:
            yield value


def plain(answer: str) -> str:
    """``answer`` without markup, in one form of letters."""
    text = "".join(c for c in normalize("NFKC", unescape(answer)) if category(c) != "Cf")
    text = CONTROL.sub(" ", text)
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
    option = rf"[\s'(\[]*(?:a\s*:\s*)?[\s'(\[]*(?:(?:option|opção|opción|选项)\s*:?\s*)?[\s'(\[:]*(?P<label>{names}){AFTER_WORD}"
    stated = re.compile(
        rf"(?:(?P<lead>(?<!\w){LEAD})|(?<!\w){VERB}{acts}|(?P<so>{SO})|(?P<bare>{BARE})){option}",
        re.IGNORECASE | re.MULTILINE,
    )
    beside = re.compile(BESIDE % names, re.IGNORECASE)
    pays = re.compile(PAYS, re.IGNORECASE)
    for one in stated.finditer(text):
        label, rest = one["label"], text[one.end() : one.end() + 120]
        alone = not {"bare", "so", "self"}.isdisjoint(
            name for name, part in one.groupdict().items() if part is not None
        )
        end = END.replace("LABEL", re.escape(label))
        letters = re.compile(
            rf"[^\w\n]*\n\W*(?:b|2)\s*[:.)]\s*(?:option\s+)?(?:{names})(?!\w)", re.IGNORECASE
        )
        if alone and not re.match(f"{end}|{WHY}", rest, re.IGNORECASE):
            continue
        near = text[max(0, one.start() - 200) : one.start()].lower().replace("if i had to choose", "")
        before = BREAK.split(near)[-1]
        if one["lead"] is not None and OTHERS.search(before):
            continue
        doubtful = bool(
            letters.match(rest)
            or beside.match(rest)
            or re.match(r"[\s')]*\?", rest)
            or pays.match(rest)
            or LATER.match(rest)
            or DOUBT.search(before)
        )
        yield Statement(one.start("label"), one.end(), by_name[_folded(label)], doubtful)


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
