"""Which tasks of a pool an author is shown: a share that the targets failed, the rest passed (section 4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from otherminds.core.seeds import derive, stream
from otherminds.household.authoring.pooling.lines import TargetResult, TaskProvenance
from otherminds.household.authoring.results import Assignment


def failed_by_majority(results: Iterable[TargetResult]) -> dict[str, bool]:
    """Whether more than half of a task's runs, over all targets, failed; only of tasks with results."""
    runs: Counter[str] = Counter()
    unsolved: Counter[str] = Counter()
    for run_result in results:
        runs[run_result.task_id] += 1
        unsolved[run_result.task_id] += not run_result.solved
    return {task_id: 2 * unsolved[task_id] > n for task_id, n in runs.items()}


def failure_patterns(results: Iterable[TargetResult]) -> dict[str, tuple[str, ...]]:
    """The patterns of each task's failed runs, the most frequent first, then by name."""
    counts_by_task: dict[str, Counter[str]] = {}
    for run_result in results:
        if not run_result.solved:
            counts_by_task.setdefault(run_result.task_id, Counter()).update(run_result.patterns)
    return {
        task_id: tuple(sorted(counts, key=lambda name: (-counts[name], name)))
        for task_id, counts in counts_by_task.items()
    }


def draw_task_ids(
    failed: Mapping[str, bool],
    provenance: Mapping[str, TaskProvenance],
    assignment: Assignment,
    rho: float,
    n: int,
) -> tuple[str, ...]:
    """The ids of ``n`` tasks with results, of which the fraction ``rho`` failed, by the assignment's seed.

    Where ``rho * n`` is no whole number, it is rounded up with the probability of its fraction. Tasks of the wanted
    category and depth come first, then those with one of both. A kind of which there are too few is not filled up with
    the other.
    """
    least = int(rho * n)
    many = least + (stream(assignment.seed, "sampled", "count").random() < rho * n - least)

    def rank(task_id: str) -> tuple[int, int]:
        origin = provenance[task_id]
        distance = (origin.category != assignment.category) + (origin.depth != assignment.depth)
        return distance, derive(assignment.seed, task_id)

    ranked = sorted(failed, key=rank)
    hard = [task_id for task_id in ranked if failed[task_id]][:many]
    easy = [task_id for task_id in ranked if not failed[task_id]][: n - many]
    return (*hard, *easy)
