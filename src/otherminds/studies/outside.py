"""Model calls outside an episode, such as those of a judge.

They are keyed, recorded, metered, retried and replayed like calls inside an episode::

    async with call_session("judge", "openai:gpt-4o", Path("judged")) as session:
        verdicts = await judge(session, texts, "names the room where the task ends")
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec import Struct

from otherminds.core.data import Invalid, Message
from otherminds.core.encoding import digest
from otherminds.core.locks import Lock, stopping
from otherminds.core.model import Decoding, Model
from otherminds.core.record import SCHEMA, Call, Timing
from otherminds.core.segments import hashed_line
from otherminds.core.text import quoted
from otherminds.models.hosts import Hosts, allowed_hosts
from otherminds.play.loop import timing
from otherminds.play.seat_context import CallMade, Now, SeatContext, pack, side_by_side
from otherminds.studies.access import Access, Limits
from otherminds.studies.store import Store

ATTEMPTS = 3
"""The number of replies about one text before the verdict is invalid."""
FORM = "Answer with yes or no on the last line:\nyes\nno"
VERDICTS = {"yes": True, "no": False}
JUDGING = Decoding(max_tokens=1024)


class CallRecord(Struct, frozen=True):
    """The record of a session; ``Call.seat`` is the role, ``Call.step`` the item."""

    role: str
    seed: int
    model: str
    calls: tuple[Call, ...]
    schema: int = SCHEMA


class CallSession:
    """The calls that one role makes about a series of items, such as the texts it judges.

    A call is keyed by (role, item, purpose, attempt), so that its seed does not depend on
    other calls, and items may be worked on at the same time.
    """

    def __init__(self, role: str, model: Model, seed: int = 0) -> None:
        self.role, self.model, self.seed = role, model, seed
        self._contexts: dict[int, SeatContext] = {}

    def context(self, item: int) -> SeatContext:
        """The context for calls about ``item``, a number from 0; one for each item."""
        if item not in self._contexts:
            self._contexts[item] = SeatContext(self.role, self.seed, Now(item), model=self.model)
        return self._contexts[item]

    def record(self) -> CallRecord:
        """All calls so far, in the order of items."""
        return CallRecord(self.role, self.seed, self.model.spec, tuple(pack(self.role, self._calls())))

    def timing(self) -> Timing:
        """The wall-clock figures of :meth:`record`; calls may overlap, and ``seconds`` is their sum."""
        calls = self._calls()
        return timing(calls, sum(round(call.seconds, 6) for call in calls))

    def _calls(self) -> list[CallMade]:
        return [call for item in sorted(self._contexts) for call in self._contexts[item].calls]


class RoleModels:
    """Models for many sessions of several roles, under one budget; their records are added to one folder.

    From :func:`role_models`.
    """

    def __init__(self, access: Access, store: Store) -> None:
        self._access = access
        self._store = store

    @asynccontextmanager
    async def session(self, role: str, model: str, seed: int = 0) -> AsyncIterator[CallSession]:
        """A session with the model named ``model``, one of those opened; its record is added to the folder at the end.

        Sessions of different role, model or seed may be open at the same time.

        Raises:
            ProviderError: the model's service or files do not answer.
            BudgetSpentError: a limit is reached.
        """
        name = digest((role, model, seed))[:16]
        server = self._access.servers[model][0]
        session = CallSession(role, self._access.for_episode(server, name), seed)
        yield session
        self._store.append([hashed_line(name, session.record(), session.timing())])
        self._access.finished(name)

    @property
    def cost(self) -> float:
        """US dollars that were spent in the folder; models without a price count as free."""
        return self._access.budget.cost


@asynccontextmanager
async def role_models(
    models: Iterable[str],
    folder: Path,
    limits: Limits | None = None,
    say: Callable[[str], None] = print,
    hosts: Hosts | None = None,
) -> AsyncIterator[RoleModels]:
    """The models named ``models``, for sessions. They may be asked at the addresses in their names, and at ``hosts``.

    No two processes share a ``folder``. It also keeps what was spent and the replies of sessions
    that were interrupted: entered again, such a session repeats no call. The model
    ``replay:FOLDER`` returns the recorded replies in a session of the same role and seed.

    Raises:
        StudyError: a model or the folder cannot be used, or the folder is in use.
        ProviderError: a model's service or files do not answer.
        RunStoppedError: the folder or its disk failed meanwhile; what is kept there goes on.
    """
    names = sorted({*models})
    access = Access({}, names, limits or Limits(), None, say, (hosts or allowed_hosts()).naming(*names))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = Lock(folder)
        try:
            access.keep(folder, lock)
            store = Store(folder, lock)
            if torn := store.repair():
                say(torn)
            with stopping():
                yield RoleModels(access, store)
        finally:
            lock.release()
    finally:
        await access.close()
        access.release()


@asynccontextmanager
async def call_session(
    role: str,
    model: str,
    folder: Path,
    seed: int = 0,
    limits: Limits | None = None,
    say: Callable[[str], None] = print,
    hosts: Hosts | None = None,
) -> AsyncIterator[CallSession]:
    """One session with the model named ``model`` in a ``folder`` of its own; see :func:`role_models`.

    Raises:
        StudyError: the model or the folder cannot be used, or the folder is in use.
        ProviderError: the model's service or files do not answer.
        BudgetSpentError: a limit is reached.
    """
    async with (
        role_models([model], folder, limits, say, hosts) as opened,
        opened.session(role, model, seed) as session,
    ):
        yield session


async def judge(session: CallSession, texts: Sequence[str], criterion: str) -> list[bool | Invalid]:
    """Whether each text satisfies ``criterion``, such as "names a room", by the model's judgement.

    The last line of a reply must be yes or no. Otherwise the model is asked again, and after
    :data:`ATTEMPTS` replies the verdict is ``Invalid``. Texts are quoted in the prompt.
    """
    room = asyncio.Semaphore(session.model.concurrency)

    async def verdict(item: int, text: str) -> bool | Invalid:
        message = Message("user", f"Text: {quoted(text)}\nQ: Is it true that this text {criterion}?\n{FORM}")
        reply = ""
        for attempt in range(ATTEMPTS):
            async with room:
                reply = (await session.context(item).generate((message,), "judge", JUDGING, attempt)).text
            word = reply.strip().rpartition("\n")[2].strip(" .*").lower()
            if word in VERDICTS:
                return VERDICTS[word]
        return Invalid("neither yes nor no", reply)

    return await side_by_side(verdict(item, text) for item, text in enumerate(texts))
