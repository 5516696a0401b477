"""The shipped splits: packed pools of proved tasks, read when a name of one is first looked up."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from otherminds.core.errors import TaskError
from otherminds.core.near import hint, near, quoted
from otherminds.core.user_files import check_kind, is_file, is_folder
from otherminds.household.pool.entry import PooledTask
from otherminds.household.pool.store import PACKED, read_pool

SHIPPED = Path(__file__).with_name("shipped")


def shipped_splits() -> tuple[str, ...]:
    """The names of the shipped splits, sorted."""
    return tuple(sorted(path.name.removesuffix(PACKED) for path in SHIPPED.glob(f"*{PACKED}")))


def load_split(name: str) -> dict[str, PooledTask]:
    """The tasks of a shipped split by their id, in its order. Nothing in them is changed.

    Raises:
        TaskError: there is no such split, or its file is damaged.
    """
    if name not in shipped_splits():
        raise TaskError(f"there is no split {quoted(name)}{hint(name, shipped_splits())}")
    return _tasks(SHIPPED / f"{name}{PACKED}")


def pool_called(name: str) -> tuple[PooledTask, ...]:
    """The tasks of a shipped split by its name, or of the pool at a path: a folder or a packed file.

    Raises:
        TaskError: there is no such split or pool, or it is damaged.
    """
    path = Path(name)
    if name in shipped_splits() and not is_folder(path):
        return tuple(load_split(name).values())
    if not is_file(path) and not is_folder(path):
        check_kind(path, TaskError)
        meant = near(name, shipped_splits()) or "; `otherminds pools generate` makes pools"
        raise TaskError(f"{quoted(name)}: neither a split nor a pool{meant}")
    return read_pool(path)


@cache
def _tasks(path: Path) -> dict[str, PooledTask]:
    return {pooled.entry.task_id: pooled for pooled in read_pool(path)}
