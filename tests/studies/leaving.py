"""Ways in which the folder of a run, or something in it, goes while the run plays."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

Mend = Callable[[], None]
Way = Callable[[Path], Mend]
"""Harms a path, and returns what a user does before the same command: mostly nothing."""


def aside(path: Path) -> Path:
    return path.with_name(f"{path.name}.aside")


def remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def moved_to(path: Path) -> Path:
    return path.rename(aside(path))


def put_back(path: Path) -> Mend:
    """Removes what is at ``path`` now, and gives it back what was moved."""

    def mend() -> None:
        if path.is_symlink() or path.exists():
            remove(path)
        aside(path).rename(path)

    return mend


def cleared(path: Path) -> Mend:
    """Removes what is at ``path`` now: what was there before is lost."""
    return lambda: remove(path)


def nothing() -> None:
    """What a user does before the same command."""


def deleted(path: Path) -> Mend:
    remove(path)
    return nothing


def renamed(path: Path) -> Mend:
    moved_to(path)
    return put_back(path)


def renamed_for_good(path: Path) -> Mend:
    moved_to(path)
    return nothing


def copied(path: Path) -> Mend:
    """A copy is in its place: what it has is as good."""
    moved = moved_to(path)
    (shutil.copytree if moved.is_dir() else shutil.copy)(moved, path)
    return nothing


def linked(path: Path) -> Mend:
    path.symlink_to(moved_to(path), moved_is_dir := aside(path).is_dir())
    assert moved_is_dir == path.is_dir()
    return nothing


def linked_to_nothing(path: Path) -> Mend:
    moved_to(path)
    path.symlink_to(path.with_name("nowhere"))
    return put_back(path)


def made_again(path: Path) -> Mend:
    """Deleted, and an empty one is in its place."""
    was_folder = path.is_dir()
    remove(path)
    if was_folder:
        path.mkdir()
    else:
        path.touch()
    return nothing if was_folder or path.suffix != ".json" else cleared(path)


def another_kind(path: Path) -> Mend:
    """A file in place of a folder, and the other way round."""
    moved = moved_to(path)
    if moved.is_dir():
        path.touch()
    else:
        path.mkdir()
    return put_back(path)


WAYS: dict[str, Way] = {
    way.__name__: way
    for way in (
        deleted,
        renamed,
        renamed_for_good,
        copied,
        linked,
        linked_to_nothing,
        made_again,
        another_kind,
    )
}
PLACES = (
    ".",
    "lock.sqlite",
    "ledger.sqlite",
    "ledger.sqlite-wal",
    "calls.sqlite",
    "calls.sqlite-wal",
    "study.json",
    "records",
    "records/00000.jsonl",
)


def harms(places: tuple[str, ...] = PLACES) -> Iterator[tuple[str, str]]:
    """Each place with each way."""
    return ((place, way) for place in places for way in WAYS)
