"""Table 2 of Juneja et al. 2026 (arXiv 2605.09826v2, CC BY 4.0) as data, with consistency checks.

``published.csv`` has one printed cell of three numbers per line, in the order of the table. Its columns:

- ``split``: ``standard`` or ``hard``; ``model``; ``scope``: ``coop``, ``mixed`` or ``overall``;
  ``measure``: ``functional`` or ``literal``.
- ``avg`` with its binomial standard error ``error``, ``some`` (Pass@3) and ``every`` (Pass^3), in per cent.

All of them are multiples of 1/66, 1/54 and 1/120 (``avg``) and 1/22, 1/18 and 1/40 (the others): 22
cooperative and 18 mixed tasks a split, three runs each.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from otherminds.core.printed import printed
from otherminds.measures.household.passes import RUNS, standard_error

TASKS = {"coop": 22, "mixed": 18, "overall": 40}
"""Tasks of a scope in either split, as the printed numbers have them."""
HALF = 0.05 + 1e-9
"""Half a unit of the last printed digit."""


class PublishedPass(Struct, frozen=True):
    """One printed cell; see the module for the fields."""

    split: str
    model: str
    scope: str
    measure: str
    avg: float
    error: float
    some: float
    every: float


class Counts(Struct, frozen=True):
    """The counts of a printed cell: passed runs, and tasks that passed in some run and in all runs."""

    runs: int
    some: int
    every: int


@cache
def published() -> tuple[PublishedPass, ...]:
    """Every printed cell, in the order of the table.

    Raises:
        InternalError: the shipped file is damaged; the message names the line.
    """
    return printed("otherminds.measures.household", PublishedPass)


def counts(row: PublishedPass) -> Counts | None:
    """The unique counts that round to the printed numbers; ``None`` if there are none."""
    tasks = TASKS[row.scope]
    found = [_count(row.avg, RUNS * tasks), _count(row.some, tasks), _count(row.every, tasks)]
    runs, some, every = found
    return None if runs is None or some is None or every is None else Counts(runs, some, every)


def doubts(rows: tuple[PublishedPass, ...]) -> list[str]:
    """All contradictions of printed cells to their definitions or to one another.

    The standard error follows from the average and the number of runs; of m tasks that pass in some run, e of
    them in every one, there come m + 2e to 2m + e runs that pass; cooperative and mixed add up to overall.
    """
    found: list[str] = []
    sums: dict[tuple[str, str, str], dict[str, Counts]] = {}
    for row in rows:
        where = f"{row.split}, {row.model}, {row.scope}, {row.measure}"
        known = counts(row)
        if known is None:
            found.append(f"{where}: no counts of {TASKS[row.scope]} tasks round to what is printed")
            continue
        attempts = RUNS * TASKS[row.scope]
        error = standard_error(known.runs / attempts, attempts)
        if abs(error - row.error) > HALF:
            found.append(f"{where}: the standard error is {error:.2f}, printed {row.error}")
        if not known.some + 2 * known.every <= known.runs <= 2 * known.some + known.every:
            found.append(
                f"{where}: {known.runs} runs cannot pass {known.some} tasks once and {known.every} always"
            )
        sums.setdefault((row.split, row.model, row.measure), {})[row.scope] = known
    for (split, model, measure), scopes in sums.items():
        if scopes.keys() == TASKS.keys():
            parts = [scopes["coop"], scopes["mixed"]]
            added = Counts(*(sum(getattr(part, name) for part in parts) for name in Counts.__struct_fields__))
            if added != scopes["overall"]:
                found.append(
                    f"{split}, {model}, {measure}: coop and mixed make {added}, overall is {scopes['overall']}"
                )
    return found


def _count(percent: float, of: int) -> int | None:
    near = [k for k in range(of + 1) if abs(100 * k / of - percent) <= HALF]
    return near[0] if len(near) == 1 else None
