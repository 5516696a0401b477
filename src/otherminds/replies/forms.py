r"""The structured forms of an answer: a key, a box, a tag, a bracket.

:func:`find_forms` writes each of them on a line of its own, between marks that no reply has, so that a reader sees what
such a form contains, an option or anything else, before markup is removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import unescape
from typing import Any, NamedTuple
from unicodedata import category, normalize

from otherminds.replies.blocks import FENCE, STRUCK, put_blocks_in_words, split_reasoning
from otherminds.replies.clauses import Party, explains
from otherminds.replies.mentions import fold_text, mentions, named

LONGEST = 20_000
"""Characters at the end of a reply that are read; answers come last."""
OPENS: dict[Party, str] = {"": "\uf8f0", "own": "\uf8f1", "other": "\uf8f2"}
CLOSES = "\uf8f3"
FORMED = re.compile(r"([\uf8f0-\uf8f2])([^\uf8f0-\uf8f3\n]*)\uf8f3")
"""A structured form: whose choice its name says it is, and what it contains."""
PARTIES: dict[str, Party] = {mark: party for party, mark in OPENS.items()}
CONTROL = re.compile(r"<\|[^|<>\n]{1,30}\|>|</?s>|<(?:eos|bos|pad|end_of_turn)>|\[/?INST\]", re.IGNORECASE)
HTML = re.compile(r"<(?P<name>/?[a-z][a-z0-9_]{0,20})(?: [^<>\n]{0,80})?\s?/?>", re.IGNORECASE)
BRACES = re.compile(r"\{[^{}]{0,2000}\}")
STYLED = re.compile(r"\\(?:text|textbf|mathrm|mathbf|operatorname)\s*\{([^{}\n]{0,80})\}")
BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{([^{}]{0,80})\}")
PAIR = re.compile(r"^[^\S\n]*\|\s*([^|\n]{1,40}?)\s*\|\s*([^|\n]{1,40}?)\s*\|[^\S\n]*$", re.MULTILINE)
"""A row of a table with two columns."""
UNTICKED = re.compile(r"^[^\w\n\[]*+\[ \].*$", re.MULTILINE)
MARKS = str.maketrans(dict.fromkeys('*`_$#>|~"“”„«»', " ") | {"’": "'", "‘": "'"})
NAMES = frozenset(
    {
        *(
            "option",
            "answer",
            "choice",
            "action",
            "decision",
            "move",
            "pick",
            "selection",
            "chosen",
            "selected",
        ),
        *(
            "final",
            "final_answer",
            "final_choice",
            "final_decision",
            "final_move",
            "final_option",
            "final_action",
        ),
        *(
            "selected_option",
            "chosen_option",
            "selected_action",
            "chosen_action",
            "option_chosen",
            "vote",
            "verdict",
        ),
        *(
            "respuesta",
            "antwort",
            "réponse",
            "resposta",
            "risposta",
            "ответ",
            "答案",
            "回答",
            "选择",
            "選択",
            "답",
            "선택",
        ),
        *(
            "your_choice",
            "choose",
            "next_move",
            "next_action",
            "my_answer",
            "my_final_answer",
            "answer_choice",
        ),
    }
)
"""Keys and tags that name an answer: whatever they contain is the answer."""
SOFT = frozenset({"result", "a", "output", "response", "play", "strategy", "value", "label", "name"})
"""Keys that name an answer where they contain an option."""
OWN_NAMES = re.compile(
    r"(?:my|own|me|i|self|ego|mine|plan|intention|best_response)(?:_(?!answer|final_answer|prediction|guess).*)?|i_(?:choose|play|will).*"
)
OTHER_NAMES = re.compile(
    r"(?:(?:my_)?(?:prediction|predicted|predict|forecast|expected|expectation|most_likely|guess)|opponents?|partners?|other|others|they|their|them|counterpart|rival|player_?2"
    r"|the_other|other_player|next_opponent|vorhersage|prediccion|predicción|prédiction|previsão|previsione|прогноз|预测|予測|예측)(?:'?s)?(?:_.*)?"
)
"""Keys and tags for the choice of the other player."""
ABOUT = re.compile(
    r"(?:reason|explan|think|thought|analysis|why|rational|note|confiden|prob|(?<!most_)likel|history|last|previous|payoff|reject|consider|alternativ|second)"
)
"""Keys that say something about an answer."""
VERBS = frozenset(
    {"choose", "pick", "select", "answer", "play", "submit", "decide", "respond", "final", "move", "predict"}
)
"""Values of a key such as *action* that say that there is an answer, and not which."""
TAGGED = re.compile(
    r"<(?P<name>[a-zÀ-ÿ\u3040-\uffdc][\w-]{0,24})(?: [^<>\n]{0,80})?>\s*(?P<inside>[^<>]{0,200}?)\s*</(?P=name)\s?>",
    re.IGNORECASE,
)
LOOSE = re.compile(r"[\"'“”‘’]?(?P<key>[^\W\d][\w -]{0,30}?)[\"'“”‘’]?\s*[:=]\s*(?P<value>[^,;{}\n]{0,80})")
"""A key and its value in a block that is not well-formed."""
WORDED = re.compile(
    r"(?P<who>i|they|he|she|(?:the |my )?(?:other player|opponent|partner))(?:'ll| will| am going to| are going to| is going to)?\s+"
    r"(?:choose|pick|select|play|go with)(?:e?s)?\s+(?P<said>[^,;:?]{1,40})",
    re.IGNORECASE,
)
"""A whole sentence in place of an option."""
DOUBLE = re.compile(
    r"\[\[\s*([^\[\]\n]{1,60}?)\s*\]\]|<<\s*([^<>\n]{1,60}?)\s*>>|【\s*([^【】\n]{1,60}?)\s*】"
)
ALONE = re.compile(
    r"^[^\w\n\[<]*\[\s*(?!x\]|\s)([^\[\]\n:=.!?]{1,40}?)\s*\][^\w\n(\[]*$", re.IGNORECASE | re.MULTILINE
)
"""A bracket alone in its line."""
ROUND = re.compile(r"^[^\w\n(]*\(\s*([^()\n:=.!?]{1,30}?)\s*\)[^\w\n(]*$", re.MULTILINE)
"""Round brackets alone in their line."""
BOLD_END = re.compile(r"^[^\S\n]*(?:\*\*|__)([^*_\n:=.!?]{1,30})(?:\*\*|__)[\s.!]{0,4}\Z", re.MULTILINE)
"""A name in bold that is the last line."""
CALLED = re.compile(
    r"^[^\w\n]*(?:answer|final_answer|choose|play|pick|select|move|submit|action|decide|decision|choice|option|vote)"
    r"\(\s*(?:\w+\s*=\s*)?[\"']?([^()\"'\n]{0,60})[\"']?\s*\)[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A call of a function in the text, alone in its line."""
NOTES = re.compile(
    r"(?:end|eos|eot|done|stop|start|finish|inst|user|assistant|system|thinking|think|reasoning|answer|note|blank|deleted|removed|redacted|image|smil)\b|/"
)
"""Brackets that are no answer."""


NUMBER = re.compile(r"\d{0,3}(?:\.\d{1,9})?(?<=\d)")
"""A share as a number."""
RATED = re.compile(r"^(?:p|pr|prob|probability)[_ ](?:of[_ ])?", re.IGNORECASE)
"""What a key may have before the option whose share it has."""
PARTS = 1.5
"""The sum below which shares are parts of one, not percentages."""


BEHIND = re.compile(r"\s*(?:[,;(-]|because\b)\s*(.+)")
"""What stands behind an option in a form."""


class Formed(NamedTuple):
    """A structured form in a prepared text: where it begins and ends, whose choice it is, and what it contains."""

    start: int
    end: int
    whose: Party
    said: str


def prepare_reply(reply: str, labels: Sequence[str]) -> str:
    """The answer of ``reply`` without reasoning and markup, its structured forms marked."""
    answer = split_reasoning(reply)[0][-LONGEST:]
    answer = re.sub("[\uf8f0-\uf8f3]", " ", answer)
    for variant in (answer, answer.replace('\\"', '"')):
        words = put_blocks_in_words(variant, lambda block: _sentences(block, labels))
        if words != variant:
            break
    return plain(FENCE.sub("", words), labels)


def find_forms(text: str) -> Iterator[Formed]:
    """The structured forms in a text from :func:`prepare_reply`."""
    for match in FORMED.finditer(text):
        yield Formed(match.start(), match.end(), PARTIES[match[1]], match[2].strip())


def without(text: str, whose: Party) -> str:
    """A text from :func:`prepare_reply` without the structured forms of one party."""
    return FORMED.sub(lambda match: " " if PARTIES[match[1]] == whose else match[0], text)


def read_form(form: Formed, labels: Sequence[str]) -> tuple[Party, str] | None:
    """Whose choice of which label a form states: alone, as a sentence, or with a reason behind it.

    >>> read_form(Formed(0, 0, "", "Option F, because they repeat"), ("J", "F"))
    ('', 'F')
    >>> read_form(Formed(0, 0, "", "They choose F"), ("J", "F")), read_form(Formed(0, 0, "", "F or J"), ("J", "F"))
    (('other', 'F'), None)
    """
    label, mentioned = named(form.said, labels), mentions(form.said, labels)
    if label is not None or not mentioned:
        return None if label is None else (form.whose, label)
    reason = BEHIND.match(form.said[mentioned[0].end :])
    if (
        mentioned[0].start == 0
        and len({mention.label for mention in mentioned}) == 1
        and reason
        and explains(reason[1], labels)
    ):
        return form.whose, mentioned[0].label
    return _in_words(form.said, labels)


def party(name: str) -> Party | None:
    """Whose choice a key or tag names, empty where any; ``None`` where it names no answer."""
    if ABOUT.search(name):
        return None
    if OTHER_NAMES.fullmatch(name):
        return "other"
    if OWN_NAMES.fullmatch(name):
        return "own"
    return "" if name in NAMES else None


def plain(answer: str, labels: Sequence[str]) -> str:
    """``answer`` without markup, in one form of letters."""
    text = normalize("NFKC", unescape(answer))
    if not text.isascii():
        text = "".join(c for c in text if category(c) != "Cf")
    text = STRUCK.sub(" ", CONTROL.sub(" ", text))
    text = PAIR.sub(r"\1: \2", text)
    text = BOLD_END.sub(lambda match: match[0] if _remark(match[1]) else _line("", match[1]), text)
    for _ in range(2):
        text = STYLED.sub(r" \1 ", text)
    text = BOXED.sub(lambda match: _line("", match[1]), text)
    text = TAGGED.sub(lambda match: _mark_tag(match, labels), text)
    text = DOUBLE.sub(lambda match: _line("", match[1] or match[2] or match[3]), text)
    text = ALONE.sub(
        lambda match: match[0] if NOTES.match(fold_text(match[1])) else _line("", match[1]), text
    )
    text = ROUND.sub(lambda match: match[0] if _remark(match[1]) else _line("", match[1]), text)
    text = CALLED.sub(lambda match: _line("", match[1] or "nothing"), text)
    text = BRACES.sub(lambda match: _loose(match[0], labels), HTML.sub("\n", text))
    text = UNTICKED.sub("", text).translate(MARKS)
    return re.sub(r"[^\S\n]+", " ", text.replace("\\", " "))


def _line(whose: Party, statement: str) -> str:
    return f"\n{OPENS[whose]} {' '.join(statement.split())} {CLOSES}.\n"


def _remark(inside: str) -> bool:
    """Whether what stands in round brackets is a remark, not the name of an option."""
    return len(inside.split()) > 2 or NOTES.match(fold_text(inside)) is not None


def _key(name: Any) -> str:
    return fold_text(name).replace(" ", "_")


def _mark_tag(tag: re.Match[str], labels: Sequence[str]) -> str:
    """A tag that names an answer as a marked line, others as they are; so is one with several lines in it."""
    whose, inside = party(_key(tag["name"])), tag["inside"]
    if whose is None and named(inside, labels) is None:
        return tag[0]
    if "\n" in inside or CLOSES in inside:
        return f"\n{inside}\n"
    return _line(whose or "", inside)


def _loose(block: str, labels: Sequence[str]) -> str:
    """The answers in a block that is not well-formed."""
    lines: list[str] = []
    for entry in LOOSE.finditer(block):
        key, value = _key(entry["key"]), entry["value"].strip(" \"'“”‘’")
        whose = party(key)
        if (whose is not None or (key in SOFT and named(value, labels))) and fold_text(value) not in VERBS:
            lines.append(_line(whose or "", value or "?"))
    return "".join(lines) or " "


def _sentences(block: Any, labels: Sequence[str]) -> str | None:
    """The answers in a block as marked lines, and its other texts as sentences; ``None`` without an answer."""
    parts: list[str] = []
    chosen = False
    for key, value in _values(block):
        label = named(value, labels)
        whose = party(key)
        if whose is not None and label is None:
            whose, label = _in_words(value, labels) or (whose, None)
        if whose is None and key in SOFT and label is not None:
            whose = ""
        if whose is not None and fold_text(value) not in VERBS:
            parts.append(_line(whose, label or str(value) or "?"))
            chosen = True
        elif isinstance(value, str) and label is None:
            parts.append(f"{key.replace('_', ' ')}: {' '.join(value.split())}. ")
    return "".join(parts if chosen else _shares(block, labels)) or None


def _shares(block: Any, labels: Sequence[str], name: str = "") -> Iterator[str]:
    """Sentences with the shares of all options in a block and in the blocks in it, behind the names of these blocks."""
    if not isinstance(block, dict):
        return
    by_label = {
        named(RATED.sub("", str(key)), labels): str(value).rstrip("% ") for key, value in block.items()
    }
    texts = [by_label.get(label, "") for label in labels]
    if all(NUMBER.fullmatch(share) for share in texts):
        scale = 100 if sum(map(float, texts)) < PARTS else 1
        shares = (f"{label} {float(share) * scale:g}%" for label, share in zip(labels, texts, strict=True))
        yield f"\n{name.replace('_', ' ')}: {', '.join(shares)}.\n"
    for key, inner in block.items():
        yield from _shares(inner, labels, str(key))


def _in_words(value: Any, labels: Sequence[str]) -> tuple[Party, str] | None:
    """Whose choice of which label a value such as ``They will choose Option F`` states, and nothing else."""
    sentence = WORDED.fullmatch(value.strip()) if isinstance(value, str) else None
    label = named(sentence["said"], labels) if sentence else None
    if sentence is None or label is None:
        return None
    return ("own" if sentence["who"].casefold() == "i" else "other"), label


def _values(block: Any) -> Iterator[tuple[str, Any]]:
    """The texts, numbers and empty values in a block and in the blocks in it, with their keys."""
    for key, value in block.items() if isinstance(block, dict) else enumerate(block):
        simple = isinstance(value, list) and not any(isinstance(element, dict | list) for element in value)
        if simple and party(_key(key)) is not None:
            yield _key(key), ", ".join(map(str, value))
        elif isinstance(value, dict | list):
            of_answer = party(_key(key)) is not None
            for name, inner in _values(value):
                yield (_key(key) if of_answer and name in SOFT else name), inner
        else:
            yield _key(key), value
