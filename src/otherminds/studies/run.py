"""Runs a plan: plays the episodes that are not recorded yet, and records them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path

from otherminds.core.disk import Lock
from otherminds.core.record import EpisodeSpec
from otherminds.models.hosts import Hosts, allowed_hosts
from otherminds.studies.access import Access, Limits
from otherminds.studies.executor import Executor, ModelHost, Progress, Recorder, drive, stop
from otherminds.studies.ledger import Ledger
from otherminds.studies.plan import StudyPlan
from otherminds.studies.prices import keep_prices
from otherminds.studies.processes import ProcessPool
from otherminds.studies.run_dir import claim, make_folder, owned
from otherminds.studies.seating import models_of
from otherminds.studies.serving import ModelServers
from otherminds.studies.sharding import PATIENCE, Shard, check_alone, limits_for, others
from otherminds.studies.status import StatusFile
from otherminds.studies.store import Store
from otherminds.studies.weights import keep_weights


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
    """
    opened = executor.servers if isinstance(executor, ModelHost) else None
    mine = [(i, spec) for i, spec in enumerate(plan.episodes) if shard is None or shard.holds(spec)]
    limits = limits_for(folder, shard, limits or Limits())
    hosts = hosts or allowed_hosts()

    def access_to(specs: Iterable[EpisodeSpec]) -> Access:
        return Access(plan.access, _models(specs), limits, cache, progress.say, hosts, opened)

    # Before the folder is made, so that a model that cannot be opened leaves nothing behind.
    access = None if owned(folder, plan) else access_to(spec for _, spec in mine)
    with ExitStack() as held:
        if access is not None:
            held.callback(access.release)
        home = _begin(plan, folder, shard, limits, held)
        store, ledger = Store(home), Ledger(home)
        held.callback(ledger.close)
        if torn := store.repair():
            progress.say(torn)
        done: dict[str, str] = {}
        for line in chain.from_iterable(Store(one).lines() for one in (*others(folder, shard), home)):
            if (status := line.outcome().status) != "failed" or line.episode not in done:
                done[line.episode] = status
        finished = {episode for episode, status in done.items() if status != "failed"}
        if retry_failed:
            done = {episode: status for episode, status in done.items() if episode in finished}
        ledger.fill(mine, done)
        todo = [spec for _, spec in mine if spec.hash not in done]
        if access is None:
            access = access_to(todo)
            held.callback(access.release)
        with ExitStack() as shared:
            if shard is not None:
                shared.callback(Lock(folder, PATIENCE).release)
            keep_weights(folder, access.digests())
        access.keep(home, (spec.hash for _, spec in mine if spec.hash not in finished))
        asked = sum(bool(models_of(spec)) for spec in todo)
        progress.start(len(mine), len(mine) - len(todo), asked)
        status = StatusFile(home, ledger, access.budget)
        status.write()
        recorder = Recorder(store, ledger, status, progress, todo)
        try:
            asyncio.run(_play(todo, executor or ProcessPool(plan.plugins), access, recorder))
        finally:
            ledger.release()
            status.write()
        counts = ledger.counts()
        if "planned" in counts:
            access.budget.check()
        return counts


def _begin(plan: StudyPlan, folder: Path, shard: Shard | None, limits: Limits, held: ExitStack) -> Path:
    """Claims ``folder`` for ``plan``, and returns the folder that the run writes to, whose lock is ``held``."""
    make_folder(folder)
    with ExitStack() as starting:
        lock = Lock(folder, 0 if shard is None else PATIENCE)
        (held if shard is None else starting).callback(lock.release)
        claim(folder, plan)
        keep_prices(folder, limits.prices)
        check_alone(folder, shard)
        if shard is None:
            return folder
        home = shard.home(folder)
        make_folder(home)
        held.callback(Lock(home).release)
        return home


def _models(specs: Iterable[EpisodeSpec]) -> list[str]:
    return sorted({model for spec in specs for model in models_of(spec)})


async def _play(todo: Sequence[EpisodeSpec], executor: Executor, access: Access, recorder: Recorder) -> None:
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
