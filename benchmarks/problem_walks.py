"""Random walks of the simulator beside the exported epistemic problem: ``python -m benchmarks.problem_walks``.

Prints the actions, the facts and chains of knowledge compared, and the differences, which must be 0.
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat

from tests.household.problem_walks import ProblemWalk, asking
from tests.household.test_rules import HOUSES

ROUND = 5_000
"""Actions of one walk."""


def walked(seed: int, actions: int) -> tuple[int, int, int, Counter[str]]:
    """The actions, facts, chains and differences of a walk; most are in the small house, where all rules apply.

    All agents act in each turn of ten of twenty walks, one in the others.
    """
    small, large = list(HOUSES)[:3], list(HOUSES)[3:]
    name = large[seed // 10 % 2] if seed % 10 == 9 else small[seed % 3]
    walk = ProblemWalk(asking(HOUSES[name]()), seed, strict=False, joint=seed % 20 >= 10).walk(actions)
    return walk.actions, walk.facts, walk.chains, walk.differences


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--actions", type=int, default=500_000)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    rounds = -(-args.actions // ROUND)
    totals, differences = [0, 0, 0], Counter[str]()
    with ProcessPoolExecutor(args.processes) as pool:
        for number, found in enumerate(pool.map(walked, range(rounds), repeat(ROUND)), 1):
            totals = [total + more for total, more in zip(totals, found[:3], strict=True)]
            differences += found[3]
            print(
                f"{number}/{rounds}: {totals[0]:,} actions, {totals[1]:,} facts, {totals[2]:,} chains compared, "
                f"{differences.total()} differences {dict(differences)}",
                flush=True,
            )
    return int(bool(differences))


if __name__ == "__main__":
    raise SystemExit(main())
