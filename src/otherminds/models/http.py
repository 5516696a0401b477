"""HTTP to a language-model server: one JSON request, one reply or a typed fault; and what models on a server share.

Every request ends in a reply of the form asked for, in a
:class:`~otherminds.core.errors.TransientError` (the same call may succeed later), or in a
:class:`~otherminds.models.faults.RefusedError` (it will not).

A server may repeat a key in an error or in a reply, as it is or escaped: as JSON, HTML and URLs escape characters,
several times over, in base64 or in hexadecimal digits, and with invisible characters between. All of these
are masked before a text reaches an error, a record or a terminal."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from base64 import b64encode
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from html.entities import html5
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import h11
import msgspec
from msgspec.structs import replace

from otherminds.core.disk import check_file
from otherminds.core.errors import ProviderError, StudyError, TransientError
from otherminds.core.model import Completion, ToolCall, Usage
from otherminds.core.text import UNSEEN
from otherminds.models.exchange import BadReplyError, Connection, join_stream, open_connection
from otherminds.models.faults import (
    MalformedError,
    RefusedError,
    credit_spent,
    error_message,
    key_refused,
    line,
    slip,
    wanted_wait,
)
from otherminds.models.hosts import (
    SERVICES,
    Hosts,
    Options,
    allowed_hosts,
    locate_model,
    origin,
    path_secrets,
    shown_url,
)
from otherminds.models.wrapper import CountedReply, Meter, NoMeter, sent, was_served

if TYPE_CHECKING:
    from ssl import SSLContext

    import httpx


MASK = "***"
LONG = 12
"""Characters from which a secret with a digit is masked in replies too; a shorter one may be a word of a reply."""
GAP = rf"(?:[\s{UNSEEN}]|\\{{1,8}}(?:u(?:00ad|200[b-f]|202[a-e]|206[0-9a-f]|feff)|[nrt]))*+"
"""What may be between the characters of a secret: white space, invisible characters, and escapes of them."""
HEX_GAP = rf"(?:{GAP}[:-]?{GAP}(?:0x|\\x)?)"
"""What may be between two bytes in hexadecimal digits: also a colon, a hyphen or a prefix."""
SHORT = 4
"""Characters from which a secret is also masked in base64 and in hexadecimal digits."""
LEFT = (0, 2, 3)
"""Digits of base64 that depend on what precedes, by the number of its bytes beyond a multiple of three."""
ALPHABETS = {"+": "(?:[+-]|%2b)", "/": "(?:[/_]|%2f)"}
"""The digits of base64 that differ between its two alphabets."""
ENTITIES: dict[str, list[str]] = {}
for _name, _char in html5.items():
    ENTITIES.setdefault(_char, []).append(_name.removesuffix(";"))


class Secrets:
    """Some secret texts; empty ones are left out."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = sorted({secret for secret in secrets if secret}, key=len, reverse=True)

    def masked(self, text: str) -> str:
        r"""``text`` of an error, with every secret masked.

        >>> Secrets(["sk-4711"]).masked("no key sk\\u002d4711, nor c2stNDcxMQ==")
        'no key ***, nor ***Q=='
        """
        return self._every.sub(MASK, text) if self._secrets else text

    def masked_reply(self, text: str) -> str:
        """``text`` of a model, with those secrets masked that have a digit and :data:`LONG` characters or more."""
        return self._in_replies.sub(MASK, text) if self._long else text

    @property
    def _long(self) -> list[str]:
        return [secret for secret in self._secrets if len(secret) >= LONG and re.search(r"\d", secret)]

    @cached_property
    def _every(self) -> re.Pattern[str]:
        return _pattern(self._secrets)

    @cached_property
    def _in_replies(self) -> re.Pattern[str]:
        return _pattern(self._long)


def _pattern(secrets: Sequence[str]) -> re.Pattern[str]:
    """What matches any of ``secrets`` in any form. Every repetition is bounded or possessive: time is linear."""
    forms = [GAP.join(map(_character_forms, secret)) for secret in secrets]
    for secret in secrets:
        if len(secret) >= SHORT:
            forms += [HEX_GAP.join(f"{byte:02x}" for byte in secret.encode()), *_base64(secret)]
    return re.compile("|".join(forms), re.IGNORECASE)


def _character_forms(char: str) -> str:
    """Every form of one character."""
    code = ord(char)
    names = "|".join(map(re.escape, sorted(ENTITIES.get(char, ()), key=len, reverse=True)))
    entity = rf"#0{{0,6}}{code}|#x0{{0,6}}{code:x}" + (f"|{names}" if names else "")
    escape = rf"u00{code:02x}|u\{{0{{0,6}}{code:x}\}}|x{code:02x}|{code:03o}|{re.escape(char)}"
    return rf"(?:{re.escape(char)}|\\{{1,8}}(?:{escape})|%(?:25){{0,4}}{code:02x}|&(?:amp;){{0,4}}(?:{entity});?)"


def _base64(secret: str) -> list[str]:
    """What base64 makes of ``secret`` at each of the three places where it may begin, in both alphabets."""
    encodings: list[str] = []
    for before in range(3):
        padded = b"\0" * before + secret.encode()
        digits = b64encode(padded).decode().rstrip("=")
        behind = len(padded) % 3
        body = digits[LEFT[before] : len(digits) - (1 if behind else 0)]
        encodings.append(GAP.join(ALPHABETS.get(digit, digit) for digit in body))
    return encodings


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

    Each request has a connection of its own (:mod:`otherminds.models.exchange`). All models of a server, with or
    without ``/v1`` in their base URLs, share the limit of concurrent calls in the running event loop, which the first to
    call sets. ``timeout``: seconds per call, without the wait for that limit.

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
        self.meter: Meter = NoMeter()
        """Is told of each request, before and after."""
        # No proxy reaches this machine: it would have the request, with its key, and look for the server on its own.
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
            StudyError: the certificates that the environment names cannot be read.
        """
        import httpx

        # ASCII, because models may write lone surrogates, which have no UTF-8.
        content = json.dumps(body).encode()
        size = sent(len(content), body)
        shared = self._shared_connections()
        async with shared.places:
            if shared.closed:
                raise TransientError(f"model {self.spec}: its connections were closed meanwhile")
            self.meter.check()
            charge: Usage | None = None
            reservation: int | None = None
            try:
                async with (
                    asyncio.timeout(self.timeout),
                    open_connection(url, trusted_certificates(), proxied=self._proxied) as connection,
                ):
                    with shared.using(connection):
                        reservation = self.meter.reserve(size.unanswered())
                        charge = size.unanswered()
                        reply = await connection.post(self._headers, content, MOST, ERROR)
                if not was_served(reply.status):
                    charge = size.not_served()
                answer = self.read(reply.status, reply.headers, reply.body, form)
                charge = Usage()
                if isinstance(answer, CountedReply):
                    charge = answer.usage = size.answered(answer.stated(), len(reply.body), answer.said())
                return answer
            except TimeoutError:
                raise self._late(self.timeout) from None
            except BadReplyError as error:
                raise self.malformed(self._line(str(error))) from None
            except (h11.LocalProtocolError, httpx.InvalidURL, OSError) as error:
                raise TransientError(f"model {self.spec}: {self._reason(error)}") from None
            except RefusedError as error:
                charge = error.usage = size.not_served()
                raise
            finally:
                if charge is not None:
                    self.meter.pay(charge, reservation)

    def _late(self, seconds: float) -> TransientError:
        return TransientError(f"model {self.spec}: no answer within {seconds:g} s")

    def _check_plain(self, headers: Mapping[str, str]) -> None:
        if headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise self.malformed("it is compressed, and no compression was asked for")

    def _grow(self, body: bytearray, piece: bytes) -> None:
        if len(body) + len(piece) > MOST:
            raise self.malformed(f"more than {MOST} bytes")
        body += piece

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
            httpx.Client(timeout=seconds, verify=trusted_certificates(), trust_env=self._proxied) as client,
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
        return self._shared_connections().finding

    async def close(self) -> None:
        """Closes the connections of the running event loop, unless another model of the server uses them."""
        place = (asyncio.get_running_loop(), self.root)
        shared = _open.get(place)
        if shared is None:
            return
        shared.users.discard(self)
        if not shared.users:
            del _open[place]
            shared.close()

    def _shared_connections(self) -> _Shared:
        place = (asyncio.get_running_loop(), self.root)
        shared = _open.get(place)
        if shared is None:
            for gone in [other for other in _open if other[0].is_closed()]:
                del _open[gone]
            shared = _open[place] = _Shared(self.concurrency)
        shared.users.add(self)
        return shared

    def _fault(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        words = self._line(error_message(body))
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


def trusted_certificates() -> SSLContext:
    """The certificates that connections trust, for httpx; ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` name others than the usual.

    They are read once: reading them takes longer than many calls.

    Raises:
        StudyError: the file is no regular file, or has no certificates.
    """
    return _load_certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _load_certificates(file: str | None, folder: str | None) -> SSLContext:
    import httpx

    if file:
        check_file(Path(file))
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        raise StudyError(
            f"{file or folder}: certificates cannot be read here ({error.strerror}); correct SSL_CERT_FILE or SSL_CERT_DIR"
        ) from None


def _no_value(_: str) -> None:
    """Stands for NaN and infinities: where a number is needed, the reply is malformed."""


def _whole(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose texts have no lone surrogates; each becomes U+FFFD."""

    def mend_halves(value: Any) -> Any:
        if isinstance(value, str):
            return HALF.sub("\ufffd", value)
        return (
            [mend_halves(element) for element in cast("list[Any]", value)]
            if isinstance(value, list)
            else value
        )

    return {mend_halves(name): mend_halves(value) for name, value in pairs}


class _Shared:
    """What the models of one server share in one event loop: the places for calls at the same time, and their ends."""

    def __init__(self, concurrency: int) -> None:
        self.places = asyncio.Semaphore(concurrency)
        self.finding = asyncio.Lock()
        self.users: set[Server] = set()
        self.closed = False
        self._connections: set[Connection] = set()

    @contextmanager
    def using(self, connection: Connection) -> Iterator[None]:
        """Closes ``connection`` when this is closed."""
        if self.closed:
            raise ConnectionResetError("its connections were closed meanwhile")
        self._connections.add(connection)
        try:
            yield
        finally:
            self._connections.discard(connection)

    def close(self) -> None:
        """Ends all calls, with a passing fault."""
        self.closed = True
        for connection in self._connections:
            connection.close()


_open: dict[tuple[asyncio.AbstractEventLoop, str], _Shared] = {}


PIECE = re.compile(r"[A-Za-z]+|\d|\s+|[^A-Za-z\d\s]")


class ServedModel:
    """A model ``name`` on ``server``. Every fault of the server is a ``ProviderError``."""

    def __init__(self, spec: str, name: str, server: Server, context: int) -> None:
        self.spec = spec
        self.context = context
        self.concurrency = server.concurrency
        self._name = name
        self._server = server

    def count(self, text: str) -> int:
        """An upper estimate without a tokeniser.

        One token per three letters of a word (rounded up), per digit, other sign and run of
        white space but a single blank, and per byte beyond ASCII. English needs a half to two
        thirds of it.
        """
        return sum(
            -(-len(piece) // 3)
            if piece.isalpha() and piece.isascii()
            else len(piece.encode(errors="surrogatepass"))
            for piece in PIECE.findall(text)
            if piece != " "
        )

    def masked(self, reply: Completion) -> Completion:
        """``reply`` without secrets: a server may repeat its key as the text of a reply, which is recorded."""
        hide = self._server.secrets.masked_reply
        tools = tuple(ToolCall(hide(call.name), hide(call.arguments)) for call in reply.tools)
        return replace(reply, text=hide(reply.text), reasoning=hide(reply.reasoning), tools=tools)

    def bill(self, meter: Meter) -> None:
        """Has ``meter`` told of each request from now on."""
        self._server.meter = meter

    async def close(self) -> None:
        await self._server.close()


def open_server(kind: str, argument: str, hosts: Hosts | None = None) -> tuple[str, Server, Options]:
    """The name, the first server and the options of the model that ``kind:argument`` names.

    ``hosts`` are those that may be asked; by default also those that ``kind:argument`` itself names, as its caller chose them.

    Raises:
        StudyError: as :func:`otherminds.models.hosts.locate_model`.
    """
    if hosts is None:
        hosts = allowed_hosts(specs=(f"{kind}:{argument}",))
    served, chosen = locate_model(argument, kind, hosts.check)
    server = Server(served.shown, served.urls[0], chosen.key, chosen.timeout, chosen.concurrency, kind)
    return served.model, server, chosen
