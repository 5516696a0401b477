"""What every request passes before a page sees it: whom the server answers, how much it reads, and what browsers may do.

The server listens on the loopback address. A page of another site that the user has open can still send requests to it, so the name of
the host must be one of the server's own (against DNS rebinding), and a request that changes something must come from a page
of the server (against cross-site forgery). Answers forbid everything that the pages do not need.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 32_768
"""Bytes that a request may send."""
PATIENCE = 10.0
"""Seconds that a request may take to send them."""
RATE, BURST = 50.0, 200
"""Requests a second that one client, or the holders of one link, may send on average, and at once."""
MOST_CLIENTS = 10_000
"""Clients and links whose requests are counted; with more, the count begins again."""
SECURITY = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'self'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    # Not "no-referrer": with it, browsers send forms of the server's own pages with the origin "null".
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer that does not set its own."""


class Guard:
    """An ASGI application around another one. ``origins`` are the addresses under which browsers reach the server.

    An origin is ``http://127.0.0.1:8000``, or behind a proxy ``https://study.example.org``. Requests are counted by the address that they
    come from; ``is_link`` says which paths only the holder of a link can know, whose requests are counted by the path, since people may share an address.
    """

    def __init__(
        self, app: ASGIApp, origins: Collection[str], is_link: Callable[[str], bool] = lambda path: False
    ) -> None:
        self._app, self._is_link = app, is_link
        self._origins = {origin.rstrip("/").lower() for origin in origins}
        self._hosts = {urlsplit(origin).netloc for origin in self._origins}
        self._allowances: dict[str, tuple[float, float]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._find_refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _protect(send))
            return
        try:
            body = await asyncio.wait_for(_read_body(receive), PATIENCE)
        except TimeoutError:
            body = None
        if body is None:
            answer = PlainTextResponse("The request is too long, or took too long.\n", 413)
            await answer(scope, receive, _protect(send))
            return
        await self._app(scope, _replay(body, receive), _protect(send))

    def _find_refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        if headers.get("host", "").lower() not in self._hosts:
            return PlainTextResponse("This server has another name.\n", 421)
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return PlainTextResponse("Only GET and POST are answered.\n", 405, {"allow": "GET, HEAD, POST"})
        if scope["method"] == "POST" and headers.get("origin", "").lower() not in self._origins:
            return PlainTextResponse("The request comes from a page of another site.\n", 403)
        path = scope["path"]
        if not self._is_allowed(
            path if self._is_link(path) else scope["client"][0] if scope["client"] else ""
        ):
            return PlainTextResponse("Too many requests; wait a moment.\n", 429, {"retry-after": "2"})
        return None

    def _is_allowed(self, client: str) -> bool:
        """Takes one of the client's requests from its allowance, which fills with :data:`RATE`."""
        now = time.monotonic()
        if len(self._allowances) > MOST_CLIENTS:
            self._allowances.clear()
        left, before = self._allowances.get(client, (float(BURST), now))
        left = min(float(BURST), left + (now - before) * RATE)
        self._allowances[client] = (max(0.0, left - 1), now)
        return left >= 1


async def _read_body(receive: Receive) -> bytes | None:
    """The whole body, or ``None`` if it is longer than :data:`LARGEST_BODY`."""
    body = b""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            return None
        if not message.get("more_body", False):
            return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """A ``receive`` that gives the body that was read, and then waits for what comes."""
    unread = [body]

    async def receive_again() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return receive_again


def _protect(send: Send) -> Send:
    """A ``send`` that adds the headers in :data:`SECURITY`."""

    async def send_protected(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY.items():
                headers.setdefault(name, value)
        await send(message)

    return send_protected
