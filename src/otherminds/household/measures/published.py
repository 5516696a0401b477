"""Table 2 of Juneja et al. 2026 (arXiv 2605.09826v2, CC BY 4.0) as data.

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

TASKS = {"coop": 22, "mixed": 18, "overall": 40}
"""Tasks of a scope in either split, as the printed numbers have them."""


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


@cache
def published() -> tuple[PublishedPass, ...]:
    """Every printed cell, in the order of the table.

    Raises:
        InternalError: the shipped file is damaged; the message names the line.
    """
    return printed("otherminds.household.measures", PublishedPass)
