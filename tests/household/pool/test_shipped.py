"""The included splits: their composition, what is proved of their tasks, and that their seeds give them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import msgspec
import pytest

from otherminds.household.epistemic.fast_downward import program, solve
from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.generating.candidate import candidate
from otherminds.household.generating.properties import SPLITS, composition
from otherminds.household.generating.structure import goal_structure, structure
from otherminds.household.planning import planned
from otherminds.household.pool.store import PooledTask, load_split, shipped_splits, task_json
from otherminds.household.proofs.episodes import SEEDS
from otherminds.household.tasks.load import examined
from tests.cases import depth as sample
from tests.cases import for_each, thinned

TOP = ("level 3", "level 3 with whole memories")
EASY = ("no_message", "broadcast", "level 1", "level 2")


@cache
def tasks(split: str) -> tuple[PooledTask, ...]:
    return tuple(load_split(split).values())


def every() -> list[PooledTask]:
    return [one for split in SPLITS for one in tasks(split)]


def test_the_splits_are_those_that_the_generator_has() -> None:
    assert {*shipped_splits()} == {*SPLITS}
    assert {name: len(tasks(name)) for name in SPLITS} == {"standard": 150, "hard": 150, "dev": 60}


@for_each("split", SPLITS)
def test_each_task_has_what_its_place_in_the_split_asks_for(split: str) -> None:
    wanted = composition(SPLITS[split].tasks, SPLITS[split].hard)
    for one, place in zip(tasks(split), wanted, strict=True):
        task = one.task
        found = (one.entry.pattern, task.category, task.num_agents, depth(goal_of(task.problem_pddl)))
        assert found == (place.pattern, place.category, place.agents, place.depth)
        assert {*place.mechanics} <= {*task.active_mechanics}


def test_all_deciding_verdicts_and_the_depth_of_all_chains_are_proved() -> None:
    for one in every():
        needed = [
            v for v in one.entry.verdicts if v.decisive or v.name.startswith(("knows ", "needs depth "))
        ]
        assert len(needed) >= 8
        assert {v.name for v in needed if not v.proved} == set(), one.entry.task_id


def test_level_3_solves_every_task_and_hard_ones_are_solved_by_no_lower_team() -> None:
    assert all(one.entry.levels["level 3"] == len(SEEDS) for one in every())
    for one in tasks("hard"):
        assert [one.entry.levels[team] for team in TOP] == [len(SEEDS)] * 2
        low = {team: runs for team, runs in one.entry.levels.items() if team.startswith(EASY)}
        assert len(low) == 7
        assert set(low.values()) == {0}, one.entry.task_id


def test_no_two_tasks_are_equal_up_to_names() -> None:
    structures = Counter(one.entry.structure for one in every())
    assert len(structures) == len(every())
    assert len({goal_structure(one.task) for one in every()}) >= 100
    patterns = Counter(one.entry.pattern for one in every())
    assert min(patterns.values()) >= 20


@pytest.mark.parametrize("steps", sample([37], [1]))
def test_tasks_have_no_faults_and_the_structure_that_is_stated(steps: Sequence[int]) -> None:
    (step,) = steps
    for one in every()[::step]:
        assert examined(msgspec.to_builtins(one.task)).account.faults == ()
        assert structure(one.task) == one.entry.structure


@pytest.mark.skipif(
    program() is None, reason="needs the planner Fast Downward: pip install 'otherminds[verify]'"
)
@pytest.mark.parametrize("part", thinned(range(30), 30))
@for_each("split", SPLITS)
def test_a_seed_gives_its_task_and_its_verdicts_again(
    monkeypatch: pytest.MonkeyPatch, split: str, part: int
) -> None:
    """With ample time for the search: its limit, half a second of processor time, decides only which seeds are given up."""
    monkeypatch.setattr(
        planned,
        "solve",
        lambda task, search, _: solve(task, search.replace("max_time=0.5", "max_time=10"), 20.0),
    )
    about = SPLITS[split]
    wanted = composition(about.tasks, about.hard)
    for k in range(part, about.tasks, 30):
        again = candidate(tasks(split)[k].entry.seed, wanted[k]).pooled
        assert again is not None
        assert task_json(again.task) == task_json(tasks(split)[k].task)
        assert again.entry == tasks(split)[k].entry
