"""Records: the same episodes again, in other processes, in another order and after a kill; and records that were changed."""

from __future__ import annotations

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from itertools import cycle
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import msgspec

from otherminds.api.playing import play
from otherminds.core.encoding import encode
from otherminds.core.errors import StudyError
from otherminds.household.epistemic.certificate import Certificate, Claim
from otherminds.household.epistemic.check import RejectedError, check
from otherminds.household.epistemic.check_rules import ProblemRules
from otherminds.household.epistemic.relaxed import WHOLE, ProblemVariant, Reachability
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.replayed import shortest
from otherminds.household.tasks.load import playable
from otherminds.selfcheck.check import LONGEST_COMMAND, call, call_program, start, write_study
from otherminds.studies.run_dir import digest_of, results
from otherminds.studies.store import Store
from otherminds.testing.compare import promise

SEEDS = 1000
PLAYED = (
    ("rps-mixed-v1", "random", 20),
    ("ipd-mixed-v1", "bayes", 20),
    ("ibs-mixed-v1", "rmax", 20),
    ("ipd-noisy_tit_for_tat-v1", "fictitious_play", 20),
    ("rps-mixed-v1", "qa@scripted:uniform", 5),
)
"""Scenarios, minds and rounds, which the seeds take in turns."""
SELDOM = (
    ("household-cabinet_confirmation-v1", "random"),
    ("rws-repeated-0-v1", "random"),
    ("cooking-asymmetric-0-v1", "random"),
)
"""Those of which an episode takes longer."""
EACH = 2
"""How many seeds each of these has."""
PLACES = ("1", "2")
"""The ``PYTHONHASHSEED`` of two further processes."""


def replay_seeds(folder: Path) -> str:
    """Plays the same seeds in three processes, and compares the hashes of the records."""
    here = hash_records(0, SEEDS, EACH)
    script = "import sys; from otherminds.selfcheck import repeating; repeating.print_hashes(*map(int, sys.argv[1:]))"
    for place in PLACES:
        done = call_program(
            [sys.executable, "-c", script, place, str(SEEDS), str(EACH)], {"PYTHONHASHSEED": place}
        )
        promise(done.returncode == 0, "the seeds are played in another process", done.stderr[-300:])
        there = json.loads(done.stdout)
        other = [seed for seed, value in here.items() if there[seed] != value]
        promise(
            not other,
            "equal records in every process and order",
            f"with PYTHONHASHSEED={place} {len(other)} of {len(here)} differ, first {other[:1]}",
        )
    return f"{len(here):,} seeds, {1 + len(PLACES)} processes and orders: 0 records differ"


def hash_records(order: int, seeds: int, each: int) -> dict[str, str]:
    """The hash of each episode's record, by scenario and seed; of those in :data:`SELDOM`, ``each`` has so many of the seeds.

    ``order`` shuffles the episodes; 0 leaves them as they are.
    """
    often = [
        (*pairing, seed)
        for pairing, seed in zip(cycle(PLAYED), range(seeds - len(SELDOM) * each), strict=False)
    ]
    seldom = [(*pairing, 0, seed) for seed in range(each) for pairing in SELDOM]
    episodes = [*often, *seldom]
    if order:
        Random(order).shuffle(episodes)
    return {
        f"{scenario} {seed}": hashlib.sha256(
            encode(play(scenario, mind, seed=seed, options={"rounds": rounds} if rounds else None))
        ).hexdigest()
        for scenario, mind, rounds, seed in episodes
    }


def print_hashes(order: int, seeds: int, each: int) -> None:
    """Prints what :func:`hash_records` returns, as JSON."""
    print(json.dumps(hash_records(order, seeds, each)))


EPISODES = 100
"""The episodes of each scenario and mind of the run that is killed."""
KILLS = 3
"""The kills of the run."""


def kill_and_resume(folder: Path) -> str:
    """Kills a run several times, resumes it, and compares its records with those of a run that goes through."""
    study = write_study(folder / "study.toml", ("rps-mixed-v1", "ipd-mixed-v1"), ("bayes", "rmax"), EPISODES)
    done = call("run", study, "--out", folder / "whole")
    promise(done.returncode == 0, "a study is played", done.stderr[-300:])
    digest, end = digest_of(folder / "whole"), _size(folder / "whole")
    rng, out, kills, amid = Random(0), folder / "killed", 0, 0
    for fraction in sorted(rng.uniform(0.02, 0.9) for _ in range(KILLS)):
        process, until = start("run", study, "--out", out), monotonic() + LONGEST_COMMAND
        while process.poll() is None and _size(out) < fraction * end and monotonic() < until:
            sleep(0.002)
        kills += process.poll() is None
        process.kill()
        process.wait()
        amid += 0 < _size(out) < end
    done = call("run", study, "--out", out)
    promise(done.returncode == 0, "the same command resumes", done.stderr[-300:])
    times = Counter(line.episode for line in Store(out).lines())
    twice = sum(n > 1 for n in times.values())
    promise(not twice, "no episode is recorded twice", f"{twice} were")
    promise(digest_of(out) == digest, "equal records with and without kills", "their digests differ")
    promise(kills > 0, "a kill meets a run", "each run had ended before it")
    return f"{kills} kills, {amid} of them amid records, {len(times)} episodes: 0 lost, 0 twice, 0 differ"


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in (folder / "records").glob("*"))


def report_again(folder: Path) -> str:
    """Makes the report of a study three times."""
    out = folder / "out"
    study = write_study(folder / "study.toml", ("rps-mixed-v1",), ("bayes", "uniform", "mirror"), 24)
    done = call("run", study, "--out", out)
    promise(done.returncode == 0, "a study is played", done.stderr[-300:])
    reports = [_report(out, place) for place in ("1", "2")]
    for file in (out / "records").glob("*.jsonl"):
        file.write_bytes(b"".join(reversed(file.read_bytes().splitlines(keepends=True))))
    for file in out.glob("ledger*"):
        file.unlink()
    reports.append(_report(out, "3"))
    promise(len({*reports}) == 1, "three equal reports", f"{len({*reports})} different ones")
    kinds = [verdict["kind"] for verdict in json.loads(reports[0])["verdicts"]]
    promise(len(kinds) == 3, "a verdict for each mind", f"{kinds}")
    return f"3 reports of {len(reports[0]):,} bytes with {len(kinds)} verdicts: equal"


def _report(folder: Path, place: str) -> str:
    done = call("report", folder, "--json", env={"PYTHONHASHSEED": place})
    promise(done.returncode == 0, "a report is made", done.stderr[-300:])
    return done.stdout


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
