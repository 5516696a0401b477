"""Plays the episodes of a plan that are not recorded yet, and records them."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from otherminds.core.errors import OtherMindsError
from otherminds.core.record import EpisodeSpec
from otherminds.play.loop import play_now
from otherminds.studies.access import Access, Limits
from otherminds.studies.folder import claim, owned
from otherminds.studies.ledger import Ledger, Lock
from otherminds.studies.plan import Plan, load_plugins
from otherminds.studies.prices import keep_prices
from otherminds.studies.recorder import Played, Progress, Recorder
from otherminds.studies.seating import models_of, prepared
from otherminds.studies.serving import run_models
from otherminds.studies.store import Store, line_of

CHUNK = 16
"""Episodes a worker plays at a time."""


def run(
    plan: Plan,
    folder: Path,
    progress: Progress,
    retry_failed: bool = False,
    limits: Limits | None = None,
    cache: Path | None = None,
) -> dict[str, int]:
    """Plays what is missing of ``plan``. Calling it again goes on where it was.

    Minds without a model are played in a process pool, those with one on one
    asyncio loop. ``retry_failed`` plays episodes again that failed. ``cache``
    is a file of answers that several runs share. Gives the number of episodes in
    each state; those still ``planned`` were left because a service is down.

    Raises:
        StudyError: the folder is not this study's, or a mind or model cannot be had.
        ProviderError: a model's service or files do not answer.
        BudgetSpentError: a limit is reached; what was played is recorded.
    """
    limits = limits or Limits()
    access: Access | None = None
    if not owned(folder, plan):
        # Before the folder is made: a model that cannot be had leaves nothing behind.
        access = Access(plan, _models(plan.episodes), limits, cache, progress.say)
    claim(folder, plan)
    lock = Lock(folder)
    store, ledger = Store(folder), Ledger(folder)
    try:
        keep_prices(folder, limits.prices)
        if torn := store.repair():
            progress.say(torn)
        done: dict[str, str] = {line.episode: line.outcome().status for line in store.lines()}
        finished = {episode for episode, status in done.items() if status != "failed"}
        if retry_failed:
            done = {episode: status for episode, status in done.items() if episode in finished}
        ledger.sync(plan, done)
        todo = [spec for spec in plan.episodes if spec.hash not in done]
        access = access or Access(plan, _models(todo), limits, cache, progress.say)
        access.keep(folder, (spec.hash for spec in plan.episodes if spec.hash not in finished))
        progress.start(len(plan.episodes), len(plan.episodes) - len(todo))
        recorder = Recorder(store, ledger, progress)
        _run_pool([spec for spec in todo if not models_of(spec)], plan.plugins, recorder)
        asyncio.run(run_models([spec for spec in todo if models_of(spec)], access, recorder))
        return ledger.counts()
    finally:
        if access is not None:
            access.release()
        ledger.close()
        lock.release()


def _models(specs: Sequence[EpisodeSpec]) -> list[str]:
    return sorted({model for spec in specs for model in models_of(spec)})


def play_chunk(specs: Sequence[EpisodeSpec]) -> list[Played]:
    """Plays episodes without a model, one after the other."""
    done: list[Played] = []
    for spec in specs:
        record, clock = play_now(prepared(spec))
        done.append((record.outcome, line_of(record, clock)))
    return done


def _run_pool(todo: list[EpisodeSpec], plugins: tuple[str, ...], recorder: Recorder) -> None:
    if not todo:
        return
    workers = min(os.cpu_count() or 1, (len(todo) + CHUNK - 1) // CHUNK)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start_worker, (plugins,)) as pool:
        chunks = iter(_chunks(todo))
        running: dict[Future[list[Played]], Sequence[EpisodeSpec]] = {}

        def submit(chunk: Sequence[EpisodeSpec]) -> None:
            recorder.lease(chunk)
            running[pool.submit(play_chunk, chunk)] = chunk

        while True:
            while len(running) < 2 * workers and (chunk := next(chunks, None)) is not None:
                submit(chunk)
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                chunk = running.pop(future)
                error = future.exception()
                if error is None:
                    recorder.keep(chunk, future.result())
                elif len(chunk) == 1 or isinstance(error, BrokenProcessPool | OtherMindsError):
                    recorder.lost(chunk[0], error)
                else:
                    for spec in chunk:
                        submit([spec])


def _chunks(todo: list[EpisodeSpec]) -> Iterator[list[EpisodeSpec]]:
    for i in range(0, len(todo), CHUNK):
        yield todo[i : i + CHUNK]


def _start_worker(plugins: tuple[str, ...]) -> None:
    """A worker ends with its parent, even when that is killed; Ctrl-C is the parent's to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    load_plugins(plugins)
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
