"""The targets of evolution: reference teams and language models, and which tasks of a pool they fail.

A target is a reference team (``level 2``, see :data:`~.proofs.fairness.TEAMS`), whose runs are part of a task's entry, or a
mind with a model (``tool_loop@SPEC``; a model alone plays with ``tool_loop``), which plays the tasks in a study of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from otherminds.core.encoding import digest
from otherminds.core.errors import StudyError
from otherminds.core.near import near, quoted
from otherminds.household.authoring.pooling.lines import TargetResult
from otherminds.household.measures.patterns.found import patterns
from otherminds.household.pool.entry import PooledTask
from otherminds.household.pool.store import PACKED, pack
from otherminds.household.proofs.fairness import SEEDS, TEAMS
from otherminds.minds.registry import strategies
from otherminds.models.hosts import Hosts
from otherminds.studies.access import Limits
from otherminds.studies.executor import Progress
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides

MIND = "tool_loop"
"""The mind of a model that is named alone."""


def checked_target(target: str) -> str:
    """``target``, if it is a reference team, or a mind with a model.

    Raises:
        StudyError: it is neither.

    >>> checked_target("level 2"), checked_target("smollm2")
    ('level 2', 'tool_loop@smollm2')
    """
    if target in TEAMS:
        return target
    mind, at, model = target.partition("@")
    if mind in strategies and model:
        return target
    meant = "" if at else near(target, TEAMS)
    if meant or mind in strategies:
        raise StudyError(
            f"there is no target {quoted(target)}{meant}; a target is a team, MODEL or MIND@MODEL"
        )
    return f"{MIND}@{target}"


def team_results(tasks: Sequence[PooledTask], team: str) -> tuple[TargetResult, ...]:
    """The runs of a reference team, as they are in the entries of the tasks: those solved come first."""
    return tuple(
        TargetResult(one.entry.task_id, team, run, run < one.entry.levels.get(team, 0))
        for one in tasks
        for run in range(len(SEEDS))
    )


def study_name(tasks: Sequence[PooledTask], target: str) -> str:
    """The name of the study of a target on tasks: equal ones have equal names."""
    return digest((target, [one.entry.sha256 for one in tasks]))[:12]


def model_results(
    tasks: Sequence[PooledTask], target: str, folder: Path, limits: Limits, progress: Progress, hosts: Hosts
) -> tuple[TargetResult, ...]:
    """The runs of a mind with a model: three of each task, with the failure patterns of those that fail.

    The study is in ``folder``, and its tasks in a file beside it; called again, it resumes.
    The model may be asked at the address in ``target``, and at ``hosts``.
    Runs that failed for another reason than the mind's replies have no result.

    Raises:
        StudyError: the folder or the target cannot be used.
        ProviderError: the model's service or files do not answer.
        BudgetSpentError: a limit is reached.
    """
    packed = folder.with_name(f"tasks-{folder.name}{PACKED}")
    packed.parent.mkdir(parents=True, exist_ok=True)
    pack(tasks, packed)
    given = RunOverrides(minds=(target,))
    run(plan_file(packed, given), folder, progress, limits=limits, hosts=hosts.naming(*given.specs))
    found: list[TargetResult] = []
    runs: Counter[str] = Counter()
    for record in sorted(results(folder)[1], key=lambda one: one.spec.seed):
        if record.outcome.status == "failed":
            continue
        task_id, solved = record.spec.options["task"]["task_id"], bool(record.facts["solved"])
        why = () if solved else tuple(one for one in patterns if patterns.get(one)(record))
        found.append(TargetResult(task_id, target, runs[task_id], solved, why))
        runs[task_id] += 1
    return tuple(found)
