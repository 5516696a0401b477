"""What the steps of authoring give one another: assignments, reports on a task, submissions, and lines of a pool's files."""

from __future__ import annotations

from statistics import fmean
from typing import Literal, TypeAlias

from msgspec import Struct, field

from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.task import Category, Task

Criterion: TypeAlias = Literal[
    "agent_necessity",
    "secret_quality",
    "task_naturalness",
    "narrative_consistency",
    "goal_relevance",
    "mechanic_utilization",
    "pddl_solvability",
    "task_interdependence",
    "subgoal_tension",
]
"""The criteria of a judge (Juneja et al. 2026, appendix G): the first seven, then one of the two last by category."""
Stage: TypeAlias = Literal[
    "no task", "structure", "secrets", "verified", "judged", "calibrated", "duplicate", "kept"
]
"""Where an attempt ended: ``kept``, or the check that its last task did not pass.

``no task``: the author never wrote a task that could be read. ``verified``: a required verdict was not proved.
"""


class Assignment(Struct, frozen=True):
    """What an author is asked for. ``seed`` decides what is drawn for it: scenes, and which tasks it is shown."""

    category: Category
    depth: int
    seed: int


class Gates(Struct, frozen=True):
    """The checks that a task has to pass, and whether the author is shown tasks of the pool (appendix M, table 9).

    Without a gate its result is still reported, and decides nothing.
    """

    verifier: bool = True
    secrets: bool = True
    council: bool = True
    calibration: bool = True
    examples: bool = True


class CheckReport(Struct, frozen=True):
    """The checks without a model: ``faults`` of structure, names, bindings and depth, ``secrets`` that are strategy or
    leaks, and the ``verdicts`` of the verifier, which are none while there are faults. Each text says what to change.
    """

    faults: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    verdicts: tuple[ProofVerdict, ...] = ()

    def stage(self, gates: Gates) -> Stage | None:
        """The first gate that the task does not pass; ``None`` if it passes all that are set."""
        if self.faults:
            return "structure"
        if gates.secrets and self.secrets:
            return "secrets"
        if gates.verifier and not all(verdict.proved for verdict in self.verdicts if verdict.required):
            return "verified"
        return None


class CriterionScore(Struct, frozen=True):
    """A judge's score of one criterion, in [0, 1]; ``quote`` is the line of the task that it rests on, if asked for."""

    score: float
    reasoning: str = ""
    quote: str = ""


class Judgement(Struct, frozen=True):
    """The judgement of one judge, by its model's name. ``invalid`` says why there are no scores; it never passes."""

    judge: str
    scores: dict[Criterion, CriterionScore] = field(default_factory=dict[Criterion, CriterionScore])
    overall: str = ""
    fixes: tuple[str, ...] = ()
    invalid: str = ""

    @property
    def mean(self) -> float:
        """The mean of all scores; 0 without any."""
        return fmean(score.score for score in self.scores.values()) if self.scores else 0.0


class CouncilReport(Struct, frozen=True):
    """The judgements of all judges, and whether the rule accepts the task; ``why`` says what it lacks."""

    judgements: tuple[Judgement, ...]
    accepted: bool
    why: tuple[str, ...] = ()


class CalibrationReport(Struct, frozen=True):
    """Whether the task can be solved with all secrets public, and how the reference teams do with private ones.

    ``turns`` is T*, 0 without a plan; ``levels`` has the runs, of 3, that each team solves (:mod:`.proofs.episodes`);
    ``says`` are lines for the author, among them the plan.
    """

    passed: bool
    turns: int
    levels: dict[str, int]
    says: tuple[str, ...]


class Spending(Struct, frozen=True):
    """What was spent: calls of models, tokens, US dollars (``None``: a model has no known price), wall-clock seconds."""

    calls: int = 0
    prompt: int = 0
    completion: int = 0
    dollars: float | None = 0.0
    seconds: float = 0.0

    def __add__(self, other: Spending) -> Spending:
        has_prices = self.dollars is not None and other.dollars is not None
        return Spending(
            self.calls + other.calls,
            self.prompt + other.prompt,
            self.completion + other.completion,
            (self.dollars or 0.0) + (other.dollars or 0.0) if has_prices else None,
            self.seconds + other.seconds,
        )


class Submission(Struct, frozen=True):
    """A finished task with what was found about it.

    ``certificate`` is the JSON of the certificate of its proofs, ``author`` the model's name, ``parents`` the ids of the
    seed tasks that the author was shown, and ``attempt`` the name of the attempt, which submits one task at most.
    """

    task: Task
    certificate: bytes
    verdicts: tuple[ProofVerdict, ...]
    judgements: tuple[Judgement, ...]
    calibration: CalibrationReport
    assignment: Assignment
    author: str
    parents: tuple[str, ...]
    attempt: str
    generation: int = 0


class SubmissionResult(Struct, frozen=True):
    """The id of the task in the pool; empty if it was ``refused``, which then says why."""

    task_id: str
    refused: str = ""


class SampledTask(Struct, frozen=True):
    """A seed task: a task of the pool, whether the targets ``failed`` it, and in which failure ``patterns``."""

    task: Task
    failed: bool
    patterns: tuple[str, ...] = ()


PROVENANCE, ATTEMPTS, RESULTS = "authored.jsonl", "attempts.jsonl", "results.jsonl"
GENERATOR = "generator"
"""The author of tasks that no attempt wrote."""


class TaskProvenance(Struct, frozen=True):
    """Where a task of the pool comes from; ``sha256`` is that of its ledger entry.

    Tasks that the pool started with have generation 0 and no ``attempt``, and those of a plain pool or split the author
    ``generator``. The money and time of a task is that of its attempt (:class:`AttemptLine`).
    """

    task_id: str
    sha256: str
    author: str
    category: Category
    depth: int
    generation: int = 0
    parents: tuple[str, ...] = ()
    attempt: str = ""
    judgements: tuple[Judgement, ...] = ()
    calibration: CalibrationReport | None = None


class AttemptLine(Struct, frozen=True):
    """How an attempt ended.

    ``task_id`` is empty unless its task was kept. ``turns`` are the author's replies, ``unusable`` those without an
    action; ``tools`` counts the calls of each tool, and ``rejected`` how often a tool refused at each stage.
    """

    attempt: str
    generation: int
    author: str
    assignment: Assignment
    stage: Stage
    task_id: str
    turns: int
    unusable: int
    tools: dict[str, int]
    rejected: dict[str, int]
    spending: Spending


class TargetResult(Struct, frozen=True):
    """Whether a target model solved a task in a run, from 0, and the patterns of its failure."""

    task_id: str
    target: str
    run: int
    solved: bool
    patterns: tuple[str, ...] = ()
