"""What random, noop, blind and informed play get in the 30 Melting Pot scenarios, as tables.

Reads a folder that ``otherminds run gridworlds --out FOLDER`` has made. The
background bots are scripted, so that nothing here can be compared with published
Melting Pot scores; these stand in a table of their own.
"""

from __future__ import annotations

from pathlib import Path

from common import arguments, finish
from tables import published, table, told

from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.measures.cells import Cell, tabulate
from otherminds.studies.run_dir import results

MINDS = ("random", "noop", "blind", "informed")
FOCAL, BACKGROUND = "focal_per_capita_return", "background_per_capita_return"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("folder", type=Path, help="the output folder of the study gridworlds")
    options = parser.parse_args()
    plan, records = results(options.folder)
    cells = tabulate(plan.cells(), records)
    found = {(cell.scenario, cell.mind): cell for cell in cells}
    scenarios = list(dict.fromkeys(cell.scenario for cell in cells))
    print(f"{SCRIPTED}.\n")
    print(ours(scenarios, found))
    print(published(scenarios))
    figures = {
        f"{scenario}.{mind}": {
            "mean": found[scenario, mind].more[FOCAL].mean,
            "n": found[scenario, mind].scored,
        }
        for scenario in scenarios
        for mind in MINDS
    }
    finish(options, figures)


def ours(scenarios: list[str], found: dict[tuple[str, str], Cell]) -> str:
    """Mean return of an episode by mind, the background's beside informed, and the two scores."""
    heads = [
        "scenario",
        "n",
        *MINDS,
        "background, beside informed",
        "F of random",
        "L of blind",
        "L of informed",
    ]
    rows: list[list[str]] = []
    for scenario in scenarios:
        cells = {mind: found[scenario, mind] for mind in MINDS}
        informed = cells["informed"]
        rows.append(
            [
                scenario,
                str(informed.scored),
                *(told(cells[mind].more[FOCAL]) for mind in MINDS),
                told(informed.more[BACKGROUND]),
                told(cells["random"].functional, 2),
                told(cells["blind"].literal, 2),
                told(informed.literal, 2),
            ]
        )
    return table(heads, rows)


if __name__ == "__main__":
    main()
