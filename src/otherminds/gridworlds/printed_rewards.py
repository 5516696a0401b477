"""The rewards of Cross et al. 2025, table 1, beside those of a run in a report; see :mod:`.grid.published`."""

from __future__ import annotations

import re

from otherminds.gridworlds.grid.published import METHODS, lookup
from otherminds.reports.episodes import substrate
from otherminds.reports.papers import PrintedRewards, TableEntry, TableLine, printed_rewards

DOUBTFUL = "†"
"""Marks a printed number that is doubtful."""
NOTE = (
    "Printed in Cross et al. 2025, table 1: mean reward per episode ± SEM, with Melting Pot's own bots. Language models: "
    "over 5 seeds with GPT-4. PPO was trained for that paper; OPRE's numbers are those of Melting Pot 2.0 (Agapiou et al. "
    "2022). Not comparable with this run, whose bots are scripted and whose model may be another."
)


def select_row(scenario: str) -> TableLine | None:
    """The printed numbers of a scenario, in the order of the methods; ``None`` if there are none.

    >>> select_row("rws-repeated-6-v1").names, select_row("rws-repeated-mixture-v1")
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
