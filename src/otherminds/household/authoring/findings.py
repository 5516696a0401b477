"""What the checks, the judges and the calibrator found about a task, in words, and where judges disagree with proofs.

A judge cannot know better than a proof: a task with a refuted verdict that decides is rejected whatever judges say
(:meth:`~otherminds.household.authoring.results.CheckReport.stage`)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from otherminds.household.authoring.council import meets_criterion
from otherminds.household.authoring.judge_prompt import Rubric, rubrics
from otherminds.household.authoring.results import (
    CalibrationReport,
    CheckReport,
    CouncilReport,
    Criterion,
    Gates,
    Judgement,
)
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


INFORMATION = "For information, not required: "


def of_checks(report: CheckReport, gates: Gates) -> str:
    """The faults, or else the findings about secrets and the verdicts that are not proved."""
    if report.faults:
        return "\n".join(["Faults of the task file:", *(f"- {fault}" for fault in report.faults)])
    unproved = [verdict for verdict in report.verdicts if not verdict.proved]
    lines = ["The task file has no faults."]
    if report.secrets:
        lines.append(f"{'' if gates.secrets else INFORMATION}Secrets and description:")
        lines += [f"- {finding}" for finding in report.secrets]
    required = [verdict for verdict in unproved if verdict.required]
    if required:
        lines.append(f"{'' if gates.verifier else INFORMATION}Not proved:")
        lines += map(_verdict, required)
    if other := [verdict for verdict in unproved if not verdict.required]:
        lines += [f"{INFORMATION}", *map(_verdict, other)]
    lines.append(
        f"Proved: {', '.join(verdict.name for verdict in report.verdicts if verdict.proved) or 'nothing'}."
    )
    return "\n".join(lines)


def of_council(report: CouncilReport, gates: Gates) -> str:
    """The scores and reasons of each judge by criterion, and the fixes that it requires."""
    lines = [
        line
        for number, judgement in enumerate(report.judgements, 1)
        for line in _judgement(number, judgement)
    ]
    if not report.accepted and report.why:
        lines.append(f"{'' if gates.council else INFORMATION}Not accepted: {'; '.join(report.why)}")
    return "\n".join(lines) or "No judges were asked."


def of_calibration(report: CalibrationReport) -> str:
    """Whether there is a plan with all secrets public, the plan, and the runs that reference teams solve."""
    lines = list(report.says)
    if report.passed:
        lines.append(f"base turns: {report.turns}, with no message; an episode has {2 * report.turns} turns")
    return "\n".join(lines)


def _judgement(number: int, judgement: Judgement) -> Iterator[str]:
    if judgement.invalid:
        yield f"Judge {number} gave no judgement: {judgement.invalid}"
        return
    yield f"Judge {number}, mean {judgement.mean:.2f}:"
    for criterion, score in judgement.scores.items():
        reason = f": {score.reasoning}" if score.reasoning else ""
        yield f"- {criterion} {score.score:.2f}{reason}"
    if judgement.overall:
        yield f"- overall: {judgement.overall}"
    yield from (f"- required: {fix}" for fix in judgement.fixes)


def _verdict(verdict: ProofVerdict) -> str:
    return f"- {verdict.name} ({verdict.status}): {verdict.says}"
