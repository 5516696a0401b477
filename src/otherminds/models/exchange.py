"""One HTTP/1.1 request on a connection of its own, and the reply to it.

HTTP/1.1 has no numbers for requests: a reply belongs to the request whose turn it is (RFC 9112, section 9.3.2). A server
that answers a request twice would so shift all later replies of its connection. Here a connection carries one request and
is closed, so that no later one can be met by what is left on it. Bytes beyond the reply say that the server, or
something before it, has lost count: then the reply is not trusted either. This needs the bytes behind a reply, which
httpx and httpcore keep to themselves; h11 parses, and this module opens and closes.
"""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

import h11
from msgspec import Struct

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx

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
