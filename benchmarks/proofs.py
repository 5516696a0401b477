"""The verdicts of `otherminds tasks verify` on the included tasks, as Markdown, with what each part takes.

For each task: verdicts by status, those that do not hold with their reason, the size of the certificate, and the
processor time of the prover (with the planner) and of the check of all claims and episodes. Then the number of runs that
each reference team solves, and whether the task is hard. Fails if a task does not hold.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections import Counter
from typing import Any

import msgspec
from common import arguments, finish
from tables import table

from otherminds.household.epistemic.check_due import PARTNER_PROOF
from otherminds.household.proofs.episodes import TEAMS, WHOLE
from otherminds.household.proofs.matching import check_for
from otherminds.household.proofs.verdicts import verified
from otherminds.household.tasks.load import playable, shipped_tasks


def spent() -> float:
    """Processor seconds of this process and of its children until now."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="limit of one search (default 10)")
    options = parser.parse_args()
    rows: list[list[str]] = []
    levels: list[list[str]] = []
    figures: dict[str, Any] = {}
    holding = True
    for name in shipped_tasks():
        began = spent()
        house = playable(name)
        found = verified(house, options.seconds)
        proved = spent()
        raw = msgspec.json.encode(found.certificate)
        said = check_for(house, raw)
        rejected = [claim for claim, why in (said.claims | said.due).items() if why]
        checked = spent()
        statuses = Counter(one.status for one in found.verdicts)
        hard = next((one for one in found.verdicts if one.name == "hard"), None)
        apart = {"hard", PARTNER_PROOF}
        others = [
            f"{one.name}: {one.status}" for one in found.verdicts if not (one.proved or one.name in apart)
        ]
        size = len(gzip.compress(raw, mtime=0)) / 1000
        rows.append(
            [
                name,
                str(statuses["proved and checked"]),
                str(statuses["proved by planner"]),
                "; ".join(others) or "none",
                f"{size:.0f} kB",
                f"{proved - began:.1f} s",
                f"{checked - proved:.2f} s",
            ]
        )
        is_hard = "yes" if hard and hard.proved else "no"
        levels.append([name, *(str(found.levels.get(team, "–")) for team in TEAMS), is_hard])
        figures[name] = dict(statuses) | {
            "prover": proved - began,
            "checker": checked - proved,
            "levels": found.levels,
        }
        holding &= found.holds and not rejected
    heads = ["task", "proved and checked", "by planner", "others", "certificate", "prover", "checker"]
    print(table(heads, rows))
    print(table(["task", *(team.replace(WHOLE, ", whole") for team in TEAMS), "hard"], levels))
    finish(options, figures)
    sys.exit(not holding)


if __name__ == "__main__":
    main()
