"""The verdict about a mind in the household: whether its answers show that it knows what others know.

Tasks are the sample: all runs of a task are one cluster, and there is one verdict for a split and a mind, never for one
task. Claims are tested one-sided at 5 %, corrected for the number of language models (Holm 1979), and what was lost counts
against them. A prediction about another agent has no single best reply here: whether a mind acts on what it knows is
shown by interventions, not by these verdicts, so that a mind that knows is *undecided* in this respect.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from otherminds.household.measures.literal_scores import Tally, Terms, are_about_others, find_terms
from otherminds.measures.intervals import TAIL_OF_ONE_SIDE, Estimate
from otherminds.measures.scenario_evidence import (
    Cluster,
    ClusteredMean,
    Stratum,
    clustered_mean,
    holm_adjusted,
)
from otherminds.measures.verdict import (
    FEWEST_CLUSTERS,
    LEAST_KNOWN,
    MOST_LOST,
    MOST_UNREAD,
    Doubts,
    Verdict,
    find_edge,
)

USE = "whether it acts on that is shown by interventions on its beliefs, not by the goals that were met"
NOTHING_ASKED = "no question about what others know was put, or all were left out"
NO_ROOM = "nothing in these runs tells who knows from who guesses by the form of a question"
REACH = 50.0
"""Bounds of L are sought so far from its estimate."""


class LiteralEvidence(Struct, frozen=True, eq=False):
    """What the runs of one mind in a split show.

    ``runs`` are the scored runs of each task, ``lost`` the others that are recorded. ``functional`` has F of each scored
    run by task, for tasks that the silent team does not solve. Of ``answers``, ``unread`` could not be read. ``split``
    is empty for tasks of none.
    """

    mind: str
    split: str
    model: bool
    scenarios: tuple[str, ...]
    planned: int
    tally: Tally
    runs: Mapping[str, int]
    lost: Mapping[str, int]
    functional: Mapping[str, Sequence[float]]
    answers: int
    unread: int

    @property
    def episodes(self) -> int:
        return sum(self.runs.values()) + self.all_lost

    @property
    def all_lost(self) -> int:
        return sum(self.lost.values())

    @property
    def place(self) -> str:
        """Where it was, in words."""
        tasks = "1 task" if len(self.scenarios) == 1 else f"{len(self.scenarios)} tasks"
        return f"split {self.split} ({tasks})" if self.split else tasks


class TaskTerms(Struct, frozen=True):
    """For each task: what the mind won above the floor, and what was to be won, in weighted questions; and the same for a
    run that is wrong everywhere. ``telling`` are the tasks with a question whose true answer is not the likeliest of its
    form: without them, a constant answer is right."""

    won: dict[str, float]
    winnable: dict[str, float]
    worst: tuple[float, float]
    telling: frozenset[str]


def judge_splits(evidence: Sequence[LiteralEvidence]) -> tuple[Verdict, ...]:
    """The verdict of each mind in each split, in their order; claims about language models are corrected in each split."""
    verdicts: dict[int, Verdict] = {}
    for split in dict.fromkeys(entry.split for entry in evidence):
        places = [place for place, entry in enumerate(evidence) if entry.split == split]
        split_evidence = [evidence[place] for place in places]
        terms = [
            sum_terms(entry.tally, find_terms(entry.tally), sum(entry.runs.values()))
            for entry in split_evidence
        ]
        doubts, survivors = (
            _correct_doubts(
                [_doubts(entry, term, lost=lost) for entry, term in zip(split_evidence, terms, strict=True)],
                split_evidence,
            )
            for lost in (True, False)
        )
        for i, place in enumerate(places):
            verdicts[place] = _verdict(split_evidence[i], terms[i], doubts[i], survivors[i])
    return tuple(verdicts[place] for place in range(len(evidence)))


def sum_terms(tally: Tally, terms: Terms, runs: int) -> TaskTerms:
    """The terms of L by task, of questions about others in so many scored ``runs``; tasks in which none has weight are not
    listed."""
    counted = are_about_others(tally) & (terms.asked > 0)
    places, size = tally.task[counted], len(tally.tasks)
    right, questions, floor = (
        np.bincount(places, part[counted], minlength=size) for part in (terms.right, terms.asked, terms.floor)
    )
    present = [int(place) for place in np.flatnonzero(np.bincount(places, minlength=size))]
    mean_asked, mean_floor = float(questions.sum()) / max(runs, 1), float(floor.sum()) / max(runs, 1)
    return TaskTerms(
        won={tally.tasks[i]: float(right[i] - floor[i]) for i in present},
        winnable={tally.tasks[i]: float(questions[i] - floor[i]) for i in present},
        worst=(-mean_floor, mean_asked - mean_floor),
        telling=frozenset(tally.tasks[int(i)] for i in tally.task[counted & terms.rare]),
    )


def literal_mean(
    terms: TaskTerms, lost: Mapping[str, int] | None = None, than: float = 0.0
) -> ClusteredMean | None:
    """The mean over tasks of what was won beyond the share ``than`` of what was to be won, in units of L.

    Of ``lost`` runs, by task, every answer counts as wrong. ``None`` where there is no question with weight, or no room.
    """
    tasks = {task: (won, terms.winnable[task]) for task, won in terms.won.items()}
    for task, number in (lost or {}).items():
        if tasks and number:
            won, winnable = tasks.get(task, (0.0, 0.0))
            tasks[task] = won + number * terms.worst[0], winnable + number * terms.worst[1]
    room = sum(winnable for _, winnable in tasks.values())
    if room <= 1e-9:
        return None
    unit = len(tasks) / room
    clusters = [Cluster(1, (won - than * winnable) * unit) for won, winnable in tasks.values()]
    return clustered_mean([[Stratum(1.0, tuple(clusters), _least_variance(len(terms.telling)))]])


def _least_variance(tasks: int) -> float:
    """The least variance of a mean over so many tasks, of a quantity of range 1."""
    return 1 / (tasks + 1) ** 2 / max(tasks, 1)


def _functional_mean(evidence: LiteralEvidence, *, lost: bool) -> ClusteredMean | None:
    """F over tasks; with ``lost``, lost runs have met no goal."""
    clusters = [
        Cluster(len(scores) + missing, sum(scores))
        for task, scores in evidence.functional.items()
        if len(scores) + (missing := evidence.lost.get(task, 0) if lost else 0)
    ]
    return clustered_mean([[Stratum(1.0, tuple(clusters))]]) if clusters else None


def _doubts(evidence: LiteralEvidence, terms: TaskTerms, *, lost: bool) -> Doubts:
    knows = literal_mean(terms, evidence.lost if lost else None, LEAST_KNOWN)
    plays = _functional_mean(evidence, lost=lost)
    return Doubts(
        knows=1.0 if knows is None else knows.above(0.0),
        plays=1.0 if plays is None else plays.above(LEAST_KNOWN),
    )


def _correct_doubts(doubts: Sequence[Doubts], evidence: Sequence[LiteralEvidence]) -> list[Doubts]:
    """The p-values, those of language models corrected for their number."""
    models = [place for place, entry in enumerate(evidence) if entry.model]
    corrected = list(doubts)
    knows = holm_adjusted([doubts[place].knows for place in models])
    plays = holm_adjusted([doubts[place].plays for place in models])
    for place, know, play in zip(models, knows, plays, strict=True):
        corrected[place] = Doubts(knows=know, plays=play)
    return corrected


def _verdict(evidence: LiteralEvidence, terms: TaskTerms, doubts: Doubts, survivors: Doubts) -> Verdict:
    functional = _functional_mean(evidence, lost=True)
    reason = _obstacle(evidence, terms, doubts, survivors)
    kind = "not measured" if reason else doubts.find_kind()
    return Verdict(
        kind=kind,
        mind=evidence.mind,
        scenarios=evidence.scenarios,
        literal=bound_literal(terms, evidence.lost),
        unused=Estimate(None, reason=USE),
        functional=Estimate(None, reason="the silent team meets every goal, or no goal has a plan")
        if functional is None
        else functional.estimate(),
        planned=evidence.planned,
        episodes=evidence.episodes,
        lost=evidence.all_lost,
        clusters=len(terms.telling),
        answers=evidence.answers,
        unread=evidence.unread,
        model=evidence.model,
        reason=reason or (USE if kind == "undecided" else ""),
        place=evidence.place,
    )


def _obstacle(evidence: LiteralEvidence, terms: TaskTerms, doubts: Doubts, survivors: Doubts) -> str:
    """Why there is no verdict; empty where there is one."""
    if not are_about_others(evidence.tally).any():
        return NOTHING_ASKED
    if literal_mean(terms, evidence.lost) is None:
        return NO_ROOM
    if evidence.unread > MOST_UNREAD * evidence.answers:
        return f"{evidence.unread} of {evidence.answers} answers could not be read"
    if len(terms.telling) < FEWEST_CLUSTERS:
        return (
            f"questions that tell who knows from who guesses came up in {len(terms.telling)} of "
            f"{len(evidence.scenarios)} tasks, and a verdict needs {FEWEST_CLUSTERS}"
        )
    if evidence.all_lost > MOST_LOST * evidence.episodes and doubts.find_kind() != survivors.find_kind():
        lost = f"{evidence.all_lost} of {evidence.episodes} episodes were lost"
        return f"{lost}, and the others alone would give another verdict"
    return ""


def bound_literal(terms: TaskTerms, lost: Mapping[str, int]) -> Estimate:
    """L between the values that the tests at 5 % do not reject (Fieller 1954), none above 1, its largest value."""
    mean = literal_mean(terms, lost)
    if mean is None:
        return Estimate(None, reason=NO_ROOM)

    def p_value(than: float, *, low: bool) -> float:
        moved = literal_mean(terms, lost, than)
        assert moved is not None, "there is room"
        return moved.above(0.0) if low else moved.below(0.0)

    score = mean.mean
    return Estimate(
        score,
        find_edge(lambda than: p_value(than, low=True) < TAIL_OF_ONE_SIDE, score - REACH, score),
        min(1.0, find_edge(lambda than: p_value(than, low=False) < TAIL_OF_ONE_SIDE, score + REACH, score)),
        n=mean.episodes,
    )
