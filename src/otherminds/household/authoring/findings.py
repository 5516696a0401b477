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
    unproved = [one for one in report.verdicts if not one.proved]
    lines = ["The task file has no faults."]
    if report.secrets:
        lines.append(f"{'' if gates.secrets else INFORMATION}Secrets and description:")
        lines += [f"- {finding}" for finding in report.secrets]
    required = [one for one in unproved if one.required]
    if required:
        lines.append(f"{'' if gates.verifier else INFORMATION}Not proved:")
        lines += map(_verdict, required)
    if other := [one for one in unproved if not one.required]:
        lines += [f"{INFORMATION}", *map(_verdict, other)]
    lines.append(f"Proved: {', '.join(one.name for one in report.verdicts if one.proved) or 'nothing'}.")
    return "\n".join(lines)


def of_council(report: CouncilReport, gates: Gates) -> str:
    """The scores and reasons of each judge by criterion, and the fixes that it requires."""
    lines = [line for number, one in enumerate(report.judgements, 1) for line in _judgement(number, one)]
    if not report.accepted and report.why:
        lines.append(f"{'' if gates.council else INFORMATION}Not accepted: {'; '.join(report.why)}")
    return "\n".join(lines) or "No judges were asked."


def of_calibration(report: CalibrationReport) -> str:
    """Whether there is a plan with all secrets public, the plan, and the runs that reference teams solve."""
    lines = list(report.says)
    if report.passed:
        lines.append(f"base turns: {report.turns}, with no message; an episode has {2 * report.turns} turns")
    return "\n".join(lines)


def _judgement(number: int, one: Judgement) -> Iterator[str]:
    if one.invalid:
        yield f"Judge {number} gave no judgement: {one.invalid}"
        return
    yield f"Judge {number}, mean {one.mean:.2f}:"
    for criterion, score in one.scores.items():
        reason = f": {score.reasoning}" if score.reasoning else ""
        yield f"- {criterion} {score.score:.2f}{reason}"
    if one.overall:
        yield f"- overall: {one.overall}"
    yield from (f"- required: {fix}" for fix in one.fixes)


def _verdict(one: ProofVerdict) -> str:
    return f"- {one.name} ({one.status}): {one.says}"
