"""A language-model server on this machine, which can misbehave: real HTTP/1.1, with kept connections if they are wanted.

``with serving(answer) as server:`` runs one in a thread; ``python serving.py``
runs one in a process of its own until its standard input closes, and prints its
address. It answers as a scripted model does, or as ``answer`` says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeVar

from otherminds.core.data import Message
from otherminds.core.encoding import stream
from otherminds.core.model import Completion, Decoding, Model
from otherminds.models.registry import open_model
from otherminds.models.scripted import echo_last
from otherminds.models.wrapper import close
from tests.models.faulty import Rates

NONE = Rates(throttled=0, failed=0, truncated=0, hung=0)
T = TypeVar("T")
HUNG = 20.0
"""Seconds that a hanging reply takes: longer than any client here waits."""

PIECE = re.compile(r" ?[A-Za-z]{1,4}|\n|.")
"""Tokens of this server: at most four letters, with the blank before them."""


@dataclass
class Asked:
    """A request; ``headers`` have names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw) if self.raw else None


@dataclass
class Reply:
    """A response; ``cut`` bytes are missing at its end, and it comes after ``wait`` seconds."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    wait: float = 0.0

    def encoded(self) -> bytes:
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        length = {} if self.status == 204 else {"content-length": str(len(body))}
        headers = {"content-type": "application/json", **length, **self.headers}
        lines = [f"HTTP/1.1 {self.status} Status", *(f"{name}: {value}" for name, value in headers.items())]
        whole = "\r\n".join([*lines, "", ""]).encode() + body
        return whole[: len(whole) - self.cut]


Answer = Callable[[Asked], Reply]


def scripted(model: Model | None = None) -> Answer:
    """Answers chat and completions (with echo and log-probabilities) as ``model``, which never waits, by default ``echo_last``."""
    model = model or echo_last()

    def answer(asked: Asked) -> Reply:
        if asked.path == "/v1/models":
            return Reply({"data": [{"id": "toy", "max_model_len": 65536}]})
        if asked.path == "/v1/chat/completions":
            return Reply(chat(generated(model, asked.body)))
        if asked.path == "/v1/completions":
            return Reply(completions(asked.body))
        return Reply({"error": {"message": "no such path"}}, 404)

    return answer


def generated(model: Model, body: dict[str, Any]) -> Completion:
    """The stand-in's reply to a chat request."""
    messages = [Message(one["role"], one["content"]) for one in body["messages"]]
    form = body.get("response_format")
    schema = form["json_schema"]["schema"] if form else None
    return replied(model, messages, Decoding(seed=body["seed"], schema=schema))


def replied(model: Model, messages: list[Message], decoding: Decoding) -> Completion:
    """The stand-in's reply."""
    coroutine = model.generate(messages, decoding)
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("a scripted model never waits")


def chat(reply: Completion) -> dict[str, Any]:
    """A chat reply on the wire."""
    usage = {"prompt_tokens": reply.usage.prompt, "completion_tokens": reply.usage.completion}
    thought = {"reasoning_content": reply.reasoning} if reply.reasoning else {}
    message = {"role": "assistant", "content": reply.text, **thought}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}


def completions(body: dict[str, Any]) -> dict[str, Any]:
    """Completions of one token, after an echo of the prompt's tokens if that is asked for."""
    choices = []
    for i, prompt in enumerate(body["prompt"]):
        tokens = PIECE.findall(prompt) if body.get("echo") else []
        logprobs = [None if not j else logprob(tokens[:j], token) for j, token in enumerate(tokens)]
        new = [" new"] * body["max_tokens"]
        found = {"tokens": [*tokens, *new], "token_logprobs": [*logprobs, *(-1.0 for _ in new)]}
        choices.append({"index": i, "text": "".join([*tokens, *new]), "logprobs": found})
    read = sum(len(PIECE.findall(prompt)) for prompt in body["prompt"])
    usage = {"prompt_tokens": read, "completion_tokens": len(choices) * body["max_tokens"]}
    return {"choices": choices[::-1], "usage": usage}


def logprob(before: list[str], token: str) -> float:
    """A stand-in for the log-probability of ``token``: a number below 0 that depends on all text before it."""
    digest = blake2b("\x1f".join([*before, token]).encode(), digest_size=4).digest()
    return -1 - int.from_bytes(digest, "big") / 2**30


class Serving:
    """The server: what it was asked, how often, and how often it gave a whole reply."""

    def __init__(self, answer: Answer | None = None, rates: Rates = NONE, seed: int = 0) -> None:
        self.answer = answer or scripted()
        self.requests = 0
        self.useful = 0
        self.asked: list[Asked] | None = []
        self.url = ""
        self.connections = 0
        self.most_at_once = 0
        self._at_once = 0
        self._rates = rates
        self._rng = stream(seed, "serving")

    @property
    def open(self) -> int:
        """Connections that are not closed."""
        return len(self._tasks)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves on a free port until it is left."""
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=2**24)
        host, port = server.sockets[0].getsockname()
        self.url = f"http://{host}:{port}/v1"
        self._tasks: set[asyncio.Task[None]] = set()
        try:
            yield
        finally:
            server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while (asked := await read_request(reader)) is not None and await self._serve(
                asked, reader, writer
            ):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # A client that leaves, or the end of the server, ends only this connection.
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _serve(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers one request; whether the connection is kept."""
        kept = asked.headers.get("connection", "").lower() != "close"
        if asked.path == "/counts":
            writer.write(Reply({"requests": self.requests, "useful": self.useful}).encoded())
            return kept
        if self.asked is not None:
            self.asked.append(asked)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            reply = self._flawed(asked)
            if reply.wait:
                # Ends early when the client leaves: then there is an end of file to read.
                await asyncio.wait_for(reader.read(1), reply.wait)
                return False
        except TimeoutError:
            pass
        finally:
            self._at_once -= 1
        writer.write(reply.encoded())
        await writer.drain()
        return kept and not reply.cut

    def _flawed(self, asked: Asked) -> Reply:
        """The answer, unless a fault is due. Only calls of the model are counted and meet faults."""
        if asked.method != "POST":
            return self.answer(asked)
        self.requests += 1
        fault = self._rates.draw(self._rng)
        if fault == "throttled":
            after = self._rng.choice(["0", "0.05"])
            return Reply({"error": {"message": "slow down"}}, 429, {"retry-after": after})
        if fault == "failed":
            return Reply(
                b"<html>oops</html>", self._rng.choice([500, 502, 503]), {"content-type": "text/html"}
            )
        reply = self.answer(asked)
        if fault == "truncated":
            reply.cut = 1 + self._rng.randrange(20)
        elif fault == "hung":
            reply.wait = HUNG
        else:
            self.useful += reply.status == 200 and not reply.cut and not reply.wait
        return reply


def closing(model: Any, call: Callable[[], Awaitable[T]]) -> T:
    """What ``call`` returns; then the connections of ``model`` are closed."""

    async def closed() -> T:
        try:
            return await call()
        finally:
            await close(model)

    return asyncio.run(closed())


@contextmanager
def serving(answer: Answer | None = None, rates: Rates = NONE, seed: int = 0) -> Iterator[Serving]:
    """A server in a thread of this process."""
    server = Serving(answer, rates, seed)
    ready, done = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with server.running():
            ready.set()
            await done.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert ready.wait(30), "the test server does not start"
    try:
        yield server
    finally:
        loops[0].call_soon_threadsafe(done.set)
        thread.join(30)


async def read_request(reader: asyncio.StreamReader) -> Asked | None:
    """The next request of a connection; ``None`` at its end."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.rstrip().split("\r\n")
    method, path, _ = first.split(" ")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, path, headers, raw)


async def _main(seed: int, model: str | None) -> None:
    server = Serving(scripted(open_model(model)), NONE, seed) if model else Serving(rates=Rates(), seed=seed)
    server.asked = None
    async with server.running():
        print(server.url, flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", help="answers as this scripted model, and without flaws")
    arguments = parser.parse_args()
    asyncio.run(_main(arguments.seed, arguments.model))
