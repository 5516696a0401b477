"""Records and certificates that were changed after they were written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from otherminds.core.errors import StudyError
from otherminds.household.epistemic.certificate import Certificate, Claim
from otherminds.household.epistemic.check import RejectedError, check
from otherminds.household.epistemic.check_rules import ProblemRules
from otherminds.household.epistemic.relaxed import WHOLE, ProblemVariant, Reachability
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.shortest import shortest
from otherminds.household.tasks.load import playable
from otherminds.selfcheck.programs import call, write_study
from otherminds.studies.run_dir import results
from otherminds.testing.compare import promise

FLIPS = 300
"""Bytes of a file of records that are changed, one at a time."""


def tamper_with_records(folder: Path) -> str:
    """Changes a file of records in many places, one at a time, and reads it."""
    out = folder / "out"
    done = call("run", write_study(folder / "study.toml", ("ipd-mixed-v1",), ("rmax",), 12, 5), "--out", out)
    promise(done.returncode == 0, "a study is played", done.stderr[-300:])
    (file,) = (out / "records").glob("*.jsonl")
    raw = file.read_bytes()
    sound = {record.hash for record in results(out)[1]}
    rng, refused, harmless = Random(0), 0, 0
    for changed in (*_flip_bits(raw, rng), *_replace_values(raw)):
        file.write_bytes(changed)
        try:
            read = {record.hash for record in results(out)[1]}
        except StudyError:
            refused += 1
            continue
        harmless += 1
        promise(
            read <= sound, "a changed record is refused", f"{len(read - sound)} were read that nobody played"
        )
    promise(refused > FLIPS / 2, "most changes are refused", f"{refused} of {refused + harmless} were")
    return f"{refused + harmless} changes: {refused} refused, {harmless} without effect on any record, 0 read"


def _flip_bits(raw: bytes, rng: Random) -> Iterator[bytes]:
    for place in rng.sample(range(len(raw)), FLIPS):
        yield raw[:place] + bytes([raw[place] ^ 1 << rng.randrange(7)]) + raw[place + 1 :]


def _replace_values(raw: bytes) -> Iterator[bytes]:
    """The file with each number or text of the body of its first line replaced."""
    first, *lines = raw.splitlines(keepends=True)
    line = json.loads(first)
    for body in _alter_values(line["body"]):
        yield msgspec.json.encode({**line, "body": body}) + b"\n" + b"".join(lines)


def _alter_values(body: Any) -> Iterator[Any]:
    """Copies of a JSON value in which one number or text is another one."""
    places: list[tuple[Any, ...]] = []

    def visit(value: Any, path: tuple[Any, ...]) -> None:
        items = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, inside in items:
            visit(inside, (*path, key))
        if isinstance(value, int | float | str):
            places.append(path)

    visit(body, ())
    for *above, key in places:
        copy = deepcopy(body)
        inside = copy
        for step in above:
            inside = inside[step]
        old = inside[key]
        inside[key] = (not old) if isinstance(old, bool) else f"{old}x" if isinstance(old, str) else old + 1
        yield copy


TASK = "cabinet_confirmation"


def tamper_with_certificates(folder: Path) -> str:
    """Proves a task, and checks its certificate after each of many changes."""
    certificate = prove()
    verdicts = _read_verdicts(msgspec.json.encode(certificate))
    promise(
        len(verdicts) >= len(certificate.claims),
        "each claim shows a verdict",
        f"{len(verdicts)} shown: {sorted(verdicts)}",
    )
    count = 0
    for kind, changed in _tamper_claims(certificate):
        count += 1
        promise(
            not verdicts <= _read_verdicts(changed),
            "a changed certificate is refused",
            f"it is accepted: {kind}",
        )
    return f"{len(verdicts)} verdicts shown; {count} changes of {len(certificate.claims)} claims and their problem: 0 accepted"


def prove() -> Certificate:
    """A certificate of :data:`TASK`: what can be proved without a planner."""
    house = playable(TASK)
    problem = exported(house)
    alone = {agent: ProblemVariant(without=(agent,)) for agent in problem.agents}
    variants = {"needs messages": ProblemVariant(deepest=0)}
    variants |= {f"needs {agent}": variant for agent, variant in alone.items()}
    reach = Reachability(problem, [WHOLE, *variants.values()])
    reach.explore(problem.physical, [WHOLE, *variants.values()])
    claims = {"not solved at the start": Claim("open", "start", problem.physical)}
    for name, variant in variants.items():
        if claim := reach.never(problem.physical, variant):
            claims[name] = claim
    best = house.task.calibration
    if best and (claim := shortest(house, ProblemRules(problem), problem.physical, best.plan)):
        claims["shortest plan"] = claim
    return Certificate(problem, problem.sha256(), claims)


def _read_verdicts(raw: bytes) -> set[str]:
    """The verdicts that a certificate shows; none if it is rejected, or one of its claims is."""
    try:
        outcome = check(raw)
    except RejectedError:
        return set()
    return set() if any(outcome.claims.values()) else {name for name, why in outcome.due.items() if not why}


def _tamper_claims(certificate: Certificate) -> Iterator[tuple[str, bytes]]:
    """Certificates of which each claims what is not proved, or proves less."""
    text = json.loads(msgspec.json.encode(certificate))
    claims: dict[str, Any] = text["claims"]
    for field, value in text["problem"].items():
        if value:
            yield f"no {field}", _encode_json({**text, "problem": {**text["problem"], field: type(value)()}})
    for name, claim in claims.items():
        others = {other: value for other, value in claims.items() if other != name}
        changed = {
            "dropped": others,
            "renamed": {**others, f"{name} too": claim},
            "of another part": {**claims, name: {**claim, "parts": claim["parts"][:1] * 2}},
            "without parts": {**claims, name: {**claim, "parts": []}},
            "about nobody": {**claims, name: {**claim, "without": ["agent_9"]}},
        }
        for other, value in others.items():
            changed[f"exchanged with {other}"] = {**claims, name: value, other: claim}
        for evidence in ("plan", "never", "unknown", "turns", "tracked"):
            if claim.get(evidence):
                changed[f"without {evidence}"] = {**claims, name: {**claim, evidence: []}}
                changed[f"with half of {evidence}"] = {
                    **claims,
                    name: {**claim, evidence: claim[evidence][: len(claim[evidence]) // 2]},
                }
        for kind, variant in changed.items():
            yield f"{name}: {kind}", _encode_json({**text, "claims": variant})


def _encode_json(value: Any) -> bytes:
    return msgspec.json.encode(value)
