"""An authored pool with a start, two generations, attempts of all ends, and results."""

from __future__ import annotations

from pathlib import Path

from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.results import Stage
from otherminds.household.pool.store import pack
from tests.household.authoring.pooling.submissions import ended, result, submission
from tests.household.pool.pooled import pooled

ENDS: tuple[Stage, ...] = ("kept", "kept", "judged", "structure", "kept", "calibrated", "kept")


def filled(folder: Path, target: str = "level_1") -> Path:
    """The folder of the pool. ``target`` solves half of the runs of generation 0 and 1, and none of generation 2."""
    start = folder.with_name(f"{folder.name} start.jsonl.gz")
    pack([pooled(seed) for seed in range(2)], start)
    pool = AuthoredPool.create(folder, str(start))
    names = [(one.entry.task_id, 0) for one in pool.tasks()]
    for k, stage in enumerate(ENDS):
        generation = 1 + k // 4
        if stage == "kept":
            names.append((pool.submit(submission(k, generation=generation)).task_id, generation))
        pool.add_attempt(ended(k, stage, generation))
    pool.add_results(
        [
            result(task_id, target, run, solved=run == 0 and generation < 2)
            for task_id, generation in names
            for run in range(2)
        ]
    )
    return folder
