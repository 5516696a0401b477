"""What a council catches of planted faults, and how well its judges agree with what is proved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from otherminds.household.authoring.checking import checks_of
from otherminds.household.authoring.council import Council, CouncilRule, meets_criterion
from otherminds.household.authoring.findings import evidence
from otherminds.household.authoring.planted import planted_faults
from otherminds.household.authoring.results import CheckReport, Criterion, Gates, Judgement
from otherminds.household.pool.store import PATTERNS, pool_called
from otherminds.household.task import Task
from otherminds.measures.intervals import EffectiveRaters, Estimate, cohen_kappa, effective_raters, share_of

SPLIT = "standard"
"""The shipped split whose tasks are taken as sound: they are proved, and no check finds anything."""


class JudgedCase(Struct, frozen=True):
    """A task with the ``fault`` that was planted in it (empty: sound), the checks, and the judgements."""

    fault: str
    task: Task
    checks: CheckReport
    judgements: tuple[Judgement, ...]


class CatchRate(Struct, frozen=True):
    """How often a kind of fault was caught: by ``checks`` without a model, and by the council, which ``rejected`` the task,
    or some judge of which ``named`` the criterion that the fault harms. For sound tasks ``fault`` is empty.
    """

    fault: str
    criterion: str
    checks: Estimate
    rejected: Estimate
    named: Estimate


def sound_tasks(number: int) -> tuple[Task, ...]:
    """``number`` sound tasks at most: the first of each pattern, then the second of each, and so on."""
    groups = [
        [pooled.task for pooled in pool_called(SPLIT) if pooled.entry.pattern == pattern]
        for pattern in PATTERNS
    ]
    longest = max(map(len, groups))
    tasks = [group[place] for place in range(longest) for group in groups if place < len(group)]
    return tuple(tasks[:number])


def cases(tasks: Iterable[Task]) -> Iterator[tuple[str, Task]]:
    """Each task as it is, and with each fault that can be planted in it: pairs of the fault's name and the task."""
    for task in tasks:
        yield "", task
        for name in planted_faults:
            faulty = planted_faults.get(name).plant_in(task)
            if faulty is not None:
                yield name, faulty


async def judged_cases(council: Council, faulty_tasks: Sequence[tuple[str, Task]]) -> tuple[JudgedCase, ...]:
    """The cases, judged one after the other; the number of a case is the item of its calls.

    Raises:
        StudyError: the planner is not installed.
        ProviderError: the service of a judge does not answer.
        BudgetSpentError: a limit is reached.
    """
    cases: list[JudgedCase] = []
    for item, (fault, task) in enumerate(faulty_tasks):
        checked = checks_of(task)
        report = await council.judged(task, checked.house, item)
        cases.append(JudgedCase(fault, task, checked.report, report.judgements))
    return tuple(cases)


def catch_rates(judged: Sequence[JudgedCase], rule: CouncilRule) -> tuple[CatchRate, ...]:
    """The catch rate of each kind of fault, with 95 % score intervals; that of sound tasks is last: false alarms."""
    names = sorted({case.fault for case in judged}, key=lambda name: (not name, name))
    return tuple(_rate(name, [case for case in judged if case.fault == name], rule) for name in names)


def agreement(judged: Sequence[JudgedCase], judge: int) -> dict[Criterion, Estimate]:
    """Cohen's kappa of a judge, by its place, with the checks: whether each criterion is met, where a check decides it."""
    pairs: dict[Criterion, list[tuple[bool, bool]]] = {}
    for case in judged:
        for criterion, proof in evidence(case.checks, case.task.category).items():
            score = case.judgements[judge].scores.get(criterion)
            if score is not None and (proof.known or criterion == "secret_quality"):
                pairs.setdefault(criterion, []).append((meets_criterion(score), proof.holds))
    return {
        criterion: cohen_kappa([mine for mine, _ in answers], [proved for _, proved in answers])
        for criterion, answers in pairs.items()
    }


def effective_judges(judged: Sequence[JudgedCase]) -> EffectiveRaters:
    """The effective number of judges, from the errors of each: sound tasks that it rejects and faulty ones that it accepts,
    alone and by the rule of the paper.
    """
    many = len(judged[0].judgements) if judged else 0
    alone = CouncilRule()
    return effective_raters(
        [
            [
                alone.decide([case.judgements[judge]], case.task).accepted == bool(case.fault)
                for case in judged
            ]
            for judge in range(many)
        ]
    )


def unreadable(judged: Sequence[JudgedCase], judge: int) -> Estimate:
    """The share of a judge's judgements that are invalid."""
    return share_of(sum(bool(case.judgements[judge].invalid) for case in judged), len(judged))


def _rate(name: str, judged: Sequence[JudgedCase], rule: CouncilRule) -> CatchRate:
    criterion = planted_faults.get(name).criterion if name else None
    many = len(judged)
    rejected = sum(not rule.decide(case.judgements, case.task).accepted for case in judged)
    caught_by_name = sum(
        any(_against(judgement, criterion) for judgement in case.judgements) for case in judged
    )
    checked = sum(case.checks.stage(Gates()) is not None for case in judged)
    return CatchRate(
        name,
        criterion or "",
        share_of(checked, many),
        share_of(rejected, many),
        share_of(caught_by_name, many),
    )


def _against(judgement: Judgement, criterion: Criterion | None) -> bool:
    """Whether a judgement does not meet ``criterion``, or for a sound task any."""
    scores = [judgement.scores.get(criterion)] if criterion else [*judgement.scores.values()]
    return any(score is not None and not meets_criterion(score) for score in scores)
