"""What an authored pool starts with: the tasks of a split or of another pool, as generation 0."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, structs

from otherminds.core.disk import resolve_path
from otherminds.core.user_files import is_file
from otherminds.household.authoring.pooling.lines import GENERATOR, PROVENANCE, Provenance
from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.pool.entry import PooledTask, digest
from otherminds.household.pool.splits import pool_called
from otherminds.household.pool.store import certificate_path, line_of, read_certificate, read_log


class Start(Struct, frozen=True):
    """The first tasks of a pool, the certificate of each, empty if it has none, and their provenance.

    ``card`` identifies them among the settings of the pool.
    """

    tasks: tuple[PooledTask, ...]
    certificates: tuple[bytes, ...]
    provenance: tuple[Provenance, ...]
    card: dict[str, str]


def started(name: str) -> Start:
    """The tasks of the split or the pool ``name``; none for an empty name.

    Raises:
        TaskError: there is no such split or pool, or it is damaged.
    """
    tasks = pool_called(name) if name else ()
    folder = Path(name)
    certificates = tuple(_certificate(folder, pooled) for pooled in tasks)
    path = folder / PROVENANCE
    before = {line.task_id: line for line in read_log(path, Provenance)} if name and is_file(path) else {}
    provenance = tuple(_first(pooled, before) for pooled in tasks)
    ledger = b"".join(line_of(pooled.entry) for pooled in tasks)
    return Start(
        tasks,
        certificates,
        provenance,
        {"start": resolve_path(folder).name if name else "", "start_sha256": digest(ledger)},
    )


def _certificate(folder: Path, pooled: PooledTask) -> bytes:
    entry = pooled.entry
    return read_certificate(folder, entry) if is_file(certificate_path(folder, entry.task_id)) else b""


def _first(pooled: PooledTask, before: dict[str, Provenance]) -> Provenance:
    """Its author stays; parents are not in the new pool."""
    entry, task = pooled.entry, pooled.task
    if known := before.get(entry.task_id):
        return structs.replace(known, generation=0, parents=(), attempt="")
    return Provenance(
        entry.task_id, entry.sha256, GENERATOR, task.category, depth(goal_of(task.problem_pddl))
    )
