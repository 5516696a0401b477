"""Who solves the tasks of a pool, as a table: the best cheap team is a row, and unknown is not zero."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.household.pool.store import load_split
from otherminds.household.reports.pool_sheets import BEST, PLANNER, solved_shares, team_sheet
from otherminds.household.scenarios import named
from otherminds.household.teams import PANEL
from tests.household.pool.pooled import pooled

SOLVERS = (("one",), ("another", "one"), (), ("another",), ("another",))
TASKS = [pooled(seed, cheap=cheap) for seed, cheap in enumerate(SOLVERS)]


def test_the_best_cheap_team_and_the_planner_are_rows() -> None:
    rows = dict(team_sheet("teams", TASKS).rows)
    assert rows[(BEST,)] == (("60.0", "another"),)
    assert rows[(PLANNER,)] == (("100.0", ""),)


def test_no_task_is_solved_where_no_team_solves_one() -> None:
    rows = dict(team_sheet("teams", [pooled(1), pooled(2)]).rows)
    assert rows[(BEST,)] == (("0.0", ""),)


def test_the_reference_teams_of_a_split_are_those_of_its_tasks_in_a_run_of_2_t() -> None:
    tasks = [*load_split("dev").values()][:20]
    names = [named(pooled.entry.task_id, "dev") for pooled in tasks]
    shares = solved_shares("dev", names)
    assert [*shares][:4] == ["no_message", "level 1", "level 2", "level 3"]
    assert shares["level 3"] == shares[PLANNER] == 1.0
    (best,) = (name for name in shares if name.startswith(BEST))
    team = best.removeprefix(f"{BEST}: ")
    in_a_run = {one: sum(2 in (p.entry.cheap or {}).get(one, ()) for p in tasks) for one in PANEL}
    assert shares[best] == in_a_run[team] / 20 == max(in_a_run.values()) / 20
    assert team == max(PANEL, key=lambda one: in_a_run[one]), (
        "the first of equal teams, in the order of the panel"
    )


def test_tasks_that_are_not_of_the_split_have_no_reference_teams() -> None:
    name = named(next(iter(load_split("dev"))), "dev")
    assert solved_shares("dev", [name])
    assert not solved_shares("dev", [name, "household-one_shot_relay-v1"])
    for split in ("", "of a stranger"):
        assert not solved_shares(split, ["household-one_shot_relay-v1"])


def test_the_best_team_is_unknown_where_teams_were_not_tried() -> None:
    untried = replace(TASKS[0], entry=replace(TASKS[0].entry, cheap=None))
    sheet = team_sheet("teams", [*TASKS, untried])
    assert dict(sheet.rows)[(BEST,)] == (("–", ""),)
    assert any("not tried" in note for note in sheet.notes)
