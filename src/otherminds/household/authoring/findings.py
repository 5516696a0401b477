"""What the checks, the judges and the calibrator found, as text for the author: what is wrong, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterator

from otherminds.household.authoring.results import (
    CalibrationReport,
    CheckReport,
    CouncilReport,
    Gates,
    Judgement,
)
from otherminds.household.proofs.verification import ProofVerdict

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
