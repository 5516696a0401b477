"""The models of a run: opened, with retries, prices, a budget and kept replies, and closed again.

Price files give US dollars per million tokens of each model."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from time import monotonic

import msgspec
from msgspec import Struct, field, structs

from otherminds.core.disk import check_writable, database_faults, open_database, read_file, replace_file
from otherminds.core.errors import StudyError
from otherminds.core.locks import Lock
from otherminds.core.model import Model, Price, Usage, cost
from otherminds.core.user_files import check_kind, read_toml
from otherminds.models.hosts import Hosts, destinations
from otherminds.models.registry import check_servers, open_servers
from otherminds.models.wrapper import close
from otherminds.models.wrappers import COUNTS, OWN, PATIENCE, Budget, Cached, Metered, Replies, Retrying

FORM = 'a table for each model: ["openai:MODEL"] with input = 0.15 and output = 0.60, optionally cached_input'
KEPT = "prices.json"


def load_prices(path: Path) -> dict[str, Price]:
    """Reads a TOML file with a table for each model: ``input``, ``output``, optionally ``cached_input``.

    Raises:
        StudyError: it cannot be read, or is not such a file; the text names the place.
    """
    if not path.is_file():
        check_kind(path, StudyError)
        raise StudyError(f"{path}: no such price file; write one with {FORM}")
    prices: dict[str, Price] = {}
    for name, table in read_toml(path).items():
        try:
            prices |= msgspec.convert({name: table}, dict[str, Price])
        except msgspec.ValidationError as error:
            raise StudyError(f"{path}: {name}: {error}; write {FORM}") from error
    return prices


def keep_prices(folder: Path, prices: dict[str, Price]) -> None:
    """Saves ``prices`` in a run folder, for its cost table.

    Raises:
        StudyError: the file cannot be written.
    """
    if prices:
        replace_file(folder / KEPT, msgspec.json.encode(prices), durable=True)


def kept_prices(folder: Path) -> dict[str, Price]:
    """The prices that are saved in a run folder.

    Raises:
        StudyError: the file is damaged or cannot be read.
    """
    path = folder / KEPT
    if not os.path.lexists(path):
        return {}
    try:
        return msgspec.json.decode(read_file(path), type=dict[str, Price])
    except (ValueError, RecursionError) as error:
        raise StudyError(f"{path}: is damaged ({error}); delete it, or give --prices") from error


CALLS = "calls.sqlite"
"""Holds the tokens spent, and the replies of unfinished episodes: a run that is killed
repeats no call."""

EVERY = 10.0
"""Seconds between two messages about services that delay calls."""


class Limits(Struct, frozen=True):
    """What a run may spend: US dollars by ``prices``, tokens, and seconds of wall-clock time; ``None`` is no limit."""

    max_cost: float | None = None
    max_tokens: int | None = None
    prices: dict[str, Price] = field(default_factory=dict[str, Price])
    max_seconds: float | None = None


COLUMNS = """
    prompt INTEGER NOT NULL,
    completion INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    estimated_prompt INTEGER NOT NULL DEFAULT 0,
    estimated_completion INTEGER NOT NULL DEFAULT 0
"""
TABLE = f"CREATE TABLE IF NOT EXISTS spent (model TEXT PRIMARY KEY, {COLUMNS}) STRICT"
TAKEN = f"""
CREATE TABLE IF NOT EXISTS taken (source TEXT NOT NULL, model TEXT NOT NULL, {COLUMNS}, PRIMARY KEY (source, model))
STRICT
"""
"""What other runs had spent whose records were merged into this one."""
RESERVED = (
    f"CREATE TABLE IF NOT EXISTS reserved (number INTEGER PRIMARY KEY, model TEXT NOT NULL, {COLUMNS}) STRICT"
)
"""The most that each request may cost that was about to be sent and is not paid: it is running, or its process was killed."""
MOST_COUNTED = 2**63 - 1
"""The most tokens that a run counts, as its files hold them."""
LISTED = f"model, {', '.join(COUNTS)}"
ALL = f"{' UNION ALL '.join(f'SELECT {LISTED} FROM {table}' for table in ('spent', 'taken', 'reserved'))} ORDER BY model"
RESERVE = f"INSERT INTO reserved ({LISTED}) VALUES (?{', ?' * len(COUNTS)})"
ADD = f"""
INSERT INTO spent ({LISTED}) VALUES (?{", ?" * len(COUNTS)}) ON CONFLICT (model) DO UPDATE SET
    {", ".join(f"{name} = {name} + excluded.{name}" for name in COUNTS)}
"""
TAKE = f"INSERT OR REPLACE INTO taken (source, {LISTED}) VALUES (?, ?{', ?' * len(COUNTS)})"


class SpentTokens:
    """Tokens spent by model over all runs of a study; kept if the process is killed, though not always after a power cut.

    A request counts from before it is sent: first with the most that it may cost, then with what it has cost. Those that a
    killed process leaves count for good.

    Raises:
        StudyError: the file cannot be used; this holds for every method.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._faults():
            self._db = open_database(path, PATIENCE, OWN)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(TABLE)
            self._db.execute(TAKEN)
            self._db.execute(RESERVED)
            self._widen()
            check_writable(self._db)

    def reserve(self, model: str, most: Usage) -> int:
        """Adds ``most`` tokens for a request before it is sent. Returns the number of this reservation."""
        with self._faults():
            number = self._db.execute(RESERVE, (model, *structs.astuple(most))).lastrowid
        assert number is not None, "a row was inserted"
        return number

    def pay(self, model: str, usage: Usage, reservation: int | None = None) -> None:
        """Adds the tokens of a call, in place of its ``reservation``."""
        with self._faults(), self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute(ADD, (model, *structs.astuple(usage)))
            self._db.execute("DELETE FROM reserved WHERE number = ?", (reservation,))

    def take(self, source: str, totals: Iterable[tuple[str, Usage]]) -> None:
        """Sets what the run called ``source`` has spent, in place of what was set for it before."""
        rows = [(source, model, *structs.astuple(usage)) for model, usage in totals]
        with self._faults():
            self._db.executemany(TAKE, rows)

    def totals(self) -> Iterator[tuple[str, Usage]]:
        """The tokens of each model, with those of merged runs and of reservations that are not paid.

        They are added here: a sum of SQLite's is an error beyond 63 bits.

        Raises:
            StudyError: a stored count is none, or all together are more than 63 bits can hold.
        """
        with self._faults():
            rows = self._db.execute(ALL).fetchall()
            counted = [count for _, *counts in rows for count in counts]
            if not all(isinstance(count, int) for count in counted):
                raise sqlite3.DataError("it has a count that is no whole number")
            if min(counted, default=0) < 0 or sum(counted) > MOST_COUNTED:
                raise sqlite3.DataError("it has more tokens than can be counted, or fewer than none")
        for model, counts in groupby(rows, key=itemgetter(0)):
            yield str(model), Usage(*map(sum, zip(*(row[1:] for row in counts), strict=True)))

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    def _widen(self) -> None:
        """Adds the columns that tables of an earlier version lack."""
        for table in ("spent", "taken"):
            there = {row[1] for row in self._db.execute(f"PRAGMA table_info({table})")}
            for name in COUNTS:
                if name not in there:
                    self._db.execute(f"ALTER TABLE {table} ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0")

    def _faults(self) -> AbstractContextManager[None]:
        return database_faults(
            self._path, "delete it: what it kept is asked again, and what was spent is forgotten"
        )


def less(limits: Limits, folders: Iterable[Path]) -> Limits:
    """``limits`` less what the runs in ``folders`` have spent; 0 at least. Models without a price count as free.

    Raises:
        StudyError: a file of what was spent cannot be used.
    """
    totals = [total for folder in folders for total in _totals_in(folder)]
    dollars = sum(cost(usage, limits.prices[model]) for model, usage in totals if model in limits.prices)
    tokens = sum(usage.possible.prompt + usage.possible.completion for _, usage in totals)
    return structs.replace(
        limits,
        max_cost=None if limits.max_cost is None else max(0.0, limits.max_cost - dollars),
        max_tokens=None if limits.max_tokens is None else max(0, limits.max_tokens - tokens),
    )


def _totals_in(folder: Path) -> list[tuple[str, Usage]]:
    """The tokens of each model in the run in ``folder``."""
    if not (folder / CALLS).is_file():
        return []
    spent = SpentTokens(folder / CALLS)
    try:
        return list(spent.totals())
    finally:
        spent.close()


class Access:
    """The ``needed`` models, on each of their servers; ``addresses`` has the full specs of those named without one.

    A call is looked up among the kept replies, then retried, then metered. ``cache`` is a file
    of replies that several runs share; without it they are kept in the run's folder until
    their episode is finished. ``say`` receives where each model is asked, before that is done, and messages about
    services that delay calls. ``hosts`` are those that may be asked. ``opened`` opens the servers of a model, by default :func:`~otherminds.models.registry.open_servers`.

    Raises:
        StudyError: a model or the cache cannot be used, or a model has no price under a limited cost.
        ProviderError: a model's service or files do not answer.
    """

    def __init__(
        self,
        addresses: Mapping[str, str],
        needed: Iterable[str],
        limits: Limits,
        cache: Path | None,
        say: Callable[[str], None],
        hosts: Hosts,
        opened: Callable[[str, Hosts], tuple[Model, ...]] | None = None,
    ) -> None:
        self.budget = Budget(limits.max_cost, limits.max_tokens, limits.prices, limits.max_seconds)
        self.say = say
        self._said = float("-inf")
        names = tuple(needed)
        for name in names:
            self.budget.price(name)
        specs = {name: addresses.get(name, name) for name in names}
        check_servers(specs.values(), hosts)
        for spec in specs.values():
            for line in destinations(spec):
                say(line)
        self.servers: dict[str, tuple[Retrying, ...]] = {
            name: tuple(
                Retrying(Metered(model, self.budget), say=self._seldom)
                for model in (opened or open_servers)(spec, hosts)
            )
            for name, spec in specs.items()
        }
        self._cache = cache
        self._shared = Replies(cache) if cache else None
        self._own: Replies | None = None
        self._spent: SpentTokens | None = None

    def _seldom(self, text: str) -> None:
        """Passes a message on, unless there was one just before."""
        if monotonic() - self._said >= EVERY:
            self._said = monotonic()
            self.say(text)

    def digests(self) -> dict[str, str]:
        """The SHA-256 of the file of each model that is a file of this machine, by the model's name."""
        return {name: servers[0].digest for name, servers in self.servers.items() if servers[0].digest}

    def keep(self, folder: Path, lock: Lock, unfinished: Iterable[str] | None = None) -> None:
        """Opens the file in ``folder`` with what was spent and the replies of ``unfinished`` episodes, by default of all.

        From here on no call is made unless ``lock``, that of the folder, finds it as it was.
        """
        self._spent = SpentTokens(folder / CALLS)
        for model, usage in self._spent.totals():
            self.budget.add(model, usage)
        self.budget.account = self._spent
        self._own = Replies(folder / CALLS, "delete it: what it kept is asked again")
        if unfinished is not None:
            self._own.keep_only(unfinished)
        for path in filter(None, (folder / CALLS, self._cache)):
            lock.watch_database(path)
        self.budget.guard = lock.check

    def for_episode(self, server: Model, episode: str) -> Model:
        """``server`` with the kept replies of one episode."""
        if self._shared is not None:
            return Cached(server, self._shared)
        assert self._own is not None, "keep() comes before the first episode"
        return Cached(server, self._own, episode)

    def finished(self, episode: str) -> None:
        """Forgets the replies of an episode that is recorded."""
        if self._own is not None:
            self._own.forget(episode)

    async def close(self) -> None:
        """Closes connections."""
        for servers in self.servers.values():
            for server in servers:
                await close(server)

    def release(self) -> None:
        """Closes files."""
        for file in (self._shared, self._own, self._spent):
            if file is not None:
                file.close()
