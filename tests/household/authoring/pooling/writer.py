"""A process that adds tasks, attempts and results to an authored pool, and says in a file what it was told is there.

``python -m tests.household.authoring.pooling.writer POOL LOG NUMBERS...`` adds the tasks of the split dev with these numbers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.results import Stage
from tests.household.authoring.pooling.submissions import ended, result, submission

TARGETS = ("level_1", "level_2")


def add(folder: Path, log: Path, numbers: Sequence[int]) -> None:
    """Adds the tasks, an attempt for each, and three results of each task that it adds."""
    pool = AuthoredPool.create(folder)
    told = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    for k in numbers:
        kept = pool.submit(submission(k, attempt=f"{log.stem} {k}"))
        if kept.task_id:
            os.write(told, f"task {kept.task_id}\n".encode())
            pool.add_results([result(kept.task_id, target) for target in TARGETS])
            os.write(told, f"results {kept.task_id}\n".encode())
        stage: Stage = "kept" if kept.task_id else "duplicate"
        pool.add_attempt(ended(k, stage, attempt=f"{log.stem} {k}"))
        os.write(told, f"attempt {log.stem} {k}\n".encode())
    os.close(told)


if __name__ == "__main__":
    add(Path(sys.argv[1]), Path(sys.argv[2]), [int(number) for number in sys.argv[3:]])
