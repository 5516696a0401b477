"""The printed results of Cross et al. 2025 in the four Melting Pot substrates, as data: table 1.

``published.csv`` holds one printed pair of numbers a line, in the order of the table. Its columns:

- ``substrate``, without its version, and the number of the ``scenario`` in Melting Pot; ``label`` is what the
  table calls it.
- ``method``: ``Hypothetical Minds``, ``Reflexion``, ``ReAct``, ``PlanReAct`` (all with GPT-4), ``PPO``, and
  ``OPRE``, whose numbers are those of Agapiou et al. 2022 (appendix E.5).
- ``mean`` reward of an episode, over 5 seeds with a language model, whatever the episodes' lengths, and its
  standard error ``sem``. Figures 2 and 8 of the paper divide by the length instead.
- ``doubt``: why a printed number is in doubt, or empty.

They were measured against Melting Pot's own bots. The bots of this project are scripted,
so its results are shown beside these numbers and never merged with them.
"""

from __future__ import annotations

from functools import cache

from msgspec import Struct

from otherminds.core.printed import printed

METHODS = ("Hypothetical Minds", "Reflexion", "ReAct", "PlanReAct", "PPO", "OPRE")
"""In the order of the table's columns."""


class PublishedReward(Struct, frozen=True):
    """One printed number: ``mean`` with its standard error. See the module for the fields."""

    substrate: str
    scenario: int
    label: str
    method: str
    mean: float
    sem: float
    doubt: str = ""


@cache
def published() -> tuple[PublishedReward, ...]:
    """Every printed number, in the order of the table.

    Raises:
        InternalError: the shipped file is damaged; the text names the line.
    """
    return printed("otherminds.gridworlds.grid", PublishedReward)


def lookup(substrate: str, scenario: int, method: str | None = None) -> tuple[PublishedReward, ...]:
    """The printed numbers of one scenario; ``None``: every method.

    >>> [(row.mean, row.sem) for row in lookup("rws-repeated", 1, "Hypothetical Minds")]
    [(23.2, 4.7)]
    """
    rows = [row for row in published() if (row.substrate, row.scenario) == (substrate, scenario)]
    return tuple(row for row in rows if method in (None, row.method))
