"""Pools of shipped tasks, with a certificate of the run of level 3 alone, which needs no planner."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
from msgspec.structs import replace

from otherminds.household.epistemic.certificate import Certificate
from otherminds.household.pool.store import (
    CARD,
    LEDGER,
    PooledTask,
    PoolEntry,
    certificate_path,
    digest_bytes,
    line_of,
    task_json,
    task_path,
)
from otherminds.household.proofs.episodes import team_episode
from otherminds.household.proofs.exported import exported
from otherminds.household.proofs.verification import ProofVerdict
from otherminds.household.task import Task
from otherminds.household.tasks.load import load_task, playable

VERDICTS = (
    ProofVerdict("solvable", "proved and checked", "a plan with private information: 9 acts"),
    ProofVerdict("needs messages", "refuted", "a plan of 3 steps does without"),
    ProofVerdict(
        "hard", "proved and checked", "it is fair, and no run of broadcast solves it", decisive=False
    ),
)
LEVELS = {"random": 0, "no_message": 0, "level 2": 1, "level 3": 3, "level 3 with whole memories": 2}


def certificate(name: str) -> Certificate:
    """The run of level 3 in a shipped task, without claims."""
    house = playable(name)
    problem = exported(house)
    return Certificate(problem, problem.sha256(), {}, (team_episode(house, "level 3"),))


def pooled(task: Task, seed: int = 7, raw: bytes = b"{}") -> PooledTask:
    """A task with an entry whose digests are its own; ``raw`` is the certificate."""
    entry = PoolEntry(
        task_id=task.task_id,
        pattern="relay",
        seed=seed,
        structure=digest_bytes(b"structure"),
        sha256=digest_bytes(task_json(task)),
        verdicts=VERDICTS,
        levels=LEVELS,
        certificate=digest_bytes(raw),
    )
    return PooledTask(entry, task)


def write_pool(folder: Path, *names: str, forged: bool = False) -> Path:
    """The folder of a pool of shipped tasks, each with its certificate; ``forged`` leaves out all turns but the first."""
    for part in ("tasks", "certificates"):
        (folder / part).mkdir(parents=True)
    (folder / CARD).write_text("{}\n")
    lines: list[bytes] = []
    for name in names:
        made = certificate(name)
        if forged:
            made = replace(made, episodes=tuple(replace(one, turns=one.turns[:1]) for one in made.episodes))
        raw = msgspec.json.encode(made)
        one = pooled(load_task(name), raw=raw)
        task_path(folder, name).write_bytes(task_json(one.task))
        certificate_path(folder, name).write_bytes(gzip.compress(raw, mtime=0))
        lines.append(line_of(one.entry))
    (folder / LEDGER).write_bytes(b"".join(lines))
    return folder


def renamed(one: PooledTask, task_id: str) -> PooledTask:
    """The same task under another id."""
    return PooledTask(replace(one.entry, task_id=task_id), replace(one.task, task_id=task_id))
