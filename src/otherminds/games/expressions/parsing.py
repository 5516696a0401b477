"""The parser: a tokeniser, and recursive descent with operators by precedence.

``expression := let NAME = expression in expression | if c then a else b | a if c else b | a OPERATOR b | ...``;
the whole grammar is in :mod:`otherminds.games.expressions`.

Python's :func:`ast.parse` would not do. ``if c then a else b``, ``let`` and ``a == not b`` are not Python, and the
messages, which a language model reads when it is asked again, must be the same under every version of Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from otherminds.games.expressions import tree
from otherminds.games.expressions.tree import BINDS, COMPARES, Expression, FunctionCall, ParseError

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
    found = parser.expression()
    if parser.token.sort != "end":
        raise parser.error("a program is one expression, and this goes on behind it")
    measured = list(tree.levels(found))
    if len(measured) > SIZE:
        raise ParseError(f"a program has at most {SIZE} parts, and this has {len(measured)}; say it shorter")
    if max(measured) > DEPTH:
        raise ParseError(TOO_DEEP)
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.token
        self.at += token.sort != "end"
        return token

    def accept(self, text: str) -> bool:
        """Takes the next token if it is this word or mark."""
        found = self.token.sort in {"word", "mark"} and self.token.text == text
        self.at += found
        return found

    def expect(self, text: str, why: str) -> None:
        if not self.accept(text):
            raise self.error(f"`{text}` is missing {why}")

    def error(self, what: str) -> ParseError:
        advice = ADVICE.get(self.token.text, "") if self.token.sort == "mark" else ""
        return ParseError(f"{advice or what}, {near(self.text, self.token.at)}")

    def expression(self) -> Expression:
        """``let``, ``if`` in both forms, or operators between operands."""
        self.depth += 1
        if self.depth > NESTED:
            raise ParseError(TOO_DEEP)
        if self.accept("let"):
            found = self.let()
        elif self.accept("if"):
            condition = self.expression()
            self.expect("then", "behind the condition of `if`")
            then = self.expression()
            self.expect("else", "behind the first branch of `if`: every `if` needs both")
            found = tree.If(condition, then, self.expression())
        else:
            found = self.operators(1)
            if self.accept("if"):
                condition = self.operators(1)
                self.expect("else", "behind the condition: write `A if CONDITION else B`")
                found = tree.If(condition, found, self.expression())
        self.depth -= 1
        return found

    def let(self) -> Expression:
        name = self.take()
        if name.sort != "word" or name.text in KEYWORDS:
            self.at -= name.sort != "end"
            raise self.error("a name is missing behind `let`")
        self.expect("=", "behind the name of `let`")
        value = self.expression()
        self.expect("in", "behind the value of `let`: write `let x = VALUE in BODY`")
        return tree.Let(name.text, value, self.expression())

    def operators(self, least: int) -> Expression:
        """Operators that bind at least as strongly as ``least``."""
        left = self.operand()
        while (binds := BINDS.get(self.token.text, 0) if self.token.sort in {"word", "mark"} else 0) >= least:
            operator = self.take().text
            left = FunctionCall(operator, (left, self.operators(binds + 1)))
            if binds == COMPARES and BINDS.get(self.token.text) == COMPARES:
                raise self.error("two things are compared at a time: join comparisons with `and`")
        return left

    def operand(self) -> Expression:
        self.depth += 1
        if self.depth > NESTED:
            raise ParseError(TOO_DEEP)
        if self.accept("not"):
            found: Expression = FunctionCall("not", (self.operators(tree.NOT),))
        elif self.accept("-"):
            found = FunctionCall(tree.NEGATIVE, (self.operators(tree.MINUS),))
        else:
            found = self.atom()
        self.depth -= 1
        return found

    def atom(self) -> Expression:
        token = self.token
        if self.accept("("):
            found = self.expression()
            self.expect(")", "to close a bracket")
            return found
        if token.sort in {"number", "string"}:
            self.take()
            return tree.NumberLiteral(float(token.text)) if token.sort == "number" else tree.Named(token.text)
        if token.sort != "word" or (token.text in KEYWORDS and token.text not in TRUTHS):
            raise self.error("a value is missing")
        if token.text in FOREIGN:
            raise self.error(f"there is no `{token.text}`: write one expression alone")
        self.take()
        if token.text in TRUTHS:
            return tree.Truth(TRUTHS[token.text])
        if not self.accept("("):
            return tree.Identifier(token.text)
        if token.text == "mix":
            return FunctionCall("mix", tuple(self.weighted()))
        if self.accept(")"):
            return tree.Identifier(token.text)
        return FunctionCall(token.text, tuple(self.listed(token.text)))

    def listed(self, name: str) -> list[Expression]:
        """The arguments of the function ``name``, behind its opening bracket."""
        found = [self.expression()]
        while not self.accept(")"):
            if not self.accept(","):
                raise self.error(f"`,` or `)` is missing in the arguments of `{name}`")
            found.append(self.expression())
        return found

    def weighted(self) -> list[Expression]:
        """The argument of ``mix``: ``{outcome: weight, ...}``, at least one, with an optional last comma."""
        self.expect("{", "in `mix`: write `mix({'A': 0.7, 'B': 0.3})`")
        found: list[Expression] = []
        while True:
            found.append(self.expression())
            self.expect(":", "between an outcome of `mix` and its weight")
            found.append(self.expression())
            more = self.accept(",")
            if self.accept("}"):
                break
            if not more:
                raise self.error("`,` or `}` is missing behind a weight of `mix`")
        self.expect(")", "to close `mix`")
        return found


@dataclass(frozen=True)
class Token:
    """One token: its sort (a group of :data:`TOKEN`, or ``end``), its text (of a string the value), its position."""

    sort: str
    text: str
    at: int


def tokens(text: str) -> list[Token]:
    """The tokens of ``text``, then one of the sort ``end``.

    Raises:
        ParseError: the text is too long, or a character begins no token.
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
        sort, said = token.lastgroup or "", token[0]
        if sort != "skip":
            found.append(Token(sort, ESCAPED.sub(r"\1", said[1:-1]) if sort == "string" else said, at))
        at = token.end()
    return [*found, Token("end", "", at)]


def near(text: str, at: int) -> str:
    """A position in words, with a quotation of the text."""
    rest = text[at : at + SHOWN].split("\n", maxsplit=1)[0]
    return f"at character {at + 1}, before {rest!a}" if rest.strip() else "at the end"


def _unknown(text: str, at: int) -> str:
    char = text[at]
    if char in "0123456789" or (char == "." and text[at + 1 : at + 2].isdigit()):
        return "a number has at most 9 digits before the point and 9 after it, and no exponent"
    what = f"{char!a} is no part of the language"
    return f"{what} ({ADVICE[char]})" if char in ADVICE else what
