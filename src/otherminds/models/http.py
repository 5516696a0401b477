"""HTTP to a language-model server: one JSON request, one reply or a typed fault.

Every request ends in a reply of the form asked for, in a
:class:`~otherminds.core.errors.TransientError` (the same call may succeed later), or in a
:class:`~otherminds.models.faults.RefusedError` (it will not).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Usage
from otherminds.models.address import SERVICES, path_secrets, shown_url
from otherminds.models.billing import Counted, Meter, Unmetered, sent, was_served
from otherminds.models.faults import (
    MalformedError,
    RefusedError,
    credit_spent,
    key_refused,
    line,
    said,
    slip,
    wanted_wait,
)
from otherminds.models.hosts import origin
from otherminds.models.secrets import Secrets
from otherminds.models.streamed import join_stream

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx

T = TypeVar("T")

PASSING = frozenset({408, 409, 425, 429})
"""Transient statuses below 500."""
UNKNOWN = frozenset({404, 405, 501})
"""Statuses of a missing path."""
OPENING = 10.0
"""Timeout in seconds of each try to open a server."""
WAITS = (0.25, 1.0)
"""Seconds between the tries to open a server."""
MOST = 24 * 2**20
"""The most bytes of a reply; a usual one has some thousands."""
MANY = 500_000
"""The most commas in a reply, which bound the objects that it becomes: one of 24 MiB could have millions."""
ERROR = 64 * 2**10
"""Bytes that are read of an error."""
IRREGULAR = re.compile(rb"\\u[dD][89a-fA-F]|\b(?:NaN|Infinity)\b|\d[eE]\+?\d{3}")
"""Half of a character in an escape, or a number that JSON or a float lacks: models and servers may write one."""
HALF = re.compile("[\ud800-\udfff]")
IRREGULAR_MOST = 2**20
"""The most bytes of a reply with one of these, which takes longer to read."""
PLAIN = {"Accept-Encoding": "identity"}
"""No compression is asked for and none is read: a few kilobytes could become gigabytes."""


class Server:
    """One base URL, as the model ``spec`` uses it. ``key`` names the environment variable of the API key.

    ``spec`` is shown in errors. ``secrets`` masks the key, and the parts of the URL's path that may be secret.

    ``kind`` is that of the model: its service says which headers a request has.

    Connections stay open for the running event loop; all models of a server share them, with
    or without ``/v1`` in their base URLs. They also share the limit of concurrent calls, which
    the first to call sets. ``timeout``: seconds per call, without the wait for that limit.

    Raises:
        StudyError: the API key has characters that are invalid in HTTP headers.
    """

    def __init__(
        self, spec: str, base: str, key: str, timeout: float, concurrency: int, kind: str = "openai"
    ) -> None:
        self.spec = spec
        self.base = base
        self.root = base.removesuffix("/v1")
        self.timeout = timeout
        self.concurrency = concurrency
        self.meter: Meter = Unmetered()
        """Is told of each request, before and after."""
        self._proxied = not origin(base).local
        self._variable = key
        self._key = os.environ.get(key, "").strip()
        self.secrets = Secrets([self._key, *path_secrets(base)])
        if not (self._key.isascii() and self._key.isprintable()):
            raise StudyError(f"the API key in {key} has characters that no key has; set {key} again")
        service = SERVICES[kind]
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            **PLAIN,
            **service.fixed,
        }
        if self._key:
            self._headers[service.header] = service.scheme + self._key

    async def post(self, url: str, body: Mapping[str, Any], form: type[T]) -> T:
        """The reply to ``body``, as a ``form``. Its meter is paid for every request that was sent, whatever came of it.

        Raises:
            TransientError: no whole reply of that form in time, or the server is busy or broken.
            RefusedError: the server refuses.
            BudgetSpentError: the meter allows no more requests.
        """
        import httpx

        # ASCII, because models may write lone surrogates, which have no UTF-8.
        content = json.dumps(body).encode()
        connection = self._connection()
        async with connection.places:
            if connection.client.is_closed:
                raise TransientError(f"model {self.spec}: its connections were closed meanwhile")
            self.meter.check()
            asked = sent(len(content), body)
            used = asked.unanswered()
            try:
                status, headers, reply = await self._in_time(connection, url, content)
                if not was_served(status):
                    used = asked.not_served()
                answer = self.read(status, headers, reply, form)
                used = Usage()
                if isinstance(answer, Counted):
                    used = answer.usage = asked.answered(answer.stated(), len(reply), answer.said())
                return answer
            except (httpx.ConnectTimeout, httpx.PoolTimeout):
                used = Usage()
                raise self._late(self.timeout) from None
            except httpx.TimeoutException:
                raise self._late(self.timeout) from None
            except (httpx.ConnectError, httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
                used = Usage()
                raise TransientError(f"model {self.spec}: {self._reason(error)}") from None
            except (httpx.HTTPError, OSError) as error:
                raise TransientError(f"model {self.spec}: {self._reason(error)}") from None
            except RefusedError as error:
                used = error.usage = asked.not_served()
                raise
            finally:
                if used != Usage():
                    self.meter.pay(used)

    async def _in_time(
        self, connection: _Connection, url: str, content: bytes
    ) -> tuple[int, httpx.Headers, bytes]:
        """The result of :meth:`_sent`, in time.

        A late call is not cancelled, since that can lose a connection of the pool. It ends at
        its own timeout, or when the connections close.
        """
        call = asyncio.create_task(self._sent(connection.client, url, content))
        try:
            done, _ = await asyncio.wait({call}, timeout=self.timeout)
        except asyncio.CancelledError:
            connection.leave(call)
            call.cancel()
            await asyncio.wait({call})
            raise
        if not done:
            connection.leave(call)
            raise self._late(self.timeout)
        return call.result()

    async def _sent(
        self, client: httpx.AsyncClient, url: str, content: bytes
    ) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and body of the response."""
        until = time.monotonic() + self.timeout
        post = client.stream("POST", url, content=content, headers=self._headers, timeout=self.timeout)
        body = bytearray()
        async with post as reply:
            self._check_plain(reply.headers)
            async for piece in reply.aiter_raw():
                if time.monotonic() > until:
                    raise self._late(self.timeout)
                self._grow(body, piece)
                if len(body) > ERROR and not reply.is_success:
                    break
        return reply.status_code, reply.headers, bytes(body)

    def _check_plain(self, headers: Mapping[str, str]) -> None:
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise self.malformed("it is compressed, and no compression was asked for")

    def _grow(self, body: bytearray, piece: bytes) -> None:
        if len(body) + len(piece) > MOST:
            raise self.malformed(f"more than {MOST} bytes")
        body += piece

    def _late(self, seconds: float) -> TransientError:
        return TransientError(f"model {self.spec}: no answer within {seconds:g} s")

    def get(self, url: str, form: type[T]) -> T | None:
        """The document at ``url``, with a few blocking tries; ``None`` if it has another form.

        Raises:
            ProviderError: the server cannot be reached, stays broken, or refuses the key.
        """
        import httpx

        last: ProviderError | None = None
        for wait in (*WAITS, None):
            try:
                return self.read(*self._got(url, min(self.timeout, OPENING)), form)
            except RefusedError as error:
                if error.about_key:
                    raise
                return None
            except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
                last = ProviderError(
                    f"model {self.spec}: cannot reach {shown_url(self.base)}: {self._reason(error)}; is the server running there?"
                )
            except MalformedError:
                return None
            except TransientError as error:
                last = ProviderError(f"{error}; try again when the server is well")
            if wait is not None:
                time.sleep(wait)
        assert last is not None
        raise last

    def _got(self, url: str, seconds: float) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and body at ``url``; ``seconds`` is the timeout of each read and of the body."""
        import httpx

        until = time.monotonic() + seconds
        body = bytearray()
        with (
            httpx.Client(timeout=seconds, verify=trusted(), trust_env=self._proxied) as client,
            client.stream("GET", url, headers=self._headers) as reply,
        ):
            self._check_plain(reply.headers)
            for piece in reply.iter_raw():
                if time.monotonic() > until:
                    raise self._late(seconds)
                self._grow(body, piece)
                if len(body) > ERROR and not reply.is_success:
                    break
        return reply.status_code, reply.headers, bytes(body)

    def read(self, status: int, headers: Mapping[str, str], body: bytes, form: type[T]) -> T:
        """The reply in a response; raises as :meth:`post` does, and nothing else."""
        if not 200 <= status < 300:
            raise self._fault(status, headers, body[:ERROR])
        if body.count(b",") > MANY:
            raise self.malformed(f"more than {MANY} values")
        body = body.removeprefix(BOM_UTF8)
        try:
            body = join_stream(body) or body
            try:
                return msgspec.json.decode(body, type=form)
            except msgspec.DecodeError:
                if len(body) > IRREGULAR_MOST or IRREGULAR.search(body) is None:
                    raise
                return msgspec.convert(
                    json.loads(body, object_pairs_hook=_whole, parse_constant=_no_value), form
                )
        except (ValueError, RecursionError) as error:
            if (status_meant := slip(body)) is not None:
                raise self._fault(status_meant, headers, body[:ERROR]) from None
            raise self.malformed(self._line(str(error))) from None

    def refused(self, why: str) -> ProviderError:
        return ProviderError(f"model {self.spec}: {why}")

    def malformed(self, why: str) -> TransientError:
        return MalformedError(f"model {self.spec}: a malformed reply: {why}")

    @property
    def finding(self) -> asyncio.Lock:
        """A lock for probing what the server offers."""
        return self._connection().finding

    async def close(self) -> None:
        """Closes the connections of the running event loop, unless another model uses them."""
        place = (asyncio.get_running_loop(), self.root)
        connection = _open.get(place)
        if connection is None:
            return
        connection.users.discard(self)
        if not connection.users:
            del _open[place]
            await connection.close()

    def _connection(self) -> _Connection:
        place = (asyncio.get_running_loop(), self.root)
        connection = _open.get(place)
        if connection is None:
            for gone in [other for other in _open if other[0].is_closed()]:
                del _open[gone]
            connection = _open[place] = _Connection(self.concurrency, self._proxied)
        connection.users.add(self)
        return connection

    def _fault(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        words = self._line(said(body))
        text = f"model {self.spec}: HTTP {status}" + (f": {words}" if words else "")
        if (status in PASSING and not credit_spent(status, body)) or (
            status >= 500 and status not in UNKNOWN
        ):
            return TransientError(text, wanted_wait(headers, body))
        return RefusedError(text + self._mend(status, headers, body), status, body)

    def _line(self, text: str) -> str:
        """``text`` of the server as one short line without secrets, which are masked before anything is cut."""
        return line(self.secrets.masked(text))

    def _reason(self, error: Exception) -> str:
        return self._line(str(error)) or type(error).__name__

    def _mend(self, status: int, headers: Mapping[str, str], body: bytes) -> str:
        if credit_spent(status, body):
            return "; the account has no credit left: add some, then run the study with --retry-failed"
        if key_refused(status, body):
            state = "set" if self._key else "not set"
            return f"; {self._variable}, the environment variable of the API key, is {state}: check it"
        if status in UNKNOWN:
            return f"; check the model's name and the base URL {shown_url(self.base)} (many end in /v1)"
        if 300 <= status < 400:
            return f"; it sends elsewhere ({self._line(shown_url(headers.get('location', '')))}): name that server itself"
        return ""


def trusted() -> SSLContext:
    """The certificates that connections trust, for httpx; ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` name others than the usual.

    They are read once: reading them takes longer than many calls.
    """
    return _trusted(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _trusted(file: str | None, folder: str | None) -> SSLContext:
    import httpx

    return httpx.create_ssl_context()


def _no_value(_: str) -> None:
    """Stands for NaN and infinities: where a number is needed, the reply is malformed."""


def _whole(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose texts have no lone surrogates; each becomes U+FFFD."""

    def mended(value: Any) -> Any:
        if isinstance(value, str):
            return HALF.sub("\ufffd", value)
        return [mended(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value

    return {mended(name): mended(value) for name, value in pairs}


class _Connection:
    """The shared connections of one server in one event loop. ``left``: calls that nobody awaits.

    ``proxied``: whether the proxies in the user's environment are used. To this machine they are not: a proxy would send
    the request, with its key, to a machine of its own.
    """

    def __init__(self, concurrency: int, proxied: bool) -> None:
        import httpx

        unlimited = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self.client: httpx.AsyncClient = httpx.AsyncClient(
            timeout=None, limits=unlimited, verify=trusted(), trust_env=proxied
        )
        self.places = asyncio.Semaphore(concurrency)
        self.finding = asyncio.Lock()
        self.users: set[Server] = set()
        self.left: set[asyncio.Task[Any]] = set()

    def leave(self, call: asyncio.Task[Any]) -> None:
        self.left.add(call)
        call.add_done_callback(self._ended)

    def _ended(self, call: asyncio.Task[Any]) -> None:
        self.left.discard(call)
        if not call.cancelled():
            call.exception()

    async def close(self) -> None:
        """Closes the connections, then cancels the remaining calls."""
        await self.client.aclose()
        for call in self.left:
            call.cancel()
        if self.left:
            await asyncio.wait(self.left)


_open: dict[tuple[asyncio.AbstractEventLoop, str], _Connection] = {}
