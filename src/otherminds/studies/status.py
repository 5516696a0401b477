"""The state of a study and of its shards, in a small file that each run replaces while it plays.

The file is replaced whole, so that hosts with a common disk may read it at any time. A run that was killed leaves an old
one: the episodes of a part that is not being played are counted from the records.
"""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from itertools import chain
from math import inf
from pathlib import Path
from time import monotonic, time

import msgspec
from msgspec import Struct, structs

from otherminds.core.disk import read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.locks import is_locked
from otherminds.core.segments import segments_in
from otherminds.models.wrappers import Budget
from otherminds.studies.plan import StudyPlan
from otherminds.studies.run_dir import STATUS, Ledger, plan_in
from otherminds.studies.sharding import Shard, others, shards_of
from otherminds.studies.store import RECORDS, Store, last_statuses

FILE = STATUS
EVERY = 5.0
"""Seconds between two writes of the file."""


class RunStatus(Struct, frozen=True):
    """The state of a run at the time ``written`` (seconds since 1970).

    ``states`` counts its episodes by their state in the ledger: ``planned``, ``leased`` (being played), or an
    outcome; those that other runs in the folder had recorded before have their outcome too. ``host`` and ``process``
    played from ``began``, when ``before`` episodes were recorded. ``tokens`` and ``dollars`` are what the run has
    spent, also before it was resumed; dollars are ``None`` without prices. ``estimated_tokens`` of the tokens were
    estimated from bytes, because a server stated none or too few, or gave no reply.
    """

    host: str
    process: int
    began: float
    written: float
    before: int
    states: dict[str, int]
    tokens: int = 0
    dollars: float | None = None
    estimated_tokens: int = 0

    @property
    def episodes(self) -> int:
        """All episodes of the run."""
        return sum(self.states.values())

    @property
    def leased(self) -> int:
        """Episodes that are being played."""
        return self.states.get("leased", 0)

    @property
    def recorded(self) -> int:
        """Episodes with an outcome, failed ones too."""
        return self.episodes - self.leased - self.states.get("planned", 0)

    @property
    def rate(self) -> float:
        """Episodes a second since the run began; 0 before the first."""
        return max(0, self.recorded - self.before) / max(self.written - self.began, 1e-3)

    @property
    def seconds_left(self) -> float:
        """The time that the other episodes take at this rate; infinite before the first one is recorded."""
        unrecorded = self.episodes - self.recorded
        return unrecorded / self.rate if self.rate else inf if unrecorded else 0.0


class StatusFile:
    """Writes the :class:`RunStatus` of a run into its folder, at most every :data:`EVERY` seconds.

    Raises:
        StudyError: the file cannot be written; this holds for every method.
    """

    def __init__(self, home: Path, ledger: Ledger, budget: Budget) -> None:
        self._path, self._ledger, self._budget = home / FILE, ledger, budget
        self._began, self._last = time(), -inf
        counts = ledger.counts()
        self._before = sum(counts.values()) - counts.get("planned", 0)

    def update(self) -> None:
        """Writes the file, unless that was done just before."""
        if monotonic() - self._last >= EVERY:
            self.write()

    def write(self) -> None:
        """Writes the file."""
        self._last = monotonic()
        status = RunStatus(
            socket.gethostname(),
            os.getpid(),
            self._began,
            time(),
            self._before,
            self._ledger.counts(),
            self._budget.tokens,
            self._budget.cost if self._budget.prices else None,
            self._budget.estimated_tokens,
        )
        replace_file(self._path, msgspec.json.encode(status))


class Part(Struct, frozen=True):
    """A shard, or a study that is played whole (``shard`` is ``None``); ``running`` says whether it is being played.

    ``status`` is ``None`` if no run has begun.
    """

    shard: Shard | None
    running: bool
    status: RunStatus | None


class StudyStatus(Struct, frozen=True):
    """The state of the study ``name`` in ``folder``, with the number of ``planned`` episodes.

    ``parts`` are the shards of the partition that was played last, those that have not begun too, or the whole study.
    """

    folder: str
    name: str
    planned: int
    parts: tuple[Part, ...]

    @property
    def states(self) -> Mapping[str, int]:
        """The number of episodes in each state, over all parts."""
        total: Counter[str] = Counter()
        for part in self.parts:
            if part.status:
                total.update(part.status.states)
        total["planned"] += self.planned - total.total()
        return total

    @property
    def rate(self) -> float:
        """Episodes a second of all parts that are being played."""
        return sum(part.status.rate for part in self.parts if part.status and part.running)

    @property
    def seconds_left(self) -> float:
        """The time until the last part that is being played is done, or infinite if one is not being played before."""
        return max((_seconds_left(part) for part in self.parts), default=inf)

    @property
    def tokens(self) -> int:
        """Tokens that all parts have spent."""
        return sum(part.status.tokens for part in self.parts if part.status)

    @property
    def estimated_tokens(self) -> int:
        """Those of the tokens that no server counted."""
        return sum(part.status.estimated_tokens for part in self.parts if part.status)

    @property
    def dollars(self) -> float | None:
        """US dollars that all parts have spent; ``None`` without prices."""
        spent = [
            part.status.dollars for part in self.parts if part.status and part.status.dollars is not None
        ]
        return sum(spent) if spent else None


def status_of(folder: Path) -> StudyStatus:
    """The state of the study in ``folder``, also while it is played.

    Raises:
        StudyError: the folder holds no study, or its files cannot be read.
    """
    plan = plan_in(folder)
    part_of = _reader(folder, plan)
    parts = {shard: part_of(shard) for shard in shards_of(folder)}
    by_count: dict[int, list[Part]] = {}
    for shard, part in parts.items():
        by_count.setdefault(shard.count, []).append(part)
    partitions = [
        [
            parts.get(shard) or Part(shard, False, None)
            for shard in (Shard(index, count) for index in range(1, count + 1))
        ]
        for count in by_count
    ]
    undivided = part_of(None)
    if undivided.running or undivided.status is not None or not partitions:
        partitions.append([undivided])
    latest = max(partitions, key=_last_written)
    return StudyStatus(str(folder), plan.name, len(plan.episodes), tuple(latest))


def tokens_stated(home: Path) -> int:
    """The tokens that the last run in ``home`` had spent, as its status says; 0 without one that can be read."""
    try:
        status = read_status(home)
    except StudyError:
        return 0
    return status.tokens if status else 0


def _reader(folder: Path, plan: StudyPlan) -> Callable[[Shard | None], Part]:
    """Reads the state of a part of ``plan`` in ``folder``; what several parts need is read once."""

    @cache
    def planned_hashes() -> frozenset[int]:
        return frozenset(int(spec.hash, 16) for spec in plan.episodes)

    @cache
    def read_statuses(home: Path) -> Mapping[int, str]:
        return last_statuses(Store(home).outcomes())

    def count_states(shard: Shard | None, homes: Iterable[Path]) -> dict[str, int]:
        mine = planned_hashes() if shard is None else frozenset(filter(shard.holds_hash, planned_hashes()))
        statuses = last_statuses(chain.from_iterable(read_statuses(home).items() for home in homes))
        return dict(Counter(statuses.get(episode, "planned") for episode in mine))

    def read_part(shard: Shard | None) -> Part:
        home = folder if shard is None else shard.home(folder)
        running, status = is_locked(home), read_status(home)
        if running or (status is None and not read_statuses(home)):
            return Part(shard, running, status)
        states = count_states(shard, (*others(folder, shard), home))
        if status is None:
            ended = segments_in(home / RECORDS)[-1].stat().st_mtime
            status = RunStatus("", 0, ended, ended, sum(states.values()) - states.get("planned", 0), states)
        return Part(shard, False, structs.replace(status, states=states))

    return read_part


def read_status(home: Path) -> RunStatus | None:
    """The status in ``home`` as the last run there wrote it; ``None`` without a file, which a run writes at once since version 0.2.

    Raises:
        StudyError: the file cannot be read.
    """
    path = home / FILE
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(read_file(path), type=RunStatus)
    except (ValueError, RecursionError) as error:
        raise StudyError(
            f"{path}: cannot be read ({error}); delete it: the next run writes it anew"
        ) from error


def _last_written(parts: list[Part]) -> float:
    return max((part.status.written for part in parts if part.status), default=-inf)


def _seconds_left(part: Part) -> float:
    if part.status is None:
        return inf
    seconds = part.status.seconds_left
    return seconds if part.running or not seconds else inf
