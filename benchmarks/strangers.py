"""Minds beside partners of known families and beside strangers, as a table.

Reads the folders that ``otherminds run strangers --out FOLDER`` has made; several folders may hold parts of the study.
Beside the reward: F of decisions, in which collecting is taken as given, where the partners' policies are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from common import arguments, finish
from tables import table, told

from otherminds.core.record import Record
from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.measures.decisions import decision_functional
from otherminds.measures.intervals import Estimate, Strata
from otherminds.measures.literal import member
from otherminds.measures.registry import Unknown, all_known
from otherminds.studies.run_dir import results

COLUMNS = {
    "rock, paper, scissors": ("rws-repeated-2-v1", "rws-repeated-strangers-v1", "rws-repeated-learned-v1"),
    "Prisoner's Dilemma": ("pd-repeated-mixed-v1", "pd-repeated-strangers-v1", "pd-repeated-learned-v1"),
    "kitchen": ("cooking-asymmetric-mixed-v1", "cooking-asymmetric-strangers-v1"),
}
"""By world: the scenario with known families, that with strangers, that with learned policies."""
SORTS = ("known family", "stranger", "learned")
UNPLAYED = Estimate(None)
EGO = "ego"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="the output folders of the study strangers")
    options = parser.parse_args()
    cells: dict[tuple[str, str], list[Record]] = {}
    for folder in options.folders:
        for record in results(folder)[1]:
            cells.setdefault((record.spec.scenario, record.spec.seats[EGO].called), []).append(record)
    print(f"{SCRIPTED}.\n")
    figures: dict[str, float] = {}
    for world, scenarios in COLUMNS.items():
        minds = list(dict.fromkeys(mind for scenario, mind in cells if scenario in scenarios))
        for title, measure, digits in (
            ("F of decisions", estimate_decisions, 2),
            ("Reward per 1,200 steps", estimate_reward, 1),
        ):
            estimates = {
                (scenario, mind): measure(cells[scenario, mind])
                for scenario in scenarios
                for mind in minds
                if (scenario, mind) in cells
            }
            if all(estimate.mean is None for estimate in estimates.values()):
                continue
            rows = [
                [mind, *(told(estimates.get((scenario, mind), UNPLAYED), digits) for scenario in scenarios)]
                for mind in minds
            ]
            print(f"{title}, {world}:\n")
            print(table(["mind", *SORTS[: len(scenarios)]], rows))
            for (scenario, mind), estimate in estimates.items():
                if estimate.mean is not None:
                    figures[f"{scenario}.{mind}.{title}"] = estimate.mean
    for (scenario, mind), records in cells.items():
        figures[f"{scenario}.{mind}.episodes"] = len(records)
    finish(options, figures)


def stratify(records: Sequence[Record]) -> Strata:
    """By partner, each with the weight that it has among the episodes."""
    return Strata([member(record) for record in records])


def estimate_decisions(records: Sequence[Record]) -> Estimate:
    """F of decisions, the ratio of means over episodes."""
    pairs = all_known(map(decision_functional, records))
    if isinstance(pairs, Unknown):
        return Estimate(None, reason=pairs.reason)
    strata = stratify(records)
    return strata.about(*strata.ratio(*np.array(pairs).T))


def estimate_reward(records: Sequence[Record]) -> Estimate:
    """The mean of the reward per 1,200 steps."""
    rates = [1_200 * record.total(EGO) / len(record.rewards) for record in records]
    return stratify(records).estimate(np.array(rates))


if __name__ == "__main__":
    main()
