"""The parser: a tokeniser, and recursive descent with operators by precedence.

``expression := let NAME = expression in expression | if c then a else b | a if c else b | a OPERATOR b | ...``;
the whole grammar is in :mod:`otherminds.games.expressions`.

Python's :func:`ast.parse` would not do. ``if c then a else b``, ``let`` and ``a == not b`` are not Python, and the
messages, which a language model reads when it is asked again, must be the same under every version of Python. A
translation into Python needs all checks of tokens below in front of it, and more time and memory than reading the tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from otherminds.games.expressions.tree import BINDS, COMPARES, MINUS, NEGATIVE, NOT, Expression, ParseError
from otherminds.games.expressions.values import ValueKind

LONGEST = 2_000
"""Characters of a program."""
SHOWN = 24
"""Characters of the text that a message quotes."""

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
DEPTH = 40
"""Expressions inside each other."""
TOO_DEEP = f"expressions stand at most {DEPTH} deep inside each other; say it shorter"
NESTED = 60
"""The recursion depth of the parser: small enough for Python's stack."""
SIZE = 200
"""Expressions in a program, counting each literal, word, call and operator."""

TRUTHS = {"true": True, "True": True, "false": False, "False": False}
KEYWORDS = frozenset({"if", "then", "else", "let", "in", "and", "or", "not", *TRUTHS})
FOREIGN = frozenset({"def", "elif", "for", "import", "lambda", "return", "while"})
"""Words of other languages, which have their own message."""


def parse(text: str) -> Expression:
    """Parses ``text``, without checking kinds and names.

    Raises:
        ParseError: the text is no program, or it is too long or too deep.
    """
    parser = _Parser(text)
    expression = parser.read_expression()
    if parser.token.sort != "end":
        raise parser.error("a program is one expression, and this goes on behind it")
    size, depth = 0, 0
    level = [expression]
    while level:
        size, depth = size + len(level), depth + 1
        level = [part for outer in level for part in outer.inside]
    if size > SIZE:
        raise ParseError(f"a program has at most {SIZE} parts, and this has {size}; say it shorter")
    if depth > DEPTH:
        raise ParseError(TOO_DEEP)
    return expression


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def accept(self, text: str) -> bool:
        """Takes the next token if it is this word or mark."""
        matches = self.token.sort in {"word", "mark"} and self.token.text == text
        self.at += matches
        return matches

    def expect(self, text: str, why: str) -> None:
        if not self.accept(text):
            raise self.error(f"`{text}` is missing {why}")

    def error(self, problem: str) -> ParseError:
        advice = ADVICE.get(self.token.text, "") if self.token.sort == "mark" else ""
        return ParseError(f"{advice or problem}, {near(self.text, self.token.at)}")

    def descend(self) -> None:
        """Counts one more expression or operand around the next token."""
        self.depth += 1
        if self.depth > NESTED:
            raise ParseError(TOO_DEEP)

    def read_expression(self) -> Expression:
        """``let``, ``if`` in both forms, or operators between operands."""
        self.descend()
        if self.accept("let"):
            expression = self.read_let()
        elif self.accept("if"):
            condition = self.read_expression()
            self.expect("then", "behind the condition of `if`")
            then = self.read_expression()
            self.expect("else", "behind the first branch of `if`: every `if` needs both")
            expression = Expression("if", (condition, then, self.read_expression()))
        else:
            expression = self.read_operators(1)
            if self.accept("if"):
                condition = self.read_operators(1)
                self.expect("else", "behind the condition: write `A if CONDITION else B`")
                expression = Expression("if", (condition, expression, self.read_expression()))
        self.depth -= 1
        return expression

    def read_let(self) -> Expression:
        name = self.token
        if name.sort != "word" or name.text in KEYWORDS:
            raise self.error("a name is missing behind `let`")
        self.at += 1
        self.expect("=", "behind the name of `let`")
        value = self.read_expression()
        self.expect("in", "behind the value of `let`: write `let x = VALUE in BODY`")
        return Expression("let", (value, self.read_expression()), name.text)

    def read_operators(self, least: int) -> Expression:
        """Operators that bind at least as strongly as ``least``."""
        expression = self.read_operand()
        while (binds := self.token.binds) >= least:
            operator = self.token.text
            self.at += 1
            expression = Expression(operator, (expression, self.read_operators(binds + 1)))
            if binds == COMPARES == self.token.binds:
                raise self.error("two things are compared at a time: join comparisons with `and`")
        return expression

    def read_operand(self) -> Expression:
        self.descend()
        if self.accept("not"):
            operand = Expression("not", (self.read_operators(NOT),))
        elif self.accept("-"):
            operand = Expression(NEGATIVE, (self.read_operators(MINUS),))
        elif self.accept("("):
            operand = self.read_expression()
            self.expect(")", "to close a bracket")
        else:
            operand = self.read_atom()
        self.depth -= 1
        return operand

    def read_atom(self) -> Expression:
        """A literal, a word, or a call."""
        token = self.token
        sort, text = token.sort, token.text
        if sort not in {"number", "string"}:
            if sort != "word" or (text in KEYWORDS and text not in TRUTHS):
                raise self.error("a value is missing")
            if text in FOREIGN:
                raise self.error(f"there is no `{text}`: write one expression alone")
        self.at += 1
        if sort == "number":
            return Expression("", value=float(text), kind=ValueKind.NUMBER)
        if sort == "string":
            return Expression("", value=text, kind=ValueKind.BEHAVIOUR)
        if text in TRUTHS:
            return Expression("", value=TRUTHS[text], kind=ValueKind.TRUTH)
        if not self.accept("("):
            return Expression(text)
        if text == "mix":
            return Expression("mix", tuple(self.read_weighted()))
        return Expression(text, () if self.accept(")") else tuple(self.read_arguments(text)))

    def read_arguments(self, function: str) -> Iterator[Expression]:
        """The arguments of ``function``, at least one, and the closing bracket."""
        yield self.read_expression()
        while not self.accept(")"):
            if not self.accept(","):
                raise self.error(f"`,` or `)` is missing in the arguments of `{function}`")
            yield self.read_expression()

    def read_weighted(self) -> Iterator[Expression]:
        """The argument of ``mix``: ``{outcome: weight, ...}``, at least one, with an optional last comma."""
        self.expect("{", "in `mix`: write `mix({'A': 0.7, 'B': 0.3})`")
        while True:
            yield self.read_expression()
            self.expect(":", "between an outcome of `mix` and its weight")
            yield self.read_expression()
            comma = self.accept(",")
            if self.accept("}"):
                break
            if not comma:
                raise self.error("`,` or `}` is missing behind a weight of `mix`")
        self.expect(")", "to close `mix`")


class Token(NamedTuple):
    """One token: its sort (a group of :data:`TOKEN`, or ``end``), its text (of a string the value), its position.

    ``binds`` is the precedence of a binary operator, 0 for everything else.
    """

    sort: str
    text: str
    at: int
    binds: int = 0


def tokens(text: str) -> list[Token]:
    """The tokens of ``text``, then one of the sort ``end``.

    Raises:
        ParseError: the text is too long, or a character begins no token.
    """
    if len(text) > LONGEST:
        raise ParseError(
            f"a program has at most {LONGEST} characters, and this has {len(text)}; say it shorter"
        )
    result: list[Token] = []
    at = 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if token is None:
            raise ParseError(f"{_say_unknown(text, at)}, {near(text, at)}")
        sort, lexeme = token.lastgroup or "", token[0]
        if sort == "string":
            result.append(Token(sort, ESCAPED.sub(r"\1", lexeme[1:-1]), at))
        elif sort != "skip":
            result.append(Token(sort, lexeme, at, BINDS.get(lexeme, 0)))
        at = token.end()
    return [*result, Token("end", "", at)]


def near(text: str, at: int) -> str:
    """A position in words, with a quotation of the text."""
    remainder = text[at : at + SHOWN].split("\n", maxsplit=1)[0]
    return f"at character {at + 1}, before {remainder!a}" if remainder.strip() else "at the end"


def _say_unknown(text: str, at: int) -> str:
    char = text[at]
    if char in "0123456789" or (char == "." and text[at + 1 : at + 2].isdigit()):
        return "a number has at most 9 digits before the point and 9 after it, and no exponent"
    problem = f"{char!a} is no part of the language"
    return f"{problem} ({ADVICE[char]})" if char in ADVICE else problem
