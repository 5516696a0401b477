"""Exact optima, the interest table, the Bayes-optimal ceiling, and factored RMax.

Everything but the ``factored_rmax`` rows is exact: dynamic programmes, and
episodes of a deterministic mind against every member of the population.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor

from cells import Wanted, mean_and_half_width, measure_cell, workers
from common import arguments, finish, show

from otherminds import SeatSpec
from otherminds.core.scenario import scenario
from otherminds.games.best_response import best_response, interest
from otherminds.games.registry import games

OPTIMA = {
    "rps-single": (100.0, 100.0, 100.0),
    "ibs-single": (1000.0, 700.0),
    "ipd-single": (1000.0, 500.0),
    "rps-tit_for_tat": (100.0,),
    "ibs-tit_for_tat": (1000.0,),
    "ipd-tit_for_tat": (802.0,),
}
INTEREST = {
    "rps": (1.0000, 0.0, 0.9975),
    "ibs": (4.2500, 0.0, 2.3213),
    "ipd": (0.0, 0.0, 1.6088),
}
CEILING = {
    "rps-single": 0.0100,
    "ibs-single": 0.0350,
    "ipd-single": 0.0,
    "rps-tit_for_tat": 0.0,
    "ibs-tit_for_tat": 0.0,
    "ipd-tit_for_tat": 0.0,
}
CEILING_MIXED = {"rps": (0.0133 + 0.0) / 2, "ibs": (0.0350 + 0.0) / 2, "ipd": (0.0100 + 0.0600) / 2}
FACTORED = {
    "rps-single": 0.015,
    "ibs-single": 0.060,
    "ipd-single": 0.030,
    "rps-tit_for_tat": 0.054,
    "ibs-tit_for_tat": 0.157,
    "ipd-tit_for_tat": 0.105,
}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=10_000, help="episodes a cell of factored_rmax")
    options = parser.parse_args()
    rows: list[tuple[str, str, str, bool]] = []
    for cell, expected in OPTIMA.items():
        built = scenario(f"{cell}-v1", {})
        assert built.game is not None
        found = tuple(best_response(built.game, p.automaton, 100).value for p in built.priors["family"]())
        rows.append((f"optimal return, {cell}", str(expected), str(found), found == expected))
    for game, expected in INTEREST.items():
        for population, value in zip(("single", "tit_for_tat", "mixed"), expected, strict=True):
            family = scenario(f"{game}-{population}-v1", {}).priors["family"]()
            found = interest(games.get(game)(), family, 100)
            fits = abs(found - value) < 0.00006
            rows.append((f"interest, {game}-{population}", f"{value:.4f}", f"{found:.4f}", fits))
    with workers() as pool:
        for cell, value in CEILING.items():
            mean = regret(f"{cell}-v1", SeatSpec("bayes"), 6, 0, pool)[0]
            rows.append((f"bayes, {cell}", f"{value:.4f}", f"{mean:.4f}", abs(mean - value) < 0.0005))
        for game, value in CEILING_MIXED.items():
            mean = regret(f"{game}-mixed-v1", SeatSpec("bayes"), 12, 0, pool)[0]
            rows.append(
                (f"bayes, {game}, mixed prior", f"{value:.4f}", f"{mean:.4f}", abs(mean - value) < 0.0005)
            )
        for cell, value in FACTORED.items():
            seat = SeatSpec("factored_rmax")
            mean, half = regret(f"{cell}-v1", seat, options.episodes, options.seed, pool)
            fits = abs(mean - value) <= half + 0.0005
            rows.append((f"factored_rmax, {cell}", f"{value:.3f}", f"{mean:.4f} ± {half:.4f}", fits))
    show("exact optima, interest, ceiling (regret a round)", ("figure", "stated", "found", "fits"), rows)
    missed = [name for name, _, _, fits in rows if not fits]
    print(f"{len(rows) - len(missed)} of {len(rows)} figures fit" + (f"; not: {missed}" if missed else ""))
    finish(options, {name: {"stated": stated, "found": found} for name, stated, found, _ in rows})
    sys.exit(bool(missed))


def regret(
    name: str, seat: SeatSpec, episodes: int, seed: int, pool: ProcessPoolExecutor
) -> tuple[float, float]:
    """Mean regret a round, IPD tit-for-tat of factored_rmax against 800 as its stated figure is."""
    column = "paper_delta_functional" if seat.mind == "factored_rmax" else "delta_functional"
    values = measure_cell(Wanted(name, seat, (column,)), episodes, seed, pool)
    return mean_and_half_width(values[:, 0])


if __name__ == "__main__":
    main()
