"""Episodes with language models: many at once on one asyncio loop, each on one server."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from typing import Any

from otherminds.core.errors import OtherMindsError
from otherminds.core.record import Clock, EpisodeSpec, Record
from otherminds.models.metered import BudgetSpentError
from otherminds.models.retrying import Retrying
from otherminds.play.loop import play
from otherminds.studies.access import Access
from otherminds.studies.recorder import Recorder
from otherminds.studies.seating import models_of, prepared
from otherminds.studies.store import line_of


async def run_models(todo: list[EpisodeSpec], access: Access, recorder: Recorder) -> None:
    """The servers of a model share its episodes: whichever has room takes the next one and keeps it.

    A team with several models belongs to its first one's; each other is asked on its own first server.
    """
    by_model: dict[str, list[EpisodeSpec]] = {}
    for spec in todo:
        by_model.setdefault(models_of(spec)[0], []).append(spec)
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


async def _serve(server: Retrying, queue: Iterator[EpisodeSpec], access: Access, recorder: Recorder) -> bool:
    """Plays episodes on one server, as many at once as it serves well, while there are any.

    Takes no more when all is spent, which it gives back, or when the server is down.
    """
    running: dict[asyncio.Task[tuple[Record, Clock]], EpisodeSpec] = {}
    asked: dict[str, list[Retrying]] = {}
    spent = False
    down = ""
    try:
        while True:
            while not spent and not down and len(running) < server.concurrency:
                spec = next(queue, None)
                if spec is None:
                    break
                recorder.lease([spec])
                first, *others = models_of(spec)
                servers = {first: server, **{name: access.servers[name][0] for name in others}}
                asked[spec.hash] = list(servers.values())
                opened = {name: access.for_episode(one, spec.hash) for name, one in servers.items()}
                running[asyncio.create_task(play(prepared(spec, opened)))] = spec
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
                    elif not down and (
                        reason := next((one.down for one in asked[spec.hash] if one.down), "")
                    ):
                        down = reason
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
