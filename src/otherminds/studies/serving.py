"""The executor of episodes with language models, which are played concurrently on one asyncio loop."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from typing import TypeAlias

from otherminds.core.errors import OtherMindsError
from otherminds.core.record import EpisodeSpec, Record, Timing
from otherminds.measures.unanswered import ReplyCounts, reply_counts
from otherminds.models.faults import line
from otherminds.models.metered import BudgetSpentError
from otherminds.models.retrying import Retrying
from otherminds.play.loop import play
from otherminds.studies.access import Access
from otherminds.studies.executor import stop
from otherminds.studies.plan import ego
from otherminds.studies.seating import models_of, prepare_setup
from otherminds.studies.store import failed_line, line_of

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
