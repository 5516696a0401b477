"""How many tasks of a pool each cheap team solves; unknown is not zero."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.household.reports.pool_sheets import cheap_counts
from otherminds.household.teams import PANEL
from tests.household.pool.pooled import pooled

SOLVERS = (("one",), ("another", "one"), (), ("another",), ("another",))
TASKS = [pooled(seed, cheap=cheap) for seed, cheap in enumerate(SOLVERS)]


def test_teams_are_counted_by_tasks_the_most_first() -> None:
    counts = cheap_counts(TASKS)
    assert counts == {"another": 3, "one": 2}
    assert counts is not None
    assert next(iter(counts)) == "another"


def test_a_task_on_which_teams_were_not_tried_leaves_the_counts_unknown() -> None:
    untried = replace(TASKS[0], entry=replace(TASKS[0].entry, cheap=None))
    assert cheap_counts([*TASKS, untried]) is None


def test_equal_teams_are_in_the_order_of_the_panel_and_lengths_can_be_chosen() -> None:
    first, second = [*PANEL][3], [*PANEL][7]
    tasks = [pooled(1, cheap=(second, first)), pooled(2, cheap=(second, first))]
    assert list(cheap_counts(tasks) or ()) == [first, second]
    assert cheap_counts(tasks, (4,)) == {first: 2, second: 2}
    assert cheap_counts(tasks, (1,)) == {}
