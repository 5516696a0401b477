"""The planner is run within limits, its exit codes are read exactly, and its optima are those of another search."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from otherminds.core.errors import InternalError, StudyError
from otherminds.household.epistemic import fast_downward
from otherminds.household.epistemic.fast_downward import PlanningOperator, SasTask, program, solve
from tests.cases import for_each
from tests.household.epistemic import searching

BLIND = "astar(blind())"
installed = pytest.mark.skipif(
    program() is None, reason="needs Fast Downward: pip install 'otherminds[verify]'"
)
WALK = SasTask(
    sizes=(3, 2),
    start=(0, 0),
    goal=((0, 2), (1, 1)),
    operators=(
        PlanningOperator("step one", ((0, 0),), ((0, 1),), 1),
        PlanningOperator("step two", ((0, 1), (1, 1)), ((0, 2),), 1),
        PlanningOperator("turn", ((0, 1),), ((1, 1),)),
    ),
)
STUCK = SasTask(WALK.sizes, WALK.start, WALK.goal, WALK.operators[:2])


def drawn(seed: int) -> SasTask:
    """A small task drawn at random."""
    draw = random.Random(seed)
    sizes = tuple(draw.randint(2, 4) for _ in range(5))

    def some(count: int) -> tuple[tuple[int, int], ...]:
        return tuple((var, draw.randrange(sizes[var])) for var in draw.sample(range(5), count))

    operators = tuple(
        PlanningOperator(f"op {k}", some(draw.randint(1, 2)), some(draw.randint(1, 2)), draw.randint(0, 1))
        for k in range(14)
    )
    return SasTask(sizes, tuple(draw.randrange(size) for size in sizes), some(2), operators)


def stand_in(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Another program in the place of the planner; ``plan`` is the path that it is to write to."""
    path = folder / "downward"
    path.write_text(
        f"#!{sys.executable}\nimport sys, time\nread = sys.stdin.read()\nplan = sys.argv[-1]\n{body}\n"
    )
    path.chmod(0o755)
    monkeypatch.setattr(fast_downward, "program", lambda: path)


@pytest.mark.parametrize(
    ("code", "verdict", "why"),
    [
        (11, "unsolvable", ""),
        (12, "unknown", "search gave up without a proof"),
        (22, "unknown", "out of memory"),
        (23, "unknown", "out of time"),
        (24, "unknown", "out of both"),
    ],
)
def test_only_eleven_proves_that_there_is_no_plan(
    code: int, verdict: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, f"print('[t=0.1s] f = 3, 5 evaluated'); print('f = 4'); sys.exit({code})")
    found = solve(WALK, BLIND)
    assert (found.verdict, found.why, found.steps) == (verdict, why, ())
    assert found.least == (4 if verdict == "unknown" else 0)


@pytest.mark.parametrize("code", [1, 30, 32, 35, 139])
def test_any_other_code_is_an_error_of_ours(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, f"print('no such heuristic'); sys.exit({code})")
    with pytest.raises(InternalError, match=f"exit code {code}: no such heuristic"):
        solve(WALK, BLIND)


def test_a_plan_is_read_and_costed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(tmp_path, monkeypatch, r"open(plan, 'w').write('(step one)\n(turn)\n(step two)\n; cost = 2\n')")
    found = solve(WALK, BLIND)
    assert (found.verdict, found.steps, found.cost, found.least) == (
        "plan",
        ("step one", "turn", "step two"),
        2,
        2,
    )
    assert solve(WALK, "lazy_greedy([ff()])").least == 0


def test_a_program_that_does_not_end_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_downward, "GRACE", 0.2)
    stand_in(tmp_path, monkeypatch, "time.sleep(60)")
    assert solve(WALK, BLIND, seconds=0.1).why == "out of time"


def test_without_the_planner_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_downward, "find_spec", lambda name: None)
    assert program() is None
    with pytest.raises(StudyError, match=r"not installed: pip install 'otherminds\[verify\]'"):
        solve(WALK, BLIND)


def test_the_text_has_every_part_of_the_task() -> None:
    lines = WALK.text().splitlines()
    assert lines[:7] == ["begin_version", "3", "end_version", "begin_metric", "1", "end_metric", "2"]
    begin = lines.index("step two")
    assert lines[begin : begin + 6] == ["step two", "1", "1 1", "1", "0 0 1 2", "1"]


@installed
def test_the_planner_proves_and_refutes() -> None:
    assert solve(WALK, BLIND).steps == ("step one", "turn", "step two")
    assert solve(STUCK, BLIND).verdict == "unsolvable"


@installed
@for_each("seed", range(20))
def test_its_optima_are_those_of_another_search(seed: int) -> None:
    task = drawn(seed)
    best = searching.cheapest(task)
    found = solve(task, BLIND)
    assert (found.verdict, found.cost) == (("unsolvable", 0) if best is None else ("plan", best))
