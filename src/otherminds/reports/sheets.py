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
        signs = (("±", self.half), ("[", ENDS), (FEW_MARK, few))
        return tuple(meaning for sign, meaning in signs if sign in texts)

    @property
    def shown(self) -> list[tuple[Sequence[str], tuple[Pair, ...]]]:
        """The rows. Unless ``inline``, a text that repeats the row above is left out, except in the last text column."""
        if self.inline:
            return list(self.rows)
        rows: list[tuple[Sequence[str], tuple[Pair, ...]]] = []
        before: tuple[str, ...] = ()
        for texts, pairs in self.rows:
            same = [text == old for text, old in zip(texts[:-1], before, strict=False)]
            names = ["" if i < len(same) and all(same[: i + 1]) else text for i, text in enumerate(texts)]
            rows.append((names, pairs))
            before = texts
        return rows


def trim_sheet(sheet: Sheet) -> Sheet:
    """The sheet without columns that have no number in any row; the notes of a report say why."""
    columns = [
        i for i in range(len(sheet.heads) - sheet.names) if any(pairs[i] != NONE for _, pairs in sheet.rows)
    ]
    heads = (*sheet.heads[: sheet.names], *(sheet.heads[sheet.names + i] for i in columns))
    rows = tuple((texts, tuple(pairs[i] for i in columns)) for texts, pairs in sheet.rows)
    return replace(sheet, heads=heads, rows=rows)


def grouped_by(entries: Iterable[V], key: Callable[[V], K]) -> dict[K, list[V]]:
    """The entries of each key, in their order.

    >>> grouped_by(["rock", "paper", "red"], lambda word: word[0])
    {'r': ['rock', 'red'], 'p': ['paper']}
    """
    groups: dict[K, list[V]] = {}
    for entry in entries:
        groups.setdefault(key(entry), []).append(entry)
    return groups


def fixed(number: float | None, digits: int = 3) -> str:
    """A number with ``digits`` decimals, never ``-0.000``; a dash for ``None``."""
    if number is None:
        return "–"
    return f"{number:.{digits}f}" if abs(number) >= 0.5 * 10**-digits else f"{0:.{digits}f}"


def percent(share: float | None, digits: int = 1) -> str:
    """A share in per cent, without the sign."""
    return fixed(None if share is None else 100 * share, digits)


def half(estimate: Estimate, digits: int = 3) -> str:
    """Half the width of the interval as ``±0.004``; empty where there is none.

    A few episodes that are all alike do not show how much others would differ: they have none.
    """
    if estimate.mean is None or estimate.low is None or estimate.high is None:
        return ""
    if estimate.few and estimate.high - estimate.low <= ROUNDING:
        return ""
    return "±" + fixed((estimate.high - estimate.low) / 2, digits)


def interval(estimate: Estimate, digits: int = 3) -> str:
    """The interval as ``[0.98, 1.02]``; empty where there is none."""
    if estimate.mean is None or estimate.low is None or estimate.high is None:
        return ""
    return f"[{fixed(estimate.low, digits)}, {fixed(estimate.high, digits)}]"


def of_planned(cell: Cell) -> str:
    """The number of scored episodes, with the planned number if they differ."""
    return str(cell.scored) if cell.scored == cell.planned else f"{cell.scored}/{cell.planned}"


def format_mean(estimate: Estimate, digits: int = 3) -> str:
    """The mean, with the mark of few episodes."""
    return fixed(estimate.mean, digits) + (FEW_MARK if estimate.few else "")


def pair(estimate: Estimate, digits: int = 3) -> Pair:
    """The mean with half its interval; without a mean, the worst and the best case if they are known."""
    if estimate.mean is None and estimate.low is not None:
        return f"{fixed(estimate.low, digits)} to {fixed(estimate.high, digits)}", ""
    return format_mean(estimate, digits), half(estimate, digits)


def spread_pair(spread: Spread | None, digits: int = 1) -> Pair:
    """A mean with half its interval."""
    if spread is None:
        return NONE
    return pair(spread.estimate, digits)
