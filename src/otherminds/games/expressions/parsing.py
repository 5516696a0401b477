"""The parser: recursive descent, with operators by precedence.

``expression := let NAME = expression in expression | if c then a else b | a if c else b | a OPERATOR b | ...``;
the whole grammar stands in :mod:`otherminds.games.expressions`.
"""

from __future__ import annotations

from otherminds.games.expressions.errors import ParseError
from otherminds.games.expressions.tokens import ADVICE, Token, near, tokens
from otherminds.games.expressions.tree import (
    NEGATIVE,
    Call,
    Expression,
    If,
    Let,
    Named,
    Number,
    Truth,
    Word,
    levels,
)

DEPTH = 40
"""Expressions inside each other."""
NESTED = 60
"""Brackets, branches and signs that the parser is inside of at once: few enough for Python's own stack."""
SIZE = 200
"""Expressions in a program, counting each literal, word, call and operator."""

BINDS = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "//", "%"), 6),
}
"""How strongly the operators between two expressions bind; all lean to the left."""
COMPARES = BINDS["=="]
NOT, MINUS = 3, 7
"""How strongly ``not`` and the minus before an expression bind."""
TRUTHS = {"true": True, "True": True, "false": False, "False": False}
KEYWORDS = frozenset({"if", "then", "else", "let", "in", "and", "or", "not", *TRUTHS})
FOREIGN = frozenset({"def", "elif", "for", "import", "lambda", "return", "while"})
"""Words of other languages, which get a message of their own."""


def parse(text: str) -> Expression:
    """The program that ``text`` is, not yet checked.

    Raises:
        ParseError: the text is no program, or a too long or too deep one.
    """
    parser = _Parser(text)
    found = parser.expression()
    parser.expect_end()
    measured = [level for _, level in levels(found)]
    if len(measured) > SIZE:
        raise ParseError(f"a program has at most {SIZE} parts, and this has {len(measured)}; say it shorter")
    if max(measured) > DEPTH:
        raise ParseError(_too_deep())
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

    def expect_end(self) -> None:
        if self.token.sort != "end":
            raise self.error("a program is one expression, and this goes on behind it")

    def error(self, what: str) -> ParseError:
        advice = ADVICE.get(self.token.text, "") if self.token.sort == "mark" else ""
        return ParseError(f"{advice or what}, {near(self.text, self.token.at)}")

    def expression(self) -> Expression:
        """``let``, ``if`` in both forms, or operators between operands."""
        self.depth += 1
        if self.depth > NESTED:
            raise ParseError(_too_deep())
        if self.accept("let"):
            found = self.let()
        elif self.accept("if"):
            condition = self.expression()
            self.expect("then", "behind the condition of `if`")
            then = self.expression()
            self.expect("else", "behind the first branch of `if`: every `if` needs both")
            found = If(condition, then, self.expression())
        else:
            found = self.operators(1)
            if self.accept("if"):
                condition = self.operators(1)
                self.expect("else", "behind the condition: write `A if CONDITION else B`")
                found = If(condition, found, self.expression())
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
        return Let(name.text, value, self.expression())

    def operators(self, least: int) -> Expression:
        """Operators that bind at least as strongly as ``least``."""
        left = self.operand()
        while (binds := BINDS.get(self.token.text, 0) if self.token.sort in {"word", "mark"} else 0) >= least:
            operator = self.take().text
            left = Call(operator, (left, self.operators(binds + 1)))
            if binds == COMPARES and BINDS.get(self.token.text) == COMPARES:
                raise self.error("two things are compared at a time: join comparisons with `and`")
        return left

    def operand(self) -> Expression:
        self.depth += 1
        if self.depth > NESTED:
            raise ParseError(_too_deep())
        if self.accept("not"):
            found: Expression = Call("not", (self.operators(NOT),))
        elif self.accept("-"):
            found = Call(NEGATIVE, (self.operators(MINUS),))
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
        if token.sort == "number":
            self.take()
            return Number(float(token.text))
        if token.sort == "string":
            self.take()
            return Named(token.text)
        if token.sort != "word" or (token.text in KEYWORDS and token.text not in TRUTHS):
            raise self.error("a value is missing")
        if token.text in FOREIGN:
            raise self.error(f"there is no `{token.text}`: write one expression alone")
        self.take()
        if token.text in TRUTHS:
            return Truth(TRUTHS[token.text])
        if not self.accept("("):
            return Word(token.text)
        if token.text == "mix":
            return Call("mix", tuple(self.weighted()))
        if self.accept(")"):
            return Word(token.text)
        return Call(token.text, tuple(self.listed(token.text)))

    def listed(self, name: str) -> list[Expression]:
        """The arguments of the function ``name``, behind its opening bracket."""
        found = [self.expression()]
        while not self.accept(")"):
            if not self.accept(","):
                raise self.error(f"`,` or `)` is missing in the arguments of `{name}`")
            found.append(self.expression())
        return found

    def weighted(self) -> list[Expression]:
        """What ``mix`` takes: ``{outcome: weight, ...}``, at least one; a comma may stand behind the last."""
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


def _too_deep() -> str:
    return f"expressions stand at most {DEPTH} deep inside each other; say it shorter"
