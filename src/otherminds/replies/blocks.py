"""Reads replies of models: separates reasoning from the answer, and parses structured data without evaluating it.

A malformed reply yields nothing rather than a guess. Every function takes time linear in the
length of the reply and never raises.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, NamedTuple, cast

DEPTH = 64
"""The maximal nesting of brackets; deeper blocks are not read."""
WHOLE = 2**63
"""Integers from this one on, and below its negative, are not read: a record keeps 64 bits."""

TAG = re.compile(
    r"(?P<opens><(?:think(?:ing)?|thoughts?|reasoning)[ \t]*>|\[THINK\]"
    r"|<\|channel\|>(?!final)\w{1,20}(?:[^<\n]{0,80}<\|message\|>)?)"
    r"|(?P<closes></(?:think(?:ing)?|thoughts?|reasoning)[ \t]*>|\[/THINK\]|<\|channel\|>final(?:[^<\n]{0,80}<\|message\|>)?)"
    r"|(?P<ends><\|(?:end|return|call)\|>(?:<\|start\|>assistant)?)",
    re.IGNORECASE,
)
"""Tags around reasoning: DeepSeek's and Qwen's ``<think>``, Mistral's ``[THINK]``, the channels of OpenAI's harmony."""
BARE_CHANNELS = "analysis", "assistantfinal"
"""What is left of harmony's channels where a server leaves out special tokens."""
STRUCK = re.compile(r"~~[^~\n]{1,400}~~")
"""Text that markdown strikes through."""
FENCE = re.compile(r"^[ \t]*+(?:`{3,}+|~{3,}+)[ \t]*+[\w+-]*+[ \t\r]*+$", re.MULTILINE)
STRING = r'"(?:[^"\\]++|\\.)*+"' + r"|'(?:[^'\\]++|\\.)*+'"
NAMES = {"True": "true", "False": "false", "None": "null"}
OPENING = re.compile(
    r"""\{|\[(?=\s*(?:["'\[\]({]|-?\d|(?:true|false|null|NaN|-?Infinity|True|False|None)\b))"""
)
"""The start of a block. Square brackets in prose do not match."""
PIECE = re.compile(rf"{STRING}|[\[\](){{}}\"'\\]", re.DOTALL)
TOKEN = re.compile(
    rf"[ \t\n\r\f]*+(?:(?P<string>{STRING})|(?P<number>-?\d[\d.eE+-]*+)|(?P<name>True|False|None)\b|(?P<mark>[\[\](){{}},:]))",
    re.DOTALL,
)
BEYOND = 0x110000
"""One more than the largest code point."""
ESCAPE = re.compile(r"\\(?:\n|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
ESCAPES = {"\n": "", **dict(zip("abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\"", strict=True))}
PAIRS = {"[": "]", "{": "}", "(": ")"}


class Syntax(NamedTuple):
    """The syntax of blocks: where one may open, the strings and brackets in it, and its tokens.

    A ``piece`` of one character is a bracket, or a quote that starts no string. ``commas`` says
    whether a comma before a key may be missing.
    """

    opening: re.Pattern[str]
    piece: re.Pattern[str]
    token: re.Pattern[str]
    commas: bool = False


STRICT = Syntax(OPENING, PIECE, TOKEN)
"""JSON and Python literals."""


def split_reasoning(reply: str) -> tuple[str, str]:
    """The answer, and the reasoning in blocks of :data:`TAG`, closed or not.

    Capitals make no difference. Some chat templates open the block themselves, so that the text
    before a lone ``</think>`` is reasoning too. Blocks do not nest. The texts around a block become
    separate lines.

    >>> split_reasoning("<think>It copies me.</think>A: Option J")
    ('A: Option J', 'It copies me.')
    >>> split_reasoning("It copies me.</think>A: Option J")
    ('A: Option J', 'It copies me.')
    >>> split_reasoning("<think>It may copy")
    ('', 'It may copy')
    >>> split_reasoning("<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>A: Option J<|return|>")
    ('A: Option J', 'Hm.')
    """
    answered: list[str] = []
    thought: list[str] = []
    first, last = BARE_CHANNELS
    if reply.startswith(first) and last in reply:
        reply = f"<think>{reply.removeprefix(first).replace(last, '</think>', 1)}"
    at, thinking = 0, False
    for tag in TAG.finditer(reply):
        kind = tag.lastgroup
        if kind == "closes" and not thinking:
            thought += answered
            answered = []
        (thought if thinking or kind == "closes" else answered).append(reply[at : tag.start()])
        at, thinking = tag.end(), kind == "opens"
    (thought if thinking else answered).append(reply[at:])
    answer, reasoning = ("\n".join(filter(None, map(str.strip, parts))) for parts in (answered, thought))
    return answer, reasoning


def last_block(reply: str) -> Any | None:
    """The last block of :func:`blocks`; ``None`` if there is none.

    >>> last_block('As JSON: {"option": "F"}, or better\\n```python\\n{\\'option\\': \\'J\\'}\\n```')
    {'option': 'J'}
    """
    return next(_blocks(reply), None)


def blocks(reply: str) -> tuple[Any, ...]:
    """Every well-formed JSON or Python-literal object or list in ``reply``, in order, as JSON data.

    Fenced or bare; reasoning is not read. Nested blocks are part of the outermost one. Text after a
    bracket that never closes or closes wrongly is skipped up to the next fence. Python tuples become
    lists. Malformed are: a duplicate key, NaN and infinite numbers, integers beyond 64 bits, lone
    surrogates, more than :data:`DEPTH` nested brackets; and of Python, keys other than strings,
    sets, string prefixes, sums and adjacent strings.
    """
    return tuple(_blocks(reply))[::-1]


def _blocks(reply: str) -> Iterator[Any]:
    """The blocks from the last to the first."""
    closed = [span for span, closes in spans(reply, STRICT) if closes]
    parsed = (parse_block(span, STRICT) for span in reversed(closed))
    return (block for block in parsed if block is not None)


def spans(reply: str, syntax: Syntax) -> Iterator[tuple[str, bool]]:
    """The outermost bracketed spans of the answer, and whether their brackets close.

    A span that never closes or closes wrongly extends to the next fence, or to the end.
    """
    answer = split_reasoning(reply)[0]
    for start, end, closes in _places(answer, syntax):
        yield answer[start:end], closes


def _places(answer: str, syntax: Syntax) -> Iterator[tuple[int, int, bool]]:
    """The start and the end of each span, and whether its brackets close."""
    edges = [0, *(edge for fence in FENCE.finditer(answer) for edge in fence.span()), len(answer)]
    for at, stop in zip(edges[::2], edges[1::2], strict=True):
        while opening := syntax.opening.search(answer, at, stop):
            start = opening.start()
            end = _end(answer, start, stop, syntax.piece)
            yield start, stop if end is None else end, end is not None
            at = stop if end is None else end


def put_blocks_in_words(answer: str, wording: Callable[[Any], str | None]) -> str:
    """``answer`` with its well-formed blocks in words; blocks without a wording stay as they are.

    A wording starts on a line of its own, behind a colon if there is text before it in the line.

    >>> put_blocks_in_words('My answer is {"option": "J"}. Thanks.', lambda block: "A: Option " + block["option"])
    'My answer is :\\nA: Option J. Thanks.'
    """
    parts: list[str] = []
    at = 0
    for start, end, closes in _places(answer, STRICT):
        block = parse_block(answer[start:end], STRICT) if closes else None
        words = None if block is None else wording(block)
        if words is not None:
            line = answer.rfind("\n", at, start) + 1 or at
            parts += [answer[at:start], ":\n" if answer[line:start].strip() else "\n", words]
            at = end
    return "".join([*parts, answer[at:]])


def parse_block(span: str, syntax: Syntax) -> Any | None:
    """The block in ``span``; ``None`` if it is malformed."""
    for python in (False, True):
        try:
            return _parse_strictly(_translate_literal(span, syntax) if python else span)
        except ValueError:
            continue
    return None


def _end(text: str, start: int, stop: int, pieces: re.Pattern[str]) -> int | None:
    """The position behind the bracket that closes the one at ``start``."""
    expected_closers: list[str] = []
    for piece in pieces.finditer(text, start, stop):
        token = piece[0]
        if token[0] == "#":
            continue
        if token in PAIRS:
            expected_closers.append(PAIRS[token])
            if len(expected_closers) > DEPTH:
                return None
        elif len(token) == 1:
            if token != expected_closers.pop():
                return None
            if not expected_closers:
                return piece.end()
    return None


def _parse_strictly(text: str) -> Any:
    parsed: Any = DECODER.decode(text)
    if not text.isascii() or "\\" in text:
        ENCODER.encode(parsed).encode()  # raises for lone surrogates
    return parsed


def _translate_literal(block: str, syntax: Syntax) -> str:
    """A Python literal as JSON. Raises ``ValueError`` for an unknown token."""
    tokens: list[str] = []
    opened: list[tuple[int, bool]] = []
    at = 0
    while token := syntax.token.match(block, at):
        at = token.end()
        kind, text = token.lastgroup, token[token.lastgroup or 0]
        if kind == "string":
            text = _string(text)
        elif text in PAIRS:
            opened.append((len(tokens), False))
        elif text == ":" and syntax.commas and _lacks_comma(tokens):
            tokens.insert(-1, ",")
        elif text == ",":
            opened[-1] = opened[-1][0], True
        elif kind == "mark" and text != ":":
            start, several = opened.pop()
            if tokens[-1] == "," and tokens[-2] not in PAIRS and tokens[-2] != ",":
                tokens.pop()
            if text == ")":
                listed = several or start == len(tokens) - 1
                tokens[start], text = ("[", "]") if listed else ("", "")
        tokens.append(NAMES.get(text, text))
    if at < len(block):
        raise ValueError("not a token")
    return " ".join(tokens)


def _lacks_comma(tokens: list[str]) -> bool:
    """Whether the last token is a string (a key) directly behind a value."""
    return len(tokens) > 1 and tokens[-1].startswith('"') and tokens[-2] not in (*PAIRS, ",", ":")


def _string(literal: str) -> str:
    """A Python string as a JSON one."""
    if re.search(r"[\n\r\0]", ESCAPE.sub("", literal)):
        raise ValueError("a string spans lines or has a null character")
    return json.dumps(ESCAPE.sub(_unescape, literal[1:-1]))


def _unescape(match: re.Match[str]) -> str:
    escape = match[0][1:]
    if escape in ESCAPES:
        return ESCAPES[escape]
    if escape[0] in "01234567":
        return chr(int(escape, 8))
    if escape[0] in "xuUN":
        return chr(min(int(escape[1:], 16), BEYOND))
    return match[0]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("duplicate key")
    return entries


def _whole(digits: str) -> int:
    number = int(digits)  # raises for thousands of digits, which keeps this linear
    if not -WHOLE <= number < WHOLE:
        raise ValueError("an integer is too large")
    return number


def _real(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number is not finite")
    return number


DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_whole, parse_float=_real, parse_constant=_real
)
ENCODER = json.JSONEncoder(ensure_ascii=False)
LONGEST = 100_000
"""In replies with more characters than this, only well-formed blocks are read."""
COMMENT = r"\#(?!\d)[^\n]*+"
LETTER = r"[^\W_]"


def _match_quoted(opening: str, closing: str, apostrophe: str = "") -> str:
    """A string on one line, up to the first ``closing`` quote that is no apostrophe in or behind a word."""
    inside = rf"|(?<={LETTER}){apostrophe}(?={LETTER})|(?<=s){apostrophe}(?= {LETTER})" if apostrophe else ""
    return rf"[{opening}](?:[^{closing}\\\n\r]++|\\.{inside})*+[{closing}]"


LOOSE_STRING = "|".join(
    [
        _match_quoted('"', '"'),
        _match_quoted("'", "'", "'"),
        _match_quoted("“”„", "”“"),
        _match_quoted("‘’‚", "’‘", "’"),
    ]
)
SLIPS = Syntax(
    opening=OPENING,
    piece=re.compile(rf"{LOOSE_STRING}|{COMMENT}|[\[\](){{}}\"'\\]", re.DOTALL),
    token=re.compile(
        rf"(?:[ \t\n\r\f]|{COMMENT})*+(?:(?P<string>{LOOSE_STRING})|(?P<number>-?\d[\d.eE+-]*+)|"
        r"(?P<name>True|False|None|true|false|null)\b|(?P<mark>[\[\](){},:]))",
        re.DOTALL,
    ),
    commas=True,
)


def dictionaries(reply: str) -> tuple[dict[str, Any] | str, ...]:
    """Every dictionary in ``reply``, in order; what is between brackets and cannot be read is given as text.

    Well-formed blocks are read as by :func:`blocks`. Beyond these: Python comments, a missing comma before a
    key, typographic quotes, and apostrophes that are not escaped (*don't*, *players' boxes*). Nothing is
    guessed: two strings side by side, a quoted word in a string of the same quotes, a bare word, a bracket that
    never closes, a key twice and a string over the end of a line stay unreadable.

    >>> dictionaries("{'they_play': 'rock'  # they always do\\n 'i_play': ‘paper’}")
    ({'they_play': 'rock', 'i_play': 'paper'},)
    >>> dictionaries("{'i_play': 'rock'} or rather {'i_play': 'rock' 'paper'}")
    ({'i_play': 'rock'}, "{'i_play': 'rock' 'paper'}")
    """
    if len(reply) > LONGEST:
        return tuple(cast("dict[str, Any]", block) for block in blocks(reply) if isinstance(block, dict))
    parsed = [(span, parse_block(span, SLIPS) if closed else None) for span, closed in spans(reply, SLIPS)]
    return tuple(span if block is None else block for span, block in parsed if not isinstance(block, list))
