"""Avg, Pass@3 and Pass^3 of teams in the household: the columns of table 2 of Juneja et al. 2026, and the table as data.

Source: section 5 (Metrics). Each task is run n = 3 times; a run that is missing or was not scored has not passed. If there are
more runs, the first three by seed count. Rows are by category, depth, pattern and split.

``published.csv`` is table 2 (arXiv 2605.09826v2, CC BY 4.0): one printed cell of three numbers per line, in the order of the
table. Its columns:

- ``split``: ``standard`` or ``hard``; ``model``; ``scope``: ``coop``, ``mixed`` or ``overall``;
  ``measure``: ``functional`` or ``literal``.
- ``avg`` with its binomial standard error ``error``, ``some`` (Pass@3) and ``every`` (Pass^3), in per cent.

All of them are multiples of 1/66, 1/54 and 1/120 (``avg``) and 1/22, 1/18 and 1/40 (the others): 22 cooperative and 18 mixed
tasks a split, three runs each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from math import sqrt

from msgspec import Struct

from otherminds.core.wording import printed
from otherminds.household.measures.attempts import Attempt, Traffic
from otherminds.household.measures.literal_scores import (
    ClassScore,
    LiteralScore,
    Tally,
    Terms,
    are_about_others,
    find_terms,
    in_tasks,
    score_classes,
    score_entries,
    tally_items,
)
from otherminds.household.measures.literal_verdicts import LiteralEvidence, judge_splits
from otherminds.household.measures.questions import LEFT_OUT
from otherminds.measures.intervals import share_of
from otherminds.measures.verdict import Verdict

RUNS = 3
"""n, the number of runs of a task."""
SCOPES = {"cooperative": "Coop", "mixed": "Mixed"}
OVERALL = "Overall"
NO_SPLIT = "no split"
"""The scope of tasks that belong to no shipped split, beside tasks that do."""
SEVERAL_SPLITS = LiteralScore(None, None, None, 0, 0, 0)
"""The literal score of tasks of several splits together: floors are those of one."""


class Passes(Struct, frozen=True):
    """Pass rates in per cent over ``attempts`` = 3 × tasks: of runs, with the binomial standard error and the ends of the
    95 % score interval, and of tasks that passed in some or in all of their three runs.
    """

    avg: float
    error: float
    low: float
    high: float
    some: float
    every: float
    attempts: int


class Team(Struct, frozen=True):
    """One mind in one scope: a row of table 2, with costs and failure patterns.

    ``literal``, by the paper's truth, is ``None`` without probes; ``unknowing`` is the share (0 to 1) of these tasks that a
    team passes by answering "unknown" to all questions. ``knowledge`` scores the questions of depth 1, about one's own
    knowledge, and ``others`` the deeper ones, whose ``score`` is L; floors and weights are those of the whole split.
    In a row about all tasks of a split, ``classes`` has the score of each class of questions, and ``verdict`` what
    they show. ``left_out`` has the shares of
    questions left out, by reason. ``runs`` counts the
    scored runs, of 3 × ``tasks``; ``spare`` counts runs beyond the first three of a task, which are ignored. ``private``
    is the share of achieved private goals (0 to 1), ``with_private`` the rates of passing together with all private goals in
    tasks that have some; both are ``None`` without any. ``turns`` is the mean over scored runs.
    ``patterns`` counts the scored runs with each failure pattern, and those of them that failed.
    """

    mind: str
    scope: str
    tasks: int
    runs: int
    spare: int
    functional: Passes
    literal: Passes | None
    unknowing: float | None
    knowledge: LiteralScore
    others: LiteralScore
    left_out: dict[str, float]
    private: float | None
    with_private: Passes | None
    turns: float | None
    traffic: Traffic
    patterns: dict[str, tuple[int, int]]
    split: str = ""
    classes: tuple[ClassScore, ...] = ()
    verdict: Verdict | None = None


class _Task(Struct, frozen=True):
    """A task planned for a mind, with its recorded runs by seed; ``about`` is any run of it, by any mind."""

    about: Attempt
    attempts: tuple[Attempt, ...]

    @property
    def counted(self) -> tuple[Attempt, ...]:
        return self.attempts[:RUNS]


def passes(tasks: Sequence[Sequence[bool]]) -> Passes:
    """Pass rates of tasks, each given by the results of its runs; missing runs have failed.

    >>> found = passes([(True, True, True), (True, False), (), (False,)])
    >>> found.attempts, round(found.avg, 1), round(found.error, 1), found.some, found.every
    (12, 33.3, 13.6, 50.0, 25.0)
    """
    fixed = [tuple(runs[:RUNS]) for runs in tasks]
    attempts = RUNS * len(fixed)
    passed = sum(map(sum, fixed))
    score = share_of(passed, attempts)
    rate = passed / attempts
    return Passes(
        avg=100 * rate,
        error=standard_error(rate, attempts),
        low=100 * (score.low or 0.0),
        high=100 * (score.high or 0.0),
        some=100 * sum(map(any, fixed)) / len(fixed),
        every=100 * sum(sum(runs) == RUNS for runs in fixed) / len(fixed),
        attempts=attempts,
    )


def standard_error(rate: float, attempts: int) -> float:
    """The binomial standard error of a rate (0 to 1) over a number of attempts, in per cent.

    >>> round(standard_error(47 / 120, 120), 1)
    4.5
    """
    return 100 * sqrt(rate * (1 - rate) / attempts)


def teams(planned: Mapping[tuple[str, str], int], attempts: Iterable[Attempt]) -> list[Team]:
    """The rows of each mind: by category, overall, by depth, pattern and split.

    ``planned`` counts the episodes of each (scenario, mind). A scenario is one task. A scenario without any record is
    left out, since its world is unknown. There is no row for a category, depth, pattern or split that all tasks of a mind
    share.
    """
    by_mind = {mind: _by_split(tasks) for mind, tasks in _planned_tasks(planned, attempts).items()}
    evidence = [
        _evidence(mind, split, tasks, sum(planned[task.about.scenario, mind] for task in tasks))
        for mind, splits in by_mind.items()
        for split, tasks in splits.items()
    ]
    parts: dict[str, dict[str, _Scored]] = {}
    for entry, verdict in zip(evidence, judge_splits(evidence), strict=True):
        parts.setdefault(entry.mind, {})[entry.split] = _Scored(entry.tally, find_terms(entry.tally), verdict)
    return [
        row
        for mind, splits in by_mind.items()
        for row in _rows(mind, [task for tasks in splits.values() for task in tasks], parts[mind])
    ]


def _evidence(mind: str, split: str, tasks: Sequence[_Task], planned: int) -> LiteralEvidence:
    scored = {task.about.scenario: [attempt for attempt in task.counted if attempt.scored] for task in tasks}
    gains = {
        name: [attempt.gain for attempt in runs if attempt.gain is not None] for name, runs in scored.items()
    }
    every = [attempt for runs in scored.values() for attempt in runs]
    return LiteralEvidence(
        mind=mind,
        split=split,
        model=any(attempt.model for task in tasks for attempt in task.attempts),
        scenarios=tuple(scored),
        planned=planned,
        tally=_tally(tasks),
        runs={name: len(runs) for name, runs in scored.items()},
        lost={task.about.scenario: sum(not attempt.scored for attempt in task.counted) for task in tasks},
        functional={name: task_gains for name, task_gains in gains.items() if task_gains},
        answers=sum(len(attempt.items) for attempt in every),
        unread=sum(attempt.unread for attempt in every),
    )


def _planned_tasks(planned: Iterable[tuple[str, str]], attempts: Iterable[Attempt]) -> dict[str, list[_Task]]:
    """The planned tasks of each mind, of those that are known by some record."""
    by_task_and_mind: dict[tuple[str, str], list[Attempt]] = {}
    examples: dict[str, Attempt] = {}
    for attempt in attempts:
        by_task_and_mind.setdefault((attempt.scenario, attempt.mind), []).append(attempt)
        examples.setdefault(attempt.scenario, attempt)
    by_mind: dict[str, list[_Task]] = {}
    for scenario, mind in planned:
        if scenario in examples:
            runs = sorted(by_task_and_mind.get((scenario, mind), ()), key=lambda attempt: attempt.seed)
            by_mind.setdefault(mind, []).append(_Task(examples[scenario], tuple(runs)))
    return by_mind


def _by_split(tasks: Iterable[_Task]) -> dict[str, list[_Task]]:
    parts: dict[str, list[_Task]] = {}
    for task in tasks:
        parts.setdefault(task.about.split, []).append(task)
    return parts


def _tally(tasks: Iterable[_Task]) -> Tally:
    return tally_items(
        (task.about.scenario, item)
        for task in tasks
        for attempt in task.counted
        if attempt.scored
        for item in attempt.items
    )


class _Scored(Struct, frozen=True, eq=False):
    """The questions of a split with the terms of L, and the verdict."""

    tally: Tally
    terms: Terms
    verdict: Verdict

    def score(self, tasks: Sequence[_Task], *, others: bool) -> LiteralScore:
        """The score of some tasks: of questions about others, or about one's own knowledge."""
        inside = in_tasks(self.tally, [task.about.scenario for task in tasks])
        return score_entries(self.tally, self.terms, inside & (are_about_others(self.tally) == others))


def _rows(mind: str, tasks: Sequence[_Task], scored: Mapping[str, _Scored]) -> list[Team]:
    categories = _parts(tasks, lambda about: SCOPES.get(about.category, about.category))
    scopes = {
        **categories,
        OVERALL: tasks,
        **_parts(tasks, lambda about: f"depth {about.depth}"),
        **_parts(tasks, lambda about: about.pattern and f"pattern {about.pattern}"),
        **_parts(tasks, lambda about: f"split {about.split}" if about.split else NO_SPLIT),
    }
    return [_row(mind, scope, inside, scored) for scope, inside in scopes.items()]


def _parts(tasks: Sequence[_Task], name_of: Callable[[Attempt], str]) -> Mapping[str, list[_Task]]:
    """The tasks by name, sorted, without those that have none; empty if all have the same name."""
    parts: dict[str, list[_Task]] = {}
    for task in tasks:
        parts.setdefault(name_of(task.about), []).append(task)
    return {name: parts[name] for name in sorted(parts) if name} if len(parts) > 1 else {}


def _row(mind: str, scope: str, tasks: Sequence[_Task], scored_splits: Mapping[str, _Scored]) -> Team:
    scored = [attempt for task in tasks for attempt in task.counted if attempt.scored]
    probed = [task for task in tasks if any(attempt.literal is not None for attempt in task.counted)]
    blind = [any(attempt.unknowing for attempt in task.counted) for task in probed]
    met, goals = (sum(attempt.private[i] for attempt in scored) for i in (0, 1))
    names = dict.fromkeys(name for attempt in scored for name in attempt.patterns)
    pattern_runs = {name: [a for a in scored if a.patterns.get(name)] for name in names}
    splits = tuple(_by_split(tasks))
    part = scored_splits[splits[0]] if len(splits) == 1 else None
    is_whole = part is not None and len(tasks) == len(part.verdict.scenarios) and scope not in SCOPES.values()
    return Team(
        mind=mind,
        scope=scope,
        tasks=len(tasks),
        runs=len(scored),
        spare=sum(len(task.attempts) - len(task.counted) for task in tasks),
        functional=passes([[attempt.functional for attempt in task.counted] for task in tasks]),
        literal=passes([[bool(attempt.literal) for attempt in task.counted] for task in probed])
        if probed
        else None,
        unknowing=sum(blind) / len(blind) if blind else None,
        knowledge=part.score(tasks, others=False) if part else SEVERAL_SPLITS,
        others=part.score(tasks, others=True) if part else SEVERAL_SPLITS,
        left_out=_left_out(scored),
        private=met / goals if goals else None,
        with_private=_with_private(tasks),
        turns=sum(attempt.turns for attempt in scored) / len(scored) if scored else None,
        traffic=Traffic(
            *(sum(getattr(a.traffic, name) for a in scored) for name in Traffic.__struct_fields__)
        ),
        patterns={
            name: (len(attempts), sum(not a.functional for a in attempts))
            for name, attempts in pattern_runs.items()
        },
        split=splits[0] if len(splits) == 1 else "",
        classes=score_classes(part.tally, part.terms) if part and is_whole else (),
        verdict=part.verdict if part and is_whole else None,
    )


def _with_private(tasks: Sequence[_Task]) -> Passes | None:
    """The runs of tasks with private goals in which the shared goal and all private goals held at the end."""
    mixed = [task for task in tasks if task.about.private[1]]
    met = [
        [attempt.functional and attempt.private[0] == attempt.private[1] for attempt in task.counted]
        for task in mixed
    ]
    return passes(met) if met else None


def _left_out(scored: Sequence[Attempt]) -> dict[str, float]:
    """The share of questions (0 to 1) left out for each reason; empty if none was put."""
    counts = sum((Counter(attempt.left_out) for attempt in scored), Counter[str]())
    total = counts.total() + sum(len(attempt.items) for attempt in scored)
    return {why: counts[why] / total for why in LEFT_OUT} if total else {}


TASKS = {"coop": 22, "mixed": 18, "overall": 40}
"""Tasks of a scope in either split, as the printed numbers have them."""


class PublishedPass(Struct, frozen=True):
    """One printed cell; see the module for the fields."""

    split: str
    model: str
    scope: str
    measure: str
    avg: float
    error: float
    some: float
    every: float


@cache
def published() -> tuple[PublishedPass, ...]:
    """Every printed cell, in the order of the table.

    Raises:
        InternalError: the shipped file is damaged; the message names the line.
    """
    return printed("otherminds.household.measures", PublishedPass)
