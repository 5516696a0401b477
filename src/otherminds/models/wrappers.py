"""Wrappers of any model: calls repeated after transient faults, a budget, and replies on disk, so that no call is paid twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from hashlib import blake2b
from pathlib import Path
from random import Random
from time import monotonic
from typing import Protocol

import msgspec
from msgspec.structs import replace

from otherminds.core.disk import check_database, check_writable, database_faults, open_database
from otherminds.core.encoding import encodable, encode
from otherminds.core.errors import OtherMindsError, ProviderError, StudyError, TransientError
from otherminds.core.locks import holding_key
from otherminds.core.model import Completion, Model, Price, Usage, cost
from otherminds.models.faults import MalformedError
from otherminds.models.registry import identity
from otherminds.models.wrapper import ModelRequest, Reply, Wrapper, bill, sent_texts

BASE = 0.5
"""The longest first wait in seconds; it doubles with each try."""
CAP = 30.0
"""The longest wait in seconds, unless the service asks for more."""
QUIET = 5.0
"""Seconds after which a call is reported to ``say``."""
SHAPELESS = 5
"""Malformed replies in a row that end a call: its seed is fixed, so that a server may repeat them for ever."""
REFUSED = 3
"""Refusals in a row that speak of the whole service, such as no credit, after which it is down; one, if no call ever succeeded."""


class Retrying(Wrapper):
    """Calls ``inner`` again after a ``TransientError``, for at most ``deadline`` seconds.

    It gives up as soon as the next wait would reach the deadline, or after :data:`SHAPELESS` malformed replies in
    a row. Waits grow exponentially with full jitter (Brooker 2015, "Exponential Backoff And Jitter", AWS
    Architecture Blog); a wait that the service asks for (``Retry-After``) is added, unless it would reach the
    deadline. A running call is not interrupted, and every other error passes. The service is ``down`` when a
    call was given up in whose time no other call succeeded, or when it refuses all calls. ``retries`` counts the
    repeated calls; ``say`` receives a line about slow ones; ``sleep``, ``clock`` and ``rng`` are for tests.

    Raises:
        ProviderError: no try succeeded before the deadline, or replies are malformed; the text has the last fault.
    """

    def __init__(
        self,
        inner: Model,
        deadline: float = 600.0,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
        rng: Random | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(inner)
        self._say = say
        self.retries = 0
        self.down = ""
        """The fault of the last call, if other calls would fail too; else empty."""
        self._deadline = deadline
        self._sleep = sleep
        self._clock = clock
        self._rng = rng or Random()
        self._succeeded = float("-inf")
        self._refused = 0

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        started = self._clock()
        tries = shapeless = 0
        while True:
            tries += 1
            try:
                reply = await call()
            except TransientError as error:
                last = error
            except ProviderError as error:
                self._refused += error.down
                if error.down and (self._refused >= REFUSED or self._succeeded == float("-inf")):
                    self.down = str(error)
                raise
            else:
                self.down, self._succeeded, self._refused = "", self._clock(), 0
                return reply
            shapeless = shapeless + 1 if isinstance(last, MalformedError) else 0
            if shapeless >= SHAPELESS:
                raise ProviderError(
                    f"{last}; {shapeless} times in a row, so it was not asked again"
                ) from last
            spent = self._clock() - started
            # The bound of the exponent avoids an overflow.
            wait = self._rng.uniform(0.0, min(CAP, BASE * 2.0 ** min(tries - 1, 16)))
            requested_wait = last.after or 0.0
            wait += requested_wait if spent + requested_wait + wait < self._deadline else 0.0
            if spent + wait >= self._deadline:
                if self._succeeded < started:
                    self.down = str(last)
                raise ProviderError(
                    f"{last}; gave up after {tries} {'try' if tries == 1 else 'tries'} in {spent:.0f} s; "
                    "when the service is well again, run the study with --retry-failed"
                ) from last
            remaining = self._deadline - spent
            if self._say is not None and spent + wait > QUIET:
                self._say(f"{last}; try {tries + 1} in {wait:.0f} s, gives up in {remaining:.0f} s")
            await self._sleep(wait)
            self.retries += 1


class BudgetSpentError(OtherMindsError):
    """The user's limit is reached; with a higher limit the run continues."""

    blame = "study"


class Account(Protocol):
    """Keeps what is spent where it outlasts the process, so that a later run of the study knows."""

    def reserve(self, model: str, most: Usage) -> int:
        """Keeps that a request of ``model`` may cost ``most``; it counts as spent until it is paid. Returns its number."""
        ...

    def pay(self, model: str, usage: Usage, reservation: int | None = None) -> None:
        """Keeps what a request has cost, in place of its ``reservation``."""
        ...


class Budget:
    """The budget and the expenses of a run, shared by its models; some of these are estimated.

    ``max_cost`` is in US dollars, by ``prices`` (by model identity); ``max_tokens`` counts
    prompt and completion tokens, cached ones included. ``max_seconds`` counts from now, in wall-clock time.
    ``None`` is no limit.
    """

    def __init__(
        self,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        prices: Mapping[str, Price] | None = None,
        max_seconds: float | None = None,
    ) -> None:
        self.max_cost = max_cost
        self.max_tokens = max_tokens
        self.prices = prices or {}
        self.max_seconds = max_seconds
        self._start = monotonic()
        self.cost = self.estimated_cost = 0.0
        self.tokens = self.estimated_tokens = 0
        self.account: Account | None = None
        self.guard: Callable[[], None] | None = None
        """Called before every call; raises where no more may be made, whatever is left."""

    def price(self, model: str) -> Price | None:
        """The price of ``model``, if known.

        Raises:
            StudyError: it is unknown, and the cost is limited.
        """
        price = self.prices.get(model)
        if price is None and self.max_cost is not None:
            raise StudyError(
                f"a limit of the cost needs the price of {model!r}: add a table [{model!r}] with input and output "
                "(US dollars for a million tokens) to the file of --prices; 0 for a model of your own"
            )
        return price

    def reserve(self, model: str, most: Usage) -> int | None:
        """Reserves the most that a call of this run may cost, before it is made; no limit counts it yet."""
        return None if self.account is None else self.account.reserve(model, most.possible)

    def pay(self, model: str, usage: Usage, reservation: int | None = None) -> None:
        """Counts a call of this run, in place of its ``reservation``."""
        self.add(model, usage)
        if self.account is not None:
            self.account.pay(model, usage, reservation)

    def add(self, model: str, usage: Usage) -> None:
        usage = usage.possible
        self.tokens += usage.prompt + usage.completion
        self.estimated_tokens += usage.estimated_prompt + usage.estimated_completion
        price = self.price(model)
        if price is not None:
            self.cost += cost(usage, price)
            self.estimated_cost += cost(usage.estimated, price)

    def check(self) -> None:
        """Checks that another call is allowed.

        Raises:
            BudgetSpentError: a limit is reached.
            RunStoppedError: the folder of the run is not there any more.
        """
        if self.guard is not None:
            self.guard()
        if self.max_cost is not None and self.cost >= self.max_cost:
            raise BudgetSpentError(f"{self.cost:.4f} US dollars are spent, of {self.max_cost:g} allowed")
        if self.max_tokens is not None and self.tokens >= self.max_tokens:
            raise BudgetSpentError(f"{self.tokens:,} tokens are spent, of {self.max_tokens:,} allowed")
        if self.max_seconds is not None and monotonic() - self._start >= self.max_seconds:
            raise BudgetSpentError("the time allowed is over")


class Metered(Wrapper):
    """Counts every request into ``budget``, and sends none once that is spent.

    A model on a server has each request counted that it sends, whether or not a reply is read; a call may take several.
    Of other models each call is counted that is answered. The check precedes the request, so each running episode may exceed the limit
    by one request.
    """

    def __init__(self, inner: Model, budget: Budget) -> None:
        super().__init__(inner)
        self.budget = budget
        self.name = identity(inner.spec)
        budget.price(self.name)
        self._billed = bill(inner, self)

    def check(self) -> None:
        """See :meth:`Budget.check`."""
        self.budget.check()

    def reserve(self, most: Usage) -> int | None:
        """See :meth:`Budget.reserve`."""
        return self.budget.reserve(self.name, most)

    def pay(self, usage: Usage, reservation: int | None) -> None:
        """Counts a request of this model."""
        self.budget.pay(self.name, usage, reservation)

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        self.check()
        if self._billed:
            return await call()
        texts = [*(message.content for message in request.messages), *request.continuations]
        reservation = self.reserve(
            sent_texts(texts, request.decoding.max_tokens if request.decoding else 0).unanswered()
        )
        charge = Usage()
        try:
            reply = await call()
            charge = reply.usage.possible
            return replace(reply, usage=charge)
        finally:
            self.pay(charge, reservation)


TABLE = """
CREATE TABLE IF NOT EXISTS replies (
    owner TEXT NOT NULL,
    call BLOB NOT NULL,
    answer BLOB NOT NULL,
    PRIMARY KEY (owner, call)
) STRICT, WITHOUT ROWID
"""
COUNTS = Usage.__struct_fields__
COUNTED = tuple(COUNTS[:number] for number in range(3, len(COUNTS) + 1))
"""The counts of a table of tokens; earlier versions lack the last ones."""
OWN = {
    "replies": (("owner", "call", "answer"),),
    "spent": tuple(("model", *counts) for counts in COUNTED),
    "taken": tuple(("source", "model", *counts) for counts in COUNTED),
    "reserved": (("number", "model", *COUNTS),),
}
"""The tables of a file of replies, and the forms of their columns. That of a run has tables of what was spent too."""
PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""
ELSEWHERE = "choose another file"


def check_replies(path: Path) -> None:
    """Checks that :class:`Replies` may use the file ``path``, or that nothing is there yet. It is not changed.

    Raises:
        StudyError: the file is of another kind, or cannot be read.
    """
    with database_faults(path, ELSEWHERE):
        check_database(path, PATIENCE, OWN)


class Replies:
    """One SQLite file of answers, by owner and call; several processes may share it.

    Writes are durable. The first answer to a call stays. ``mend`` ends the error message of an
    unusable file.

    Raises:
        StudyError: the file is of another kind, or cannot be read or written.
    """

    def __init__(self, path: Path, mend: str = ELSEWHERE) -> None:
        self._path = path
        self._mend = mend
        with self._faults():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = open_database(path, PATIENCE, OWN)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute(TABLE)
            check_writable(self._db)

    def get(self, owner: str, call: bytes) -> bytes | None:
        with self._faults():
            query = "SELECT answer FROM replies WHERE owner = ? AND call = ?"
            row = self._db.execute(query, (owner, call)).fetchone()
        if row and not isinstance(row[0], bytes):
            raise StudyError(f"{self._path}: a reply that is kept here is damaged (no bytes); {self._mend}")
        return row[0] if row else None

    def put(self, owner: str, call: bytes, answer: bytes) -> bytes:
        """Stores an answer, unless there is one already; returns the stored one."""
        with self._faults():
            command = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?)"
            new = self._db.execute(command, (owner, call, answer)).rowcount
        return answer if new else self.get(owner, call) or answer

    def asking(self, call: bytes) -> AbstractAsyncContextManager[None]:
        """Held while a call is made, here or in another process that shares the file; see :func:`~otherminds.core.locks.holding_key`."""
        return holding_key(self._path.with_name(f"{self._path.name}-asking"), call)

    def all(self) -> Iterator[tuple[str, bytes, bytes]]:
        """Every stored answer: its owner, its call, and itself."""
        with self._faults():
            yield from self._db.execute("SELECT owner, call, answer FROM replies")

    def decoded(self, answer: bytes, kind: type[Reply]) -> Reply:
        """A stored answer as ``kind``."""
        try:
            return msgspec.json.decode(answer, type=kind)
        except (ValueError, RecursionError) as error:
            raise StudyError(
                f"{self._path}: a reply that is kept here is damaged ({error}); {self._mend}"
            ) from None

    def forget(self, owner: str) -> None:
        with self._faults():
            self._db.execute("DELETE FROM replies WHERE owner = ?", (owner,))

    def erase(self, owners: Iterable[str]) -> None:
        """Deletes the answers of ``owners`` so that the file holds no copy of them in its free pages."""
        with self._faults():
            self._db.execute("PRAGMA secure_delete=ON")
            for owner in owners:
                self.forget(owner)
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.execute("VACUUM")

    def keep_only(self, owners: Iterable[str]) -> None:
        """Deletes the answers of all but ``owners``."""
        with self._faults():
            stored_owners = {owner for (owner,) in self._db.execute("SELECT DISTINCT owner FROM replies")}
        for owner in stored_owners.difference(owners):
            self.forget(owner)

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            with database_faults(self._path, self._mend):
                yield
        except OSError as error:
            raise StudyError(f"{self._path}: replies cannot be kept here ({error}); {self._mend}") from None


class Cached(Wrapper):
    """Answers calls from ``replies``, and stores new answers there.

    A call is identified by the model (without its address, with the digest of its file), the messages, the decoding with
    its seed and schema, and the continuations. ``owner`` (an episode) separates answers. Without one, several
    processes may make the same call at the same time: one of them asks, the others wait for its answer.
    """

    def __init__(self, inner: Model, replies: Replies, owner: str = "") -> None:
        super().__init__(inner)
        self.replies = replies
        self.owner = owner
        self.name = f"{identity(inner.spec)} {self.digest}".rstrip()

    async def around(
        self, request: ModelRequest, kind: type[Reply], call: Callable[[], Awaitable[Reply]]
    ) -> Reply:
        key = blake2b(encode((self.name, request)), digest_size=16).digest()
        stored = self.replies.get(self.owner, key)
        if stored is not None:
            return self.replies.decoded(stored, kind)
        if self.owner:
            return await self._ask(key, kind, call)
        async with self.replies.asking(key):
            stored = self.replies.get(self.owner, key)
            return (
                self.replies.decoded(stored, kind) if stored is not None else await self._ask(key, kind, call)
            )

    async def _ask(self, key: bytes, kind: type[Reply], call: Callable[[], Awaitable[Reply]]) -> Reply:
        reply = await call()
        if isinstance(reply, Completion):
            reply = encodable(reply)
        answer = msgspec.json.encode(reply)
        first = self.replies.put(self.owner, key, answer)
        return reply if first is answer else self.replies.decoded(first, kind)
