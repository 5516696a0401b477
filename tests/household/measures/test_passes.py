"""Avg, Pass@3 and Pass^3 over fixed n = 3, by category and depth."""

from __future__ import annotations

from math import isclose, sqrt

from hypothesis import given
from hypothesis import strategies as st

from otherminds.household.measures.attempts import Attempt, Traffic
from otherminds.household.measures.passes import passes, standard_error, teams
from tests.cases import for_each

RUNS = st.lists(st.lists(st.booleans(), max_size=5), min_size=1, max_size=30)


def run(
    task: str, seed: int, *, passed: bool = True, category: str = "cooperative", depth: int = 1, **more
) -> Attempt:
    fields = {"scored": True, "literal": passed, "private": (0, 0), "patterns": {}}
    fields |= {"unknowing": False, "items": (), "left_out": {}, "gain": None} | more
    return Attempt(
        task, "m", category, depth, seed, functional=passed, turns=4, traffic=Traffic(2, 1), **fields
    )


def planned(*cells: tuple[str, str]) -> dict[tuple[str, str], int]:
    """Three episodes of each scenario and mind."""
    return dict.fromkeys(cells, 3)


@given(RUNS)
def test_the_three_numbers_hang_together(tasks: list[list[bool]]) -> None:
    found = passes(tasks)
    assert found.attempts == 3 * len(tasks)
    assert 0 <= found.every <= found.avg + 1e-9 <= found.some + 2e-9 <= 100 + 3e-9
    p = sum(sum(runs[:3]) for runs in tasks) / found.attempts
    assert isclose(found.avg, 100 * p)
    assert isclose(found.error, 100 * sqrt(p * (1 - p) / found.attempts))


@given(RUNS)
def test_a_missing_run_has_failed(tasks: list[list[bool]]) -> None:
    assert passes(tasks) == passes([(*runs[:3], False, False, False) for runs in tasks])


@for_each(
    ("passed", "attempts", "error"),
    [(47, 120, 4.5), (35, 66, 6.1), (0, 120, 0.0), (1, 54, 1.8), (120, 120, 0.0)],
)
def test_the_standard_error_is_the_papers(passed: int, attempts: int, error: float) -> None:
    assert round(standard_error(passed / attempts, attempts), 1) == error


def test_rows_by_category_and_depth() -> None:
    attempts = [run("a", seed, passed=seed < 2) for seed in range(3)]
    attempts += [run("b", seed, category="mixed", depth=2, private=(1, 2)) for seed in range(3)]
    rows = {row.scope: row for row in teams(planned(("a", "m"), ("b", "m")), attempts)}
    assert list(rows) == ["Coop", "Mixed", "Overall", "depth 1", "depth 2"]
    assert isclose(rows["Coop"].functional.avg, 200 / 3)
    assert (rows["Coop"].functional.some, rows["Coop"].functional.every) == (100, 0)
    assert (rows["Mixed"].functional.avg, rows["Mixed"].private) == (100, 0.5)
    assert isclose(rows["Overall"].functional.avg, 500 / 6)
    assert rows["Overall"].functional.every == 50
    assert rows["Overall"].private == 0.5
    assert rows["Coop"].private is None
    assert rows["depth 1"].functional == rows["Coop"].functional
    assert (rows["Overall"].runs, rows["Overall"].turns) == (6, 4)
    assert rows["Overall"].traffic == Traffic(12, 6)


def test_rows_by_pattern_and_split_of_the_tasks_that_have_them() -> None:
    attempts = [run("a", seed, pattern="relay", split="hard") for seed in range(3)]
    attempts += [run("b", seed, pattern="mixed", split="hard", passed=False) for seed in range(3)]
    attempts += [run("c", seed, patterns={"chain": 1}) for seed in range(3)]
    rows = {row.scope: row for row in teams(planned(*((task, "m") for task in "abc")), attempts)}
    assert list(rows) == ["Overall", "pattern mixed", "pattern relay", "no split", "split hard"]
    assert [row.tasks for row in rows.values()] == [3, 1, 1, 1, 2]
    assert [row.functional.avg for row in rows.values()][1:] == [0, 100, 100, 50]
    assert rows["Overall"].patterns == {"chain": (3, 0)}


def test_what_all_tasks_share_has_no_row() -> None:
    assert [row.scope for row in teams(planned(("a", "m")), [run("a", 0)])] == ["Overall"]


def test_planned_runs_without_a_record_count_as_failed() -> None:
    (row,) = teams(
        planned(("a", "m"), ("b", "m"), ("c", "m")), [run("a", 0), run("b", 0), run("b", 1), run("b", 2)]
    )
    assert row.tasks == 2  # of c nobody knows that it is of the household
    assert (row.runs, row.functional.attempts) == (4, 6)
    assert isclose(row.functional.avg, 400 / 6)
    other = planned(("a", "m"), ("b", "m"), ("a", "other"))
    rows = teams(other, [run("a", 0), run("b", 0)])
    assert [(row.mind, row.tasks, row.functional.avg) for row in rows[1:]] == [("other", 1, 0)]


def test_the_first_three_by_seed_count() -> None:
    (row,) = teams(planned(("a", "m")), [run("a", seed, passed=seed > 2) for seed in (4, 0, 3, 1, 2)])
    assert (row.functional.avg, row.spare, row.runs) == (0, 2, 3)


def test_a_run_that_was_not_scored_counts_as_failed_and_for_nothing_else() -> None:
    failed = run("a", 1, passed=False, scored=False, patterns={})
    (row,) = teams(planned(("a", "m")), [run("a", 0, patterns={"chain": 2}), failed])
    assert isclose(row.functional.avg, 100 / 3)
    assert row.traffic == Traffic(2, 1)
    assert row.patterns == {"chain": (1, 0)}


def test_patterns_count_runs_and_those_that_failed() -> None:
    attempts = [
        run("a", seed, passed=seed == 0, patterns={"chain": seed, "withheld": 1}) for seed in range(3)
    ]
    (row,) = teams(planned(("a", "m")), attempts)
    assert row.patterns == {"chain": (2, 2), "withheld": (3, 2)}


def test_tasks_without_probes_have_no_literal_pass() -> None:
    none = {"literal": None}
    (row,) = teams(planned(("a", "m")), [run("a", 0, **none)])
    assert (row.literal, row.others.score, row.left_out, row.unknowing) == (None, None, {}, None)
    assert row.verdict.kind == "not measured"
    rows = teams(
        planned(("a", "m"), ("b", "m")), [run("a", 0, **none), *(run("b", seed) for seed in range(3))]
    )
    assert rows[0].literal.attempts == 3


def test_success_with_private_goals_counts_the_tasks_that_have_some() -> None:
    attempts = [run("a", seed) for seed in range(3)]
    attempts += [run("b", seed, category="mixed", private=(2 if seed else 1, 2)) for seed in range(3)]
    attempts += [run("c", seed, passed=False, category="mixed", private=(1, 1)) for seed in range(3)]
    rows = {row.scope: row for row in teams(planned(*((task, "m") for task in "abc")), attempts)}
    mixed = rows["Mixed"].with_private
    assert mixed is not None
    assert (mixed.attempts, round(mixed.avg), mixed.some, mixed.every) == (6, 33, 50, 0)
    assert rows["Overall"].with_private == mixed
    assert rows["Coop"].with_private is None
