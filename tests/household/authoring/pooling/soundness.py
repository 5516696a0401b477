"""Whether an authored pool is whole: after a kill, and against what was there before and what processes were told."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from otherminds.core.disk import Log
from otherminds.core.errors import OtherMindsError
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.results import ATTEMPTS, PROVENANCE, RESULTS
from otherminds.household.pool.store import LEDGER, certificate_path, read_certificate

FILES = (LEDGER, PROVENANCE, ATTEMPTS, RESULTS)


def lines_of(folder: Path) -> dict[str, tuple[bytes, ...]]:
    """The whole lines of the pool's files; files that are not there have none."""
    return {name: _lines(folder / name) for name in FILES}


def _lines(path: Path) -> tuple[bytes, ...]:
    return tuple(line.raw for line in Log(path).lines()) if path.exists() else ()


def faults(folder: Path, before: dict[str, tuple[bytes, ...]], told: Iterable[str] = ()) -> dict[str, int]:
    """What is wrong with the pool: ``unreadable``, ``lost``, ``twice`` and ``torn``, each with its count.

    ``before`` are its lines at an earlier time, which must be the first ones now; ``told`` are lines of the log of
    :mod:`tests.household.authoring.pooling.writer`. A pool that is not made yet has no faults unless something was told.
    """
    found = {"unreadable": 0, "lost": 0, "twice": 0, "torn": 0}
    if not (folder / LEDGER).is_file():
        found["lost"] = sum(map(len, before.values())) + sum(1 for _ in told)
        return found
    now = lines_of(folder)
    found["lost"] += sum(now[name][: len(lines)] != lines for name, lines in before.items())
    try:
        pool = AuthoredPool(folder)
        tasks, attempts, results = pool.tasks(), pool.attempts(), pool.results()
        pool.provenance()
    except OtherMindsError:
        return {**found, "unreadable": 1}
    for one in tasks:
        if certificate_path(folder, one.entry.task_id).exists() or one.entry.task_id.startswith("authored_"):
            try:
                read_certificate(folder, one.entry)
            except OtherMindsError:
                found["torn"] += 1
    there = {f"task {one.entry.task_id}" for one in tasks}
    there |= {f"attempt {one.attempt}" for one in attempts} | {f"results {one.task_id}" for one in results}
    found["lost"] += len(set(told) - there)
    for names in (
        [one.entry.structure for one in tasks],
        [one.attempt for one in attempts],
        [(one.task_id, one.target, one.run) for one in results],
    ):
        found["twice"] += len(names) - len(set(names))
    return found
