"""PPO and OPRE in all 30 Melting Pot scenarios, beside minds that are not trained and the published rows, as tables.

Reads the folder that ``otherminds run learned --out FOLDER`` has made, also before it is finished. The background bots are scripted, and the
policies are trained here: nothing can be compared with published Melting Pot scores, whose columns are labelled.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from bayesian_grid import EPISODE, NORMALISED, means
from common import arguments, finish
from scipy import stats
from tables import table, told

from otherminds.core.record import Record
from otherminds.gridworlds.grid.scenarios import SCRIPTED
from otherminds.gridworlds.in_the_matrix.rules import RWS_ARENA
from otherminds.gridworlds.printed_rewards import lookup
from otherminds.measures.cells import Cell, tabulate
from otherminds.measures.cost import reward_per_1200_steps
from otherminds.minds.learned.files import NOTE
from otherminds.studies.run_dir import results

LEARNED = ("PPO", "OPRE", "PPO beside scripted partners")
PRINTED = ("PPO", "OPRE", "Hypothetical Minds")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("folder", type=Path, help="the output folder of the study learned")
    options = parser.parse_args()
    plan, kept = results(options.folder)
    records = list(kept)
    cells = [cell for cell in tabulate(plan.cells(), records) if cell.scored]
    found = {(cell.scenario, cell.mind): cell for cell in cells}
    numbered = [cell for cell in cells if cell.scenario.rsplit("-", 2)[1].isdecimal()]
    scenarios = list(dict.fromkeys(cell.scenario for cell in numbered))
    minds = list(dict.fromkeys(cell.mind for cell in numbered))
    print(f"{SCRIPTED}.\n\nReward per episode, and the published one (other background populations):\n")
    print(beside(scenarios, found))
    print("Reward per 1,200 steps:\n")
    print(means(scenarios, minds, found, NORMALISED))
    print("Mixtures of the partners of all scenarios:\n")
    print(rows_of(found, "-mixed-"))
    print("The mixture of the arena, stratified by pool of partners (reward per 1,200 steps):\n")
    print(by_pool(records))
    print("Partners that learned in their own populations:\n")
    print(rows_of(found, "-learned-"))
    print("Policies that played:\n")
    print(policies(records))
    figures = {
        f"{scenario}.{mind}.{name}": value
        for (scenario, mind), cell in found.items()
        for name, value in (
            ("episode", cell.more[EPISODE].mean),
            ("F", cell.functional.mean),
            ("L", cell.literal.mean),
            ("unused", cell.unused.mean),
            ("n", cell.scored),
        )
    }
    finish(options, figures)


def beside(scenarios: list[str], found: dict[tuple[str, str], Cell]) -> str:
    """The rewards of the learned minds per episode, and those printed for other bots."""
    own = means(scenarios, list(LEARNED), found, EPISODE).splitlines()[2:]
    rows: list[list[str]] = []
    for scenario, line in zip(scenarios, own, strict=True):
        substrate, which, _ = scenario.rsplit("-", 2)
        printed = {
            row.method: f"{row.mean:g} ± {row.sem:g}{'†' if row.doubt else ''}"
            for row in lookup(substrate, int(which))
        }
        shown = [part.strip() for part in line.strip("| ").split("|")]
        rows.append([*shown, *(printed.get(method, "–") for method in PRINTED)])
    heads = ["scenario", *(f"{mind}, here" for mind in LEARNED)]
    return table([*heads, *(f"{method}, published, other bots" for method in PRINTED)], rows)


def rows_of(found: dict[tuple[str, str], Cell], part: str) -> str:
    """What each mind earns, uses and says in the scenarios whose names have ``part``, a row a mind."""
    rows = [
        [
            scenario,
            mind,
            str(cell.scored),
            told(cell.more[NORMALISED]),
            told(cell.functional, 2),
            told(cell.literal, 2),
        ]
        for (scenario, mind), cell in found.items()
        if part in scenario
    ]
    return table(["scenario", "mind", "episodes", "reward per 1,200 steps", "F", "L"], rows)


def by_pool(records: Iterable[Record]) -> str:
    """Means in the arena's mixture with 95 % intervals (Student's t) of the sample that it is: episode k meets pool k modulo 8.

    Every pool has the same weight. The last column is the difference to the best constant plan in the same episodes. Minds that
    have not yet met each pool twice are left out.
    """
    rewards: dict[str, dict[int, float]] = defaultdict(dict)
    for record in records:
        if record.spec.scenario == "rws-arena-mixed-v1" and record.outcome.status == "scored":
            reward = reward_per_1200_steps(record)
            if isinstance(reward, float):
                rewards[record.spec.seats["ego"].title][record.spec.seed] = reward

    plans = [mind for mind in rewards if mind.startswith("always ")]
    best = max(plans, key=lambda mind: float(np.mean(list(rewards[mind].values()))), default="")
    rows: list[list[str]] = []
    for mind, found in rewards.items():
        above = {seed: found[seed] - rewards[best][seed] for seed in found if best and seed in rewards[best]}
        if mean := stratified(found):
            rows.append([mind, mean, stratified(above) or "–"])
    return table(["mind", "mean", "above the best constant plan"], rows)


def stratified(found: dict[int, float]) -> str:
    """The mean over pools with its interval, from values by seed; empty if a pool has fewer than two."""
    pools: list[list[float]] = [[] for _ in RWS_ARENA.scenarios]
    for seed, value in found.items():
        pools[seed % len(pools)].append(value)
    if min(map(len, pools)) < 2:
        return ""
    error = sum(np.var(pool, ddof=1) / len(pool) for pool in pools) ** 0.5 / len(pools)
    half = stats.t.ppf(0.975, len(found) - len(pools)) * error
    return f"{np.mean([np.mean(pool) for pool in pools]):.1f} ± {half:.1f}"


def policies(records: Iterable[Record]) -> str:
    """How many episodes each policy played, with the beginning of its hash."""
    played = Counter(
        (note.data["name"], note.data["sha256"][:16])
        for record in records
        for note in record.notes
        if note.kind == NOTE and note.seat == "ego"
    )
    return table(["policy", "SHA-256", "episodes"], [[*key, str(n)] for key, n in sorted(played.items())])


if __name__ == "__main__":
    main()
