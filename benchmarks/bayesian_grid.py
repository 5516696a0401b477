"""``bayesian`` in all 30 Melting Pot scenarios, beside its references and Hypothetical Minds, as tables.

Reads the folder that ``otherminds run bayesian --out FOLDER`` has made; episodes of
further folders stand in for the same ones of the first. The background bots are
scripted, so that nothing here can be compared with published Melting Pot scores; these
stand in a table of their own.
"""

from __future__ import annotations

from pathlib import Path

from common import arguments, finish
from tables import published, table, told

from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.measures.cells import Cell, tabulate
from otherminds.studies.run_dir import results

EPISODE, NORMALISED = "reward_per_episode", "reward_per_1200_steps"
REFERENCES = ("blind", "informed")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="the output folder of the study bayesian")
    options = parser.parse_args()
    first, *later = options.folders
    plan, records = results(first)
    played = {record.spec.hash: record for record in records}
    for folder in later:
        played |= {r.spec.hash: r for r in results(folder)[1] if r.spec.hash in played}
    cells = tabulate(plan.cells(), played.values())
    found = {(cell.scenario, cell.mind): cell for cell in cells}
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    minds = list(dict.fromkeys(cell.mind for cell in cells))
    tested = [mind for mind in minds if mind not in REFERENCES]
    print(f"{SCRIPTED}.\n\nReward per 1,200 steps:\n")
    print(means(scenarios, minds, found, NORMALISED))
    print("Reward per episode:\n")
    print(means(scenarios, minds, found, EPISODE))
    print("F and L:\n")
    print(scores(scenarios, tested, found))
    print("Published (Cross et al. 2025, table 1; other bots):\n")
    print(published(scenarios))
    figures = {
        f"{scenario}.{mind}.F": found[scenario, mind].functional.mean
        for scenario in scenarios
        for mind in tested
        if (scenario, mind) in found
    }
    finish(options, figures)


def means(scenarios: list[str], minds: list[str], found: dict[tuple[str, str], Cell], measure: str) -> str:
    """One row a scenario, one column a mind."""
    rows: list[list[str]] = []
    for scenario in scenarios:
        cells = [found.get((scenario, mind)) for mind in minds]
        rows.append([scenario, *("–" if cell is None else told(cell.more[measure]) for cell in cells)])
    return table(["scenario", *minds], rows)


def scores(scenarios: list[str], minds: list[str], found: dict[tuple[str, str], Cell]) -> str:
    """F and L of the minds that are no references."""
    rows: list[list[str]] = []
    for scenario in scenarios:
        cells = [found.get((scenario, mind)) for mind in minds]
        functional = ["–" if cell is None else told(cell.functional, 2) for cell in cells]
        literal = ["–" if cell is None else told(cell.literal, 2) for cell in cells]
        rows.append([scenario, *functional, *literal])
    return table(["scenario", *(f"F of {mind}" for mind in minds), *(f"L of {mind}" for mind in minds)], rows)


if __name__ == "__main__":
    main()
