"""Who solves the tasks of a pool, as a table: the best cheap team is a row, and unknown is not zero."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.reports.household.reference_teams import BEST, PLANNER, team_sheet
from tests.worlds.household.pool.pooled import pooled

SOLVERS = (("one",), ("another", "one"), (), ("another",), ("another",))
TASKS = [pooled(seed, cheap=cheap) for seed, cheap in enumerate(SOLVERS)]


def test_the_best_cheap_team_and_the_planner_are_rows() -> None:
    rows = dict(team_sheet("teams", TASKS).rows)
    assert rows[(BEST,)] == (("60.0", "another"),)
    assert rows[(PLANNER,)] == (("100.0", ""),)


def test_no_task_is_solved_where_no_team_solves_one() -> None:
    rows = dict(team_sheet("teams", [pooled(1), pooled(2)]).rows)
    assert rows[(BEST,)] == (("0.0", ""),)


def test_the_best_team_is_unknown_where_teams_were_not_tried() -> None:
    untried = replace(TASKS[0], entry=replace(TASKS[0].entry, cheap=None))
    sheet = team_sheet("teams", [*TASKS, untried])
    assert dict(sheet.rows)[(BEST,)] == (("–", ""),)
    assert any("not tried" in note for note in sheet.notes)
