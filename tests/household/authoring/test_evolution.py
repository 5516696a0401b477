"""Evolution: the same tasks whether it is stopped or not, within its gates and its budget."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest
from msgspec import structs

from otherminds.core.errors import StudyError
from otherminds.core.model import Usage
from otherminds.household.authoring import evolution as evolution_module
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.evolution import (
    Evolution,
    Generation,
    checked_target,
    evolve,
    make_assignment,
    model_results,
    team_results,
)
from otherminds.household.authoring.results import Gates
from otherminds.household.pool.store import load_split
from otherminds.models.hosts import Hosts
from otherminds.models.wrappers import BudgetSpentError
from otherminds.studies.access import Limits, SpentTokens
from otherminds.studies.progress import ShownProgress
from tests.planner import needs_planner

SMALL = Evolution(
    author="scripted_author",
    judges=("scripted_judge", "scripted_judge:0.05"),
    targets=("broadcast", "level 2"),
    rho=0.9,
    n=1,
    generations=2,
    seed=7,
)


def evolved(folder: Path, evolution: Evolution, stop_after: int = 0) -> list[Generation]:
    """Runs an evolution that begins with the split dev; stopped after some attempts, it raises ``KeyboardInterrupt``."""
    seen: list[Generation] = []

    def watch(one: Generation) -> None:
        seen.append(one)
        if len(seen) == stop_after:
            raise KeyboardInterrupt

    evolve(AuthoredPool.create(folder, "dev"), evolution, 1, Limits(), ShownProgress(), watch)
    return seen


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"rho": 1.5}, "between 0 and 1"),
        ({"targets": ()}, "at least one target"),
        ({"targets": ("levle 2",)}, "level 2"),
        ({"rule": "mode"}, "paper, median"),
        ({"judges": ()}, "name 2 judges"),
    ],
)
def test_what_cannot_be_evolved_is_refused(changes, says):
    made = {name: getattr(SMALL, name) for name in SMALL.__struct_fields__} | changes
    with pytest.raises(StudyError, match=says):
        Evolution(**made).check()


def test_assignments_have_the_shares_of_the_paper():
    made = [make_assignment(3, generation, number, 0) for generation in range(20) for number in range(50)]
    depths = Counter(one.depth for one in made)
    assert Counter(one.category for one in made) == {"cooperative": 500, "mixed": 500}
    assert [round(100 * depths[depth] / 1000) for depth in (1, 2, 3)] == pytest.approx([37, 26, 36], abs=5)


@needs_planner
def test_a_stopped_evolution_writes_the_tasks_of_an_uninterrupted_one(tmp_path):
    evolved(tmp_path / "whole", SMALL)
    with pytest.raises(KeyboardInterrupt):
        evolved(tmp_path / "stopped", SMALL, stop_after=1)
    assert evolved(tmp_path / "stopped", SMALL)[-1].kept == 1
    for name in ("ledger.jsonl", "authored.jsonl", "results.jsonl"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    pool = AuthoredPool(tmp_path / "whole")
    written = [one for one in pool.provenance().values() if one.attempt]
    assert [one.generation for one in written] == [1, 2]
    assert all(one.parents and one.judgements and one.author == "scripted_author" for one in written)
    assert all(line.spending.calls for line in pool.attempts())


@needs_planner
def test_a_generation_that_was_interrupted_does_not_see_its_own_results(tmp_path):
    evolution = structs.replace(SMALL, n=2, generations=1, targets=("level 2",))
    with pytest.raises(KeyboardInterrupt):
        evolved(tmp_path / "pool", evolution, stop_after=1)
    (first,) = (one for one in AuthoredPool(tmp_path / "pool").provenance().values() if one.attempt)
    played: list[bool] = []

    def watch(one: Generation) -> None:
        results = AuthoredPool(tmp_path / "pool").results()
        played.append(any(result.task_id == first.task_id for result in results))

    pool = AuthoredPool(tmp_path / "pool")
    evolve(pool, evolution, 1, Limits(), ShownProgress(), watch)
    assert played
    assert not any(played)
    assert any(result.task_id == first.task_id for result in pool.results())


@needs_planner
@pytest.mark.parametrize(("spent", "enough"), [(1000, True), (10**7, False)])
def test_authors_judges_and_targets_share_one_limit(tmp_path, monkeypatch, spent, enough):
    allowed: list[int] = []

    def played(tasks, target, folder, limits, progress, hosts):
        """A study that costs ``spent`` tokens and has no result."""
        allowed.append(limits.max_tokens)
        folder.mkdir(parents=True, exist_ok=True)
        SpentTokens(folder / "calls.sqlite").pay("model", Usage(spent, 0))
        return ()

    monkeypatch.setattr(evolution_module, "model_results", played)
    made = structs.replace(SMALL, n=1, generations=1, targets=("tool_loop@scripted_author",))
    pool = AuthoredPool.create(tmp_path / "pool", "dev")
    with nullcontext() if enough else pytest.raises(BudgetSpentError):
        evolve(pool, made, 1, Limits(max_tokens=10**7), ShownProgress(), lambda _: None)
    assert allowed[0] == 10**7
    assert [one < 10**7 - spent for one in allowed[1:]] == [True] * enough


@needs_planner
def test_without_examples_and_council_nothing_is_shown_and_nobody_judges(tmp_path):
    gates = Gates(examples=False, council=False)
    evolved(
        tmp_path / "pool",
        Evolution(author="scripted_author", judges=(), targets=("level 2",), rho=0.9, n=1, gates=gates),
    )
    (written,) = (one for one in AuthoredPool(tmp_path / "pool").provenance().values() if one.attempt)
    assert (written.parents, written.judgements) == ((), ())


TASKS = tuple(load_split("dev").values())[:2]


@pytest.mark.parametrize("target", ["levle 2", "tool_loop", "tool_loop@"])
def test_what_is_no_target_is_refused(target):
    with pytest.raises(StudyError, match="a target is a team"):
        checked_target(target)


def test_a_model_alone_plays_with_tools():
    assert checked_target("openai:m@http://127.0.0.1:1/v1") == "tool_loop@openai:m@http://127.0.0.1:1/v1"


def test_teams_have_the_runs_of_the_entries():
    results = team_results(TASKS, "level 2")
    assert [one.run for one in results] == [0, 1, 2] * 2
    solved = {one.entry.task_id: one.entry.levels["level 2"] for one in TASKS}
    assert {
        one: sum(result.solved for result in results if result.task_id == one) for one in solved
    } == solved


def test_a_model_plays_each_task_three_times_and_no_run_twice(tmp_path):
    def played():
        progress = ShownProgress()
        return model_results(
            TASKS, "tool_loop@scripted:first", tmp_path / "study", Limits(), progress, Hosts()
        )

    first = played()
    assert [
        (one.task_id, one.run) for one in sorted(first, key=lambda one: (one.task_id, one.run))
    ] == sorted((one.entry.task_id, run) for one in TASKS for run in range(3))
    assert not any(one.solved for one in first)
    assert played() == first
