"""Runs a plan: plays the episodes that are not recorded yet, and records them.

Episodes with language models are played concurrently on one asyncio loop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from otherminds.core.errors import OtherMindsError
from otherminds.core.locks import Lock, RunStoppedError, stopping
from otherminds.core.record import EpisodeSpec, Record, Timing
from otherminds.measures.notes import ReplyCounts, reply_counts
from otherminds.minds.registry import models_of, prepare_setup
from otherminds.models.faults import line
from otherminds.models.hosts import Hosts, allowed_hosts
from otherminds.models.wrappers import BudgetSpentError, Retrying
from otherminds.play.loop import play
from otherminds.studies.access import CALLS, Access, Limits, keep_prices
from otherminds.studies.executor import Executor, ModelHost, ProcessPool, Progress, Recorder, drive, stop
from otherminds.studies.plan import StudyPlan, ego
from otherminds.studies.run_dir import (
    CARD,
    LEDGER,
    Ledger,
    claim,
    is_card_of,
    is_owned,
    keep_weights,
    make_folder,
)
from otherminds.studies.sharding import PATIENCE, Shard, check_alone, limits_for, others
from otherminds.studies.status import StatusFile, tokens_stated
from otherminds.studies.store import Store, failed_line, last_statuses, line_of

UNREAD = 12
"""Episodes without a readable reply after which a mind is stopped. A mind that is read in every fourth episode is
stopped wrongly with probability (3/4)¹² = 3 %."""

Playing: TypeAlias = tuple[EpisodeSpec, tuple[Retrying, ...]]
"""A running episode and the servers of its models; it counts towards the load of the first."""


class ModelServers:
    """Plays the episodes whose first model is ``model``, on all servers of that model.

    An episode stays on one server, which has up to its ``concurrency`` episodes at a time. The
    other models of a team are called on their first server. A server that is down receives no
    more episodes; once the budget is spent, none does. A mind is stopped after :data:`UNREAD` episodes if the model
    gave replies in each and none of them could be read; its other episodes are left for a later run.
    """

    def __init__(self, model: str, access: Access) -> None:
        self._model = model
        self._access = access
        self._open = list(access.servers[model])
        self._unread: dict[str, ReplyCounts] = {}
        self._episodes: Counter[str] = Counter()
        self._stopped: set[str] = set()
        self._running: dict[asyncio.Task[tuple[Record, Timing]], Playing] = {}

    def submit(self, spec: EpisodeSpec) -> bool:
        """See :meth:`~otherminds.studies.executor.Executor.submit`."""
        if ego(spec).title in self._stopped:
            return True
        server = next(
            (candidate for candidate in self._open if self._load(candidate) < candidate.concurrency), None
        )
        if server is None:
            return False
        first, *others = models_of(spec)
        servers = {first: server, **{name: self._access.servers[name][0] for name in others}}
        opened = {
            name: self._access.for_episode(opened_server, spec.hash)
            for name, opened_server in servers.items()
        }
        task = asyncio.create_task(play(prepare_setup(spec, opened)))
        self._running[task] = spec, tuple(servers.values())
        return True

    async def results(self) -> AsyncIterator[Sequence[bytes]]:
        """See :meth:`~otherminds.studies.executor.Executor.results`."""
        while self._running:
            done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            lines: list[bytes] = []
            finished: list[str] = []
            fault: OtherMindsError | None = None
            for task in done:
                spec, servers = self._running.pop(task)
                error = task.exception()
                if error is None:
                    record, timing = task.result()
                    lines.append(line_of(record, timing))
                    if record.outcome.status == "failed":
                        self._leave(servers)
                    else:
                        finished.append(spec.hash)
                        self._stop_unread(spec, record)
                elif isinstance(error, BudgetSpentError):
                    self._open.clear()
                elif isinstance(error, OtherMindsError):
                    fault = error
                else:
                    lines.append(failed_line(spec, error))
            if lines:
                yield lines
            # Only now are they on disk: a fault in between must find the replies that they were made of.
            for episode in finished:
                self._access.finished(episode)
            if fault is not None:
                raise fault

    async def close(self) -> None:
        """See :meth:`~otherminds.studies.executor.Executor.close`."""
        await stop(self._running)

    def _stop_unread(self, spec: EpisodeSpec, record: Record) -> None:
        """Stops the mind of a finished episode, if no reply of its model could be read so far.

        A refusal and a filtered reply are outcomes of their own, and count as read here.
        """
        mind = ego(spec).title
        counts = reply_counts(record).get(self._model, ReplyCounts())
        if not counts.all:
            return
        total = self._unread[mind] = self._unread.get(mind, ReplyCounts()) + counts
        self._episodes[mind] += 1
        judged = total.unscored and not total.refused and not total.filtered
        if judged and self._episodes[mind] >= UNREAD and mind not in self._stopped:
            self._stopped.add(mind)
            first = f'; the first: "{line(total.first)}"' if total.first else ""
            self._access.say(
                f"{mind} is stopped: none of its {total.all:,} replies in {self._episodes[mind]} episodes could be "
                f"read{first}; the same command plays more"
            )

    def _load(self, server: Retrying) -> int:
        return sum(servers[0] is server for _, servers in self._running.values())

    def _leave(self, servers: tuple[Retrying, ...]) -> None:
        """Closes the first server of a failed episode, if one of the episode's servers is down."""
        down = next((server.down for server in servers if server.down), "")
        if down and servers[0] in self._open:
            self._open.remove(servers[0])
            self._access.say(f"no more episodes are played: {down}; resume with --retry-failed")


def run(
    plan: StudyPlan,
    folder: Path,
    progress: Progress,
    retry_failed: bool = False,
    limits: Limits | None = None,
    cache: Path | None = None,
    executor: Executor | None = None,
    shard: Shard | None = None,
    hosts: Hosts | None = None,
) -> dict[str, int]:
    """Plays the episodes of ``plan`` that are missing in ``folder``. Called again, it resumes.

    Episodes without a language model are played by ``executor``, a process pool by default; those
    with one on this process's asyncio loop, where an executor may host their models. ``retry_failed`` plays failed
    episodes again. ``cache`` is a file of replies that several runs share. With a ``shard``, only its episodes are
    played, in its own folder (:mod:`otherminds.studies.sharding`) and with its share of the limits. ``hosts`` are the
    servers that the user allowed; by default those of the user's configuration file. No study adds one. Returns the
    number of episodes in each state; those still ``planned`` were not played because a service is down.

    Raises:
        StudyError: the folder cannot be used or belongs to another study, another run plays some of the same episodes,
            a model's file is another one than before, or a mind or model cannot be used.
        ProviderError: a model's service or files do not answer.
        BudgetSpentError: a limit is reached; finished episodes are recorded.
        RunStoppedError: the folder, a file that the run keeps in it, the cache or the disk failed meanwhile. It is
            noticed before the next call of a model, the next record, and within :data:`~otherminds.core.locks.EVERY` seconds.
    """
    opened = executor.servers if isinstance(executor, ModelHost) else None
    mine = [(i, spec) for i, spec in enumerate(plan.episodes) if shard is None or shard.holds(spec)]
    limits = limits_for(folder, shard, limits or Limits())
    hosts = hosts or allowed_hosts()

    def access_to(specs: Iterable[EpisodeSpec]) -> Access:
        return Access(plan.access, _models(specs), limits, cache, progress.say, hosts, opened)

    # Before the folder is made, so that a model that cannot be opened leaves nothing behind.
    access = None if is_owned(folder, plan) else access_to(spec for _, spec in mine)
    with ExitStack() as resources:
        if access is not None:
            resources.callback(access.release)
        lock = _begin(plan, folder, shard, limits, resources)
        home = lock.folder
        store, ledger = Store(home, lock), Ledger(home)
        resources.callback(ledger.close)
        lock.watch_database(home / LEDGER)
        if torn := store.repair():
            progress.say(torn)
        recorded = _recorded_statuses((*others(folder, shard), home))
        finished = {episode for episode, status in recorded.items() if status != "failed"}
        done = {
            episode: status for episode, status in recorded.items() if episode in finished or not retry_failed
        }
        ledger.fill(mine, done)
        todo = [spec for _, spec in mine if spec.hash not in done]
        if access is None:
            access = access_to(todo)
            resources.callback(access.release)
        _keep_weights(folder, shard, access)
        before = tokens_stated(home)
        access.keep(home, lock, (spec.hash for _, spec in mine if spec.hash not in finished))
        _say_what_is_forgotten(home / CALLS, access.budget.tokens, before, progress)
        with_model = sum(bool(models_of(spec)) for spec in todo)
        progress.start(len(mine), len(mine) - len(todo), with_model)
        lock.check()
        status = StatusFile(home, ledger, access.budget)
        status.write()
        recorder = Recorder(store, ledger, status, progress, todo)
        try:
            with stopping():
                try:
                    asyncio.run(_play(todo, executor or ProcessPool(plan.plugins), access, recorder, lock))
                finally:
                    lock.check()
                    ledger.release()
                    status.write()
        except RunStoppedError as stopped:
            raise RunStoppedError(f"{stopped}{_forgotten(lock, access)}") from stopped
        counts = ledger.counts()
        if "planned" in counts:
            access.budget.check()
        return counts


def _keep_weights(folder: Path, shard: Shard | None, access: Access) -> None:
    with ExitStack() as resources:
        if shard is not None:
            resources.callback(Lock(folder, PATIENCE).release)
        keep_weights(folder, access.digests())


def _recorded_statuses(homes: Iterable[Path]) -> dict[str, str]:
    """The status of each recorded episode."""
    lines = chain.from_iterable(Store(home).lines() for home in homes)
    return last_statuses((line.episode, line.outcome().status) for line in lines)


def _say_what_is_forgotten(path: Path, counted: int, spent: int, progress: Progress) -> None:
    if counted < spent:
        progress.say(
            f"{path}: counts {counted:,} tokens, but {spent:,} were spent; the others are forgotten, and limits do not "
            "count them"
        )


def _begin(plan: StudyPlan, folder: Path, shard: Shard | None, limits: Limits, resources: ExitStack) -> Lock:
    """Claims ``folder`` for ``plan``, and returns the lock of the folder that the run writes to; ``resources`` releases it.

    It watches the study of the folder too, which other shards may write anew.
    """
    make_folder(folder)
    with ExitStack() as starting:
        lock = Lock(folder, 0 if shard is None else PATIENCE)
        (resources if shard is None else starting).callback(lock.release)
        claim(folder, plan)
        keep_prices(folder, limits.prices)
        check_alone(folder, shard)
        if shard is None:
            lock.watch([folder / CARD], sized=True)
            return lock
        home = shard.home(folder)
        make_folder(home)
        lock = Lock(home)
        resources.callback(lock.release)
        lock.watch([folder, home.parent])
        lock.watch([folder / CARD], sized=True, replaced=lambda: is_card_of(folder, plan))
        return lock


def _forgotten(lock: Lock, access: Access) -> str:
    """What a message adds if the file that counts what was spent is not there any more."""
    tokens = access.budget.tokens
    if not tokens or lock.holds(lock.folder / CALLS):
        return ""
    return f"; the {tokens:,} tokens spent so far are not counted there any more"


def _models(specs: Iterable[EpisodeSpec]) -> list[str]:
    return sorted({model for spec in specs for model in models_of(spec)})


async def _play(
    todo: Sequence[EpisodeSpec], executor: Executor, access: Access, recorder: Recorder, lock: Lock
) -> None:
    """Plays all episodes, and ends at once if the folder that ``lock`` holds fails."""
    tasks = [
        asyncio.create_task(_play_all(todo, executor, access, recorder)),
        asyncio.create_task(lock.follow()),
    ]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await stop(tasks)
    for task in ended:
        task.result()


async def _play_all(
    todo: Sequence[EpisodeSpec], executor: Executor, access: Access, recorder: Recorder
) -> None:
    """Plays episodes without a model on ``executor``, then those of all models concurrently."""
    by_model: dict[str, list[EpisodeSpec]] = {}
    for spec in todo:
        by_model.setdefault(next(iter(models_of(spec)), ""), []).append(spec)
    driven: list[asyncio.Task[None]] = []
    try:
        await drive(executor, by_model.pop("", []), recorder)
        for model, specs in by_model.items():
            driven.append(asyncio.create_task(drive(ModelServers(model, access), specs, recorder)))
        await asyncio.gather(*driven)
    finally:
        await stop(driven)
        await access.close()
