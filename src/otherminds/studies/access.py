"""The models of a run: opened, made safe and counted, and closed again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from time import monotonic

from msgspec import Struct, field

from otherminds.core.errors import StudyError
from otherminds.core.model import Model, Price, Usage
from otherminds.models.cached import Cached, Replies
from otherminds.models.metered import Budget, Metered
from otherminds.models.registry import open_servers
from otherminds.models.retrying import Retrying
from otherminds.models.wrapper import close

CALLS = "calls.sqlite"
"""Holds what was paid for, and the answers of episodes that are not finished:
a run that is killed asks for none twice."""

EVERY = 10.0
"""Seconds between two words about services that keep calls waiting."""


class Limits(Struct, frozen=True):
    """What a study may spend: US dollars by ``prices``, tokens; ``None`` is no limit."""

    max_cost: float | None = None
    max_tokens: int | None = None
    prices: dict[str, Price] = field(default_factory=dict[str, Price])


TABLE = """
CREATE TABLE IF NOT EXISTS spent (
    model TEXT PRIMARY KEY,
    prompt INTEGER NOT NULL,
    completion INTEGER NOT NULL,
    cached INTEGER NOT NULL
) STRICT
"""
ADD = """
INSERT INTO spent VALUES (?, ?, ?, ?) ON CONFLICT (model) DO UPDATE SET
    prompt = prompt + excluded.prompt,
    completion = completion + excluded.completion,
    cached = cached + excluded.cached
"""


class Spent:
    """Tokens by model; what was added is kept if the process is killed.

    Raises:
        StudyError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._db = sqlite3.connect(path, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(TABLE)
        except sqlite3.Error as error:
            raise StudyError(
                f"{path}: cannot be used ({error}); delete it: what it kept is asked again, and what was spent is forgotten"
            ) from None

    def add(self, model: str, usage: Usage) -> None:
        """A call was paid for."""
        self._db.execute(ADD, (model, usage.prompt, usage.completion, usage.cached))

    def totals(self) -> Iterator[tuple[str, Usage]]:
        """What each model took in all."""
        for model, *tokens in self._db.execute("SELECT model, prompt, completion, cached FROM spent"):
            yield model, Usage(*tokens)

    def close(self) -> None:
        """Lets go of the file."""
        self._db.close()


class Access:
    """The ``needed`` models, on each of their servers; ``addresses`` has the full specs of those named without one.

    Each call passes the kept answers, then retries, then the meter. ``cache``
    names a file of answers that other runs share; without it they are kept in
    the run's own folder until their episode is finished. ``say`` is told when
    a service keeps calls waiting.

    Raises:
        StudyError: a model or the cache cannot be had, or has no price under a limited cost.
        ProviderError: a model's service or files do not answer.
    """

    def __init__(
        self,
        addresses: Mapping[str, str],
        needed: Iterable[str],
        limits: Limits,
        cache: Path | None,
        say: Callable[[str], None],
    ) -> None:
        self.budget = Budget(limits.max_cost, limits.max_tokens, limits.prices)
        self.say = say
        self._said = float("-inf")
        names = tuple(needed)
        for name in names:
            self.budget.price(name)
        self.servers: dict[str, tuple[Retrying, ...]] = {
            name: tuple(
                Retrying(Metered(model, self.budget), say=self._seldom)
                for model in open_servers(addresses.get(name, name))
            )
            for name in names
        }
        self._shared = Replies(cache) if cache else None
        self._own: Replies | None = None
        self._spent: Spent | None = None

    def _seldom(self, text: str) -> None:
        """Many calls wait for one service: one of them speaks."""
        if monotonic() - self._said >= EVERY:
            self._said = monotonic()
            self.say(text)

    def keep(self, folder: Path, unfinished: Iterable[str]) -> None:
        """Opens what is kept in ``folder``: what was spent, and the answers of ``unfinished`` episodes."""
        self._spent = Spent(folder / CALLS)
        for model, usage in self._spent.totals():
            self.budget.add(model, usage)
        self.budget.keep = self._spent.add
        self._own = Replies(folder / CALLS, "delete it: what it kept is asked again")
        self._own.keep_only(unfinished)

    def for_episode(self, server: Model, episode: str) -> Model:
        """``server`` as one episode uses it."""
        if self._shared is not None:
            return Cached(server, self._shared)
        assert self._own is not None, "keep() comes before the first episode"
        return Cached(server, self._own, episode)

    def finished(self, episode: str) -> None:
        """An episode is recorded: its answers are in the record."""
        if self._own is not None:
            self._own.forget(episode)

    async def close(self) -> None:
        """Closes connections."""
        for servers in self.servers.values():
            for server in servers:
                await close(server)

    def release(self) -> None:
        """Lets go of files."""
        for held in (self._shared, self._own, self._spent):
            if held is not None:
                held.close()
