"""The evolution of a pool: authors are shown tasks that the targets fail, and what they write is shown to later authors.

Generation by generation, the targets play all tasks without results, and authors write new ones. Each is shown tasks of
the pool, of which the fraction rho failed; rho is 0.8 for the paper's standard split and 0.9 for its hard one (Juneja et
al. 2026, section 4.4).

A target is a reference team (``level 2``, see :data:`~.proofs.episodes.TEAMS`), whose runs are part of a task's entry, or a
mind with a model (``tool_loop@SPEC``; a model alone plays with ``tool_loop``), which plays the tasks in a study of its own.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct

from otherminds.core.disk import read_file, replace_file
from otherminds.core.encoding import derive, digest, stream
from otherminds.core.errors import StudyError
from otherminds.core.model import Price
from otherminds.core.text import near, quote_name
from otherminds.household.authoring.attempt import AttemptOptions, Writers
from otherminds.household.authoring.authored_pool import AuthoredPool
from otherminds.household.authoring.results import Assignment, AttemptLine, Gates, TargetResult
from otherminds.household.epistemic.fast_downward import INSTALL, program
from otherminds.household.generating.properties import DEPTHS
from otherminds.household.measures.patterns import patterns
from otherminds.household.pool.store import PACKED, PooledTask, pack
from otherminds.household.proofs.episodes import SEEDS, TEAMS
from otherminds.minds.registry import strategies
from otherminds.models.hosts import Hosts, allowed_hosts
from otherminds.studies.access import Limits, less
from otherminds.studies.executor import Progress
from otherminds.studies.outside import RoleModels, role_models
from otherminds.studies.plan import plan_file
from otherminds.studies.run import run
from otherminds.studies.run_dir import results
from otherminds.studies.run_overrides import RunOverrides

TRIES = 20
"""Attempts at one task before it is given up."""
RUNS = "evolution"
"""The folder of a pool in which attempts, calls and studies are kept."""
CALLS, TARGETS = "calls", "targets"
"""The folders of an evolution with the calls of authors and judges, and with the studies of targets."""


class Evolution(Struct, frozen=True, kw_only=True):
    """What is evolved, and how: with the same pool at its start, the same tasks are written, but for models' replies.

    ``author`` and ``judges`` are models; ``targets`` are teams or minds with models (:mod:`.targets`). ``n`` tasks are
    written in each of ``generations``.
    """

    author: str
    judges: tuple[str, ...]
    targets: tuple[str, ...]
    rho: float
    n: int
    generations: int = 1
    seed: int = 0
    rule: str = "paper"
    gates: Gates = Gates()

    def check(self) -> Evolution:
        """This, with each target in full.

        Raises:
            StudyError: a value is out of range, or there is no such target or rule.
        """
        if not 0 <= self.rho <= 1:
            raise StudyError(f"--rho {self.rho}: a fraction of tasks that failed is between 0 and 1")
        if not self.targets:
            raise StudyError(
                "name at least one target whose failures are shown to authors: --targets 'level 2'"
            )
        self.writers({}).check()
        return msgspec.structs.replace(self, targets=tuple(map(checked_target, self.targets)))

    def writers(self, prices: Mapping[str, Price]) -> Writers:
        """Who writes and judges."""
        return Writers(self.author, self.judges, self.rule, self.gates, prices)


class EvolutionStart(Struct, frozen=True):
    """An evolution in the folder of a pool, and the generation of the pool in which it began."""

    evolution: Evolution
    after: int


class Generation(Struct, frozen=True):
    """Progress within a generation: tasks ``kept`` of those ``wanted``, attempts by the stage where they ended, and seconds."""

    number: int
    wanted: int
    kept: int
    stages: dict[str, int]
    dollars: float
    seconds: float


def evolve(
    pool: AuthoredPool,
    evolution: Evolution,
    workers: int,
    limits: Limits,
    progress: Progress,
    watch: Callable[[Generation], None],
    hosts: Hosts | None = None,
) -> list[str]:
    """Runs an evolution, or goes on with it: equal arguments go on where a run was stopped.

    ``limits`` hold for all models together. ``workers`` attempts are made at the same time, ``progress`` is that of the studies of targets, and ``watch`` is called
    after each attempt. Models may be asked at the addresses in their names, and at ``hosts``. Returns a message for each task that was given up.

    Raises:
        StudyError: a model, a target, the folder or the planner cannot be used, or another process runs the same evolution.
        ProviderError: a model's service or files do not answer.
        BudgetSpentError: a limit is reached; what was finished is in the pool.
    """
    evolution = evolution.check()
    if program() is None:
        raise StudyError(f"the planner Fast Downward, which checks every task, is not installed: {INSTALL}")
    run = _Run(pool, evolution, limits, watch, hosts or allowed_hosts())
    lost: list[str] = []
    for generation in range(evolution.generations):
        run.measure(generation, progress)
        lost += asyncio.run(run.write(generation, workers))
    run.measure(evolution.generations, progress)
    return lost


class _Run:
    """The attempts of an evolution, each in a folder of its own, with all calls of models under one budget."""

    def __init__(
        self,
        pool: AuthoredPool,
        evolution: Evolution,
        limits: Limits,
        watch: Callable[[Generation], None],
        hosts: Hosts,
    ) -> None:
        self._hosts = hosts
        self.name = digest(evolution)[:12]
        self.folder = pool.folder / RUNS / self.name
        self._pool, self._evolution, self._limits, self._watch = pool, evolution, limits, watch
        self._writers = evolution.writers(limits.prices)
        self._after = self._load_start().after

    def _load_start(self) -> EvolutionStart:
        """What was begun in the folder; begun now if nothing was.

        Raises:
            StudyError: the folder cannot be used.
        """
        path = self.folder / "evolution.json"
        if not path.is_file():
            numbers = [origin.generation for origin in self._pool.provenance().values()]
            self.folder.mkdir(parents=True, exist_ok=True)
            begun = EvolutionStart(self._evolution, max(numbers, default=0))
            replace_file(path, msgspec.json.encode(begun), durable=True)
        try:
            return msgspec.json.decode(read_file(path), type=EvolutionStart)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise StudyError(f"{path}: damaged ({error}); restore it") from None

    def measure(self, generation: int, progress: Progress) -> None:
        """Lets the targets play the tasks before a generation, from 0, that they have no results on.

        Tasks of that generation, which are there if it was interrupted, are played after it: its authors are shown what
        they would have been shown without the interruption.
        """
        there = {(run_result.task_id, run_result.target) for run_result in self._pool.results()}
        last = self._after + generation
        tasks, origins = self._pool.tasks(), self._pool.provenance()  # in this order: others add tasks
        before = [pooled for pooled in tasks if origins[pooled.entry.task_id].generation <= last]
        for target in self._evolution.targets:
            unplayed = [pooled for pooled in before if (pooled.entry.task_id, target) not in there]
            if target in TEAMS:
                self._pool.add_results(team_results(unplayed, target))
            elif unplayed:
                folder = self.folder / TARGETS / study_name(unplayed, target)
                limits = self._compute_limits(folder)
                self._pool.add_results(model_results(unplayed, target, folder, limits, progress, self._hosts))

    async def write(self, generation: int, workers: int) -> list[str]:
        """Writes the tasks of a generation, from 0; returns a message for each that was given up."""
        room, began = asyncio.Semaphore(workers), monotonic()
        done = {line.attempt: line for line in self._pool.attempts()}
        lost: list[str] = []

        async def slot(number: int) -> None:
            for again in range(TRIES):
                name = f"{self.name}-{generation}-{number}-{again}"
                if name not in done:
                    async with room:
                        done[name] = await self._attempt(models, name, generation, number, again)
                    self._watch(
                        self._summarize_generation(generation, done, models.cost, monotonic() - began)
                    )
                if done[name].stage == "kept":
                    return
            lost.append(f"generation {generation + 1}, task {number + 1}: given up after {TRIES} attempts")

        calls = self.folder / CALLS
        roles = self._writers.roles.values()
        async with role_models(roles, calls, self._compute_limits(calls), hosts=self._hosts) as models:
            slots = [asyncio.create_task(slot(number)) for number in range(self._evolution.n)]
            try:
                await asyncio.gather(*slots)
            finally:
                for task in slots:
                    task.cancel()
                await asyncio.gather(*slots, return_exceptions=True)
        return lost

    def _compute_limits(self, own: Path) -> Limits:
        """The limits of the calls in the folder ``own``: less what was spent in the others of this evolution."""
        folders = (self.folder / CALLS, *(self.folder / TARGETS).glob("*/"))
        return less(self._limits, (folder for folder in folders if folder != own))

    async def _attempt(
        self, models: RoleModels, name: str, generation: int, number: int, again: int
    ) -> AttemptLine:
        evolution = self._evolution
        seed = derive(evolution.seed, "attempt", generation, number, again)
        assignment = make_assignment(evolution.seed, generation, number, seed)
        options = AttemptOptions(name, self._after + generation + 1)
        folder = self.folder / "attempts" / name
        return await self._writers.attempted(models, self._pool, folder, assignment, evolution.rho, options)

    def _summarize_generation(
        self, generation: int, done: Mapping[str, AttemptLine], dollars: float, seconds: float
    ) -> Generation:
        prefix = f"{self.name}-{generation}-"
        stages = Counter(line.stage for name, line in done.items() if name.startswith(prefix))
        return Generation(
            generation + 1, self._evolution.n, stages["kept"], dict(stages.most_common()), dollars, seconds
        )


def make_assignment(seed: int, generation: int, number: int, own: int) -> Assignment:
    """What the author of a task is asked for: categories in turn, and depths by their shares in table 3.

    ``own`` is the seed of the attempt.
    """
    draw = stream(seed, "assignment", generation, number)
    (depth,) = draw.choices([*DEPTHS], [*DEPTHS.values()])
    return Assignment("mixed" if number % 2 else "cooperative", depth, own)


MIND = "tool_loop"
"""The mind of a model that is named alone."""


def checked_target(target: str) -> str:
    """``target``, if it is a reference team, or a mind with a model.

    Raises:
        StudyError: it is neither.

    >>> checked_target("level 2"), checked_target("smollm2")
    ('level 2', 'tool_loop@smollm2')
    """
    if target in TEAMS:
        return target
    mind, at, model = target.partition("@")
    if mind in strategies and model:
        return target
    meant = "" if at else near(target, TEAMS)
    if meant or mind in strategies:
        raise StudyError(
            f"there is no target {quote_name(target)}{meant}; a target is a team, MODEL or MIND@MODEL"
        )
    return f"{MIND}@{target}"


def team_results(tasks: Sequence[PooledTask], team: str) -> tuple[TargetResult, ...]:
    """The runs of a reference team, as they are in the entries of the tasks: those solved come first."""
    return tuple(
        TargetResult(pooled.entry.task_id, team, run, run < pooled.entry.levels.get(team, 0))
        for pooled in tasks
        for run in range(len(SEEDS))
    )


def study_name(tasks: Sequence[PooledTask], target: str) -> str:
    """The name of the study of a target on tasks: equal ones have equal names."""
    return digest((target, [pooled.entry.sha256 for pooled in tasks]))[:12]


def model_results(
    tasks: Sequence[PooledTask], target: str, folder: Path, limits: Limits, progress: Progress, hosts: Hosts
) -> tuple[TargetResult, ...]:
    """The runs of a mind with a model: three of each task, with the failure patterns of those that fail.

    The study is in ``folder``, and its tasks in a file beside it; called again, it resumes.
    The model may be asked at the address in ``target``, and at ``hosts``.
    Runs that failed for another reason than the mind's replies have no result.

    Raises:
        StudyError: the folder or the target cannot be used.
        ProviderError: the model's service or files do not answer.
        BudgetSpentError: a limit is reached.
    """
    packed = folder.with_name(f"tasks-{folder.name}{PACKED}")
    packed.parent.mkdir(parents=True, exist_ok=True)
    pack(tasks, packed)
    overrides = RunOverrides(minds=(target,))
    run(plan_file(packed, overrides), folder, progress, limits=limits, hosts=hosts.naming(*overrides.specs))
    run_results: list[TargetResult] = []
    runs: Counter[str] = Counter()
    for record in sorted(results(folder)[1], key=lambda record: record.spec.seed):
        if record.outcome.status == "failed":
            continue
        task_id, solved = record.spec.options["task"]["task_id"], bool(record.facts["solved"])
        why = () if solved else tuple(name for name in patterns if patterns.get(name)(record))
        run_results.append(TargetResult(task_id, target, runs[task_id], solved, why))
        runs[task_id] += 1
    return tuple(run_results)
