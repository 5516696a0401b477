"""Regret of ``bayesian`` in matrix games beside the exact bound: granted a family, and with its own library.

Regret a round against the best response to the partner met, in every cell with known
payoffs. With the grants of ``bayes`` the bound is what exact belief dynamic
programming leaves; with the payoffs alone nothing says how little regret is possible,
and the figure stands beside it as it is.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from cells import Wanted, measure_cell, workers
from common import arguments, finish, show
from tables import table

from otherminds import SeatSpec

GAMES = ("rps", "ibs", "ipd")
POPULATIONS = {"single": "single", "tit_for_tat": "tft"}
BOUNDS = {
    "family": {
        "rps-single": 0.0100,
        "ibs-single": 0.0350,
        "ipd-single": 0.0,
        "rps-tit_for_tat": 0.0,
        "ibs-tit_for_tat": 0.0,
        "ipd-tit_for_tat": 0.0,
    },
    "mixed": {
        "rps-single": 0.0133,
        "ibs-single": 0.0350,
        "ipd-single": 0.0100,
        "rps-tit_for_tat": 0.0,
        "ibs-tit_for_tat": 0.0,
        "ipd-tit_for_tat": 0.0600,
    },
}
"""The least regret a round that a mind with that prior can expect (exact), payoffs known."""
EPISODES = 12
"""Both the mind and the partners are deterministic, so that once round the population says all."""
ALLOWED, SLACK = 1.1, 0.001


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--page", type=Path, help="write the table, in Markdown, into this file")
    options = parser.parse_args()
    rows: list[tuple[str, ...]] = []
    missed: list[str] = []
    figures: dict[str, float] = {}
    with workers() as pool:
        for population in POPULATIONS:
            for game in GAMES:
                cell = f"{game}-{population}"
                own = regret(cell, {}, pool)
                figures[f"{cell}, library"] = own
                for prior, bounds in BOUNDS.items():
                    found = regret(cell, {"prior": prior}, pool)
                    most = ALLOWED * bounds[cell] + SLACK
                    figures[f"{cell}, {prior}"] = found
                    if found > most:
                        missed.append(f"{cell}, {prior}")
                    rows.append(
                        (cell, prior, f"{bounds[cell]:.4f}", f"{most:.4f}", f"{found:.4f}", f"{own:.4f}")
                    )
    heads = ("cell", "prior", "bound", "allowed", "bayesian, granted it", "bayesian, payoffs alone")
    show("regret a round, 100 rounds", heads, rows)
    print(
        f"{len(rows) - len(missed)} of {len(rows)} cells within the limit"
        + (f"; not: {missed}" if missed else "")
    )
    if options.page is not None:
        options.page.write_text(PAGE.format(table=table(list(heads), [list(row) for row in rows])))
    finish(options, figures)
    sys.exit(bool(missed))


def regret(cell: str, params: dict[str, str], pool: ProcessPoolExecutor) -> float:
    """Mean regret a round over the population of ``cell``."""
    wanted = Wanted(f"{cell}-v1", SeatSpec("bayesian", params), ("delta_functional",))
    return float(measure_cell(wanted, EPISODES, 0, pool)[:, 0].mean())


PAGE = """# `bayesian` in matrix games

```sh
python benchmarks/bayesian_matrix.py --page benchmarks/results/bayesian_matrix.md
```

Regret per round over 100 rounds with known payoffs, against every member of the population. The mind and the partners
are deterministic, so these means are exact. *Bound*: the regret of exact dynamic programming over beliefs with that
prior, which is the minimum expected regret of any mind with this prior. *Allowed*: 1.1 × the bound + 0.001. *Granted
it*: `bayesian(prior="family")` or `(prior="mixed")`, which has the grants of `bayes` and gives 5 % of the prior to its
own library. *Payoffs alone*: the default, which has no information about its possible partners and uses the predictors
of `games/predictors`; no bound is known for it.

{table}"""


if __name__ == "__main__":
    main()
