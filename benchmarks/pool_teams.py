"""What the minds of the household do in the tasks of pools: the tables of ``pool.py`` about teams and L."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from time import perf_counter
from typing import NamedTuple

import household_literal as literal
from tables import table

from otherminds.core.record import Record, SeatSpec
from otherminds.epistemic.formula import depth, physical
from otherminds.epistemic.parse import goal_of
from otherminds.measures.household.foiled import Pair, won
from otherminds.measures.registry import Unknown
from otherminds.worlds.household.calibrate import turns_of
from otherminds.worlds.household.engine import HouseEngine
from otherminds.worlds.household.generating.structure import goal_structure, structure
from otherminds.worlds.household.goal_check import holds
from otherminds.worlds.household.house import House
from otherminds.worlds.household.pool.entry import PATTERNS, PooledTask
from otherminds.worlds.household.proofs.fairness import (
    DRAWING,
    SEEDS,
    TALKING,
    TEAMS,
    WHOLE,
    team_episode,
    turn_by_turn,
)
from otherminds.worlds.household.proofs.guessing import guessed
from otherminds.worlds.household.reference.roster import NULL
from otherminds.worlds.household.scenarios import ANY, build
from otherminds.worlds.household.scenes.load import load_scene
from otherminds.worlds.household.shared import house_of

NULLS = {null: SeatSpec(null) for null in NULL}
ASKED = {team: spec for team, spec in TEAMS.items() if team not in DRAWING} | NULLS
"""The teams that play again; they are asked the questions of L."""
PLAIN = ("random", "no_message", "level 1", "level 2", "level 3", "broadcast", "informed")
ORDER = (*PLAIN, *(team + WHOLE for team in TALKING), *NULL)
"""All teams in the order of the tables."""
EVERY = "all"
LONG = 40
"""Turns of a longer episode of level 3, in which more reports arrive."""


class Found(NamedTuple):
    """What is computed again of one task.

    ``solved`` is the share of solved runs by team, and ``other`` has the teams whose run is not that of the entry. ``pairs``
    are the probes of teams with one mind in all seats, and ``alone`` those of a null mind beside level 3; ``paper`` says who
    passes the paper's literal measure. ``long`` are the probes of level 3 in ``LONG`` turns. ``spare`` are the turns
    after level 3 has reached the goal. ``guess`` and ``coded`` are the bounds on guesses without and with silent codes.
    """

    pooled: PooledTask
    solved: dict[str, float]
    pairs: dict[str, list[Pair]]
    alone: dict[str, list[Pair]]
    paper: dict[str, bool]
    long: list[Pair]
    spare: int
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
    longer = build(ANY, task, scene, LONG)
    long = literal.run(longer, dict.fromkeys(longer.focal, TEAMS["level 3"]), seed)
    solved = {team: float(record.facts["solved"]) for team, record in runs.items()}
    recorded = {team: entry.levels[team] / len(SEEDS) for team in entry.levels}
    guess, engine = guessed(house), HouseEngine(house)
    return Found(
        pooled,
        solved | recorded,
        {team: literal.every(record) for team, record in runs.items()},
        {null: literal.own(built, null, seed) for null in NULL},
        {team: literal.passed(record) == "yes" for team, record in runs.items()},
        literal.every(long),
        _spare(house),
        tuple(team for team in recorded if team in solved and solved[team] != recorded[team]),
        all(holds(engine, one) for one in physical(house.goal)),
        guess.bound.value,
        guess.coded.value,
        structure(task),
        goal_structure(task),
    )


def _spare(house: House) -> int:
    """The turns that are left when level 3 has reached the goal for good."""
    worlds = turn_by_turn(house, team_episode(house, "level 3"))
    missing = [turn for turn, world in enumerate(worlds) if not world.solved()]
    return turns_of(house) - 1 - missing[-1]


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
    }
    shown = [
        f"{title}\n\n{table(['', *found], [[head, *cells.values()] for head, cells in rows.items()])}"
        for title, rows in tables.items()
    ]
    return "\n".join([*shown, f"Tasks by L of level 3, or why it is undefined.\n\n{_fates(found)}"])


def _score(some: Sequence[Sequence[Pair]]) -> str:
    """L of all tasks together, its largest value in a task, and the number of tasks where it is known."""
    known = [score for score in map(won, some) if not isinstance(score, Unknown)]
    if not known:
        return "0 tasks"
    share = sum(got for got, _ in known) / sum(most for _, most in known)
    return f"{share:.2f}; {max(got / most for got, most in known):.2f}; {len(known)}"


def _fates(found: Mapping[str, Sequence[Found]]) -> str:
    """The number of tasks in which L of level 3 has each value, or is unknown for each reason."""
    counts: dict[str, Counter[str]] = {}
    for name, some in found.items():
        counts[name] = Counter(literal.cell(one.pairs["level 3"]) for one in some)
        counts[f"{name}, {LONG} turns"] = Counter(literal.cell(one.long) for one in some)
    fates = sorted({*chain(*counts.values())})
    return table(["", *counts], [[fate, *(str(one[fate]) for one in counts.values())] for fate in fates])


def greatest(everything: Sequence[Found]) -> float | None:
    """The greatest L of a null mind in a task, in all seats or alone."""
    every = [
        won(pairs) for one in everything for null in NULL for pairs in (one.pairs[null], one.alone[null])
    ]
    return max((score[0] / score[1] for score in every if not isinstance(score, Unknown)), default=None)
