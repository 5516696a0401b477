"""The authored pool on disk: several processes add tasks, attempts and results, each addition whole or not at all.

The folder is that of a pool (:mod:`otherminds.household.pool.store`), which everything that reads pools reads, and has three
more files of lines: ``authored.jsonl``, where each task comes from; ``attempts.jsonl``, how each attempt ended; and
``results.jsonl``, how targets did. A task's line in the ledger is written last and is the commit point, so that a line in
``authored.jsonl`` without one in the ledger, of a process that was killed, counts for nothing. Authors are shown tasks of the
pool, of which the targets failed a given share (Juneja et al. 2026, section 4.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec
from msgspec import structs

from otherminds.core.disk import resolve_path
from otherminds.core.encoding import derive, stream
from otherminds.core.errors import StudyError, TaskError
from otherminds.core.locks import RunStoppedError
from otherminds.core.text import hint, quote_name
from otherminds.core.user_files import is_file
from otherminds.household.authoring.results import (
    ATTEMPTS,
    GENERATOR,
    PROVENANCE,
    RESULTS,
    Assignment,
    AttemptLine,
    SampledTask,
    Submission,
    SubmissionResult,
    TargetResult,
    TaskProvenance,
)
from otherminds.household.epistemic.certificate import decoded
from otherminds.household.epistemic.formula import depth
from otherminds.household.epistemic.parse import goal_of
from otherminds.household.generating.structure import structure
from otherminds.household.pool.folder import PoolFolder, card_of
from otherminds.household.pool.store import (
    CARD,
    LEDGER,
    PATTERNS,
    Pattern,
    PooledTask,
    PoolEntry,
    certificate_path,
    digest_bytes,
    line_of,
    pool_called,
    read_certificate,
    read_log,
    read_pool,
    task_json,
)
from otherminds.household.task import Task


def failed_by_majority(results: Iterable[TargetResult]) -> dict[str, bool]:
    """Whether more than half of a task's runs, over all targets, failed; only of tasks with results."""
    runs: Counter[str] = Counter()
    unsolved: Counter[str] = Counter()
    for run_result in results:
        runs[run_result.task_id] += 1
        unsolved[run_result.task_id] += not run_result.solved
    return {task_id: 2 * unsolved[task_id] > n for task_id, n in runs.items()}


def failure_patterns(results: Iterable[TargetResult]) -> dict[str, tuple[str, ...]]:
    """The patterns of each task's failed runs, the most frequent first, then by name."""
    counts_by_task: dict[str, Counter[str]] = {}
    for run_result in results:
        if not run_result.solved:
            counts_by_task.setdefault(run_result.task_id, Counter()).update(run_result.patterns)
    return {
        task_id: tuple(sorted(counts, key=lambda name: (-counts[name], name)))
        for task_id, counts in counts_by_task.items()
    }


def draw_task_ids(
    failed: Mapping[str, bool],
    provenance: Mapping[str, TaskProvenance],
    assignment: Assignment,
    rho: float,
    n: int,
) -> tuple[str, ...]:
    """The ids of ``n`` tasks with results, of which the fraction ``rho`` failed, by the assignment's seed.

    Where ``rho * n`` is no whole number, it is rounded up with the probability of its fraction. Tasks of the wanted
    category and depth come first, then those with one of both. A kind of which there are too few is not filled up with
    the other.
    """
    least = int(rho * n)
    many = least + (stream(assignment.seed, "sampled", "count").random() < rho * n - least)

    def rank(task_id: str) -> tuple[int, int]:
        origin = provenance[task_id]
        distance = (origin.category != assignment.category) + (origin.depth != assignment.depth)
        return distance, derive(assignment.seed, task_id)

    ranked = sorted(failed, key=rank)
    hard = [task_id for task_id in ranked if failed[task_id]][:many]
    easy = [task_id for task_id in ranked if not failed[task_id]][: n - many]
    return (*hard, *easy)


PATIENCE = 60.0
"""Seconds that an addition waits for those of other processes, each of which takes milliseconds."""


class AuthoredPool:
    """An authored pool in a folder, made by :meth:`create`. Reading takes no lock; an addition holds it alone.

    Raises:
        StudyError: there is no authored pool, or its start was not completed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._card = _card(folder)
        if not is_file(folder / LEDGER):
            raise StudyError(f"{folder}: the pool was not completely made; make it again, in the same folder")

    @classmethod
    def create(cls, folder: Path, start: str = "") -> AuthoredPool:
        """The pool in ``folder``, new or as it is, that starts with the tasks of a split or a pool, or with none.

        Raises:
            StudyError: the folder holds something else or a pool with another start, or it cannot be written.
            TaskError: there is no such split or pool, or it is damaged.
        """
        tasks, source = pool_called(start) if start else (), Path(start)
        certificates = [_certificate(source, pooled) for pooled in tasks]
        path = source / PROVENANCE
        lines = read_log(path, TaskProvenance) if start and is_file(path) else ()
        earlier = {line.task_id: line for line in lines}
        provenance = [_first(pooled, earlier) for pooled in tasks]
        card = {
            "authored": True,
            "start": resolve_path(source).name if start else "",
            "start_sha256": digest_bytes(b"".join(line_of(pooled.entry) for pooled in tasks)),
        }
        with PoolFolder(folder, card, PATIENCE) as pool_folder:
            if not is_file(folder / LEDGER):
                for pooled, certificate in zip(tasks, certificates, strict=True):
                    pool_folder.store(pooled, certificate)
                pool_folder.replace(PROVENANCE, provenance)
                pool_folder.replace(LEDGER, [pooled.entry for pooled in tasks])
        return cls(folder)

    def submit(self, submission: Submission) -> SubmissionResult:
        """Adds a task under the name of its structure; it is on disk when this returns.

        A task whose structure the pool has is refused, unless this very attempt has added it.

        Raises:
            StudyError: another process writes for more than :data:`PATIENCE` seconds, or the folder cannot be written;
                the pool is as it was before.
            TaskError: the task or its certificate cannot be kept, or a line of the pool is damaged.
            RunStoppedError: the folder was deleted or moved.
        """
        pooled, certificate = _build_entry(submission)
        entry = pooled.entry
        with self._lock_folder() as pool_folder:
            ids_by_structure = {
                entry.structure: entry.task_id for entry in pool_folder.read(LEDGER, PoolEntry)
            }
            if before := ids_by_structure.get(entry.structure):
                writers = {
                    origin.task_id: origin.attempt for origin in pool_folder.read(PROVENANCE, TaskProvenance)
                }
                if writers.get(before) == submission.attempt:
                    return SubmissionResult(before)
                return SubmissionResult("", f"duplicate: the pool has a task of the same structure, {before}")
            if entry.task_id in ids_by_structure.values():
                return SubmissionResult("", f"duplicate: the pool has a task called {entry.task_id}")
            pool_folder.store(pooled, certificate)
            pool_folder.read(PROVENANCE, TaskProvenance)
            pool_folder.add(PROVENANCE, [_provenance(submission, entry)])
            pool_folder.add(LEDGER, [entry])
        return SubmissionResult(entry.task_id)

    def add_attempt(self, line: AttemptLine) -> None:
        """Adds how an attempt ended; the first line of an attempt stays.

        Raises:
            StudyError, TaskError: as :meth:`submit`.
        """
        with self._lock_folder() as pool_folder:
            if all(earlier.attempt != line.attempt for earlier in pool_folder.read(ATTEMPTS, AttemptLine)):
                pool_folder.add(ATTEMPTS, [line])

    def add_results(self, results: Sequence[TargetResult]) -> None:
        """Adds results of targets; the first result of a task, target and run stays.

        Raises:
            StudyError: as :meth:`submit`, or a task is not in the pool.
            TaskError: as :meth:`submit`.
        """
        with self._lock_folder() as pool_folder:
            task_ids = [entry.task_id for entry in pool_folder.read(LEDGER, PoolEntry)]
            if strange := {run_result.task_id for run_result in results}.difference(task_ids):
                name = min(strange)
                raise StudyError(
                    f"{self.folder}: has no task {quote_name(name)}{hint(name, task_ids, 'see its ledger')}"
                )
            there = {_key(run_result) for run_result in pool_folder.read(RESULTS, TargetResult)}
            new: dict[tuple[str, str, int], TargetResult] = {}
            for run_result in results:
                if _key(run_result) not in there:
                    new.setdefault(_key(run_result), run_result)
            if new:
                pool_folder.add(RESULTS, [*new.values()])

    def tasks(self) -> tuple[PooledTask, ...]:
        """All tasks, in the order in which they were added.

        Raises:
            TaskError: the pool is damaged.
        """
        return read_pool(self.folder)

    def provenance(self) -> dict[str, TaskProvenance]:
        """Where each task comes from, in the order of the ledger.

        Raises:
            TaskError: a line is damaged or missing.
        """
        entries = read_log(self.folder / LEDGER, PoolEntry)
        origins = {origin.task_id: origin for origin in read_log(self.folder / PROVENANCE, TaskProvenance)}
        for entry in entries:
            if entry.task_id not in origins or origins[entry.task_id].sha256 != entry.sha256:
                where = self.folder / PROVENANCE
                raise TaskError(f"{where}: has no line of task {quote_name(entry.task_id)}; restore the file")
        return {entry.task_id: origins[entry.task_id] for entry in entries}

    def attempts(self) -> tuple[AttemptLine, ...]:
        """The ends of all attempts, in the order in which they were added.

        Raises:
            TaskError: a line is damaged.
        """
        return read_log(self.folder / ATTEMPTS, AttemptLine)

    def results(self) -> tuple[TargetResult, ...]:
        """The results of all targets, in the order in which they were added.

        Raises:
            TaskError: a line is damaged.
        """
        return read_log(self.folder / RESULTS, TargetResult)

    def sampled(self, assignment: Assignment, rho: float, n: int) -> tuple[SampledTask, ...]:
        """``n`` seed tasks for an author, of which the fraction ``rho`` failed (:func:`~.sampling.draw_task_ids`).

        Equal pools give equal tasks.

        Raises:
            TaskError: the pool is damaged.
        """
        results = self.results()
        failed, patterns = failed_by_majority(results), failure_patterns(results)
        task_ids = draw_task_ids(failed, self.provenance(), assignment, rho, n)
        tasks = {pooled.entry.task_id: pooled.task for pooled in self.tasks()}
        return tuple(
            SampledTask(tasks[task_id], failed[task_id], patterns.get(task_id, ())) for task_id in task_ids
        )

    def _lock_folder(self) -> PoolFolder:
        if not is_file(self.folder / LEDGER):
            raise RunStoppedError(
                f"{self.folder}: the pool was deleted or moved while a command added to it; restore it, and the same "
                "command goes on"
            )
        return PoolFolder(self.folder, self._card, PATIENCE)


def is_authored(folder: Path) -> bool:
    """Whether ``folder`` is that of an authored pool."""
    return is_file(folder / CARD) and bool(card_of(folder).get("authored"))


def _card(folder: Path) -> dict[str, Any]:
    if not is_authored(folder):
        raise StudyError(f"{folder}: no authored pool; `otherminds pools evolve` makes one")
    return card_of(folder)


def _build_entry(submission: Submission) -> tuple[PooledTask, bytes]:
    """The task of a submission under its name in the pool, with its entry, and its certificate under that name."""
    task = name_by_structure(submission.task)
    if task.pattern not in get_args(Pattern):
        pattern_names = ", ".join(PATTERNS)
        raise TaskError(
            f"task {task.task_id!r}: its pattern {quote_name(task.pattern)} is none of {pattern_names}"
        )
    same = digest_bytes(task_json(task)) == digest_bytes(task_json(submission.task))
    certificate = submission.certificate if same else rename_certificate(submission.certificate, task)
    entry = PoolEntry(
        task.task_id,
        msgspec.convert(task.pattern, Pattern),
        submission.assignment.seed,
        structure(task),
        digest_bytes(task_json(task)),
        submission.verdicts,
        submission.calibration.levels,
        digest_bytes(certificate),
    )
    return PooledTask(entry, task), certificate


def _provenance(submission: Submission, entry: PoolEntry) -> TaskProvenance:
    return TaskProvenance(
        entry.task_id,
        entry.sha256,
        submission.author,
        submission.task.category,
        submission.assignment.depth,
        submission.generation,
        submission.parents,
        submission.attempt,
        submission.judgements,
        submission.calibration,
    )


def _key(run_result: TargetResult) -> tuple[str, str, int]:
    return run_result.task_id, run_result.target, run_result.run


DIGITS = 12
"""Hexadecimal digits of the structure in the name of a task."""


def name_by_structure(task: Task) -> Task:
    """The task under the name that the authored pool gives it by its structure, as it is read from a file there.

    Raises:
        TaskError: its structure cannot be computed (:func:`~otherminds.household.generating.structure.structure`).
    """
    renamed_task = structs.replace(task, task_id=f"authored_{structure(task)[:DIGITS]}")
    return msgspec.json.decode(task_json(renamed_task), type=Task)


def rename_certificate(certificate: bytes, task: Task) -> bytes:
    """A certificate of an equal task with another name, as one of ``task``; nothing else in it is changed.

    Its problem quotes the name and the digest of the task, with which the checker compares them.

    Raises:
        TaskError: it is no certificate.
    """
    try:
        proofs = decoded(certificate)
    except ValueError as error:
        raise TaskError(f"task {task.task_id!r}: its proofs are no certificate: {error}") from None
    problem = structs.replace(proofs.problem, task=task.task_id, digest=digest_bytes(task_json(task)))
    return msgspec.json.encode(structs.replace(proofs, problem=problem, digest=problem.sha256()))


def _certificate(folder: Path, pooled: PooledTask) -> bytes:
    entry = pooled.entry
    return read_certificate(folder, entry) if is_file(certificate_path(folder, entry.task_id)) else b""


def _first(pooled: PooledTask, before: dict[str, TaskProvenance]) -> TaskProvenance:
    """The provenance of a task that a pool starts with: its author stays, and parents are not in the new pool."""
    entry, task = pooled.entry, pooled.task
    if origin := before.get(entry.task_id):
        return structs.replace(origin, generation=0, parents=(), attempt="")
    return TaskProvenance(
        entry.task_id, entry.sha256, GENERATOR, task.category, depth(goal_of(task.problem_pddl))
    )
