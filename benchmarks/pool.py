"""Pools of generated tasks, as tables: composition, verdicts, guesses, structures, reference teams, L of null minds, wording.

Structures, bounds on guesses, goals at the start and the runs of all teams but ``random`` are computed again and compared
with the entries; verdicts are those of the entries.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import free_wordings
from common import arguments, finish
from pool_teams import EVERY, Found, examined, greatest, pass_rates, scores
from tables import table

from otherminds.household.pool.store import PACKED, PATTERNS, PooledTask, pool_called, shipped_splits
from otherminds.household.proofs.episodes import LEVELS, WHOLE
from otherminds.household.proofs.guessing import LIMIT
from otherminds.household.reports.pool_sheets import PAPER, counted

STATUSES = ("proved and checked", "proved by planner", "refuted", "unknown")
Pools = Mapping[str, Sequence[PooledTask]]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("pools", nargs="*", help="splits or pools (default: the shipped splits)")
    parser.add_argument("--draws", type=int, default=3, help="wordings of each secret (default 3)")
    options = parser.parse_args()
    pools = {
        Path(name).name.removesuffix(PACKED): pool_called(name) for name in options.pools or shipped_splits()
    }
    if not any(pools.values()):
        parser.error("there are no tasks; give a pool")
    began = process_time()
    print(f"## Composition\n\n{composition(pools)}")
    found = {name: [*examined(name, tasks, options.seed)] for name, tasks in pools.items()}
    everything = [*chain(*found.values())]
    print(f"## Verdicts\n\n{verdicts(everything)}")
    print(f"## Checks\n\n{checks(found)}")
    print(f"## Structures\n\n{structures(found)}")
    for name, some in found.items():
        print(f"## Solved runs in %: {name}\n\n{pass_rates(some)}")
    print(f"## L with foils\n\n{scores(found)}")
    print("## Secrets in free words")
    read = reading(pools, options.draws, options.seed)
    print(f"\nProcessor time: {process_time() - began:.0f} s for {len(everything)} tasks.")
    figures: dict[str, Any] = {f"checks.{name}": dict(_checks(some)) for name, some in found.items()}
    finish(options, figures | {"greatest_null": greatest(everything), "reading": read})


def composition(pools: Pools) -> str:
    """The share of tasks with each property, beside table 3 of Juneja et al. 2026."""
    counts = {name: counted(tasks) for name, tasks in pools.items()}
    groups = dict.fromkeys(chain(*counts.values()))
    rows: list[list[str]] = []
    for group in groups:
        paper = PAPER.get(group, {})
        for value in dict.fromkeys(
            (*paper, *sorted(chain(*(one.get(group, ()) for one in counts.values()))))
        ):
            row = [group, value, f"{paper[value]:g}" if value in paper else "–"]
            for name, tasks in pools.items():
                number = counts[name].get(group, Counter())[value]
                row.append(f"{number} ({100 * number / len(tasks):.1f} %)")
            rows.append(row)
    texts: dict[str, Callable[[PooledTask], object]] = {
        "scenes": lambda one: one.task.scene_id,
        "titles": lambda one: one.task.title,
        "descriptions": lambda one: one.task.task,
        "lengths T*": lambda one: one.task.calibration and one.task.calibration.turns,
    }
    rows += [
        ["different", what, "–", *(str(len(set(map(of, tasks)))) for tasks in pools.values())]
        for what, of in texts.items()
    ]
    return table(["property", "value", "paper, %", *pools], rows)


def verdicts(everything: Sequence[Found]) -> str:
    """The number of verdicts by kind and status."""
    counts: dict[tuple[bool, str], Counter[str]] = {}
    for one in everything:
        for verdict in one.pooled.entry.verdicts:
            key = (not verdict.decisive, _kind(verdict.name))
            counts.setdefault(key, Counter()).update([verdict.status])
    rows = [
        [kind, "no" if beside else "yes", str(some.total()), *(str(some[status]) for status in STATUSES)]
        for (beside, kind), some in sorted(counts.items(), key=lambda item: item[0][0])
    ]
    return table(["verdict", "decides", "verdicts", *STATUSES], rows)


def _kind(name: str) -> str:
    """The name of a verdict without agents and formulas.

    >>> _kind("needs depth 2 of K agent_0 K agent_1 (is_open fridge_1)"), _kind("needs agent_2")
    ('needs depth 2', 'needs an agent')
    """
    return re.sub(r"agent_\d+", "an agent", re.sub(r"( of)? K .*", "", name))


def checks(found: Mapping[str, Sequence[Found]]) -> str:
    """What must hold of every task, and the bounds on guesses."""
    columns = {name: dict(_checks(some)) for name, some in found.items()}
    return table(
        ["", *columns],
        [[what, *(one[what] for one in columns.values())] for what in next(iter(columns.values()))],
    )


def _checks(some: Sequence[Found]) -> Iterator[tuple[str, str]]:
    entries = [one.pooled.entry for one in some]
    plans = [one.pooled.task.calibration for one in some]
    guesses = [one.guess for one in some]
    whole = [LEVELS[0], *(level + WHOLE for level in LEVELS[1:])]
    yield "tasks", str(len(some))
    yield (
        "all deciding verdicts proved",
        str(sum(all(v.proved for v in one.verdicts if v.decisive) for one in entries)),
    )
    yield "hard proved", str(sum(v.proved for one in entries for v in one.verdicts if v.name == "hard"))
    yield "goal true at the start", str(sum(one.started for one in some))
    yield "T* proved", str(sum(bool(plan and plan.proved) for plan in plans))
    yield "T* an upper bound", str(sum(bool(plan and not plan.proved) for plan in plans))
    turns = [plan.turns for plan in plans if plan]
    yield "T*: least, median, largest", f"{min(turns)}, {median(turns):g}, {max(turns)}"
    spare = [one.spare for one in some]
    yield (
        "turns to spare of level 3: least, median, largest",
        f"{min(spare)}, {median(spare):g}, {max(spare)}",
    )
    yield "tasks in which it has none", str(spare.count(0))
    yield "a lower level solves more", str(_disordered(some, LEVELS))
    yield "the same with whole memories", str(_disordered(some, whole))
    yield "bound on guesses: median, largest", f"{median(guesses)}, {max(guesses)}"
    yield f"bound above {LIMIT}", str(sum(guess > LIMIT for guess in guesses))
    coded = [one.coded for one in some]
    yield "with silent codes: median, largest", f"{median(coded)}, {max(coded)}"
    yield "runs that differ from the entry", str(sum(len(one.other) for one in some))
    yield (
        "structures that differ from the entry",
        str(sum(one.structure != one.pooled.entry.structure for one in some)),
    )


def _disordered(some: Sequence[Found], levels: Sequence[str]) -> int:
    return sum(any(one.solved[high] < one.solved[low] for low, high in pairwise(levels)) for one in some)


def structures(found: Mapping[str, Sequence[Found]]) -> str:
    """Tasks, structures and structures of goals, by pattern."""
    pools = {**found, "together": [*chain(*found.values())]}
    rows: list[list[str]] = []
    for pattern in (EVERY, *PATTERNS):
        row = [pattern]
        for some in pools.values():
            those = [one for one in some if pattern in (EVERY, one.pooled.entry.pattern)]
            row.append(
                f"{len(those)}, {len({one.structure for one in those})}, {len({one.goal for one in those})}"
            )
        rows.append(row)
    return "Tasks, structures, structures of the goal.\n\n" + table(["pattern", *pools], rows)


def reading(pools: Pools, draws: int, seed: int) -> dict[str, float]:
    """Prints how much of the secrets in free words is read back; returns recall and precision."""
    tasks = [pooled.task for tasks in pools.values() for pooled in tasks]
    drawn = free_wordings.worded(tasks, draws, random.Random(seed))
    free_wordings.show_drawn(len(tasks), draws, drawn)
    return free_wordings.rates(drawn)


if __name__ == "__main__":
    main()
