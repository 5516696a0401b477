"""The models of a run: opened, made safe and counted, and closed again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct, field

from otherminds.core.contracts import Model, Usage
from otherminds.core.prices import Price
from otherminds.core.record import EpisodeSpec
from otherminds.models.cached import Cached, Replies
from otherminds.models.metered import Budget, Metered
from otherminds.models.registry import open_servers
from otherminds.models.retrying import Retrying
from otherminds.models.wrapper import close
from otherminds.studies.plan import Plan, ego
from otherminds.studies.store import Line

REPLIES = "calls.sqlite"
"""Holds the answers of episodes that are not finished, so that a run that is killed asks for none twice."""


class Limits(Struct, frozen=True):
    """What a run may spend: US dollars by ``prices``, tokens; ``None`` is no limit."""

    max_cost: float | None = None
    max_tokens: int | None = None
    prices: dict[str, Price] = field(default_factory=dict[str, Price])


class Access:
    """Every model that ``plan`` still needs, on each of its servers.

    Each call passes the kept answers, then retries, then the meter. ``cache``
    names a file of answers that other runs share; without it they are kept in
    the run's own folder until their episode is finished.

    Raises:
        StudyError: a model or the cache cannot be had, or has no price under a limited cost.
        ProviderError: a model's service or files do not answer.
    """

    def __init__(self, plan: Plan, needed: Iterable[str], limits: Limits) -> None:
        self.budget = Budget(limits.max_cost, limits.max_tokens, limits.prices)
        for name in needed:
            self.budget.price(name)
        self.servers: dict[str, tuple[Model, ...]] = {
            name: tuple(
                Retrying(Metered(model, self.budget)) for model in open_servers(plan.access.get(name, name))
            )
            for name in needed
        }
        self._replies: Replies | None = None
        self._shared = False

    def keep(self, folder: Path, cache: Path | None, unfinished: Iterable[str]) -> None:
        """Opens the kept answers; drops those of episodes that are finished."""
        self._shared = cache is not None
        self._replies = Replies(cache or folder / REPLIES)
        if not self._shared:
            self._replies.keep_only(unfinished)

    def count(self, lines: Iterable[Line]) -> None:
        """Counts what earlier runs of the study used, where something is limited."""
        if not self.budget.limited:
            return
        for line in lines:
            body = msgspec.json.decode(line.body, type=_Used)
            model = ego(body.spec).model if body.calls else ""
            if model:
                usage = Usage(
                    sum(call.prompt_tokens for call in body.calls),
                    sum(call.completion_tokens for call in body.calls),
                    line.clock.cached_tokens,
                )
                self.budget.add(model, usage)
        if self._replies is not None and not self._shared:
            for model, usage in self._replies.used():
                self.budget.add(model, usage)

    def for_episode(self, server: Model, episode: str) -> Model:
        """``server`` as one episode uses it."""
        assert self._replies is not None, "keep() comes before the first episode"
        return Cached(server, self._replies, "" if self._shared else episode)

    def finished(self, episode: str) -> None:
        """An episode is recorded: its answers are in the record."""
        if self._replies is not None and not self._shared:
            self._replies.forget(episode)

    async def close(self) -> None:
        """Closes connections."""
        for servers in self.servers.values():
            for server in servers:
                await close(server)

    def release(self) -> None:
        """Lets go of the kept answers."""
        if self._replies is not None:
            self._replies.close()


class _Tokens(Struct):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Used(Struct):
    """The part of a record that says what its calls took."""

    spec: EpisodeSpec
    calls: tuple[_Tokens, ...] = ()
