"""The table of benchmarks/results/hypothetical_matrix.md: says, does, gap, and what it took, of a run of ``hm-matrix``."""

from __future__ import annotations

import argparse
from pathlib import Path

from tables import table

from otherminds.measures.cells import cells
from otherminds.measures.episode import Episode, group_by_cell, summarise
from otherminds.measures.intervals import Estimate, paired_difference
from otherminds.studies.run_dir import results

HEADS = [
    "game",
    "mind",
    "unused",
    "L",
    "F",
    "gap",
    "best responses to own predictions",
    "reward",
    "reward − CoT's",
    "calls a round",
]
PLAIN = "CoT"
"""Without a scaffold: what the others are held against."""


def bare(mind: str) -> str:
    """A mind as a table names it, without its model: there is only one."""
    return mind.partition("@")[0]


def shown(estimate: Estimate) -> str:
    """A mean with its 95 % interval; a dash where it is not known."""
    if estimate.mean is None:
        return "–"
    between = "" if estimate.low is None else f" ({estimate.low:.2f} to {estimate.high:.2f})"
    return f"{estimate.mean:.2f}{between}"


def calls(episodes: list[Episode]) -> str:
    """Model calls a round."""
    made, rounds = sum(one.tries[0] for one in episodes), sum(one.length for one in episodes)
    return f"{made / rounds:.2f}" if rounds else "–"


def beside(episodes: list[Episode], others: list[Episode]) -> str:
    """The difference in reward an episode, by pairs with the same partner and seed, with its 95 % interval."""
    found = paired_difference(
        *({(e.stratum, e.cluster[1]): e.reward for e in some} for some in (episodes, others))
    )
    if found.mean is None or found.low is None:
        return "–"
    return f"{found.mean:+.1f} ± {found.mean - found.low:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the output folder of the run")
    plan, records = results(parser.parse_args().folder)
    episodes = [summarise(record) for record in records]
    found = {
        (scenario, bare(mind)): played
        for (scenario, mind), played in group_by_cell(plan.cells(), episodes).items()
    }
    rows = [
        [
            cell.scenario.removesuffix("-mixed-v1"),
            bare(cell.mind),
            shown(cell.unused),
            shown(cell.literal),
            shown(cell.functional),
            shown(cell.gap),
            shown(cell.more.get("best_response_rate", Estimate(None))),
            "–" if cell.reward is None else f"{cell.reward:.1f}",
            beside(found[cell.scenario, bare(cell.mind)], found[cell.scenario, PLAIN]),
            calls(found[cell.scenario, bare(cell.mind)]),
        ]
        for cell in cells(plan.cells(), episodes)
    ]
    print(table(HEADS, rows))


if __name__ == "__main__":
    main()
