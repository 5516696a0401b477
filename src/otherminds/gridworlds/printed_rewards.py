"""The printed results of Cross et al. 2025 in the four Melting Pot substrates, table 1, for reports to show beside a run's.

``grid/published.csv`` holds one printed pair of numbers a line, in the order of the table. Its columns:

- ``substrate``, without its version, and the number of the ``scenario`` in Melting Pot; ``label`` is what the
  table calls it.
- ``method``: ``Hypothetical Minds``, ``Reflexion``, ``ReAct``, ``PlanReAct`` (all with GPT-4), ``PPO``, and
  ``OPRE``, whose numbers are those of Agapiou et al. 2022 (appendix E.5).
- ``mean`` reward of an episode, over 5 seeds with a language model, whatever the episodes' lengths, and its
  standard error ``sem``. Figures 2 and 8 of the paper divide by the length instead.
- ``doubt``: why a printed number is in doubt, or empty.

They were measured against Melting Pot's own bots. The bots of this project are scripted,
so its results are shown beside these numbers and never merged with them."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from otherminds.core.wording import printed
from otherminds.reports.episodes import substrate
from otherminds.reports.papers import PrintedRewards, TableEntry, TableLine, printed_rewards

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


DOUBTFUL = "†"
"""Marks a printed number that is doubtful."""
NOTE = (
    "Printed in Cross et al. 2025, table 1: mean reward per episode ± SEM, with Melting Pot's own bots. Language models: "
    "over 5 seeds with GPT-4. PPO was trained for that paper; OPRE's numbers are those of Melting Pot 2.0 (Agapiou et al. "
    "2022). Not comparable with this run, whose bots are scripted and whose model may be another."
)


def select_row(scenario: str) -> TableLine | None:
    """The printed numbers of a scenario, in the order of the methods; ``None`` if there are none.

    >>> select_row("rws-repeated-6-v1").names, select_row("rws-repeated-mixed-v1")
    (('Rock',), None)
    """
    numbered = re.match(r".+-(\d+)-v\d+$", scenario)
    rows = lookup(substrate(scenario), int(numbered[1])) if numbered else ()
    entries = (
        TableEntry(row.mean, row.sem, 1, DOUBTFUL, note=f"{DOUBTFUL} {row.doubt}.")
        if row.doubt
        else TableEntry(row.mean, row.sem, 1)
        for row in rows
    )
    return TableLine((rows[0].label,), tuple(entries)) if rows else None


printed_rewards.add(
    "cross_2025",
    PrintedRewards(
        methods=METHODS,
        select_row=select_row,
        note=NOTE,
        half="±: the standard error of the mean, as printed.",
        legend="Cross et al. 2025, table 1: other bots, not comparable",
    ),
)
