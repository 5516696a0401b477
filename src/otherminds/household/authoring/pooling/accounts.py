"""All that the reports on an authored pool are computed from, read from its folder once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from otherminds.core.disk import resolve_path
from otherminds.household.authoring.pooling.lines import AttemptLine, TargetResult, TaskProvenance
from otherminds.household.authoring.pooling.pool import AuthoredPool
from otherminds.household.pool.entry import PooledTask


class PoolAccount(Struct, frozen=True):
    """The content of an authored pool, and the name that reports call it."""

    name: str
    tasks: tuple[PooledTask, ...]
    provenance: dict[str, TaskProvenance]
    attempts: tuple[AttemptLine, ...]
    results: tuple[TargetResult, ...]

    @property
    def generations(self) -> dict[str, int]:
        """The generation of each task."""
        return {task_id: origin.generation for task_id, origin in self.provenance.items()}

    @property
    def written(self) -> tuple[str, ...]:
        """The tasks that attempts have added."""
        return tuple(task_id for task_id, origin in self.provenance.items() if origin.attempt)


def accounts_of(folders: Sequence[Path]) -> tuple[PoolAccount, ...]:
    """As :func:`account_of` for several pools, which are called by their paths if two folders have one name."""
    names = {folder: resolve_path(folder).name for folder in folders}
    alike = len({*names.values()}) < len(names)
    return tuple(account_of(folder, str(folder) if alike else "") for folder in names)


def account_of(folder: Path, name: str = "") -> PoolAccount:
    """The content of the pool in ``folder``, called ``name``, by default as the folder.

    Raises:
        StudyError: there is no authored pool.
        TaskError: the pool is damaged.
    """
    pool = AuthoredPool(folder)
    # Results and attempts are read first: a task that they name is in the ledger already.
    results, attempts = pool.results(), pool.attempts()
    provenance = pool.provenance()
    tasks = tuple(pooled for pooled in pool.tasks() if pooled.entry.task_id in provenance)
    return PoolAccount(name or resolve_path(folder).name, tasks, provenance, attempts, results)
