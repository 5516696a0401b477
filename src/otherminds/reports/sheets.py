"""A table independent of its format, and numbers as text, for terminals and pages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from otherminds.measures.cells import Cell
from otherminds.measures.cost import Spread
from otherminds.measures.episode import Key
from otherminds.measures.intervals import FEW, ROUNDING, Estimate

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
Pair: TypeAlias = tuple[str, str]
"""A number, and the text below it (or beside it, if the sheet is ``inline``)."""
Row: TypeAlias = tuple[tuple[str, ...], tuple[Pair, ...]]
NONE: Pair = ("–", "")
FEW_MARK = "°"
"""Marks a number from fewer than ten episodes."""
HALF = "±: half the width of the 95 % interval (Student's t)."
ENDS = "[a, b]: the ends of the 95 % interval."
HYPHEN, BREAK = "\u00ad", "\u200b"
"""Places where a long head may be broken, with and without a hyphen (soft hyphen, zero-width space)."""
HEADS = {
    "Δ_Functional/T": f"Δ_Func{HYPHEN}tional/T",
    "Δ_ToM/T": f"Δ_ToM{BREAK}/T",
    "invalid %": f"inval{HYPHEN}id %",
}


class Sheet(Struct, frozen=True):
    """A table. ``heads`` name the columns; the first ``names`` of them have text, the others numbers.

    A row has a text for each of the former and a :data:`Pair` for each of the latter. ``paper`` are
    the indices of rows from a paper; rows from ``rule`` on have no counterpart there. ``cells`` are the
    scenario and mind of each row, where every row is about one cell: a page links it to its episodes.
    ``half`` says what ± means.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    inline: bool = False
    paper: frozenset[int] = frozenset()
    rule: int | None = None
    cells: tuple[Key, ...] = ()
    half: str = HALF

    @property
    def names(self) -> int:
        """The number of columns with text."""
        return len(self.rows[0][0]) if self.rows else 1

    @property
    def meanings(self) -> tuple[str, ...]:
        """What ±, [a, b] and the mark of few episodes mean, of those that are in the table."""
        texts = "".join(text for _, pairs in self.rows for pair in pairs for text in pair)
        few = (
            f"{FEW_MARK}: fewer than {FEW} episodes. A number without an interval has one episode, or all its "
            "values are equal."
        )
        known = (("±", self.half), ("[", ENDS), (FEW_MARK, few))
        return tuple(meaning for sign, meaning in known if sign in texts)

    @property
    def shown(self) -> list[tuple[Sequence[str], tuple[Pair, ...]]]:
        """The rows. Unless ``inline``, a text that repeats the row above is left out, except in the last text column."""
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


def trimmed(sheet: Sheet) -> Sheet:
    """The sheet without columns that have no number in any row; the notes of a report say why."""
    kept = [
        i for i in range(len(sheet.heads) - sheet.names) if any(pairs[i] != NONE for _, pairs in sheet.rows)
    ]
    heads = (*sheet.heads[: sheet.names], *(sheet.heads[sheet.names + i] for i in kept))
    rows = tuple((texts, tuple(pairs[i] for i in kept)) for texts, pairs in sheet.rows)
    return replace(sheet, heads=heads, rows=rows)


def grouped_by(things: Iterable[V], key: Callable[[V], K]) -> dict[K, list[V]]:
    """The things of each key, in their order.

    >>> grouped_by(["rock", "paper", "red"], lambda word: word[0])
    {'r': ['rock', 'red'], 'p': ['paper']}
    """
    found: dict[K, list[V]] = {}
    for thing in things:
        found.setdefault(key(thing), []).append(thing)
    return found


def fixed(number: float | None, digits: int = 3) -> str:
    """A number with ``digits`` decimals, never ``-0.000``; a dash for ``None``."""
    if number is None:
        return "–"
    return f"{number:.{digits}f}" if abs(number) >= 0.5 * 10**-digits else f"{0:.{digits}f}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share in per cent, without the sign."""
    return fixed(None if share is None else 100 * share, digits)


def half(found: Estimate, digits: int = 3) -> str:
    """Half the width of the interval as ``±0.004``; empty where there is none.

    A few episodes that are all alike do not show how much others would differ: they have none.
    """
    if found.mean is None or found.low is None or found.high is None:
        return ""
    if found.few and found.high - found.low <= ROUNDING:
        return ""
    return "±" + fixed((found.high - found.low) / 2, digits)


def interval(found: Estimate, digits: int = 3) -> str:
    """The interval as ``[0.98, 1.02]``; empty where there is none."""
    if found.mean is None or found.low is None or found.high is None:
        return ""
    return f"[{fixed(found.low, digits)}, {fixed(found.high, digits)}]"


def of_planned(cell: Cell) -> str:
    """The number of scored episodes, with the planned number if they differ."""
    return str(cell.scored) if cell.scored == cell.planned else f"{cell.scored}/{cell.planned}"


def marked(found: Estimate, digits: int = 3) -> str:
    """The mean, with the mark of few episodes."""
    return fixed(found.mean, digits) + (FEW_MARK if found.few else "")


def pair(found: Estimate, digits: int = 3) -> Pair:
    """The mean with half its interval; without a mean, the worst and the best case if they are known."""
    if found.mean is None and found.low is not None:
        return f"{fixed(found.low, digits)} to {fixed(found.high, digits)}", ""
    return marked(found, digits), half(found, digits)


def spread_pair(found: Spread | None, digits: int = 1) -> Pair:
    """A mean with half its interval."""
    if found is None:
        return NONE
    return pair(found.estimate, digits)
