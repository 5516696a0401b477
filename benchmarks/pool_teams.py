"""What the minds of the household do in the tasks of pools: the tables of ``pool.py`` about teams and L."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from time import perf_counter
from typing import NamedTuple

from tables import table

from otherminds.core.record import Record, SeatSpec
from otherminds.core.scenario import Scenario, Setup
from otherminds.household.calibrate import turns_of
from otherminds.household.engine import HouseEngine
from otherminds.household.epistemic.formula import depth, physical
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.generating.structure import goal_structure, structure
from otherminds.household.goal_check import holds
from otherminds.household.house import House
from otherminds.household.measures.attempts import literal_pass
from otherminds.household.measures.literal_scores import (
    are_about_others,
    find_terms,
    score_entries,
    tally_items,
)
from otherminds.household.measures.questions import Item, items
from otherminds.household.pool.store import PATTERNS, PooledTask
from otherminds.household.proofs.episodes import (
    DRAWING,
    SEEDS,
    TALKING,
    TEAMS,
    WHOLE,
    team_episode,
    turn_by_turn,
)
from otherminds.household.proofs.guessing import bound_guesses
from otherminds.household.reference.roster import NULL
from otherminds.household.reports.pool_sheets import BEST, cheap_counts
from otherminds.household.scenarios import ANY, build
from otherminds.household.scenes.load import load_scene
from otherminds.household.shared import house_of
from otherminds.measures.registry import Unknown
from otherminds.play.loop import play_now

NULLS = {null: SeatSpec(null) for null in NULL}
ASKED = {team: spec for team, spec in TEAMS.items() if team not in DRAWING} | NULLS
"""The teams that play again; they are asked the questions of L."""
PLAIN = ("random", "no_message", "level 1", "level 2", "level 3", "broadcast", "informed")
ORDER = (*PLAIN, *(team + WHOLE for team in TALKING), *NULL)
"""All teams in the order of the tables."""
EVERY = "all"


class Found(NamedTuple):
    """What is computed again of one task.

    ``solved`` is the share of solved runs by team, and ``other`` has the teams whose run is not that of the entry. ``items``
    are the questions that count for L, and ``paper`` says who passes the paper's literal measure. ``spare`` are the turns
    after level 3 has reached the goal. ``guess`` and ``coded`` are the bounds on guesses without and with silent codes.
    """

    pooled: PooledTask
    solved: dict[str, float]
    items: dict[str, list[Item]]
    paper: dict[str, bool]
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
    runs: dict[str, Record] = {team: play_team(built, spec, seed) for team, spec in ASKED.items()}
    solved = {team: float(record.facts["solved"]) for team, record in runs.items()}
    recorded = {team: entry.levels[team] / len(SEEDS) for team in entry.levels}
    guess, engine = bound_guesses(house), HouseEngine(house)
    return Found(
        pooled,
        solved | recorded,
        {team: _counted(record) for team, record in runs.items()},
        {team: literal_pass(record) == 1 for team, record in runs.items()},
        _spare(house),
        tuple(team for team in recorded if team in solved and solved[team] != recorded[team]),
        all(holds(engine, one) for one in physical(house.goal)),
        guess.bound.value,
        guess.coded.value,
        structure(task),
        goal_structure(task),
    )


def play_team(built: Scenario, spec: SeatSpec, seed: int) -> Record:
    """One episode with one mind in all seats."""
    minds = {seat: built.make(spec.mind, spec.params) for seat in built.focal}
    return play_now(Setup(built, minds, seed))[0]


def _counted(record: Record) -> list[Item]:
    """The questions of an episode that count for L."""
    found = items(record)
    return [] if isinstance(found, Unknown) else [one for one in found if isinstance(one, Item)]


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
    rows.append([BEST, *(best_cheap_team(those) for those in groups.values())])
    return table(["team", *(f"{group}, n = {len(those)}" for group, those in groups.items())], rows)


def best_cheap_team(some: Sequence[Found]) -> str:
    """The share of tasks, in %, that the best cheap team of these tasks solves, with its name; a dash if none was tried."""
    counts = cheap_counts(one.pooled for one in some)
    if counts is None:
        return "–"
    team, solved = next(iter(counts.items()), ("", 0))
    return f"{100 * solved / len(some):.0f} {team and f'`{team}`'}".strip()


def _place(group: str) -> tuple[int, str]:
    """All tasks first, then categories, depths and patterns."""
    order = (EVERY, "cooperative", "mixed", "depth", *PATTERNS)
    return order.index(group.split(maxsplit=1)[0]), group


def scores(found: Mapping[str, Sequence[Found]]) -> str:
    """L of each team over all tasks, and passes of the paper's measure."""
    teams = [*PLAIN[1:], *NULL]
    literal = {
        team: {
            name: _score([(str(n), item) for n, one in enumerate(some) for item in one.items[team]])[0]
            for name, some in found.items()
        }
        for team in teams
    }
    paper = {
        team: {
            name: f"{100 * sum(one.paper[team] for one in some) / len(some):.0f}"
            for name, some in found.items()
        }
        for team in teams
    }
    tables = {
        "L of all tasks together, the floor in %, and the number of tasks with a question that counts.": literal,
        "Runs that pass by the paper's literal measure, in %.": paper,
    }
    return "\n".join(
        f"{title}\n\n{table(['', *found], [[head, *cells.values()] for head, cells in rows.items()])}"
        for title, rows in tables.items()
    )


def _score(asked: Sequence[tuple[str, Item]]) -> tuple[str, float | None]:
    """L over some tasks in words, and L."""
    tally = tally_items(asked)
    one = score_entries(tally, find_terms(tally), are_about_others(tally))
    if one.score is None or one.floor is None:
        return "–", None
    return f"{one.score:.2f}; {100 * one.floor:.0f}; {one.tasks}", one.score


def greatest(everything: Sequence[Found]) -> float | None:
    """The greatest L of a null mind over all tasks."""
    known = [
        _score([(str(n), item) for n, one in enumerate(everything) for item in one.items[null]])[1]
        for null in NULL
    ]
    return max((score for score in known if score is not None), default=None)
