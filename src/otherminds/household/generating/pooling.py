"""Fills a pool: candidates are tried in parallel and committed in a fixed order.

The tasks of a pool are given by slots, each with what is wanted and the seeds that are tried for it. A slot is filled
before the next one; results of later seeds wait for earlier ones. So the pool has the same bytes for any number of
processes, and after any interruption.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from time import monotonic
from typing import TypeAlias

from msgspec import Struct

from otherminds.core.encoding import derive
from otherminds.core.errors import InternalError, OtherMindsError, StudyError
from otherminds.household.generating.properties import Candidate, Generator, TaskProperties
from otherminds.household.pool.folder import PoolWriter
from otherminds.household.pool.store import digest_bytes, task_json
from otherminds.household.proofs.episodes import SHARES

DUPLICATE = "duplicate"
"""The verdict on a task whose structure is in the pool, or taken."""
EASY = "cheap teams' share"
"""The verdict on a task of a split that a cheap team solves which has its share (:data:`~..proofs.episodes.SHARES`)."""
AHEAD = 4
"""Slots, and results of a slot, that are tried ahead, for each process."""
BITS = 40
"""Of the seeds of a split: short enough for the name of a task, and equal ones are improbable."""
Trial: TypeAlias = tuple[Generator, int, TaskProperties]
Submit: TypeAlias = Callable[[Trial], Future[Candidate]]
"""Tries a seed with :func:`tried`, in this process or in another."""


class PoolSlot(Struct, frozen=True):
    """``count`` tasks to generate. ``seed(k)`` is the seed of the k-th attempt, and ``name`` what messages call the slot.

    ``share`` is the largest share of the pool's tasks that one cheap team may solve, ``None`` for any.
    """

    name: str
    wanted: TaskProperties
    count: int
    seed: Callable[[int], int]
    share: float | None = None


def consecutive(properties: TaskProperties, count: int, first: int) -> tuple[PoolSlot, ...]:
    """One slot of ``count`` tasks that are alike, with the seeds ``first``, ``first + 1``, ..."""
    return (PoolSlot("", properties, count, lambda attempt: first + attempt),)


def slots_of(composition: Sequence[TaskProperties], split: str, seed: int) -> tuple[PoolSlot, ...]:
    """A slot for each task of a split; the seeds are derived from split, seed, slot and attempt."""

    def derive_seeds(place: int) -> Callable[[int], int]:
        return lambda attempt: derive(seed, split, place, attempt) >> (64 - BITS)

    return tuple(
        PoolSlot(str(k), properties, 1, derive_seeds(k), SHARES[bool(properties.hard)])
        for k, properties in enumerate(composition)
    )


class SeedTally:
    """What became of the seeds tried so far.

    ``rejected`` counts by verdict, ``seconds`` is processor time by step. ``unfilled`` are slots that were given up.
    ``new`` counts the tasks kept by this process, which has run for ``elapsed`` seconds.
    """

    def __init__(self, count: int) -> None:
        self.wanted = count
        self.kept = self.new = 0
        self.rejected: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.unfilled: list[PoolSlot] = []
        self._start = monotonic()

    @property
    def candidates(self) -> int:
        return self.kept + self.rejected.total()

    @property
    def elapsed(self) -> float:
        return monotonic() - self._start

    def add(self, verdict: str) -> None:
        """Counts a seed: kept without a verdict."""
        self.kept += not verdict
        self.rejected.update([verdict] if verdict else [])

    def add_seconds(self, seconds: Iterable[tuple[str, float]]) -> None:
        """Adds processor time by step."""
        for step, number in seconds:
            self.seconds[step] += number


class _Filling:
    """A slot with its attempts: ``at`` of them are committed, ``kept`` of these kept, the last ``missed`` rejected."""

    def __init__(self, slot: PoolSlot, most: int) -> None:
        self.slot = slot
        self.most = most
        self.at = self.kept = self.missed = 0
        self.tried: dict[int, Future[Candidate]] = {}

    @property
    def full(self) -> bool:
        return self.kept >= self.slot.count

    @property
    def over(self) -> bool:
        """Whether no further attempt is committed."""
        return self.full or self.missed >= self.most

    @property
    def running(self) -> int:
        return sum(not future.done() for future in self.tried.values())

    @property
    def enough(self) -> bool:
        """Whether the attempts known so far fill the slot, unless one is a duplicate."""
        return self.kept + sum(map(_promises, self.tried.values())) >= self.slot.count

    def count_attempt(self, verdict: str) -> None:
        """The attempt ``at`` is committed, as kept without a verdict."""
        self.tried.pop(self.at, None)
        self.at += 1
        self.kept += not verdict
        self.missed = self.missed + 1 if verdict else 0

    def next(self) -> int:
        """The first attempt that is not tried yet."""
        return self.at + len(self.tried)


class Pooling:
    """Tries the seeds of ``slots`` with ``generator``, by ``submit``, and writes the results with ``writer``.

    At most ``processes`` seeds are tried at a time, and ``progress`` is called with the counts at the start and after each. A slot is given up when ``most`` of its seeds in a row were
    rejected. A task with one of ``structures`` is a duplicate. A task is rejected if a cheap team that solves it would solve
    more than the share of its slot of the tasks that are kept by then. With the folder of an earlier one it goes on where
    that stopped.
    """

    def __init__(
        self,
        slots: Sequence[PoolSlot],
        generator: Generator,
        writer: PoolWriter,
        submit: Submit,
        processes: int,
        most: int,
        progress: Callable[[SeedTally], None],
        structures: Collection[str] = (),
    ) -> None:
        self._open = [_Filling(slot, most) for slot in slots]
        self._generator, self._writer, self._submit = generator, writer, submit
        self._processes, self._progress = processes, progress
        self._structures = {*structures, *(entry.structure for entry in writer.entries)}
        self._kept = len(writer.entries)
        self._solved = Counter(team for entry in writer.entries for team in entry.cheap or ())
        self._tally = SeedTally(sum(slot.count for slot in slots))

    def fill(self) -> SeedTally:
        """Tries seeds until all slots are full or given up.

        Raises:
            StudyError: the folder cannot be written, or a process was killed.
            InternalError: the generator failed; the text names the seed.
        """
        self._resume()
        self._progress(self._tally)
        while self._open:
            self._start()
            self._commit()
            if self._open and not self._ready():
                running = [f for filling in self._open for f in filling.tried.values() if not f.done()]
                wait(running, return_when=FIRST_COMPLETED)
        return self._tally

    def _resume(self) -> None:
        """Counts the seeds that the folder has, which are the first ones of each slot."""
        writer = self._writer
        done = {rejection.seed: rejection.verdict for rejection in writer.rejections}
        done |= {entry.seed: "" for entry in writer.entries}
        times = {timing.seed: timing.seconds for timing in writer.seconds}
        for filling in list(self._open):
            while not filling.over and (seed := filling.slot.seed(filling.at)) in done:
                filling.count_attempt(done[seed])
                self._tally.add(done[seed])
                self._tally.add_seconds(times.get(seed, {}).items())
            self._close(filling)

    def _start(self) -> None:
        """Tries seeds up to the number of processes, first one of each slot, then more of the first slots."""
        room = AHEAD * self._processes
        while sum(filling.running for filling in self._open[:room]) < self._processes:
            near = [
                filling for filling in self._open[:room] if not filling.enough and len(filling.tried) < room
            ]
            if not near:
                return
            first = min(near, key=lambda filling: filling.running)
            attempt = first.next()
            trial = (self._generator, first.slot.seed(attempt), first.slot.wanted)
            first.tried[attempt] = self._submit(trial)
            if self._ready():
                return

    def _ready(self) -> bool:
        """Whether the next attempt to commit has ended."""
        head = self._open[0]
        return head.at in head.tried and head.tried[head.at].done()

    def _commit(self) -> None:
        """Writes the results that come next, in the order of slots and attempts."""
        while self._open and self._ready():
            head = self._open[0]
            seed = head.slot.seed(head.at)
            candidate = _result(head.tried[head.at], seed)
            verdict = self._write(candidate, seed, head.slot.share)
            head.count_attempt(verdict)
            self._tally.add(verdict)
            self._tally.new += not verdict
            self._tally.add_seconds(candidate.seconds.items())
            self._close(head)
            self._progress(self._tally)

    def _write(self, candidate: Candidate, seed: int, share: float | None) -> str:
        """Adds a candidate to the pool; returns the verdict that rejects it, or an empty text."""
        verdict, pooled = candidate.rejected, candidate.pooled
        if verdict or pooled is None:
            self._writer.reject(seed, verdict, candidate.seconds)
            return verdict
        if pooled.entry.structure in self._structures:
            self._writer.reject(seed, DUPLICATE, candidate.seconds)
            return DUPLICATE
        solvers = pooled.entry.cheap or {}
        if share is not None and any(self._solved[team] >= self._most_of(share) for team in solvers):
            self._writer.reject(seed, EASY, candidate.seconds)
            return EASY
        self._writer.keep(pooled, candidate.certificate, candidate.seconds)
        self._structures.add(pooled.entry.structure)
        self._kept += 1
        self._solved.update([*solvers])
        return ""

    def _most_of(self, share: float) -> int:
        """The number of tasks that a cheap team may solve once one more is kept; one even of few."""
        return max(1, int(share * (self._kept + 1)))

    def _close(self, filling: _Filling) -> None:
        """Removes a slot if it is full or given up."""
        if not filling.over:
            return
        for future in filling.tried.values():
            future.cancel()
        self._open.remove(filling)
        if not filling.full:
            self._tally.unfilled.append(filling.slot)


def tried(trial: Trial) -> Candidate:
    """The candidate of a seed; a function of one argument, to be called in another process."""
    generator, seed, properties = trial
    return generator(seed, properties)


def here(trial: Trial) -> Future[Candidate]:
    """Tries a seed in this process."""
    future: Future[Candidate] = Future()
    future.set_result(tried(trial))
    return future


def _promises(future: Future[Candidate]) -> bool:
    """Whether a candidate is known not to be rejected."""
    done = future.done() and not future.cancelled() and future.exception() is None
    return done and not future.result().rejected


def _result(future: Future[Candidate], seed: int) -> Candidate:
    try:
        candidate = future.result()
    except BrokenExecutor as error:
        raise StudyError(
            f"seed {seed}: {error}; the same command goes on from here, with fewer --processes if memory is short"
        ) from error
    except OtherMindsError as error:
        raise InternalError(f"seed {seed}: the generator failed: {error}") from error
    if fault := _fault(candidate):
        raise InternalError(f"seed {seed}: the generator failed: {fault}")
    return candidate


def _fault(candidate: Candidate) -> str:
    """What is inconsistent in a candidate; empty if nothing is."""
    if (candidate.pooled is None) != bool(candidate.rejected):
        return "a candidate is either rejected or has a task"
    if candidate.pooled is None:
        return ""
    entry, task = candidate.pooled.entry, candidate.pooled.task
    if (entry.task_id, entry.pattern) != (task.task_id, task.pattern):
        return f"the task says {task.task_id!r} and {task.pattern!r}, its entry {entry.task_id!r} and {entry.pattern!r}"
    if entry.sha256 != digest_bytes(task_json(task)) or entry.certificate != digest_bytes(
        candidate.certificate
    ):
        return "the digests of the entry are not those of the task and the certificate"
    return ""
