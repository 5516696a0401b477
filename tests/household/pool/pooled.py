"""Shipped tasks as tasks of a pool, and candidates that are made of them at once."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from otherminds.household.generating.properties import Candidate, TaskProperties
from otherminds.household.pool.store import (
    PATTERNS,
    REJECTED,
    SECONDS,
    PooledTask,
    PoolEntry,
    digest_bytes,
    task_json,
)
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.tasks.load import load_task, shipped_tasks

CERTIFICATE = b'{"claims":{}}'
VERDICTS = (ProofVerdict("solvable", "proved and checked", "a plan of 4 turns"),)
STEPS = {"draft": 0.25, "proofs": 1.5}


def pooled(
    seed: int, wanted: TaskProperties | None = None, structure: str = "", cheap: tuple[str, ...] = ()
) -> PooledTask:
    """A shipped task under the name and the pattern of a generated one, which ``cheap`` teams solve."""
    names = shipped_tasks()
    pattern = (wanted and wanted.pattern) or PATTERNS[seed % len(PATTERNS)]
    task = replace(load_task(names[seed % len(names)]), task_id=f"{pattern}_{seed}", pattern=pattern)
    structure = structure or digest_bytes(str(seed).encode())
    entry = PoolEntry(
        task.task_id,
        pattern,
        seed,
        structure,
        digest_bytes(task_json(task)),
        VERDICTS,
        {"level_0": 0, "level_3": 3},
        digest_bytes(CERTIFICATE),
        dict.fromkeys(cheap, (2, 4)),
    )
    return PooledTask(entry, task)


def candidate(seed: int, wanted: TaskProperties) -> Candidate:
    """Rejects two fifths of the seeds; equal structures are frequent."""
    verdict = {1: "fair", 3: "guess-proof"}.get(seed % 5, "")
    if verdict:
        return Candidate(seed, verdict, None, b"", STEPS)
    return Candidate(seed, "", pooled(seed, wanted, f"structure {seed % 49}"), CERTIFICATE, STEPS)


def never(seed: int, wanted: TaskProperties) -> Candidate:
    """Rejects tasks of depth 3, and keeps all others."""
    if wanted.depth == 3:
        return Candidate(seed, "solvable", None, b"", STEPS)
    return Candidate(seed, "", pooled(seed, wanted), CERTIFICATE, STEPS)


def often_easy(seed: int, wanted: TaskProperties) -> Candidate:
    """Two teams solve half of the tasks each, another one solves a ninth."""
    teams = ("one", "another")[seed % 2 : 1 + seed % 2] if seed % 4 < 3 else ()
    cheap = (*teams, *(("a third",) if seed % 9 == 0 else ()))
    return Candidate(seed, "", pooled(seed, wanted, cheap=cheap), CERTIFICATE, STEPS)


def contents(folder: Path, seconds: bool = False) -> dict[str, bytes]:
    """The files of a pool by name, without its lock, and without the processor time."""
    left_out = () if seconds else (SECONDS,)
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("lock.") and path.name not in left_out
    }


def tried(folder: Path) -> int:
    """The number of rejected seeds."""
    return (folder / REJECTED).read_bytes().count(b"\n")
