"""The rewards of Cross et al. 2025, table 1, beside those of a run in a report; see :mod:`.grid.published`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from otherminds.gridworlds.grid.published import METHODS, PublishedReward, lookup
from otherminds.reports.episodes import substrate
from otherminds.reports.papers import PrintedRewards, printed_rewards

NOTE = (
    "Printed in Cross et al. 2025, table 1: mean reward per episode ± SEM, with Melting Pot's own bots. Language models: "
    "over 5 seeds with GPT-4. PPO was trained for that paper; OPRE's numbers are those of Melting Pot 2.0 (Agapiou et al. "
    "2022). Not comparable with this run, whose bots are scripted and whose model may be another."
)


def select_rewards(scenario: str) -> Mapping[str, PublishedReward]:
    """The printed numbers of a scenario by method, in the table's order; empty if there are none.

    >>> select_rewards("rws-repeated-7-v1")["PPO"].scenario, select_rewards("rws-repeated-mixture-v1")
    (7, {})
    """
    numbered = re.match(r".+-(\d+)-v\d+$", scenario)
    rows = lookup(substrate(scenario), int(numbered[1])) if numbered else ()
    return {row.method: row for row in rows}


printed_rewards.add(
    "cross_2025",
    PrintedRewards(
        methods=METHODS,
        select_rewards=select_rewards,
        note=NOTE,
        half="±: the standard error of the mean, as printed.",
        legend="Cross et al. 2025, table 1: other bots, not comparable",
    ),
)
