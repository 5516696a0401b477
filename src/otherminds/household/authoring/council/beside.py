"""What is proved and found about a task beside the scores of judges, and where the two disagree.

A judge cannot know better than a proof: a task with a refuted verdict that decides is rejected whatever judges say
(:meth:`~otherminds.household.authoring.results.CheckReport.stage`).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from otherminds.household.authoring.council.criteria import Rubric, rubrics
from otherminds.household.authoring.council.rules import meets_criterion
from otherminds.household.authoring.results import CheckReport, CouncilReport, Criterion
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.task import Category


class Evidence(Struct, frozen=True):
    """The ``verdicts`` that decide a criterion, and the faults and ``findings`` against it."""

    criterion: Criterion
    verdicts: tuple[ProofVerdict, ...] = ()
    findings: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether any check says something about the criterion."""
        return bool(self.verdicts or self.findings)

    @property
    def holds(self) -> bool:
        """Whether no check contradicts the criterion: all verdicts are proved, and nothing was found."""
        return not self.against

    @property
    def against(self) -> tuple[str, ...]:
        """Each verdict that is not proved, and each finding, in words."""
        lacking = (
            f"{verdict.name} is {verdict.status}: {verdict.says}"
            for verdict in self.verdicts
            if not verdict.proved
        )
        return (*lacking, *self.findings)

    @property
    def says(self) -> str:
        """What the checks say, in words."""
        return "; ".join(self.against) or ("proved" if self.verdicts else "nothing found")


class Disagreement(Struct, frozen=True):
    """A judge, by its place, whose score of a criterion disagrees with what is proved; ``says`` is a sentence."""

    judge: int
    criterion: Criterion
    score: float
    says: str


def evidence(checks: CheckReport, category: Category) -> dict[Criterion, Evidence]:
    """What the checks say about each criterion of a task of ``category``."""
    return {rubric.criterion: _evidence(rubric, checks) for rubric in rubrics(category)}


def disagreements(
    council: CouncilReport, evidence_by_criterion: dict[Criterion, Evidence]
) -> Iterator[Disagreement]:
    """Scores that meet a criterion against which a check stands, and scores that do not meet one that is proved."""
    for number, judgement in enumerate(council.judgements):
        for criterion, score in judgement.scores.items():
            beside = evidence_by_criterion[criterion]
            if meets_criterion(score) and not beside.holds:
                yield Disagreement(number, criterion, score.score, beside.against[0])
            elif not meets_criterion(score) and beside.verdicts and beside.holds:
                names = ", ".join(verdict.name for verdict in beside.verdicts)
                yield Disagreement(number, criterion, score.score, f"proved: {names}")


def of_judges(council: CouncilReport, checks: CheckReport, category: Category) -> tuple[str, ...]:
    """The lines of a report: whether the council accepts, each score with what is proved beside it, and disagreements."""
    lines = _lines(council, evidence(checks, category))
    return (*lines, *of_disagreements(council, checks, category))


def of_disagreements(council: CouncilReport, checks: CheckReport, category: Category) -> tuple[str, ...]:
    """A line for each disagreement between a judge and what is proved."""
    return tuple(
        f"disagreement: judge_{disagreement.judge} gives {disagreement.criterion} {disagreement.score:.2f}; {disagreement.says}"
        for disagreement in disagreements(council, evidence(checks, category))
    )


def _evidence(rubric: Rubric, checks: CheckReport) -> Evidence:
    deciding = tuple(
        verdict for verdict in checks.verdicts if verdict.name.startswith(rubric.verdicts or (" ",))
    )
    findings = (*checks.faults, *checks.secrets)
    return Evidence(
        rubric.criterion, deciding, tuple(finding for finding in findings if _field(finding) in rubric.places)
    )


def _field(finding: str) -> str:
    """The field of a task that a finding is about: the beginning of its place."""
    return finding.partition(":")[0].partition(".")[0].partition("[")[0]


def _lines(council: CouncilReport, evidence_by_criterion: dict[Criterion, Evidence]) -> Iterator[str]:
    yield f"council: {'accepted' if council.accepted else 'rejected'}"
    yield from (f"  {why}" for why in council.why)
    for number, judgement in enumerate(council.judgements):
        yield f"judge_{number} ({judgement.judge}): {f'mean {judgement.mean:.2f}' if judgement.scores else judgement.invalid}"
        for criterion, score in judgement.scores.items():
            yield f"  {criterion} {score.score:.2f}: {score.reasoning}"
        yield from (f"  fix: {fix}" for fix in judgement.fixes)
    yield "proved beside the scores:"
    for criterion, beside in evidence_by_criterion.items():
        yield f"  {criterion}: {beside.says}"
