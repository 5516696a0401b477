"""Servers that lose count: they answer twice, too early, too late, or send more or less than they say.

An attack writes what a connection carries for one request; ``right`` is the true reply as bytes, ``other`` the true reply to
another request. Honest servers close a connection after its reply, as they are asked to; the others keep it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import NamedTuple

from otherminds.core.data import Message
from otherminds.core.model import Completion, Decoding
from otherminds.models.scripted import ScriptedModel, echo_last
from tests.models.serving import Reply, read_request, replied, scripted

LATER = (0.002, 0.02, 0.3)
"""Seconds after the reply at which more comes."""


class Turn(NamedTuple):
    """One request: its true reply, that to the request before (of any connection), and where to write."""

    right: Reply
    other: Reply
    writer: asyncio.StreamWriter

    async def write(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.writer.write(piece)
            await self.writer.drain()


def signed(messages: Sequence[Message], decoding: Decoding) -> str:
    """An answer that fits, with reasoning that no other request has."""
    asked = repr((decoding.seed, [(one.role, one.content) for one in messages])).encode()
    answer = replied(echo_last(), list(messages), decoding).text
    return f"<think>{blake2b(asked, digest_size=16).hexdigest()}</think>{answer}"


def true_reply(messages: Sequence[Message], seed: int) -> Completion:
    """What an honest server replies."""
    return replied(ScriptedModel(signed), list(messages), Decoding(seed=seed))


Attack = Callable[[Turn], Awaitable[None]]


def head(reply: Reply, version: str = "1.1", length: int | None = None, **more: str) -> bytes:
    """The head of ``reply``, with another ``length`` where one is given."""
    body = reply.encoded().partition(b"\r\n\r\n")[2]
    fields = {"content-length": str(len(body) if length is None else length), **more}
    lines = [
        f"HTTP/{version} 200 OK",
        *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items() if value),
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def content(reply: Reply) -> bytes:
    return reply.encoded().partition(b"\r\n\r\n")[2]


def in_chunks(reply: Reply) -> bytes:
    body = content(reply)
    parts = [body[i : i + 40] for i in range(0, len(body), 40)]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)
    return b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


async def honest(turn: Turn) -> None:
    await turn.write(turn.right.encoded())


async def honest_in_chunks(turn: Turn) -> None:
    await turn.write(in_chunks(turn.right))


async def honest_by_the_byte(turn: Turn) -> None:
    whole = in_chunks(turn.right)
    await turn.write(*(whole[i : i + 1] for i in range(len(whole))))


async def honest_of_old(turn: Turn) -> None:
    """HTTP/1.0: the end of the connection is that of the reply."""
    await turn.write(head(turn.right, "1.0", content_length="") + content(turn.right))
    turn.writer.close()


async def honest_with_promises(turn: Turn) -> None:
    await turn.write(b"HTTP/1.1 102 Processing\r\n\r\n" * 20, turn.right.encoded())


async def honest_with_blanks(turn: Turn) -> None:
    await turn.write(turn.right.encoded() + b"\r\n\r\n")


async def honest_and_slow(turn: Turn) -> None:
    await asyncio.sleep(0.03)
    await turn.write(turn.right.encoded())


HONEST: dict[str, Attack] = {
    one.__name__: one
    for one in (
        honest,
        honest_in_chunks,
        honest_by_the_byte,
        honest_of_old,
        honest_with_promises,
        honest_with_blanks,
        honest_and_slow,
    )
}


def twice(*, chunks: bool, version: str = "1.1", later: float | None = None, same: bool = True) -> Attack:
    """Two replies to each request, at once or ``later``; the second is the ``same`` or another one."""

    async def attack(turn: Turn) -> None:
        if chunks:
            first = in_chunks(turn.right)
        else:
            first = head(turn.right, version, connection="keep-alive") + content(turn.right)
        second = (turn.right if same else turn.other).encoded()
        if later is None:
            await turn.write(first + second)
            return
        await turn.write(first)
        await asyncio.sleep(later)
        await turn.write(second)

    return attack


async def early(turn: Turn) -> None:
    """What was written before the request was read (see :func:`miscounting`), then the true reply."""
    await turn.write(turn.right.encoded())


async def flood_of_promises(turn: Turn) -> None:
    await turn.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 5000, turn.right.encoded())


async def promise_of_another(turn: Turn) -> None:
    """An interim reply with a body, which HTTP does not know: the body is the next reply."""
    await turn.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" + turn.other.encoded() + turn.right.encoded())


async def length_too_short(turn: Turn) -> None:
    await turn.write(head(turn.right, length=len(content(turn.right)) - 7) + content(turn.right))


async def length_of_another(turn: Turn) -> None:
    """Whole JSON by the stated length, then the rest of the true reply."""
    await turn.write(head(turn.other) + content(turn.other) + turn.right.encoded())


async def length_too_long(turn: Turn) -> None:
    await turn.write(head(turn.right, length=len(content(turn.right)) + 7) + content(turn.right))
    turn.writer.close()


async def two_lengths(turn: Turn) -> None:
    fields = head(turn.right, x="y").replace(b"x: y", b"content-length: 5")
    await turn.write(fields + content(turn.right))


async def length_and_chunks(turn: Turn) -> None:
    await turn.write(
        in_chunks(turn.right).replace(b"\r\n", b"\r\ncontent-length: 9\r\n", 1) + turn.other.encoded()
    )


async def no_content(turn: Turn) -> None:
    """204 has no body; what follows is surplus."""
    await turn.write(b"HTTP/1.1 204 No Content\r\n\r\n" + turn.right.encoded())


async def without_end(turn: Turn) -> None:
    """Replies again and again, at a time that the client is asking the next question."""
    await turn.write(turn.right.encoded())
    with suppress(ConnectionError):
        for _ in range(50):
            await asyncio.sleep(0.005)
            await turn.write(turn.other.encoded())


ATTACKS: dict[str, Attack] = {
    "twice, in one piece": twice(chunks=False),
    "twice, the second another": twice(chunks=False, same=False),
    "twice, in chunks": twice(chunks=True),
    "twice, in chunks, the second another": twice(chunks=True, same=False),
    "twice, HTTP/1.0 with keep-alive": twice(chunks=False, version="1.0"),
    **{f"twice, {later:g} s later": twice(chunks=False, later=later) for later in LATER},
    **{
        f"twice, in chunks, {later:g} s later": twice(chunks=True, later=later, same=False) for later in LATER
    },
    "early": early,
    "flood of promises": flood_of_promises,
    "promise of another": promise_of_another,
    "length too short": length_too_short,
    "length of another": length_of_another,
    "length too long": length_too_long,
    "two lengths": two_lengths,
    "length and chunks": length_and_chunks,
    "no content": no_content,
    "without end": without_end,
}


class Miscounting:
    """A server of one ``attack``, and what it did: requests and connections."""

    def __init__(self, attack: Attack) -> None:
        self.attack = attack
        self.url = ""
        self.requests = self.connections = 0
        self._answer = scripted(ScriptedModel(signed))
        self._last: Reply | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            if self.attack is early and self._last is not None:
                writer.write(self._last.encoded())
            while (asked := await read_request(reader)) is not None:
                right = self._answer(asked)
                if asked.method != "POST":
                    writer.write(right.encoded())
                    return
                self.requests += 1
                other, self._last = self._last or right, right
                await self.attack(Turn(right, other, writer))
                if self.attack in (*HONEST.values(), early):
                    return
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # A client that leaves, or the end of the server, ends only this connection.
        finally:
            self._tasks.discard(task)
            writer.close()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@contextmanager
def miscounting(attack: Attack) -> Iterator[Miscounting]:
    """A server in a thread of this process."""
    server, ready, done = Miscounting(attack), threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        listening = await asyncio.start_server(server.connected, "127.0.0.1", 0)
        host, port = listening.sockets[0].getsockname()
        server.url = f"http://{host}:{port}/v1"
        ready.set()
        await done.wait()
        listening.close()
        await server.stop()
        await listening.wait_closed()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(30), "the test server does not start"
    try:
        yield server
    finally:
        loops[0].call_soon_threadsafe(done.set)
        thread.join(30)
