"""Hypothetical Minds, its ablations and baselines in RWS repeated, as tables.

Reads a folder that ``otherminds run hypothetical --model MODEL --out FOLDER`` has made.
The background bots are scripted, so that nothing here can be compared with published
Melting Pot scores.
"""

from __future__ import annotations

from pathlib import Path

from common import arguments, finish
from tables import table, told

from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.measures.cells import Cell, tabulate
from otherminds.studies.run_dir import results

EPISODE, NORMALISED = "reward_per_episode", "reward_per_1200_steps"
OF_AGENTS = {
    "unusable": "unusable_replies",
    "fallbacks an encounter": "fallbacks_an_encounter",
    "encounters until the first validation": "encounters_until_validation",
    "share of encounters validated": "validated_share",
    "reward an encounter before": "reward_before_validation",
    "and after validation": "reward_after_validation",
    "calls an encounter, none validated": "calls_while_not_validated",
    "calls, one validated": "calls_while_validated",
}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("folder", type=Path, help="the output folder of the study hypothetical")
    options = parser.parse_args()
    plan, records = results(options.folder)
    cells = tabulate(plan.cells(), records)
    found = {(cell.scenario, cell.mind): cell for cell in cells}
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    minds = list(dict.fromkeys(cell.mind for cell in cells))
    print(f"{SCRIPTED}.\n")
    for measure in (NORMALISED, EPISODE):
        print(f"{measure.replace('_', ' ')}:\n")
        print(returns(scenarios, minds, found, measure))
    print("Means over the scenarios:\n")
    print(agents(scenarios, minds, found))
    figures = {
        f"{measure}.{mind}": average([found[scenario, mind] for scenario in scenarios], measure)
        for mind in minds
        for measure in (NORMALISED, EPISODE)
    }
    finish(options, figures)


def short(mind: str) -> str:
    """A mind's name without its model's."""
    return mind.partition("@")[0]


def returns(scenarios: list[str], minds: list[str], found: dict[tuple[str, str], Cell], measure: str) -> str:
    """One row a scenario, one column a mind, and the mean of all scenarios below."""
    rows = [
        [scenario, *(told(found[scenario, mind].more[measure]) for mind in minds)] for scenario in scenarios
    ]
    means = [average([found[scenario, mind] for scenario in scenarios], measure) for mind in minds]
    rows.append(["mean", *("–" if mean is None else f"**{mean:.1f}**" for mean in means)])
    return table(["scenario", *map(short, minds)], rows)


def agents(scenarios: list[str], minds: list[str], found: dict[tuple[str, str], Cell]) -> str:
    """What only minds that hypothesise have, averaged over the scenarios in which it is known."""
    rows: list[list[str]] = []
    for mind in minds:
        cells = [found[scenario, mind] for scenario in scenarios]
        means = [average(cells, measure) for measure in OF_AGENTS.values()]
        if any(mean is not None for mean in means):
            rows.append([short(mind), *("–" if mean is None else f"{mean:.2f}" for mean in means)])
    return table(["mind", *OF_AGENTS], rows)


def average(cells: list[Cell], measure: str) -> float | None:
    """The mean over cells of a cell's mean, where there is any."""
    means = [cell.more[measure].mean for cell in cells if measure in cell.more]
    known = [mean for mean in means if mean is not None]
    return sum(known) / len(known) if known else None


if __name__ == "__main__":
    main()
