"""Reads s-expressions: words and bracketed groups, each with its place. Knows nothing of formulas."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from otherminds.epistemic.formula import DEEPEST, FormulaError

LONGEST = 1_000_000
"""Characters of a text."""

TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")


@dataclass(frozen=True)
class Symbol:
    """What stands between spaces and brackets; ``at`` is where it begins."""

    text: str
    at: int


@dataclass(frozen=True)
class Group:
    """What stands between two brackets; ``at`` is the place of the opening one."""

    parts: tuple[Node, ...]
    at: int

    @property
    def head(self) -> str:
        """The first word in small letters; empty where the group does not begin with a word."""
        return self.parts[0].text.lower() if self.parts and isinstance(self.parts[0], Symbol) else ""


Node: TypeAlias = Symbol | Group


def nodes(text: str) -> tuple[Node, ...]:
    """What a text holds, comments (``;`` to the end of the line) left out.

    Raises:
        FormulaError: the brackets do not match, or the text is longer than
            :data:`LONGEST` or nested deeper than :data:`DEEPEST`.
    """
    if len(text) > LONGEST:
        raise FormulaError(
            f"a text has at most {LONGEST:,} characters, and this has {len(text):,}; shorten it"
        )
    open_at: list[int] = []
    levels: list[list[Node]] = [[]]
    for token in TOKEN.finditer(text):
        match token[0][0]:
            case ";":
                pass
            case "(":
                if len(open_at) == DEEPEST:
                    raise fault(
                        text, token.start(), f"more than {DEEPEST} brackets inside each other; nest less"
                    )
                open_at.append(token.start())
                levels.append([])
            case ")":
                if not open_at:
                    raise fault(text, token.start(), "this `)` closes nothing; take it out, or add its `(`")
                group = Group(tuple(levels.pop()), open_at.pop())
                levels[-1].append(group)
            case _:
                levels[-1].append(Symbol(token[0], token.start()))
    if open_at:
        raise fault(text, open_at[-1], "this `(` is never closed; add its `)`")
    return tuple(levels[0])


def fault(text: str, at: int, what: str) -> FormulaError:
    """One fault of a text, at a character of it."""
    place = position(text, at)
    return FormulaError(f"{in_words(place)}: {what}", (place,))


def position(text: str, at: int) -> tuple[int, int]:
    """The line and the column of a character, both from 1."""
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def in_words(place: tuple[int, int]) -> str:
    """A line and a column in words."""
    return f"line {place[0]}, column {place[1]}"
