"""Programs as trees: the kinds of values, the parser, and the canonical text of a tree.

The parser is a tokeniser, and recursive descent with operators by precedence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple, TypeAlias

from otherminds.core.data import Game
from otherminds.core.errors import ReplyError

Side: TypeAlias = int
THEIR, MINE = 0, 1
UNKNOWN = -1
"""The behaviour of an encounter that has not happened, and all that follows from it."""


class ValueKind(Enum):
    """A kind of value, in the words of error messages."""

    NUMBER = "a number"
    TRUTH = "true or false"
    BEHAVIOUR = "a behaviour"
    CHANCES = "a distribution"
    SIDE = "`their` or `mine`"
    SPAN = "a whole number of encounters that is written out, 1 to 40"


LONGEST_SPAN = 40
"""The largest :attr:`ValueKind.SPAN`, in encounters."""


@dataclass(frozen=True)
class Takes:
    """The arguments of a function: ``needed``, then any of ``more`` in this order.

    With ``repeats`` the needed ones may repeat, in the same order.
    """

    needed: tuple[ValueKind, ...] = ()
    more: tuple[ValueKind, ...] = ()
    repeats: bool = False

    def kinds(self, count: int) -> tuple[ValueKind, ...] | None:
        """The kinds of ``count`` arguments; ``None`` if the function takes another number."""
        if self.repeats:
            rounds, remainder = divmod(count, len(self.needed))
            return self.needed * rounds if rounds and not remainder else None
        kinds = (self.needed + self.more)[:count]
        return kinds if len(self.needed) <= count == len(kinds) else None


@dataclass(frozen=True)
class BehaviourNames:
    """The names that behaviours have in programs.

    ``theirs`` are the partner's, ``own`` those of the predicting seat, both by index; a name in both is one
    behaviour. ``game``, where the payoffs are known, is seen from the own (row) seat.
    """

    own: tuple[str, ...]
    theirs: tuple[str, ...]
    game: Game | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All names; the partner's first, so that their numbers are its indices."""
        return tuple(dict.fromkeys(self.theirs + self.own))

    @cached_property
    def number_of_own(self) -> tuple[int, ...]:
        """The number in :attr:`names` of each own behaviour."""
        return tuple(map(self.names.index, self.own))

    @cached_property
    def theirs_replies(self) -> tuple[int, ...]:
        """By number of an own behaviour: the partner's best reply, the lowest on ties; else unknown."""
        game = self._require_game()
        best = [_largest([pays for _, pays in row]) for row in game.payoffs]
        return tuple(best[self.own.index(name)] if name in self.own else UNKNOWN for name in self.names)

    @cached_property
    def own_replies(self) -> tuple[int, ...]:
        """By number of a partner's behaviour: the own best reply; else unknown."""
        game = self._require_game().flipped()
        best = [self.number_of_own[_largest([pays for _, pays in row])] for row in game.payoffs]
        return tuple(best[i] if i < len(self.theirs) else UNKNOWN for i in range(len(self.names)))

    @cached_property
    def payoffs(self) -> tuple[dict[tuple[int, int], float], ...]:
        """By side: the payoff by the numbers (theirs, own)."""
        game = self._require_game()
        cells = {
            (j, number): pays
            for number, row in zip(self.number_of_own, game.payoffs, strict=True)
            for j, pays in enumerate(row)
        }
        return {at: pays[1] for at, pays in cells.items()}, {at: pays[0] for at, pays in cells.items()}

    def _require_game(self) -> Game:
        assert self.game is not None, "programs that need the payoffs are refused where there are none"
        return self.game


class HistoryMemory(NamedTuple):
    """The state of a predictor: the part of the history that its program uses.

    ``round`` is the number of encounters so far. ``recent[side]`` are the last behaviours of
    that side, oldest first; ``counts[side][i]`` is how often it showed behaviour ``i``,
    ``runs[side]`` how often it has repeated the last one.
    """

    round: int
    recent: tuple[tuple[int, ...], tuple[int, ...]]
    counts: tuple[tuple[int, ...], ...]
    runs: tuple[int, int]


def _largest(pays: Sequence[float]) -> int:
    return list(pays).index(max(pays))


MESSAGE = 500
"""Characters of an error message, at most."""
NEGATIVE = "unary -"
"""The name of the operator before a single number; no function can have this name."""
BINDS = {
    "or": 1,
    "and": 2,
    **dict.fromkeys(("==", "!=", "<", "<=", ">", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "//", "%"), 6),
}
"""The precedence of binary operators; all associate to the left."""
COMPARES, NOT, MINUS, ATOM = BINDS["=="], 3, 7, 9
"""The precedence of comparisons, ``not``, a sign, and of everything that needs no brackets."""


class ParseError(ReplyError):
    """A text is not a program. The message says what is wrong, where, and how to correct it.

    It is one line of at most :data:`MESSAGE` characters.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text if len(text) <= MESSAGE else f"{text[: MESSAGE - 3]}...")


@dataclass(frozen=True, slots=True)
class Expression:
    """One part of a program, with the parts ``inside`` it.

    ``name`` is a word, a function, an operator, ``if`` (condition, then, else) or ``let`` (value, body), and empty for
    a literal. Arguments of ``mix`` alternate between outcome and weight. ``value`` is the value of a literal (a number
    is never negative) and the name that ``let`` defines. ``kind`` is known of a literal; of the other parts it is
    ``None`` until they are checked.
    """

    name: str
    inside: tuple[Expression, ...] = ()
    value: float | bool | str | None = None
    kind: ValueKind | None = None


def formatted(expression: Expression) -> str:
    """``expression`` as a text that parses to it again.

    >>> from otherminds.games.expressions.parsing import parse
    >>> formatted(parse("'b' if (their(1)=='a') else uniform()"))
    "if their(1) == 'a' then 'b' else uniform"
    """
    return _write_part(expression, 0)


def _write_part(expression: Expression, least: int) -> str:
    """``expression``, in brackets where it binds less strongly than ``least``."""
    text, binds = _bare(expression)
    return text if binds >= least else f"({text})"


def _bare(expression: Expression) -> tuple[str, int]:
    """The text of ``expression`` without brackets around it, and how strongly it binds."""
    name, inside, value = expression.name, expression.inside, expression.value
    if not name:
        return _literal(value), ATOM
    if name == "not":
        return f"not {_write_part(inside[0], NOT)}", NOT
    if name == NEGATIVE:
        return f"-{_write_part(inside[0], MINUS)}", MINUS
    if name in BINDS:
        binds = BINDS[name]
        first = binds + 1 if binds == COMPARES else binds
        return f"{_write_part(inside[0], first)} {name} {_write_part(inside[1], binds + 1)}", binds
    parts = [_write_part(part, 0) for part in inside]
    if name == "if":
        return "if {} then {} else {}".format(*parts), 0
    if name == "let":
        return f"let {value} = {parts[0]} in {parts[1]}", 0
    if name == "mix" and parts:
        pairs = ", ".join(f"{of}: {weight}" for of, weight in zip(parts[::2], parts[1::2], strict=True))
        return f"mix({{{pairs}}})", ATOM
    return f"{name}({', '.join(parts)})" if parts else name, ATOM


def _literal(value: float | bool | str | None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return f"{value:.9f}".rstrip("0").rstrip(".")
    quote = '"' if "'" in value and '"' not in value else "'"
    return quote + value.replace("\\", "\\\\").replace(quote, f"\\{quote}") + quote


LONGEST_PROGRAM = 2_000
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
    if len(text) > LONGEST_PROGRAM:
        raise ParseError(
            f"a program has at most {LONGEST_PROGRAM} characters, and this has {len(text)}; say it shorter"
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
