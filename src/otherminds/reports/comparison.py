"""Two runs, or two minds of one run, compared: one sentence that says who is better at what, then a table."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import NamedTuple

import msgspec
from msgspec import Struct, structs

from otherminds.core.text import text_table
from otherminds.measures.comparing import LESS_IS_BETTER, Contrast, Difference, Score, compare
from otherminds.measures.intervals import Estimate
from otherminds.measures.verdict import Verdict
from otherminds.reports.contenders import Contender, list_common_cells
from otherminds.reports.sheets import fixed

NAMES: dict[Score, str] = {
    "literal": "L",
    "unused": "unused share",
    "functional": "F",
    "goals": "goals met",
    "reward": "reward",
}
BETTER: dict[Score, str] = {
    "literal": "knows more of its partners",
    "unused": "uses more of what it knows",
    "functional": "earns more",
    "goals": "meets the shared goal more often",
    "reward": "earns more",
}
EVERYWHERE = "all scenarios"
ALL_TASKS = "all tasks"
MEANINGS: dict[Score, str] = {
    "literal": "L: what it knows of its partners.",
    "unused": "Unused share: what it knows and does not act on, less is better; it is compared if both know their partners.",
    "functional": "F: what it wins by knowing.",
    "goals": "Goals met: the share of runs in which the shared goal holds at the end. All runs of a task count as one case.",
    "reward": "Reward: the mean return of an episode.",
}
PAIRED = (
    "Paired by partner and seed. Intervals and “differs” hold together at 95 % (Holm): those over all scenarios, and "
    "those of single ones."
)
PAIRED_RUNS = "Paired by task and seed. The interval and “differs” hold at 95 %."
WIDTH = 80
"""Columns of the notes under a comparison."""


class Comparison(Struct, frozen=True):
    """Two minds compared. ``names`` are those of the minds, or of their models where several minds are compared.

    ``size`` is the size of the suite at which two evaluations are compared, the smaller of theirs; empty for runs.
    ``contrast`` has the differences, the first minus the second.
    """

    names: tuple[str, str]
    contrast: Contrast
    size: str = ""

    @property
    def differences(self) -> tuple[Difference, ...]:
        """The differences over all scenarios, then those of each."""
        return *self.contrast.pooled, *self.contrast.rows

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict about each mind over the paired episodes; empty where their scenarios allow none."""
        return self.contrast.verdicts

    @property
    def sentence(self) -> str:
        """Who is better at what, with intervals that hold together at 95 %, and the number of pairs."""
        first, second = self.names
        where = f"at {self.contrast.pairs} paired episodes" + (f" of size {self.size}" if self.size else "")
        if self.contrast.reason:
            return f"“{first}” and “{second}” cannot be compared {where}: {self.contrast.reason}."
        leading = self.contrast.pooled or self.contrast.rows
        claims = [self._claims(side, leading) for side in (0, 1)]
        if any(claims):
            return f"{'; '.join(filter(None, claims))} ({where})."
        differences = ", ".join(
            f"{NAMES[difference.score]} {in_numbers(difference.by)}"
            for difference in leading
            if difference.tested
        )
        listing = f": {differences}" if differences and self.contrast.pooled else ""
        return f"No difference between “{first}” and “{second}” can be told {where}{listing}."

    def _claims(self, side: int, leading: Sequence[Difference]) -> str:
        """At what the mind of one side is better, as a clause; empty if at nothing."""
        claims: list[str] = []
        for difference in leading:
            ahead = (difference.by.mean or 0.0) > 0
            if difference.differs and ((ahead != (difference.score in LESS_IS_BETTER)) == (side == 0)):
                by = difference.by if side == 0 else turn_difference(difference.by)
                where = f" in {difference.scenario}" if difference.scenario else ""
                claims.append(
                    f"{BETTER[difference.score]}{where} ({NAMES[difference.score]} {in_numbers(by)})"
                )
        if not claims:
            return ""
        listed = " and ".join(filter(None, (", ".join(claims[:-1]), claims[-1])))
        return f"“{self.names[side]}” {listed} than “{self.names[1 - side]}”"

    def __repr__(self) -> str:
        return as_text(self)


class ComparisonDocument(Struct, frozen=True):
    """A :class:`Comparison` as JSON."""

    sentence: str
    names: tuple[str, str]
    size: str
    pairs: int
    lost: tuple[int, int]
    verdicts: tuple[Verdict, ...]
    differences: tuple[Difference, ...]


def compare_sides(sides: Sequence[Contender], size: str = "") -> Comparison:
    """Compares two ``sides``, over the cells in which they played the same; ``size`` is that of :class:`Comparison`.

    Raises:
        StudyError: there is none.
    """
    first, second = sides
    same = list_common_cells(sides)
    names = first.name, second.name
    ours, theirs = ({key: side.cells[key] for key in same} for side in (first, second))
    return Comparison(names, compare(ours, theirs, names), size)


class ComparisonTable(NamedTuple):
    """The differences as a table, and notes: what the scores mean, what holds, what was lost."""

    heads: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: list[str]


def tabulate_differences(comparison: Comparison) -> ComparisonTable:
    """A row for each difference, the first minus the second."""
    teams = {difference.score for difference in comparison.differences} == {"goals"}
    rows = [
        (
            difference.scenario or (ALL_TASKS if difference.score == "goals" else EVERYWHERE),
            difference.mind,
            NAMES[difference.score],
            "–" if difference.by.mean is None else fixed(difference.by.mean, 2),
            difference.by.reason
            if difference.by.low is None
            else f"{fixed(difference.by.low, 2)} to {fixed(difference.by.high, 2)}",
            f"{difference.pairs} ({difference.clusters})",
            "differs" if difference.differs else "" if difference.tested else "not tested",
        )
        for difference in comparison.differences
    ]
    heads = ("scenario", "mind", "score", "difference", "interval", "pairs (distinct)", "")
    if teams:
        heads = ("tasks", "mind", "score", "difference", "interval", "pairs (tasks)", "")
    lost = comparison.contrast.lost
    compared: dict[Score, None] = dict.fromkeys(difference.score for difference in comparison.differences)
    notes = (
        " ".join(MEANINGS[score] for score in compared),
        PAIRED_RUNS if teams else PAIRED,
        f"Lost: {lost[0]} and {lost[1]} of {comparison.contrast.pairs}; a lost episode counts against either claim.",
    )
    return ComparisonTable(heads, rows, [note for note in notes if note])


def as_text(comparison: Comparison) -> str:
    """The sentence, then the differences as a table."""
    first, second = comparison.names
    heads, rows, notes = tabulate_differences(comparison)
    below = "\n".join(fill(note, WIDTH) for note in notes)
    return f"{comparison.sentence}\n\n{first} − {second}\n{text_table(heads, rows)}\n{below}"


def as_json(comparison: Comparison) -> str:
    """The comparison as one line of JSON."""
    contrast = comparison.contrast
    document = ComparisonDocument(
        comparison.sentence,
        comparison.names,
        comparison.size,
        contrast.pairs,
        contrast.lost,
        comparison.verdicts,
        comparison.differences,
    )
    return msgspec.json.encode(document).decode()


def in_numbers(by: Estimate) -> str:
    """A difference with its sign and its interval.

    >>> in_numbers(Estimate(0.25, 0.125, 0.375))
    '+0.25 [0.12, 0.38]'
    """
    if by.mean is None:
        return "–"
    ends = "" if by.low is None else f" [{fixed(by.low, 2)}, {fixed(by.high, 2)}]"
    return f"{'+' if by.mean > 0 else ''}{fixed(by.mean, 2)}{ends}"


def turn_difference(by: Estimate) -> Estimate:
    """The same difference, the second minus the first.

    >>> turn_difference(Estimate(0.25, 0.125, 0.375)).low
    -0.375
    """
    mean, low, high = (None if end is None else -end for end in (by.mean, by.high, by.low))
    return structs.replace(by, mean=mean, low=low, high=high)
