"""Runs a plan: plays the episodes that are not recorded yet, and records them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from otherminds.core.disk import Lock
from otherminds.core.record import EpisodeSpec
from otherminds.studies.access import Access, Limits
from otherminds.studies.executor import Executor, ModelHost, Progress, Recorder, drive, stop
from otherminds.studies.ledger import Ledger
from otherminds.studies.plan import StudyPlan
from otherminds.studies.prices import keep_prices
from otherminds.studies.processes import ProcessPool
from otherminds.studies.run_dir import claim, owned
from otherminds.studies.seating import models_of
from otherminds.studies.serving import ModelServers
from otherminds.studies.store import Store


def run(
    plan: StudyPlan,
    folder: Path,
    progress: Progress,
    retry_failed: bool = False,
    limits: Limits | None = None,
    cache: Path | None = None,
    executor: Executor | None = None,
) -> dict[str, int]:
    """Plays the episodes of ``plan`` that are missing in ``folder``. Called again, it resumes.

    Episodes without a language model are played by ``executor``, a process pool by default; those
    with one on this process's asyncio loop, where an executor may host their models. ``retry_failed`` plays failed episodes again.
    ``cache`` is a file of replies that several runs share. Returns the number of episodes in each
    state; those still ``planned`` were not played because a service is down.

    Raises:
        StudyError: the folder cannot be used or belongs to another study, or a mind or model cannot be used.
        ProviderError: a model's service or files do not answer.
        BudgetSpentError: a limit is reached; finished episodes are recorded.
    """
    limits = limits or Limits()
    opened = executor.servers if isinstance(executor, ModelHost) else None
    access: Access | None = None
    if not owned(folder, plan):
        # Before the folder is made, so that a model that cannot be opened leaves nothing behind.
        access = Access(plan.access, _models(plan.episodes), limits, cache, progress.say, opened)
    with ExitStack() as held:
        if access is not None:
            held.callback(access.release)
        claim(folder, plan)
        held.callback(Lock(folder).release)
        store, ledger = Store(folder), Ledger(folder)
        held.callback(ledger.close)
        keep_prices(folder, limits.prices)
        if torn := store.repair():
            progress.say(torn)
        done: dict[str, str] = {line.episode: line.outcome().status for line in store.lines()}
        finished = {episode for episode, status in done.items() if status != "failed"}
        if retry_failed:
            done = {episode: status for episode, status in done.items() if episode in finished}
        ledger.fill(plan, done)
        todo = [spec for spec in plan.episodes if spec.hash not in done]
        if access is None:
            access = Access(plan.access, _models(todo), limits, cache, progress.say, opened)
            held.callback(access.release)
        access.keep(folder, (spec.hash for spec in plan.episodes if spec.hash not in finished))
        asked = sum(bool(models_of(spec)) for spec in todo)
        progress.start(len(plan.episodes), len(plan.episodes) - len(todo), asked)
        recorder = Recorder(store, ledger, progress, todo)
        asyncio.run(_play(todo, executor or ProcessPool(plan.plugins), access, recorder))
        ledger.release()
        counts = ledger.counts()
        if "planned" in counts:
            access.budget.check()
        return counts


def _models(specs: Sequence[EpisodeSpec]) -> list[str]:
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
