"""Avg, Pass@3 and Pass^3 of teams in the household, by category, depth, pattern and split: the columns of table 2.

Source: Juneja et al. 2026, section 5 (Metrics). Each task is run n = 3 times; a run that is missing or was not scored has
not passed. If there are more runs, the first three by seed count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt

from msgspec import Struct

from otherminds.measures.household.attempts import Attempt
from otherminds.measures.household.messages import Traffic
from otherminds.measures.intervals import share_of

RUNS = 3
"""n, the number of runs of a task."""
SCOPES = {"cooperative": "Coop", "mixed": "Mixed"}
OVERALL = "Overall"


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
    team passes by answering "unknown" to all questions. ``entitled`` is the share of probes that passed with their foil,
    by the log, of those that were not left out; ``left_out`` is the share left out; ``score`` is L. ``runs`` counts the
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
    score: float | None
    left_out: float | None
    entitled: float | None
    private: float | None
    with_private: Passes | None
    turns: float | None
    traffic: Traffic
    patterns: dict[str, tuple[int, int]]


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


def teams(planned: Iterable[tuple[str, str]], attempts: Iterable[Attempt]) -> list[Team]:
    """The rows of each mind: by category, overall, by depth, pattern and split. ``planned`` are (scenario, mind).

    A scenario is one task. A scenario without any record is left out, since its world is unknown. There is no row for a
    category, depth, pattern or split that all tasks of a mind share.
    """
    found: dict[tuple[str, str], list[Attempt]] = {}
    known: dict[str, Attempt] = {}
    for attempt in attempts:
        found.setdefault((attempt.scenario, attempt.mind), []).append(attempt)
        known.setdefault(attempt.scenario, attempt)
    by_mind: dict[str, list[_Task]] = {}
    for scenario, mind in planned:
        if scenario in known:
            runs = sorted(found.get((scenario, mind), ()), key=lambda attempt: attempt.seed)
            by_mind.setdefault(mind, []).append(_Task(known[scenario], tuple(runs)))
    return [row for mind, tasks in by_mind.items() for row in _rows(mind, tasks)]


def _rows(mind: str, tasks: Sequence[_Task]) -> list[Team]:
    categories = _parts(tasks, lambda about: SCOPES.get(about.category, about.category))
    scopes = {
        **categories,
        OVERALL: tasks,
        **_parts(tasks, lambda about: f"depth {about.depth}"),
        **_parts(tasks, lambda about: about.pattern and f"pattern {about.pattern}"),
        **_parts(tasks, lambda about: about.split and f"split {about.split}"),
    }
    return [_row(mind, scope, inside) for scope, inside in scopes.items()]


def _parts(tasks: Sequence[_Task], named: Callable[[Attempt], str]) -> Mapping[str, list[_Task]]:
    """The tasks by name, sorted, without those that have none; empty if all have the same name."""
    parts: dict[str, list[_Task]] = {}
    for task in tasks:
        parts.setdefault(named(task.about), []).append(task)
    return {name: parts[name] for name in sorted(parts) if name} if len(parts) > 1 else {}


def _row(mind: str, scope: str, tasks: Sequence[_Task]) -> Team:
    scored = [attempt for task in tasks for attempt in task.counted if attempt.scored]
    probed = [task for task in tasks if any(attempt.literal is not None for attempt in task.counted)]
    passed, kept = (sum(attempt.foiled[i] for attempt in scored) for i in (0, 1))
    put = sum(attempt.probes for attempt in scored)
    won = [attempt.won for attempt in scored if attempt.won is not None]
    blind = [any(attempt.unknowing for attempt in task.counted) for task in probed]
    met, goals = (sum(attempt.private[i] for attempt in scored) for i in (0, 1))
    names = dict.fromkeys(name for attempt in scored for name in attempt.patterns)
    shown = {name: [a for a in scored if a.patterns.get(name)] for name in names}
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
        score=sum(over for over, _ in won) / sum(under for _, under in won) if won else None,
        left_out=(put - kept) / put if put else None,
        entitled=passed / kept if kept else None,
        private=met / goals if goals else None,
        with_private=_with_private(tasks),
        turns=sum(attempt.turns for attempt in scored) / len(scored) if scored else None,
        traffic=Traffic(
            *(sum(getattr(a.traffic, name) for a in scored) for name in Traffic.__struct_fields__)
        ),
        patterns={name: (len(some), sum(not a.functional for a in some)) for name, some in shown.items()},
    )


def _with_private(tasks: Sequence[_Task]) -> Passes | None:
    """The runs of tasks with private goals in which the shared goal and all private goals held at the end."""
    mixed = [task for task in tasks if task.about.private[1]]
    met = [[one.functional and one.private[0] == one.private[1] for one in task.counted] for task in mixed]
    return passes(met) if met else None
