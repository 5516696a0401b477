"""Shards: parts of a study that are played apart, by processes on any machines, into one folder or several.

An episode belongs to a shard by its hash. A shard has a folder of its own (``shards/2-of-4``), in which it is a run
like any other: with records, a ledger, kept replies and a lock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, structs

from otherminds.core.errors import StudyError
from otherminds.core.locks import is_locked
from otherminds.core.record import EpisodeSpec
from otherminds.studies.access import Limits, less

SHARDS = "shards"
PATIENCE = 20.0
"""Seconds to wait for another shard that starts in the same folder."""


class Shard(Struct, frozen=True):
    """Shard ``index`` (from 1) of ``count``."""

    index: int
    count: int

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"{self.index}-of-{self.count}"

    def holds(self, spec: EpisodeSpec) -> bool:
        """Whether an episode belongs to it."""
        return self.holds_hash(int(spec.hash, 16))

    def holds_hash(self, number: int) -> bool:
        """Whether the episode whose hash is this number belongs to it."""
        return number % self.count == self.index - 1

    def home(self, folder: Path) -> Path:
        """Its own folder in the output folder of the study."""
        return folder / SHARDS / self.name


def shard_of(text: str) -> Shard:
    """The shard that ``text`` names, such as ``2/4``.

    Raises:
        StudyError: it names none.

    >>> shard_of("2/4")
    Shard(index=2, count=4)
    """
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    shard = Shard(int(match[1]), int(match[2])) if match else Shard(0, 0)
    if not 1 <= shard.index <= shard.count:
        raise StudyError(f"--shard {text}: give I/N with I from 1 to N, such as 2/4")
    return shard


def shards_of(folder: Path) -> dict[Shard, Path]:
    """The folders of the shards that an output folder has, in order."""
    inside = folder / SHARDS
    homes_by_shard = {Shard(*map(int, path.name.split("-of-"))): path for path in _shard_folders(inside)}
    return dict(sorted(homes_by_shard.items(), key=lambda item: (item[0].count, item[0].index)))


def homes(folder: Path) -> list[Path]:
    """All folders with records of a study: those of shards, and ``folder`` itself."""
    return [*shards_of(folder).values(), folder]


def others(folder: Path, shard: Shard | None) -> list[Path]:
    """The folders of other runs that may have recorded episodes of ``shard``, or of the whole study."""
    other_homes = [
        home for other, home in shards_of(folder).items() if shard is None or other.count != shard.count
    ]
    return other_homes if shard is None else [*other_homes, folder]


def check_alone(folder: Path, shard: Shard | None) -> None:
    """Checks that nothing else plays the episodes of ``shard``, or of the whole study.

    The caller holds the lock of ``folder``.

    Raises:
        StudyError: a run that would play the same episodes is writing.
    """
    for other, home in shards_of(folder).items():
        if (shard is None or other.count != shard.count) and is_locked(home):
            raise StudyError(
                f"{folder}: shard {other.index}/{other.count} is being played, which has some of the same episodes; "
                "wait for it or end it"
            )


def limits_for(folder: Path, shard: Shard | None, limits: Limits) -> Limits:
    """What a run may spend of the ``limits`` of its study: less what other runs have spent; a shard has an equal share.

    What this run has spent before is not subtracted. Shards of one partition do not see what the others spend:
    together they exceed the limits by no more than their calls in flight.
    """
    unspent = less(limits, others(folder, shard))
    if shard is None:
        return unspent
    return structs.replace(
        unspent,
        max_cost=None if unspent.max_cost is None else unspent.max_cost / shard.count,
        max_tokens=None if unspent.max_tokens is None else unspent.max_tokens // shard.count,
    )


def _shard_folders(inside: Path) -> Iterator[Path]:
    if not inside.is_dir():
        return iter(())
    return (path for path in inside.iterdir() if re.fullmatch(r"\d+-of-\d+", path.name) and path.is_dir())
