"""HTTP to a language-model server: one JSON request, one reply or a typed fault.

Whatever a server does ends in one of three ways: a reply of the form asked for,
a :class:`~otherminds.core.errors.TransientError` (the same call may do better),
or a :class:`RefusedError` (it will not).
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct

from otherminds.core.errors import ProviderError, StudyError, TransientError

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 that the same call may not meet again."""

UNKNOWN = frozenset({404, 405, 501})
"""Statuses that say that a server has no such path."""

OPENING = 10.0
"""Seconds that a server has to answer when it is opened, for each try."""

WAITS = (0.25, 1.0)
"""Seconds between the tries to open a server."""

LONGEST = 200
"""Characters kept of what a server says about an error."""


class RefusedError(ProviderError):
    """A server answered that it will not do what it was asked for, with this HTTP ``status``."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class Server:
    """One base URL, as the model ``spec`` uses it. ``key`` names the environment variable of the API key.

    Connections are kept open for the running event loop, and shared by all
    models of that base URL; so is the number of calls in flight, which the first
    of them to call sets. ``timeout``: seconds that a reply may be silent, and take.

    Raises:
        StudyError: the API key has characters that no HTTP header can carry.
    """

    def __init__(self, spec: str, base: str, key: str, timeout: float, concurrency: int) -> None:
        self.spec = spec
        self.base = base
        self.root = base.removesuffix("/v1")
        self.timeout = timeout
        self.concurrency = concurrency
        self._variable = key
        self._key = os.environ.get(key, "").strip()
        if not (self._key.isascii() and self._key.isprintable()):
            raise StudyError(f"the API key in {key} has characters that no key has; set {key} again")
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            self._headers["Authorization"] = f"Bearer {self._key}"

    async def post(self, url: str, body: Mapping[str, Any], form: type[T]) -> T:
        """The reply to ``body``, as a ``form``.

        Raises:
            TransientError: no whole reply of that form in time, or the server is busy or broken.
            RefusedError: the server refuses.
        """
        import httpx

        # Written in ASCII: halves of surrogate pairs, which a model may write, have no UTF-8.
        content = json.dumps(body).encode()
        connection = self._connection()
        async with connection.places:
            if connection.client.is_closed:
                raise TransientError(f"model {self.spec}: its connections were closed meanwhile")
            try:
                status, headers, reply = await self._sent(connection.client, url, content)
            except httpx.TimeoutException:
                raise self._late() from None
            except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
                raise TransientError(f"model {self.spec}: {_reason(error)}") from None
        return self.read(status, headers, reply, form)

    async def _sent(
        self, client: httpx.AsyncClient, url: str, content: bytes
    ) -> tuple[int, httpx.Headers, bytes]:
        """Status, headers and body of the response.

        The client's own time-outs bound each silence, and the clock a body that
        drips: a client that is cancelled from outside can lose a connection.
        """
        clock = asyncio.get_running_loop().time
        until = clock() + self.timeout
        post = client.stream("POST", url, content=content, headers=self._headers, timeout=self.timeout)
        body = bytearray()
        async with post as reply:
            async for piece in reply.aiter_bytes():
                if clock() > until:
                    raise self._late()
                body += piece
        return reply.status_code, reply.headers, bytes(body)

    def _late(self) -> TransientError:
        return TransientError(f"model {self.spec}: no answer within {self.timeout:g} s")

    def get(self, url: str, form: type[T]) -> T | None:
        """What stands at ``url``, asked for at once, a few times if need be; ``None`` if nothing of that form.

        Raises:
            ProviderError: the server cannot be reached, stays broken, or refuses the key.
        """
        import httpx

        last: ProviderError | None = None
        for wait in (*WAITS, None):
            try:
                with httpx.Client(timeout=min(self.timeout, OPENING)) as client:
                    reply = client.get(url, headers=self._headers)
                return self.read(reply.status_code, reply.headers, reply.content, form)
            except RefusedError as error:
                if error.status in (401, 403):
                    raise
                return None
            except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
                last = ProviderError(
                    f"model {self.spec}: cannot reach {self.base}: {_reason(error)}; is the server running there?"
                )
            except MalformedError:
                return None
            except TransientError as error:
                last = ProviderError(f"{error}; try again when the server is well")
            if wait is not None:
                time.sleep(wait)
        assert last is not None
        raise last

    def read(self, status: int, headers: Mapping[str, str], body: bytes, form: type[T]) -> T:
        """The reply in a response; raises as :meth:`post` does, and nothing else."""
        if not 200 <= status < 300:
            raise self._fault(status, headers, body)
        try:
            return msgspec.json.decode(body, type=form)
        except (ValueError, RecursionError) as error:
            if (slip := _slip(body)) is not None:
                raise self._fault(slip, headers, body) from None
            raise MalformedError(f"model {self.spec}: a malformed reply: {_line(str(error))}") from None

    def refused(self, why: str) -> ProviderError:
        """The model cannot do what it is asked for."""
        return ProviderError(f"model {self.spec}: {why}")

    def malformed(self, why: str) -> TransientError:
        """A reply was not what the server gives otherwise."""
        return MalformedError(f"model {self.spec}: a malformed reply: {why}")

    @property
    def finding(self) -> asyncio.Lock:
        """Held while it is found out what the server can do."""
        return self._connection().finding

    async def close(self) -> None:
        """Closes the connections of the running event loop, unless another model uses them."""
        place = (asyncio.get_running_loop(), self.base)
        connection = _open.get(place)
        if connection is None:
            return
        connection.users.discard(self)
        if not connection.users:
            del _open[place]
            await connection.client.aclose()

    def _connection(self) -> _Connection:
        place = (asyncio.get_running_loop(), self.base)
        connection = _open.get(place)
        if connection is None:
            for loop, base in [other for other in _open if other[0].is_closed()]:
                del _open[loop, base]
            connection = _open[place] = _Connection(self.concurrency)
        connection.users.add(self)
        return connection

    def _fault(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        said = _said(body.replace(self._key.encode(), b"***") if self._key else body)
        text = f"model {self.spec}: HTTP {status}" + (f": {said}" if said else "")
        if status in PASSING or (status >= 500 and status not in UNKNOWN):
            return TransientError(text, wanted_wait(headers))
        return RefusedError(text + self._mend(status, headers), status)

    def _mend(self, status: int, headers: Mapping[str, str]) -> str:
        if status in (401, 403):
            state = "set" if self._key else "not set"
            return f"; {self._variable}, the environment variable of the API key, is {state}: check it"
        if status in UNKNOWN:
            return f"; check the model's name and the base URL {self.base} (many end in /v1)"
        if 300 <= status < 400:
            return f"; it sends elsewhere ({_line(headers.get('location', ''))}): name that server itself"
        return ""


class MalformedError(TransientError):
    """A reply came whole, and is not what it should be."""


class _Connection:
    """What the models of one base URL share in one event loop."""

    def __init__(self, concurrency: int) -> None:
        import httpx

        unlimited = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        self.client: httpx.AsyncClient = httpx.AsyncClient(timeout=None, limits=unlimited)
        self.places = asyncio.Semaphore(concurrency)
        self.finding = asyncio.Lock()
        self.users: set[Server] = set()


_open: dict[tuple[asyncio.AbstractEventLoop, str], _Connection] = {}


def wanted_wait(headers: Mapping[str, str]) -> float | None:
    """The seconds that a server asks to wait: ``retry-after-ms``, or ``retry-after`` as seconds or a date.

    ``headers`` have names in lower case, or do not care.

    >>> wanted_wait({"retry-after": "1.5"})
    1.5
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "nan")) * unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(seconds, 0.0)
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((date - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


class _Error(Struct):
    message: str | None = None
    code: Any = None


class _Fault(Struct):
    """How servers say what is wrong: OpenAI's ``error.message`` and its relatives."""

    error: _Error | str | None = None
    message: Any = None
    detail: Any = None


def _said(body: bytes) -> str:
    """What a server says about an error: one printable line, shortened."""
    try:
        fault = msgspec.json.decode(body, type=_Fault)
    except (ValueError, RecursionError):
        return _line(body[: 4 * LONGEST].decode(errors="replace"))
    if isinstance(fault.error, _Error) and fault.error.message:
        return _line(fault.error.message)
    said = fault.error if isinstance(fault.error, str) else fault.message or fault.detail
    return _line(said if isinstance(said, str) else body[: 4 * LONGEST].decode(errors="replace"))


def _slip(body: bytes) -> int | None:
    """The status of an error that was sent under a status of success, as some routers do."""
    try:
        fault = msgspec.json.decode(body, type=_Fault)
    except (ValueError, RecursionError):
        return None
    if not fault.error:
        return None
    code = fault.error.code if isinstance(fault.error, _Error) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def _line(text: str) -> str:
    """``text`` as one printable line, shortened."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _reason(error: Exception) -> str:
    return _line(str(error)) or type(error).__name__
