"""Plays the episodes of a plan that are not recorded yet, and records them."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from otherminds.core.errors import InternalError, OtherMindsError
from otherminds.core.record import Clock, EpisodeSpec, Outcome, Record
from otherminds.minds.registry import make_mind
from otherminds.models.metered import BudgetSpentError
from otherminds.models.retrying import Retrying
from otherminds.play.loop import play, play_now
from otherminds.studies.access import Access, Limits
from otherminds.studies.folder import claim, owned
from otherminds.studies.ledger import Ledger, Lock
from otherminds.studies.plan import Plan, ego, load_plugins
from otherminds.studies.prices import keep_prices
from otherminds.studies.store import Store, line_of
from otherminds.worlds.registry import scenario

CHUNK = 16
"""Episodes a worker plays at a time."""

Played: TypeAlias = tuple[Outcome, bytes]
"""How an episode ended, and its stored line."""


class Progress(Protocol):
    """Told how a run goes."""

    def start(self, planned: int, done: int) -> None:
        """A run begins: so many episodes are planned, so many recorded already."""

    def advance(self, spec: EpisodeSpec, outcome: Outcome) -> None:
        """An episode was recorded."""

    def say(self, text: str) -> None:
        """Something a person should know."""


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
        recorder = _Recorder(store, ledger, progress)
        _run_pool([spec for spec in todo if not ego(spec).model], plan.plugins, recorder)
        asyncio.run(_run_models([spec for spec in todo if ego(spec).model], access, recorder))
        return ledger.counts()
    finally:
        if access is not None:
            access.release()
        ledger.close()
        lock.release()


def _models(specs: Sequence[EpisodeSpec]) -> list[str]:
    return sorted({ego(spec).model for spec in specs} - {""})


class _Recorder:
    """Writes finished episodes down: records first, then the ledger, then the screen."""

    def __init__(self, store: Store, ledger: Ledger, progress: Progress) -> None:
        self._store = store
        self._ledger = ledger
        self._progress = progress

    def lease(self, specs: Sequence[EpisodeSpec]) -> None:
        self._ledger.mark((spec.hash, "leased") for spec in specs)

    def unlease(self, spec: EpisodeSpec) -> None:
        """An episode was broken off, to be gone on with later."""
        self._ledger.mark([(spec.hash, "planned")])

    def say(self, text: str) -> None:
        self._progress.say(text)

    def keep(self, specs: Sequence[EpisodeSpec], played: Sequence[Played]) -> None:
        self._store.append([line for _, line in played])
        ended = [(spec, outcome) for spec, (outcome, _) in zip(specs, played, strict=True)]
        self._ledger.mark((spec.hash, outcome.status) for spec, outcome in ended)
        for spec, outcome in ended:
            self._progress.advance(spec, outcome)

    def lost(self, spec: EpisodeSpec, error: BaseException) -> None:
        """An episode ended in an error of ours or of plugged-in code: it is counted, not dropped."""
        if isinstance(error, BrokenProcessPool):
            raise InternalError("a worker process was killed from outside; run the command again") from error
        if isinstance(error, OtherMindsError):
            raise error
        reason = f"{type(error).__name__}: {error}"
        outcome = Outcome("failed", InternalError.blame, reason)
        record = Record(spec, tuple(spec.seats), {}, None, {}, None, [], [], {}, outcome=outcome)
        self._progress.say(f"{spec.title}, {ego(spec).title}, seed {spec.seed}: failed: {reason}")
        self.keep([spec], [(outcome, line_of(record, Clock()))])


def play_chunk(specs: Sequence[EpisodeSpec]) -> list[Played]:
    """Plays episodes without a model, one after the other."""
    done: list[Played] = []
    for spec in specs:
        built = scenario(spec.scenario, spec.options)
        record, clock = play_now(spec, built, {built.focal[0]: make_mind(ego(spec))})
        done.append((record.outcome, line_of(record, clock)))
    return done


def _run_pool(todo: list[EpisodeSpec], plugins: tuple[str, ...], recorder: _Recorder) -> None:
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


async def _run_models(todo: list[EpisodeSpec], access: Access, recorder: _Recorder) -> None:
    """The servers of a model share its episodes: whichever has room takes the next one and keeps it."""
    by_model: dict[str, list[EpisodeSpec]] = {}
    for spec in todo:
        by_model.setdefault(ego(spec).model, []).append(spec)
    serving: list[asyncio.Task[bool]] = []
    try:
        for name, specs in by_model.items():
            queue = iter(specs)
            for server in access.servers[name]:
                serving.append(asyncio.create_task(_serve(server, queue, access, recorder)))
        if any(await asyncio.gather(*serving)):
            access.budget.check()
    finally:
        await _stop(serving)
        await access.close()


async def _serve(server: Retrying, queue: Iterator[EpisodeSpec], access: Access, recorder: _Recorder) -> bool:
    """Plays episodes on one server, as many at once as it serves well, while there are any.

    Takes no more when all is spent, which it gives back, or when the server is down.
    """
    running: dict[asyncio.Task[tuple[Record, Clock]], EpisodeSpec] = {}
    spent = False
    down = ""
    try:
        while True:
            while not spent and not down and len(running) < server.concurrency:
                spec = next(queue, None)
                if spec is None:
                    break
                recorder.lease([spec])
                built = scenario(spec.scenario, spec.options)
                seat = built.focal[0]
                minds = {seat: make_mind(ego(spec))}
                model = access.for_episode(server, spec.hash)
                running[asyncio.create_task(play(spec, built, minds, {seat: model}))] = spec
            if not running:
                return spent
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            fault: OtherMindsError | None = None
            for task in done:
                spec = running.pop(task)
                error = task.exception()
                if error is None:
                    record, clock = task.result()
                    recorder.keep([spec], [(record.outcome, line_of(record, clock))])
                    if record.outcome.status != "failed":
                        access.finished(spec.hash)
                    elif server.down and not down:
                        down = server.down
                        recorder.say(f"takes no more episodes: {down}; then go on with --retry-failed")
                elif isinstance(error, BudgetSpentError):
                    spent = True
                    recorder.unlease(spec)
                elif isinstance(error, OtherMindsError):
                    fault = error
                else:
                    recorder.lost(spec, error)
            if fault is not None:
                raise fault
    finally:
        await _stop(running)


async def _stop(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Ends what still runs, and waits for it."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
