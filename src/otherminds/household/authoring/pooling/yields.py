"""What became of the attempts of a pool, what a kept task cost, and how targets do by generation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from statistics import fmean
from typing import get_args

from msgspec import Struct

from otherminds.household.authoring.pooling.lines import AttemptLine, TargetResult, TaskProvenance
from otherminds.household.authoring.results import Spending, Stage
from otherminds.household.pool.entry import PoolEntry
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
    ends = [STAGES.index(one.stage) for one in attempts]
    return {
        "attempts": len(ends),
        **{name: sum(end > STAGES.index(stage) for end in ends) for stage, name in PASSED.items()},
    }


def refusals(attempts: Iterable[AttemptLine]) -> dict[str, int]:
    """How often the tools refused a task at each stage on the way, over all attempts, in the order of stages."""
    found: Counter[str] = Counter()
    for one in attempts:
        found.update(one.rejected)
    known = [stage for stage in STAGES if found[stage]]
    return {stage: found[stage] for stage in (*known, *sorted(found.keys() - set(known))) if found[stage]}


def cost(attempts: Sequence[AttemptLine]) -> AttemptCost:
    """What all attempts cost."""
    spent = sum((one.spending for one in attempts), Spending())
    kept = sum(one.stage == "kept" for one in attempts)
    return AttemptCost(len(attempts), kept, spent, tuple(one.spending.seconds for one in attempts))


def cumulative(attempts: Iterable[AttemptLine]) -> tuple[int, ...]:
    """The tasks kept after each attempt, in the order in which the attempts ended (figure 3)."""
    return tuple(accumulate(int(one.stage == "kept") for one in attempts))


def pass_rates(results: Iterable[TargetResult], groups: Mapping[str, int]) -> dict[str, dict[int, Estimate]]:
    """The pass rate of each target by group (such as the generation) of the tasks, with its 95 % interval.

    A task counts by its share of solved runs, and the interval (Wilson 1927) is that of as many observations as there
    are tasks, since the runs of a task are no independent ones. Tasks without a group do not count.
    """
    runs: defaultdict[tuple[str, int, str], list[bool]] = defaultdict(list)
    for one in results:
        if one.task_id in groups:
            runs[one.target, groups[one.task_id], one.task_id].append(one.solved)
    rates: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
    for (target, group, _), solved in runs.items():
        rates[target, group].append(fmean(solved))
    found: dict[str, dict[int, Estimate]] = {}
    for target, group in sorted(rates):
        shares = rates[target, group]
        found.setdefault(target, {})[group] = share_of(sum(shares), len(shares))
    return found


def overall(results: Iterable[TargetResult], tasks: Iterable[str]) -> Estimate:
    """The mean pass rate of all targets together on ``tasks``, as :func:`pass_rates`."""
    known = set(tasks)
    solved: defaultdict[str, list[bool]] = defaultdict(list)
    for one in results:
        if one.task_id in known:
            solved[one.task_id].append(one.solved)
    return share_of(sum(map(fmean, solved.values())), len(solved))


def unsound(entry: PoolEntry, origin: TaskProvenance) -> bool:
    """Whether a kept task fails a check that decided nothing when it was written (appendix M).

    Such a check is the calibration, or a required verdict of the verifier; those of a pool without them are reported.
    """
    calibrated = origin.calibration is None or origin.calibration.passed
    return not calibrated or not all(one.proved for one in entry.verdicts if one.required)
