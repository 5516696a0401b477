"""Replies on disk, so that no call is paid twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from hashlib import blake2b
from pathlib import Path

import msgspec

from otherminds.core.disk import check_database, check_writable, database_faults, open_database
from otherminds.core.encoding import encodable, encode
from otherminds.core.errors import StudyError
from otherminds.core.locks import holding_key
from otherminds.core.model import Completion, Model, Usage
from otherminds.models.registry import identity
from otherminds.models.wrapper import ModelRequest, Reply, Wrapper

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
