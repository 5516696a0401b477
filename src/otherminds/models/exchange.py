"""One HTTP/1.1 request on a connection of its own, and the reply to it, also where it comes as a stream of events.

HTTP/1.1 has no numbers for requests: a reply belongs to the request whose turn it is (RFC 9112, section 9.3.2). A server
that answers a request twice would so shift all later replies of its connection. Here a connection carries one request and
is closed, so that no later one can be met by what is left on it. Bytes beyond the reply say that the server, or
something before it, has lost count: then the reply is not trusted either. This needs the bytes behind a reply, which
httpx and httpcore keep to themselves; h11 parses, and this module opens and closes.

A stream of events that a server sends although none was asked for is read as the one reply that they are pieces of.

The form of events: https://html.spec.whatwg.org/multipage/server-sent-events.html; that of the pieces:
https://platform.openai.com/docs/api-reference/chat-streaming."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

import h11
import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx


STARTS = (b"data:", b"event:", b"id:", b"retry:", b":")
"""How a line of a stream begins; no JSON document begins so."""
TEXTS = ("content", "reasoning_content", "reasoning", "refusal")
"""Fields of a piece whose texts are joined."""


class FunctionDelta(Struct):
    """A piece of a tool call: its name comes once, its arguments in parts."""

    name: str | None = None
    arguments: str | None = None


class ToolCallDelta(Struct):
    """A piece of the tool call at place ``index``."""

    index: int = 0
    function: FunctionDelta | None = None


class Delta(Struct):
    """A piece of a message."""

    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[ToolCallDelta] | None = None
    function_call: FunctionDelta | None = None


class ChoiceDelta(Struct):
    """A piece of the choice at place ``index``."""

    index: int = 0
    delta: Delta | None = None
    finish_reason: str | None = None


class StreamEvent(Struct):
    """One event; the last ones may have the usage alone. An error may come in the midst of a reply."""

    choices: list[ChoiceDelta] | None = None
    usage: Any = None
    error: Any = None


def join_stream(body: bytes) -> bytes | None:
    """The chat reply that a stream of events is pieces of, as JSON; ``None`` if ``body`` is no stream.

    Only the first choice is joined. An error in the stream is the reply.

    >>> join_stream(b'data: {"choices": [{"delta": {"content": "J"}}]}\\n\\ndata: [DONE]\\n\\n')
    b'{"choices":[{"message":{"content":"J","tool_calls":[]},"finish_reason":null}],"usage":null}'

    Raises:
        ValueError: a stream of another form, or one that ends before its reply does.
    """
    if not body.lstrip().startswith(STARTS):
        return None
    texts: dict[str, str] = {}
    tools: dict[int, FunctionDelta] = {}
    finish: str | None = None
    usage: Any = None
    ended = begun = False
    for line in body.splitlines():
        field, _, data = line.partition(b":")
        if field.strip() != b"data":
            continue
        if (data := data.strip()) == b"[DONE]":
            ended = True
            continue
        event = msgspec.json.decode(data, type=StreamEvent)
        if event.error:
            return msgspec.json.encode({"error": event.error})
        usage = event.usage or usage
        for piece in event.choices or ():
            if piece.index:
                continue
            begun = True
            finish = piece.finish_reason or finish
            delta = piece.delta or Delta()
            for name in TEXTS:
                if text := getattr(delta, name):
                    texts[name] = texts.get(name, "") + text
            calls = [(tool.index, tool.function) for tool in delta.tool_calls or ()]
            for index, function in (*calls, (-1, delta.function_call)):
                if function is not None:
                    before = tools.setdefault(index, FunctionDelta("", ""))
                    before.name = (before.name or "") + (function.name or "")
                    before.arguments = (before.arguments or "") + (function.arguments or "")
    if not begun:
        raise ValueError("it is a stream of events of an unknown form, and none was asked for")
    if not ended and finish is None:
        raise ValueError("it is a stream of events, which was not asked for and ends before its reply does")
    message = {**texts, "tool_calls": [{"function": tools[index]} for index in sorted(tools)]}
    return msgspec.json.encode({"choices": [{"message": message, "finish_reason": finish}], "usage": usage})


PIECE = 64 * 2**10
"""Bytes that are read at a time."""
HEAD = 100 * 2**10
"""The most bytes of the head of a reply."""
PROMISES = 32
"""The most interim replies (HTTP 1xx) before one."""
LINGER = 0.1
"""Seconds for which a reply waits for the end of its connection, which the server was asked for, or for surplus."""
STAGGER = 0.25
"""Seconds between the addresses of a host that are tried (RFC 8305)."""
PORTS = {"http": 80, "https": 443}


class BadReplyError(Exception):
    """The reply is not one that was asked for."""


class HttpReply(Struct, frozen=True):
    """A reply; names of headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Connection:
    """A connection for one request, whose path is ``target``, with the headers ``fixed``."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        target: bytes,
        fixed: Mapping[str, str],
    ) -> None:
        self._reader, self._writer = reader, writer
        self._target, self._fixed = target, fixed

    def close(self) -> None:
        """Closes it at once; a reply that is awaited is lost."""
        # Everything is read, or not wanted: nobody waits for the other side to agree that this is the end.
        self._writer.transport.abort()

    async def post(
        self, headers: Mapping[str, str], content: bytes, most: int, most_of_error: int
    ) -> HttpReply:
        """The reply to ``content``; no more than ``most_of_error`` bytes are read of one without success.

        Raises:
            BadReplyError: it is longer than ``most`` bytes, it is compressed, it is no HTTP/1.1, or more follows it.
            OSError: the connection breaks.
        """
        sent = {
            **self._fixed,
            **headers,
            "Content-Length": str(len(content)),
            "User-Agent": "otherminds",
            "Connection": "close",
        }
        machine = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD)
        head = h11.Request(method=b"POST", target=self._target, headers=list(sent.items()))
        parts = (machine.send(event) or b"" for event in (head, h11.Data(content), h11.EndOfMessage()))
        self._writer.write(b"".join(parts))
        status, fields, body = 0, dict[str, str](), bytearray()
        async for event in _read_events(self._reader, machine):
            if isinstance(event, h11.Response):
                status = event.status_code
                fields = {name.decode("latin-1"): value.decode("latin-1") for name, value in event.headers}
                if fields.get("content-encoding", "").strip().lower() not in ("", "identity"):
                    raise BadReplyError("it is compressed, and no compression was asked for")
            elif isinstance(event, h11.Data):
                if len(body) + len(event.data) > most:
                    raise BadReplyError(f"more than {most} bytes")
                body += event.data
                if len(body) > most_of_error and not 200 <= status < 300:
                    return HttpReply(status, fields, bytes(body))
        await self._check_end(machine.trailing_data[0])
        return HttpReply(status, fields, bytes(body))

    async def _check_end(self, surplus: bytes) -> None:
        """Checks that nothing but blanks follows a reply."""
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(LINGER):
                while not surplus.strip() and (piece := await self._reader.read(PIECE)):
                    surplus = piece
        if surplus.strip():
            raise BadReplyError("more bytes follow it, so that it may be the reply to another request")


async def _read_events(reader: asyncio.StreamReader, machine: h11.Connection) -> AsyncIterator[h11.Event]:
    """The parts of a reply up to its end."""
    promises, ended = 0, False
    while True:
        try:
            event = machine.next_event()
        except h11.RemoteProtocolError as error:
            if ended:
                raise ConnectionResetError(
                    f"the server closed the connection in its reply: {error}"
                ) from None
            raise BadReplyError(f"it is no HTTP/1.1: {error}") from None
        if event is h11.NEED_DATA:
            piece = await reader.read(PIECE)
            ended = not piece
            if ended and machine.their_state is h11.SEND_RESPONSE:
                raise ConnectionResetError("the server closed the connection without a reply")
            machine.receive_data(piece)
            continue
        if isinstance(event, h11.EndOfMessage | h11.ConnectionClosed) or event is h11.PAUSED:
            return
        promises += isinstance(event, h11.InformationalResponse)
        if promises > PROMISES:
            raise BadReplyError(f"more than {PROMISES} interim replies")
        assert not isinstance(event, type)
        yield event


@asynccontextmanager
async def open_connection(url: str, trusted: SSLContext, *, proxied: bool) -> AsyncIterator[Connection]:
    """A connection for one request to ``url``, closed at the end; with ``proxied`` through the environment's proxy, if any.

    Raises:
        OSError: it cannot be opened.
        httpx.InvalidURL: ``url`` is none.
    """
    import httpx

    place = httpx.URL(url)
    if place.scheme not in PORTS or not place.host:
        raise httpx.InvalidURL(f"{place.scheme or 'it'} is no address of a server")
    through = _find_proxy(place) if proxied else None
    reader, writer = await _connect(through or place, trusted)
    connection = Connection(reader, writer, place.raw_path, {"Host": place.netloc.decode()})
    try:
        if through is not None and place.scheme == "https":
            await _open_tunnel(reader, writer, place, through)
            await writer.start_tls(trusted, server_hostname=place.raw_host.decode())
        elif through is not None:
            connection = Connection(
                reader, writer, str(place).encode(), {"Host": place.netloc.decode(), **_login_header(through)}
            )
        yield connection
    finally:
        connection.close()


async def _connect(
    place: httpx.URL, trusted: SSLContext
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host = place.raw_host.decode()
    secure = place.scheme == "https"
    return await asyncio.open_connection(
        host,
        place.port or PORTS[place.scheme],
        limit=PIECE,
        ssl=trusted if secure else None,
        server_hostname=host if secure else None,
        happy_eyeballs_delay=None if _is_number(host) else STAGGER,
    )


def _is_number(host: str) -> bool:
    """Whether ``host`` is an address, so that there is no other one to try."""
    return ":" in host or host.replace(".", "").isdecimal()


async def _open_tunnel(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, place: httpx.URL, proxy: httpx.URL
) -> None:
    """Has ``proxy`` connect to ``place``."""
    machine = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEAD)
    host = place.raw_host.decode()
    goal = f"{f'[{host}]' if ':' in host else host}:{place.port or PORTS[place.scheme]}"
    request = h11.Request(
        method=b"CONNECT", target=goal.encode(), headers=list({"Host": goal, **_login_header(proxy)}.items())
    )
    writer.write((machine.send(request) or b"") + (machine.send(h11.EndOfMessage()) or b""))
    async for event in _read_events(reader, machine):
        if isinstance(event, h11.Response) and not 200 <= event.status_code < 300:
            raise ConnectionRefusedError(f"the proxy refuses with HTTP {event.status_code}")
    if machine.trailing_data[0]:
        raise ConnectionRefusedError("the proxy speaks before it is asked")


def _find_proxy(place: httpx.URL) -> httpx.URL | None:
    """The proxy that the environment names for ``place``."""
    import httpx

    proxies = getproxies()
    proxy = proxies.get(place.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(place.host):
        return None
    address = httpx.URL(proxy if "://" in proxy else f"http://{proxy}")
    if address.scheme not in PORTS:
        raise ConnectionRefusedError(f"a proxy by {address.scheme} is not supported; name one by http")
    return address


def _login_header(proxy: httpx.URL) -> dict[str, str]:
    """The header with the name and the password in the URL of a proxy."""
    if not proxy.userinfo:
        return {}
    words = unquote(proxy.userinfo.decode()).encode()
    return {"Proxy-Authorization": f"Basic {b64encode(words).decode()}"}
