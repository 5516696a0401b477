"""The accounts of authored pools: what became of attempts, what a kept task cost, and how targets do by generation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import fmean
from typing import get_args

from msgspec import Struct

from otherminds.core.disk import resolve_path
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.results import AttemptLine, Spending, Stage, TargetResult, TaskProvenance
from otherminds.household.pool.store import PooledTask, PoolEntry
from otherminds.measures.intervals import Estimate, share_of

STAGES: tuple[Stage, ...] = get_args(Stage)
"""In the order in which a task passes them."""
PASSED: Mapping[Stage, str] = {
    "no task": "a task was written",
    "structure": "structure",
    "secrets": "secrets",
    "verified": "verified",
    "judged": "judged",
    "calibrated": "calibrated",
    "duplicate": "kept",
}
"""What an attempt has passed that ended after this stage."""


class AttemptCost(Struct, frozen=True):
    """What attempts cost: in all, and divided by the attempts and by the tasks kept. ``seconds`` has those of each."""

    attempts: int
    kept: int
    spent: Spending
    seconds: tuple[float, ...]

    def dollars_per(self, count: int) -> float | None:
        """US dollars by ``count``; ``None`` without a count or a known price."""
        return None if self.spent.dollars is None or not count else self.spent.dollars / count

    @property
    def seconds_per_kept(self) -> float | None:
        """Wall-clock seconds of all attempts, one after the other, by kept task; ``None`` if none is kept."""
        return self.spent.seconds / self.kept if self.kept else None


def acceptance(attempts: Sequence[AttemptLine]) -> dict[str, int]:
    """The number of attempts that passed each stage with their last task, from all to the kept ones."""
    ends = [STAGES.index(line.stage) for line in attempts]
    return {
        "attempts": len(ends),
        **{name: sum(end > STAGES.index(stage) for end in ends) for stage, name in PASSED.items()},
    }


def refusals(attempts: Iterable[AttemptLine]) -> dict[str, int]:
    """How often the tools refused a task at each stage on the way, over all attempts, in the order of stages."""
    counts: Counter[str] = Counter()
    for line in attempts:
        counts.update(line.rejected)
    stages = [stage for stage in STAGES if counts[stage]]
    return {
        stage: counts[stage] for stage in (*stages, *sorted(counts.keys() - set(stages))) if counts[stage]
    }


def cost(attempts: Sequence[AttemptLine]) -> AttemptCost:
    """What all attempts cost."""
    spent = sum((line.spending for line in attempts), Spending())
    accepted = sum(line.stage == "kept" for line in attempts)
    return AttemptCost(len(attempts), accepted, spent, tuple(line.spending.seconds for line in attempts))


def cumulative(attempts: Iterable[AttemptLine]) -> tuple[int, ...]:
    """The tasks kept after each attempt, in the order in which the attempts ended (figure 3)."""
    return tuple(accumulate(int(line.stage == "kept") for line in attempts))


def pass_rates(results: Iterable[TargetResult], groups: Mapping[str, int]) -> dict[str, dict[int, Estimate]]:
    """The pass rate of each target by group (such as the generation) of the tasks, with its 95 % interval.

    A task counts by its share of solved runs, and the interval (Wilson 1927) is that of as many observations as there
    are tasks, since the runs of a task are no independent ones. Tasks without a group do not count.
    """
    runs: defaultdict[tuple[str, int, str], list[bool]] = defaultdict(list)
    for run_result in results:
        if run_result.task_id in groups:
            runs[run_result.target, groups[run_result.task_id], run_result.task_id].append(run_result.solved)
    rates: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for (target, group, _), solved in runs.items():
        rates[target, group].append(fmean(solved))
    estimates: dict[str, dict[int, Estimate]] = {}
    for target, group in sorted(rates):
        shares = rates[target, group]
        estimates.setdefault(target, {})[group] = share_of(sum(shares), len(shares))
    return estimates


def overall(results: Iterable[TargetResult], tasks: Iterable[str]) -> Estimate:
    """The mean pass rate of all targets together on ``tasks``, as :func:`pass_rates`."""
    task_ids = set(tasks)
    solved: defaultdict[str, list[bool]] = defaultdict(list)
    for run_result in results:
        if run_result.task_id in task_ids:
            solved[run_result.task_id].append(run_result.solved)
    return share_of(sum(map(fmean, solved.values())), len(solved))


def unsound(entry: PoolEntry, origin: TaskProvenance) -> bool:
    """Whether a kept task fails a check that decided nothing when it was written (appendix M).

    Such a check is the calibration, or a required verdict of the verifier; those of a pool without them are reported.
    """
    calibrated = origin.calibration is None or origin.calibration.passed
    return not calibrated or not all(verdict.proved for verdict in entry.verdicts if verdict.required)


class PoolAccount(Struct, frozen=True):
    """The content of an authored pool, and the name that reports call it."""

    name: str
    tasks: tuple[PooledTask, ...]
    provenance: dict[str, TaskProvenance]
    attempts: tuple[AttemptLine, ...]
    results: tuple[TargetResult, ...]

    @property
    def generations(self) -> dict[str, int]:
        """The generation of each task."""
        return {task_id: origin.generation for task_id, origin in self.provenance.items()}

    @property
    def written(self) -> tuple[str, ...]:
        """The tasks that attempts have added."""
        return tuple(task_id for task_id, origin in self.provenance.items() if origin.attempt)


def accounts_of(folders: Sequence[Path]) -> tuple[PoolAccount, ...]:
    """As :func:`account_of` for several pools, which are called by their paths if two folders have one name."""
    names = {folder: resolve_path(folder).name for folder in folders}
    alike = len({*names.values()}) < len(names)
    return tuple(account_of(folder, str(folder) if alike else "") for folder in names)


def account_of(folder: Path, name: str = "") -> PoolAccount:
    """The content of the pool in ``folder``, called ``name``, by default as the folder.

    Raises:
        StudyError: there is no authored pool.
        TaskError: the pool is damaged.
    """
    pool = AuthoredPool(folder)
    # Results and attempts are read first: a task that they name is in the ledger already.
    results, attempts = pool.results(), pool.attempts()
    provenance = pool.provenance()
    tasks = tuple(pooled for pooled in pool.tasks() if pooled.entry.task_id in provenance)
    return PoolAccount(name or resolve_path(folder).name, tasks, provenance, attempts, results)
