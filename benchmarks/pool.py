"""Pools of generated tasks, as tables: composition, verdicts, guesses, structures, reference teams, L of null minds, wording.

Structures, bounds on guesses, goals at the start and the runs of all teams but ``random`` are computed again and compared
with the entries; verdicts are those of the entries.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, pairwise
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import free_wordings
import household_literal as literal
from common import arguments, finish
from tables import table

from otherminds.cli.household.generating import PAPER
from otherminds.core.errors import StudyError
from otherminds.core.record import Record, SeatSpec
from otherminds.epistemic.formula import depth, physical
from otherminds.epistemic.parse import goal_of
from otherminds.measures.household.foiled import Pair, won
from otherminds.measures.registry import Unknown
from otherminds.worlds.household.engine import HouseEngine
from otherminds.worlds.household.generating.structure import goal_structure, structure
from otherminds.worlds.household.goal_check import holds
from otherminds.worlds.household.pool.entry import PATTERNS, PooledTask
from otherminds.worlds.household.pool.splits import pool_called, shipped_splits
from otherminds.worlds.household.pool.stats import counted
from otherminds.worlds.household.pool.store import PACKED
from otherminds.worlds.household.proofs.fairness import DRAWING, LEVELS, SEEDS, TALKING, TEAMS, WHOLE
from otherminds.worlds.household.proofs.guessing import LIMIT, guessed
from otherminds.worlds.household.reference.roster import NULL
from otherminds.worlds.household.scenarios import ANY, build
from otherminds.worlds.household.scenes.load import load_scene
from otherminds.worlds.household.shared import house_of

STATUSES = ("proved and checked", "proved by planner", "refuted", "unknown")
NULLS = {null: SeatSpec(null) for null in NULL}
ASKED = {team: spec for team, spec in TEAMS.items() if team not in DRAWING} | NULLS
"""The teams that play again; they are asked the questions of L."""
PLAIN = ("random", "no_message", "level 1", "level 2", "level 3", "broadcast", "informed")
ORDER = (*PLAIN, *(team + WHOLE for team in TALKING), *NULL)
"""All teams in the order of the tables."""
EVERY = "all"

Pools = Mapping[str, Sequence[PooledTask]]


class Found(NamedTuple):
    """What is computed again of one task.

    ``solved`` is the share of solved runs by team, and ``other`` has the teams whose run is not that of the entry. ``pairs``
    are the probes of teams with one mind in all seats, and ``alone`` those of a null mind beside level 3; ``paper`` says who
    passes the paper's literal measure. ``guess`` and ``coded`` are the bounds on guesses without and with silent codes.
    """

    pooled: PooledTask
    solved: dict[str, float]
    pairs: dict[str, list[Pair]]
    alone: dict[str, list[Pair]]
    paper: dict[str, bool]
    other: tuple[str, ...]
    started: bool
    guess: Fraction
    coded: Fraction
    structure: str
    goal: str

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of tasks that it is one of."""
        task = self.pooled.task
        kinds = (EVERY, task.category, f"depth {depth(goal_of(task.problem_pddl))}")
        return kinds if task.category == "mixed" else (*kinds, self.pooled.entry.pattern)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("pools", nargs="*", help="splits or pools (default: the shipped splits)")
    parser.add_argument("--draws", type=int, default=3, help="wordings of each secret (default 3)")
    options = parser.parse_args()
    pools = {
        Path(name).name.removesuffix(PACKED): pool_called(name) for name in options.pools or shipped_splits()
    }
    if not any(pools.values()):
        raise StudyError("there are no tasks; give a pool")
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


def examined(name: str, tasks: Sequence[PooledTask], seed: int) -> Iterator[Found]:
    """What is computed again of each task; says on standard error how far it is."""
    began = perf_counter()
    for k, pooled in enumerate(tasks, 1):
        yield _examined(pooled, seed)
        if k % 10 == 0 or k == len(tasks):
            print(f"{name}: {k}/{len(tasks)} tasks, {perf_counter() - began:.0f} s", file=sys.stderr)


def _examined(pooled: PooledTask, seed: int) -> Found:
    entry, task = pooled.entry, pooled.task
    scene = load_scene(task.scene_id)
    house, built = house_of(task, scene), build(ANY, task, scene)
    runs: dict[str, Record] = {
        team: literal.run(built, dict.fromkeys(built.focal, spec), seed) for team, spec in ASKED.items()
    }
    solved = {team: float(record.facts["solved"]) for team, record in runs.items()}
    recorded = {team: entry.levels[team] / len(SEEDS) for team in entry.levels}
    guess, engine = guessed(house), HouseEngine(house)
    return Found(
        pooled,
        solved | recorded,
        {team: literal.every(record) for team, record in runs.items()},
        {null: literal.own(built, null, seed) for null in NULL},
        {team: literal.passed(record) == "yes" for team, record in runs.items()},
        tuple(team for team in recorded if team in solved and solved[team] != recorded[team]),
        all(holds(engine, one) for one in physical(house.goal)),
        guess.bound.value,
        guess.coded.value,
        structure(task),
        goal_structure(task),
    )


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


def pass_rates(some: Sequence[Found]) -> str:
    """The share of solved runs of each team by category, depth and pattern."""
    groups = {
        group: [one for one in some if group in one.groups]
        for group in sorted({group for one in some for group in one.groups}, key=_place)
    }
    rows = [
        [
            team,
            *(
                f"{100 * sum(one.solved[team] for one in those) / len(those):.0f}"
                for those in groups.values()
            ),
        ]
        for team in ORDER
    ]
    return table(["team", *(f"{group}, n = {len(those)}" for group, those in groups.items())], rows)


def _place(group: str) -> tuple[int, str]:
    """All tasks first, then categories, depths and patterns."""
    order = (EVERY, "cooperative", "mixed", "depth", *PATTERNS)
    return order.index(group.split(maxsplit=1)[0]), group


def scores(found: Mapping[str, Sequence[Found]]) -> str:
    """L of each team, with one mind in all seats and of a null mind alone, and passes of the paper's measure."""
    teams = [*PLAIN[1:], *NULL]
    seats = {
        team: {name: _score([one.pairs[team] for one in some]) for name, some in found.items()}
        for team in teams
    }
    alone = {
        null: {name: _score([one.alone[null] for one in some]) for name, some in found.items()}
        for null in NULL
    }
    paper = {
        team: {
            name: f"{100 * sum(one.paper[team] for one in some) / len(some):.0f}"
            for name, some in found.items()
        }
        for team in teams
    }
    tables = {
        "One mind in all seats: L of all tasks together; its largest value in a task; tasks where it is defined.": seats,
        "The same, a null mind alone beside level 3.": alone,
        "Runs that pass by the paper's literal measure, in %.": paper,
        "Tasks by what becomes of the probes of level 3.": _fates(found),
    }
    return "\n".join(
        f"{title}\n\n{table(['', *found], [[head, *cells.values()] for head, cells in rows.items()])}"
        for title, rows in tables.items()
    )


def _score(some: Sequence[Sequence[Pair]]) -> str:
    """L of all tasks together, its largest value in a task, and the number of tasks where it is known."""
    known = [score for score in map(won, some) if not isinstance(score, Unknown)]
    if not known:
        return "0 tasks"
    share = sum(got for got, _ in known) / sum(most for _, most in known)
    return f"{share:.2f}; {max(got / most for got, most in known):.2f}; {len(known)}"


def _fates(found: Mapping[str, Sequence[Found]]) -> dict[str, dict[str, str]]:
    """The number of tasks in which L of level 3 has each value, or is unknown for each reason."""
    counts = {
        name: Counter(literal.cell(one.pairs["level 3"]) for one in some) for name, some in found.items()
    }
    return {
        fate: {name: str(one[fate]) for name, one in counts.items()}
        for fate in sorted({*chain(*counts.values())})
    }


def greatest(everything: Sequence[Found]) -> float | None:
    """The greatest L of a null mind in a task, in all seats or alone."""
    every = [
        won(pairs) for one in everything for null in NULL for pairs in (one.pairs[null], one.alone[null])
    ]
    return max((score[0] / score[1] for score in every if not isinstance(score, Unknown)), default=None)


def reading(pools: Pools, draws: int, seed: int) -> dict[str, float]:
    """Prints how much of the secrets in free words is read back; returns recall and precision."""
    tasks = [pooled.task for tasks in pools.values() for pooled in tasks]
    drawn = free_wordings.worded(tasks, draws, random.Random(seed))
    free_wordings.show_drawn(len(tasks), draws, drawn)
    return free_wordings.rates(drawn)


if __name__ == "__main__":
    main()
