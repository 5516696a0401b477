"""What random, noop, blind and informed play get in the 30 Melting Pot scenarios, as tables.

Reads a folder that ``otherminds run gridworlds --out FOLDER`` has made. The
background bots are scripted, so that nothing here can be compared with published
Melting Pot scores; these stand in a table of their own.
"""

from __future__ import annotations

from pathlib import Path

from common import arguments, finish

from otherminds.measures.cells import Cell, tabulate
from otherminds.measures.intervals import Estimate
from otherminds.studies.folder import results
from otherminds.worlds.grid.published import METHODS, lookup
from otherminds.worlds.grid.scripted import SCRIPTED

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
    print(theirs(scenarios))
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


def theirs(scenarios: list[str]) -> str:
    """The printed means ± standard errors of Cross et al. 2025, table 1; a doubtful one has a †."""
    rows: list[list[str]] = []
    for scenario in scenarios:
        substrate, which, _ = scenario.rsplit("-", 2)
        if which.isdecimal():
            printed = {row.method: row for row in lookup(substrate, int(which))}
            rows.append(
                [
                    scenario,
                    *(
                        f"{printed[m].mean:g} ± {printed[m].sem:g}{'†' if printed[m].doubt else ''}"
                        if m in printed
                        else "–"
                        for m in METHODS
                    ),
                ]
            )
    return table(["scenario", *METHODS], rows)


def told(estimate: Estimate, digits: int = 1) -> str:
    """A mean with half the width of its 95 % interval."""
    if estimate.mean is None:
        return "–"
    half = ""
    if estimate.low is not None and estimate.high is not None:
        half = f" ± {(estimate.high - estimate.low) / 2:.{digits}f}"
    return f"{estimate.mean:.{digits}f}{half}"


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    main()
