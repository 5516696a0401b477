"""How many tasks of a pool each cheap team solves; unknown is not zero."""

from __future__ import annotations

from msgspec.structs import replace

from otherminds.worlds.household.pool.stats import cheap_counts
from tests.worlds.household.pool.pooled import pooled

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
