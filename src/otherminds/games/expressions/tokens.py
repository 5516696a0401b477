"""Cuts a text into tokens; refuses every character that the language does not have."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from otherminds.games.expressions.errors import ParseError

LONGEST = 2_000
"""Characters of a program."""
SHOWN = 24
"""Characters of the text that a message quotes."""

Sort: TypeAlias = Literal["number", "string", "word", "mark", "end"]

TOKEN = re.compile(
    r"(?P<skip>[ \t\r\n]+|#[^\n]*)"
    r"|(?P<number>(?:\d{1,9}(?:\.\d{0,9})?|\.\d{1,9})(?![\w.]))"
    r"""|(?P<string>'(?:[^'\\\n]|\\['"\\])*'|"(?:[^"\\\n]|\\['"\\])*")"""
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<mark>==|!=|<=|>=|//|[-+*/%<>(){},:=])",
    re.ASCII,
)
ESCAPED = re.compile(r"""\\(['"\\])""")
ADVICE = {
    "=": "compare with `==`",
    ".": "there are no attributes",
    "[": "there are no lists: write `their(1)` for the last encounter, `their(2)` for the one before",
    "]": "there are no lists: write `their(1)` for the last encounter, `their(2)` for the one before",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`, or `!=` for unequal",
    "^": "there are no powers",
    "'": "a string ends with the quotation mark that it began with, on the same line",
    '"': "a string ends with the quotation mark that it began with, on the same line",
    ";": "a program is one expression",
    "`": "write the program alone, without marks around it",
}


@dataclass(frozen=True)
class Token:
    """One token: its sort, its text (of a string what it says) and where it begins."""

    sort: Sort
    text: str
    at: int


def tokens(text: str) -> list[Token]:
    """The tokens of ``text``, and one of the sort ``end`` behind them.

    Raises:
        ParseError: the text is too long, or holds what is no token.
    """
    if len(text) > LONGEST:
        raise ParseError(
            f"a program has at most {LONGEST} characters, and this has {len(text)}; say it shorter"
        )
    found: list[Token] = []
    at = 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise ParseError(f"{_unknown(text, at)}, {near(text, at)}")
        if token["number"]:
            found.append(Token("number", token[0], at))
        elif token["string"]:
            found.append(Token("string", ESCAPED.sub(r"\1", token[0][1:-1]), at))
        elif token["word"]:
            found.append(Token("word", token[0], at))
        elif token["mark"]:
            found.append(Token("mark", token[0], at))
        at = token.end()
    return [*found, Token("end", "", at)]


def near(text: str, at: int) -> str:
    """Where something is, in words that quote the text."""
    rest = text[at : at + SHOWN].split("\n", maxsplit=1)[0]
    return f"at character {at + 1}, before {rest!a}" if rest.strip() else "at the end"


def _unknown(text: str, at: int) -> str:
    char = text[at]
    if char in "0123456789" or (char == "." and text[at + 1 : at + 2].isdigit()):
        return "a number has at most 9 digits before the point and 9 after it, and no exponent"
    what = f"{char!a} is no part of the language"
    return f"{what} ({ADVICE[char]})" if char in ADVICE else what
