"""A table in no form yet, and numbers as text: what a terminal and a page show alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from otherminds.measures.cost import Spread
from otherminds.measures.intervals import Estimate

Pair: TypeAlias = tuple[str, str]
"""A number, and what is written below it (or beside it, if the sheet is ``inline``)."""
Row: TypeAlias = tuple[tuple[str, ...], tuple[Pair, ...]]
NONE: Pair = ("–", "")
HYPHEN, BREAK = "\u00ad", "\u200b"
"""Where a long head may be broken, with a hyphen and without: browsers know both."""
HEADS = {
    "Δ_Functional/T": f"Δ_Func{HYPHEN}tional/T",
    "Δ_ToM/T": f"Δ_ToM{BREAK}/T",
    "invalid %": f"inval{HYPHEN}id %",
}


class Sheet(Struct, frozen=True):
    """``heads`` name the columns; the first ``names`` of them hold text, the others numbers.

    A row is a text for each of the former and a :data:`Pair` for each of the latter. ``paper`` are the
    indices of rows that are printed in a paper; from row ``rule`` on a run has no counterpart there.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    inline: bool = False
    paper: frozenset[int] = frozenset()
    rule: int | None = None

    @property
    def names(self) -> int:
        """How many columns hold text."""
        return len(self.rows[0][0]) if self.rows else 1

    @property
    def shown(self) -> list[tuple[Sequence[str], tuple[Pair, ...]]]:
        """The rows; a text that the row above has too is left out, but for the last one, unless ``inline``."""
        if self.inline:
            return list(self.rows)
        found: list[tuple[Sequence[str], tuple[Pair, ...]]] = []
        before: tuple[str, ...] = ()
        for texts, pairs in self.rows:
            same = [text == old for text, old in zip(texts[:-1], before, strict=False)]
            kept = ["" if i < len(same) and all(same[: i + 1]) else text for i, text in enumerate(texts)]
            found.append((kept, pairs))
            before = texts
        return found


def fixed(number: float | None, digits: int = 3) -> str:
    """A number with ``digits`` decimals, never ``-0.000``; a dash where there is none."""
    if number is None:
        return "–"
    return f"{number:.{digits}f}" if abs(number) >= 0.5 * 10**-digits else f"{0:.{digits}f}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share in per cent, without the sign."""
    return fixed(None if share is None else 100 * share, digits)


def half(found: Estimate, digits: int = 3) -> str:
    """Half the width of the interval as ``±0.004``; empty where there is none."""
    if found.mean is None or found.low is None or found.high is None:
        return ""
    return "±" + fixed((found.high - found.low) / 2, digits)


def interval(found: Estimate, digits: int = 3) -> str:
    """The interval as ``[0.98, 1.02]``; empty where there is none."""
    if found.mean is None or found.low is None or found.high is None:
        return ""
    return f"[{fixed(found.low, digits)}, {fixed(found.high, digits)}]"


def pair(found: Estimate, digits: int = 3) -> Pair:
    """The mean with half its interval; where it is missing, the worst and the best case if they are known."""
    if found.mean is None and found.low is not None:
        return f"{fixed(found.low, digits)} to {fixed(found.high, digits)}", ""
    return fixed(found.mean, digits), half(found, digits)


def spread_pair(found: Spread | None, digits: int = 1) -> Pair:
    """A mean with its standard error."""
    if found is None:
        return NONE
    return fixed(found.mean, digits), "" if found.sem is None else f"±{fixed(found.sem, digits)}"
