"""The prover's claims about random problems, compared with the exact referee of the tests.

For each part of each goal, and each variant (silent, without an agent, messages of limited depth), the claim that it
never holds is proved and checked or not, and the referee finds a run after which it holds or not. ``by sight and word``:
agents take it to be possible that facts change without an agent, that objects are lost and that agents are elsewhere.
``all inference``: they know all else of the problem. Runs are short, so "no run" is no proof.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from common import arguments, finish
from tables import table

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.household.epistemic.random_problems import drawn
from tests.household.epistemic.refereed import judged, planned, played

from otherminds.household.epistemic.certificate import Claim
from otherminds.household.epistemic.check import refuted

MODES = {"by sight and word": True, "all inference": False}
KINDS = ("proved, no run", "proved, a run", "not proved, a run", "not proved, no run")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--points", type=int, default=1_500, help="the largest number of points of a system")
    options = parser.parse_args()
    plans: Counter[str] = Counter()
    verdicts: Counter[tuple[str, str, str]] = Counter()
    wrong: list[str] = []
    for seed in range(options.seed, options.seed + options.instances):
        case = drawn(seed)
        claim = planned(case, shortest=True)
        if isinstance(claim, Claim):
            accepted = not refuted(case.problem, claim)
            found = played(case, claim.plan, most=False, points=options.points) if accepted else None
            known = "rejected" if not accepted else "too long for the referee"
            if found is not None:
                known = "confirmed" if found.holds else "wrong"
                plans["confirmed, strictly known"] += found.strict
            plans[known] += 1
        else:
            plans[f"none: {claim}"] += 1
        for mode, wide in MODES.items():
            for one in judged(case, wide=wide, points=options.points):
                kind = (
                    f"{'proved' if one.proved else 'not proved'}, {'no' if one.witness is None else 'a'} run"
                )
                verdicts[mode, one.variant, kind] += 1
                if one.proved and one.witness is not None:
                    wrong.append(f"{mode}: {seed} {one}")
    print("\n".join(wrong))
    print(table(["plan", "problems"], [[name, str(count)] for name, count in sorted(plans.items())]))
    for mode in MODES:
        rows = [
            [name, *(str(verdicts[mode, name, kind]) for kind in KINDS)]
            for name in dict.fromkeys(variant for _, variant, _ in verdicts)
        ]
        print(f"{mode}\n\n{table(['variant', *KINDS], rows)}")
    figures = {f"{mode}.{name}.{kind}": count for (mode, name, kind), count in sorted(verdicts.items())}
    finish(options, {"plans": dict(plans), "verdicts": figures})


if __name__ == "__main__":
    main()
