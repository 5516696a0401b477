"""Replies made to exhaust a client, a server of them, and a client that measures what one costs it.

``python -m tests.models.bombs URL NAME...`` asks a server of :func:`serving_bombs` for each bomb and prints a line of
JSON for each: how the call ended, and the peak resident memory of the process so far.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from itertools import repeat
from pathlib import Path
from time import perf_counter
from typing import Any

from otherminds.core.data import Message
from otherminds.core.errors import OtherMindsError
from otherminds.core.model import Decoding
from otherminds.models.registry import open_model
from otherminds.models.wrapper import close
from tests.models.serving import read_request

GIB = 2**30
PIECE = 64 * 2**10
Bomb = Callable[[], Iterator[bytes]]
"""The bytes that a server sends, from the status line on."""


def whole(body: bytes, status: str = "200 OK", **headers: str) -> Iterator[bytes]:
    yield head(status, **{"content-length": str(len(body))}, **headers)
    yield body


def head(status: str = "200 OK", **headers: str) -> bytes:
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items()]
    return f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{''.join(lines)}\r\n".encode()


def endless(first: bytes, piece: bytes, least: int = 4 * GIB) -> Iterator[bytes]:
    yield first
    yield from repeat(piece * max(PIECE // len(piece), 1), least // PIECE)


def chunked(first: bytes, piece: bytes) -> Iterator[bytes]:
    block = piece * (PIECE // len(piece))
    return endless(first, b"%x\r\n%s\r\n" % (len(block), block))


@cache
def deflated(form: int) -> bytes:
    """A GiB of zeros; ``form`` is zlib's window: 31 for gzip, 15 for deflate."""
    made = zlib.compressobj(9, zlib.DEFLATED, form)
    zeros = bytes(2**20)
    return b"".join([*(made.compress(zeros) for _ in range(GIB // 2**20)), made.flush()])


def zstandard() -> bytes:
    """A GiB of zeros as a frame of Zstandard (RFC 8878): 8192 blocks of one repeated byte."""
    block = (2**17 << 3 | 1 << 1).to_bytes(3, "little") + b"\0"
    last = (2**17 << 3 | 1 << 1 | 1).to_bytes(3, "little") + b"\0"
    return b"\x28\xb5\x2f\xfd\x00\x58" + block * 8191 + last


@cache
def nested() -> bytes:
    return zlib.compress(deflated(31), 9, 31)


def chat(message: str) -> bytes:
    return b'{"choices": [{"message": %s}]}' % message.encode()


def said(text: str) -> bytes:
    return chat(json.dumps({"content": text}))


CHUNKED = head(transfer_encoding="chunked")
CALL = '{"content": %s"", "tool_calls": [{"function": {"name": "f", "arguments": {"a": [%s]}}}]}'
BOMBS: dict[str, Bomb] = {
    "gzip, 1 GiB": lambda: whole(deflated(31), content_encoding="gzip"),
    "gzip in gzip": lambda: whole(nested(), content_encoding="gzip, gzip"),
    "deflate, 1 GiB": lambda: whole(deflated(15), content_encoding="deflate"),
    "zstd, 1 GiB": lambda: whole(zstandard(), content_encoding="zstd"),
    "br": lambda: whole(b"\x5b\xff\xff\xff" * 2**15, content_encoding="br"),
    "endless body in chunks": lambda: chunked(CHUNKED, b"[0,"),
    "endless line in chunks": lambda: chunked(CHUNKED, b"x"),
    "endless events (SSE)": lambda: chunked(CHUNKED, b'data: {"choices": []}\n\n'),
    "one chunk of 2^60 bytes": lambda: endless(CHUNKED + b"fffffffffffffff\r\n", b" "),
    "a body of 10^12 bytes": lambda: endless(head(content_length=str(10**12)), b" "),
    "an error without end": lambda: endless(head("500 Oops", content_length=str(10**12)), b"x"),
    "a refusal without end": lambda: endless(head("400 Bad", content_length=str(10**12)), b"x"),
    "endless header": lambda: endless(b"HTTP/1.1 200 OK\r\nx: ", b"x"),
    "endless headers": lambda: endless(b"HTTP/1.1 200 OK\r\n", b"x: y\r\n"),
    "endless status": lambda: endless(b"HTTP/1.1 200 ", b"O"),
    "endless 100 Continue": lambda: endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "lists, 1,000,000 deep": lambda: whole(chat("[" * 10**6 + "]" * 10**6)),
    "objects, 1,000,000 deep": lambda: whole(chat('{"x":' * 10**6 + "1" + "}" * 10**6)),
    "deep beside a half character": lambda: whole(chat('{"content": "\\ud800", "x": ' + "[" * 10**6)),
    "a text of 60 MB": lambda: whole(said("x" * 60 * 10**6)),
    "a text of 20 MB with an emoji": lambda: whole(said("x" * 20 * 10**6) .replace(b"xxxx", "\U0001f600".encode(), 1)),
    "escapes, 20 MB": lambda: whole(chat('{"content": "%s"}' % ("\\ud83d\\ude00" * 1_700_000))),
    "half characters, 20 MB": lambda: whole(chat('{"content": "%s"}' % ("\\ud800" * 3_300_000))),
    "{} × 500,000 as text": lambda: whole(said("{}" * 500_000)),
    "lists in arguments, 20 MB": lambda: whole(chat(CALL % ("", ",".join(["[]"] * 6_500_000)))),
    "lists in arguments, 500,000": lambda: whole(chat(CALL % ("", ",".join(["[]"] * 499_000)))),
    "the same beside a half character": lambda: whole(chat(CALL % ('"\\ud800", "x": ', ",".join(["[]"] * 499_000)))),
    "keys in arguments, 200,000": lambda: whole(
        chat(CALL % ('"\\ud800", "x": ', "{" + ",".join(f'"{n}":{n}' for n in range(200_000)) + "}"))
    ),
    "240,000 tool calls": lambda: whole(
        chat('{"tool_calls": [' + ",".join(['{"function":{"name":"f","arguments":"{}"}}'] * 240_000) + "]}")
    ),
    "a number of 100,000 digits": lambda: whole(b'{"choices": [], "usage": {"prompt_tokens": %s}}' % (b"9" * 10**5)),
    "numbers of 100,000 digits in arguments": lambda: whole(chat(CALL % ("", ",".join(["9" * 10**5] * 100)))),
    "the same beside a half character, 20 MB": lambda: whole(
        chat(CALL % ('"\\ud800", "x": ', ",".join(["9" * 10**5] * 200)))
    ),
}  # fmt: skip


@contextmanager
def serving_bombs(names: Sequence[str]) -> Iterator[str]:
    """The URL of a server of the bombs ``names``, in a thread; the first part of a path is the number of a bomb."""
    bombs = list(BOMBS.values())
    if not {"gzip, 1 GiB", "gzip in gzip", "deflate, 1 GiB"}.isdisjoint(names):
        for made in (deflated(31), deflated(15), nested()):
            assert len(made) < GIB  # before the server, which they would hold up for seconds
    ready, done = threading.Event(), asyncio.Event()
    found: list[Any] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while (asked := await read_request(reader)) is not None:
                for piece in bombs[int(asked.path.split("/")[1])]():
                    writer.write(piece)
                    await writer.drain()
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        found.extend((asyncio.get_running_loop(), server.sockets[0].getsockname()[1]))
        ready.set()
        await done.wait()
        server.close()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(30)
    try:
        yield f"http://127.0.0.1:{found[1]}"
    finally:
        found[0].call_soon_threadsafe(done.set)
        thread.join(30)


async def _ticks(longest: list[float]) -> None:
    """Notes the longest time in seconds in which the event loop did nothing else."""
    while True:
        before = perf_counter()
        await asyncio.sleep(0.005)
        longest[0] = max(longest[0], perf_counter() - before - 0.005)


async def asked(url: str, name: str) -> dict[str, Any]:
    """How a call for the bomb ``name`` ended, its seconds, the longest stall, and the peak memory in MB."""
    model = open_model(f"openai:toy@{url}/{list(BOMBS).index(name)}/v1?context=9000&timeout=10")
    longest = [0.0]
    ticking = asyncio.create_task(_ticks(longest))
    started = perf_counter()
    try:
        reply = await model.generate([Message("user", "hello")], Decoding())
        ended = f"{len(reply.text):,} characters, {len(reply.tools)} tool calls, {reply.finish}"
    except OtherMindsError as error:
        ended = f"{type(error).__name__}: {str(error).partition(': ')[2]}"
    finally:
        await asyncio.sleep(0.02)
        ticking.cancel()
        await close(model)
    seconds = perf_counter() - started
    return {"name": name, "ended": ended, "seconds": seconds, "stall": longest[0], "peak": peak()}


def peak() -> float:
    """The peak resident memory of this process in MB: not of the one that started it, as in ``ru_maxrss``."""
    (line,) = (
        one for one in Path("/proc/self/status").read_text(encoding="utf-8").splitlines() if "VmHWM" in one
    )
    return int(line.split()[1]) / 2**10


async def lines(url: str, names: list[str]) -> AsyncIterator[str]:
    for name in names:
        yield json.dumps(await asked(url, name))


async def _main(url: str, names: list[str]) -> None:
    async for line in lines(url, names):
        print(line, flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], sys.argv[2:]))
