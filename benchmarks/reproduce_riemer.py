"""Reproduces the tabular yardstick of Riemer et al. 2025: six cells, three columns.

The paper gives no code; ``rmax`` is a reconstruction. Each figure is set beside
the paper's printed value and beside what the reconstruction converges to.
"""

from __future__ import annotations

import sys

from cells import Wanted, mean_and_half_width, measure_cell, workers
from common import arguments, finish, show

from otherminds import SeatSpec

COLUMNS = ("paper_delta_functional", "paper_delta_tom", "tom_percent")
# Per cell and column: printed in the paper (tables 1, 3, 4, 10), to match, its half-width.
TARGETS: dict[str, tuple[tuple[str, float, float], ...]] = {
    "rps-single": ((".083", 0.0794, 0.0004), (".039", 0.0400, 0.0), ("97.4", 97.33, 0.0)),
    "ibs-single": ((".211", 0.2025, 0.0012), (".088", 0.1050, 0.0), ("98.7", 98.50, 0.0)),
    "ipd-single": ((".086", 0.0898, 0.0010), (".071", 0.0750, 0.0), ("98.6", 98.50, 0.0)),
    "rps-tit_for_tat": ((".211/.224", 0.2145, 0.0007), (".105", 0.1050, 0.0), ("93.0", 93.00, 0.0)),
    "ibs-tit_for_tat": ((".468", 0.4762, 0.0035), (".162", 0.1593, 0.0003), ("98.1", 98.13, 0.03)),
    "ipd-tit_for_tat": ((".248", 0.2479, 0.0006), (".070", 0.0700, 0.0), ("98.0", 98.00, 0.0)),
}
ROUNDING = {"paper_delta_functional": 0.00005, "paper_delta_tom": 0.00005, "tom_percent": 0.005}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--episodes", type=int, default=10_000, help="episodes a cell (default 10,000)")
    options = parser.parse_args()
    rows, figures, misses = [], {}, []
    with workers() as pool:
        for cell, targets in TARGETS.items():
            wanted = Wanted(f"{cell}-v1", SeatSpec("rmax"), (*COLUMNS, "delta_functional"))
            values = measure_cell(wanted, options.episodes, options.seed, pool)
            for i, column in enumerate(COLUMNS):
                printed, target, width = targets[i]
                mean, half = mean_and_half_width(values[:, i])
                fits = abs(mean - target) <= (half**2 + width**2) ** 0.5 + ROUNDING[column]
                rows.append(
                    (cell, column, printed, f"{target:g} ± {width:g}", f"{mean:.4f} ± {half:.4f}", fits)
                )
                figures[f"{cell}.{column}"] = {
                    "mean": mean,
                    "half_width": half,
                    "target": target,
                    "fits": fits,
                }
                if not fits:
                    misses.append(f"{cell}.{column}")
            mean, half = mean_and_half_width(values[:, 3])
            rows.append((cell, "true delta_functional", "", "", f"{mean:.4f} ± {half:.4f}", ""))
    title = f"rmax, {options.episodes:,} episodes a cell: per round; ToM % in percent; ± is 95 %"
    show(title, ("cell", "column", "paper", "to match", "measured", "fits"), rows)
    print(f"{18 - len(misses)} of 18 figures fit" + (f"; not: {', '.join(misses)}" if misses else ""))
    finish(options, figures)
    sys.exit(bool(misses))


if __name__ == "__main__":
    main()
