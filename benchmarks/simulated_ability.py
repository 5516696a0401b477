"""Do the measures recover an ability that is known? A 5 × 5 grid of simulated minds.

Accuracy p is the probability of a right prediction, rationality q that of a best
response to the own prediction. The measured shares must lie within their exact
95 % intervals (Clopper & Pearson 1934) of p and q, and L and F must equal their
closed forms for the game.
"""

from __future__ import annotations

import sys
from itertools import product
from math import exp, lgamma, log, log1p

from cells import Wanted, measure_cell, workers
from common import arguments, finish, show

from otherminds import Game, SeatSpec
from otherminds.games.automata import best_reply
from otherminds.games.registry import games

GRID = (0.1, 0.3, 0.5, 0.7, 0.9)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=30, help="hundred-round episodes a cell (default 30)")
    parser.add_argument("--game", default="rps", choices=("rps", "ibs", "ipd"))
    options = parser.parse_args()
    game = games.get(options.game)()
    n = options.episodes * 100
    rows, within = [], {"tom": 0, "rate": 0}
    figures: dict[str, object] = {}
    with workers() as pool:
        for p, q in product(GRID, GRID):
            seat = SeatSpec("simulated", {"accuracy": p, "rationality": q})
            columns = ("tom_percent", "best_response_rate", "delta_functional")
            values = measure_cell(
                Wanted(f"{options.game}-single-v1", seat, columns), options.episodes, options.seed, pool
            )
            tom, rate, regret = (float(x) for x in values.mean(axis=0))
            fits = inside(round(tom / 100 * n), n, p), inside(round(rate * n), n, q)
            within["tom"] += fits[0]
            within["rate"] += fits[1]
            expected = expected_regret(game, p, q)
            rows.append(
                (
                    p,
                    q,
                    f"{tom / 100:.4f}",
                    fits[0],
                    f"{rate:.4f}",
                    fits[1],
                    f"{regret:.4f}",
                    f"{expected:.4f}",
                )
            )
            figures[f"p={p},q={q}"] = {
                "tom": tom / 100,
                "rate": rate,
                "regret": regret,
                "closed_form": expected,
            }
    heads = ("p", "q", "ToM", "fits", "best responses", "fits", "regret", "closed form")
    show(f"{options.game}-single, {options.episodes} episodes a cell (shares; regret a round)", heads, rows)
    print(
        f"within their 95 % intervals: ToM {within['tom']} of 25 cells, best responses {within['rate']} of 25"
    )
    finish(options, {"cells": figures, **within})
    sys.exit(min(within.values()) < 23)


def expected_regret(game: Game, p: float, q: float) -> float:
    """The closed form: regret a round against constant partners under accuracy p and rationality q."""
    rows, columns = (range(len(names)) for names in game.behaviours)
    total = 0.0
    for actual, said, done in product(columns, columns, rows):
        chance = p if said == actual else (1 - p) / (len(columns) - 1)
        best = best_reply(game, said)
        chance *= q if done == best else (1 - q) / (len(rows) - 1)
        most = max(game.payoffs[i][actual][0] for i in rows)
        total += chance * (most - game.payoffs[done][actual][0]) / len(columns)
    return total


def inside(hits: int, n: int, p: float) -> bool:
    """Whether ``p`` lies in the exact 95 % interval of ``hits`` of ``n``: neither tail is below 2.5 %."""
    return tail(hits, n, p) > 0.025 and tail(n - hits, n, 1 - p) > 0.025


def tail(hits: int, n: int, p: float) -> float:
    """The probability of at least ``hits`` of ``n``."""
    return sum(
        exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log1p(-p))
        for k in range(hits, n + 1)
    )


if __name__ == "__main__":
    main()
