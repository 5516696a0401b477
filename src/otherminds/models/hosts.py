"""The address of a served model, and which servers may be asked with which key: those that the user named, and no others.

An address is a spec string after its kind, ``MODEL@URL,URL?option=value&...``.

A study may come from somebody else, and it names models with their servers and the variables of their keys. A request
is therefore sent to a service's own host, to this machine, and to hosts that the user allowed: by an option, by an
address on the command line, or in a file in the user's own configuration folder. Names are compared as they are written,
without DNS: ``127.1``, ``2130706433`` and ``api.openai.com.`` are other hosts than those they may lead to."""

from __future__ import annotations

import math
import os
import re
import socket
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import cast

from msgspec import Struct, convert
from msgspec.structs import replace

from otherminds.core.errors import StudyError
from otherminds.core.user_files import check_kind, is_file, read_toml

OPENAI = "https://api.openai.com/v1"


class Service(Struct, frozen=True):
    """A kind of models on servers.

    ``url`` is the server of a model without an address; ``key`` the environment variable of its API key, which
    the HTTP ``header`` carries after ``scheme``; ``fixed`` are further headers. ``keyless``: some servers need no
    key. ``scores``: some models give log-probabilities.
    """

    url: str
    key: str
    header: str
    scheme: str = ""
    fixed: dict[str, str] = {}
    keyless: bool = False
    scores: bool = True


SERVICES = {
    "openai": Service(OPENAI, "OPENAI_API_KEY", "Authorization", "Bearer ", keyless=True),
    "anthropic": Service(
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        "x-api-key",
        fixed={"anthropic-version": "2023-06-01"},
        scores=False,
    ),
    "gemini": Service("https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY", "x-goog-api-key"),
}
"""The services, by the kinds of models on them."""
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
"""The usual form of the name of an environment variable."""
ALLOWANCE = 8192
"""Tokens for reasoning, unless an option says otherwise."""
NUMBERS = {
    "context": (int, "a whole number"),
    "concurrency": (int, "a whole number"),
    "reasoning": (int, "a whole number"),
    "timeout": (float, "a number of seconds"),
}
"""How the options that are numbers are read."""


HOST = r"[a-z0-9](?:[\w-]*[a-z0-9])?(?:\.[a-z0-9_](?:[\w-]*[a-z0-9])?)*|\[[0-9a-f:.]+\]"
"""A name of letters, digits, hyphens and underscores, an IPv4 address, or an IPv6 address in brackets."""
BASE = re.compile(rf"https?://(?:{HOST})(?::(?P<port>\d{{1,5}}))?(?:/[!-\[\]-~]*)?", re.ASCII | re.IGNORECASE)
"""A base URL: no name before the host, no dot after it, and no backslash, query or fragment."""
CLIMBING = re.compile(r"[?#@]|/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
"""What a path of a base URL lacks: a query, a fragment, a name, and steps to the folder above."""
PLAIN = frozenset({"api", "openai", "v1", "v1beta", "v2", "v3"})
"""Parts of a URL's path that are shown; every other one may be a token of a gateway."""


class Address(Struct, frozen=True):
    """A model's name, the base URLs of its servers (at least one), its options, not yet parsed, and its kind."""

    model: str
    urls: tuple[str, ...]
    options: str = ""
    kind: str = "openai"

    def each(self) -> tuple[str, ...]:
        """One spec string per server."""
        options = f"?{self.options}" if self.options else ""
        return tuple(f"{self.kind}:{self.model}@{url}{options}" for url in self.urls)

    @property
    def shown(self) -> str:
        """The spec string for messages: with the URLs as :func:`shown_url` shows them."""
        options = f"?{self.options}" if self.options else ""
        return f"{self.kind}:{self.model}@{','.join(map(shown_url, self.urls))}{options}"


class Options(Struct, frozen=True):
    """Options of a served model.

    ``context`` in tokens, ``timeout`` in seconds per call, ``key`` the name of an environment variable, ``reasoning``
    the tokens for reasoning beside those of an answer.
    """

    context: int | None = None
    concurrency: int = 16
    timeout: float = 120.0
    key: str = "OPENAI_API_KEY"
    reasoning: int = ALLOWANCE


def address(argument: str, kind: str = "openai") -> Address:
    """Splits a spec string after ``kind:`` at its last ``@`` and first ``?``, without checks.

    >>> address("meta/llama:8b@http://a:1/v1,http://b:1/v1?timeout=5")
    Address(model='meta/llama:8b', urls=('http://a:1/v1', 'http://b:1/v1'), options='timeout=5', kind='openai')
    """
    served, _, options = argument.partition("?")
    model, at, urls = served.rpartition("@")
    if not at:
        return Address(served, (SERVICES[kind].url,), options, kind)
    return Address(model, tuple(urls.split(",")), options, kind)


def locate_model(
    argument: str, kind: str, permit: Callable[[str, str, str], None]
) -> tuple[Address, Options]:
    """The address and the options in the spec string ``kind:argument``, checked.

    ``permit`` is given the kind, each base URL and the variable of the API key, before the variable is read.

    Raises:
        StudyError: no model, no base URL, a wrong option, or an API key that is needed and not set; and as ``permit``.
    """
    served = address(argument, kind)
    if "://" in served.model:
        raise StudyError(
            f"{named_kind(kind)} takes no name or key before the server's; put the key into an environment variable"
        )
    if not served.model or not served.model.isprintable():
        raise StudyError(f"model {served.shown!r} names no model; write {kind}:MODEL@URL")
    chosen = options(served.options, kind)
    served = replace(served, urls=tuple(base_url(url, kind) for url in served.urls))
    for url in served.urls:
        permit(kind, url, chosen.key)
    key_is_named = "key=" in served.options
    if (key_is_named or not SERVICES[kind].keyless) and not os.environ.get(chosen.key):
        if not VARIABLE.fullmatch(chosen.key):
            # The name is not repeated: it may be the key itself.
            raise StudyError(
                f"the environment variable that {named_kind(kind)} names by key= is not set; set it to the API key"
            )
        by = f", named by key={chosen.key}," if key_is_named else ""
        raise StudyError(f"the environment variable {chosen.key}{by} is not set; set it to the API key")
    return served, chosen


def path_secrets(url: str) -> list[str]:
    """The parts of the path of ``url`` that may be secret.

    >>> path_secrets("https://gateway.example/token-4711/api/v1")
    ['token-4711']
    """
    path = url.partition("://")[2].partition("/")[2]
    return [part for part in re.split(r"[/?#&=]", path) if part and part not in PLAIN]


def shown_url(url: str) -> str:
    """``url`` for messages: without a user's name and password, and without what may be secret in its path.

    >>> shown_url("https://me:hush@gateway.example/token-4711/api/v1")
    'https://gateway.example/…/api/v1'
    """
    scheme, mark, after_scheme = url.rpartition("://")
    host, *path = re.split(r"[/?#]", after_scheme)
    parts = [part if part in PLAIN or not part else "…" for part in path]
    return "/".join([scheme + mark + host.rpartition("@")[2], *parts])


def base_url(url: str, kind: str = "openai") -> str:
    """``url`` without a slash at its end.

    Its form is narrow, so that no two readers find different hosts in it.

    Raises:
        StudyError: it is no base URL.
    """
    form = BASE.fullmatch(url)
    if form is None or not 0 < int(form["port"] or 1) < 2**16 or CLIMBING.search(url):
        raise StudyError(
            f"{shown_url(url)!r} is no base URL of a server; write {kind}:MODEL@URL with one such as http://127.0.0.1:8000/v1"
        )
    return url.rstrip("/")


def options(text: str, kind: str = "openai") -> Options:
    """Parses ``name=value&name=value``, the options of a model of this ``kind``.

    Raises:
        StudyError: an unknown or repeated option, or an invalid value.
    """
    values = named_values(text, Options.__struct_fields__, named_kind(kind))
    read = {name: _value(name, value, kind) for name, value in values.items()}
    return convert({"key": SERVICES[kind].key, **read}, Options)


def named_values(text: str, allowed: Collection[str], whose: str) -> dict[str, str]:
    """Splits ``name=value&name=value``, the options of ``whose`` that are ``allowed``.

    Raises:
        StudyError: an unknown or repeated option.
    """
    values: dict[str, str] = {}
    for pair in filter(None, text.split("&")):
        name, _, value = pair.partition("=")
        if name not in allowed:
            # A longer name may be a secret from a URL's query.
            fault = f"no option {name!r}" if re.fullmatch("[a-z_]{1,20}", name) else "no such option"
            raise StudyError(f"{whose} has {fault}; it takes {', '.join(allowed)}")
        if name in values:
            raise StudyError(f"{whose} has the option {name!r} twice; write it once")
        values[name] = value
    return values


def named_kind(kind: str) -> str:
    """A kind of models in a message.

    >>> named_kind("openai"), named_kind("gemini")
    ('an openai: model', 'a gemini: model')
    """
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}: model"


def _value(name: str, value: str, kind: str) -> float | str:
    if name in NUMBERS:
        read, requirement = NUMBERS[name]
        try:
            number = read(value)
        except ValueError:
            number = math.nan
        if not 0 < number < 2**53:
            raise StudyError(
                f"the option {name!r} of {named_kind(kind)} is {requirement} above 0, not {value!r}"
            )
        return number
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        # The value is not repeated: it may be the key itself.
        raise StudyError(
            f"the option {name!r} of {named_kind(kind)} is the name of an environment variable that holds the API "
            f"key, such as {SERVICES[kind].key}, and never the key; put the key into a variable and name that"
        )
    return value


OPTION = "--allow-host"
"""The option of commands that allows a host."""
KEY = "allow_hosts"
"""The only key of the configuration file: a list of texts as the option takes them."""
PORTS = {"http": 80, "https": 443}
GRANT = re.compile(
    rf"(?:(?P<scheme>https?)://)?(?P<host>{HOST})(?::(?P<port>\d{{1,5}}))?/?(?:=(?P<key>[A-Za-z_]\w*))?",
    re.ASCII | re.IGNORECASE,
)


class URLOrigin(Struct, frozen=True):
    """Where a request goes: the scheme, the host in lower case (IPv6 in brackets), and the port of a URL."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        port = "" if self.port == PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"

    @property
    def local(self) -> bool:
        """Whether it is this machine: an address of its loopback interface, or ``localhost`` if that leads to nothing else."""
        if self.host == "localhost":
            return _leads_here()
        try:
            return ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False


class Grant(Struct, frozen=True):
    """A host that the user allowed, on one ``port`` or on all of them, also without encryption if it is ``plain``.

    ``key`` names the environment variable whose key it may get; empty for the usual one of the model's kind.
    """

    host: str
    port: int | None = None
    plain: bool = False
    key: str = ""

    def covers(self, origin: URLOrigin) -> bool:
        return self.host == origin.host and self.port in (None, origin.port)


class Hosts(Struct, frozen=True):
    """The hosts that the user allowed beside the services' own and this machine."""

    grants: tuple[Grant, ...] = ()

    def naming(self, *specs: str) -> Hosts:
        """These hosts, and those in the addresses of ``specs``, which the user wrote: each with the key named beside it.

        A host that is named so is not yet allowed without encryption.
        """
        grants: list[Grant] = []
        for spec in specs:
            kind, _, argument = spec.partition(":")
            if kind not in SERVICES:
                continue
            served = address(argument, kind)
            with suppress(StudyError):  # a wrong address is refused where its model is opened
                key = options(served.options, kind).key
                grants += [Grant(at.host, at.port, key=key) for at in map(origin, served.urls)]
        return Hosts((*self.grants, *grants))

    def check_model(self, spec: str) -> None:
        """Checks that the model ``spec`` may be asked at each server in its name, if it is on servers.

        Raises:
            StudyError: as :meth:`check`, or its address is wrong.
        """
        kind, _, argument = spec.partition(":")
        if kind in SERVICES:
            served = address(argument, kind)
            for url in served.urls:
                self.check(kind, url, options(served.options, kind).key)

    def check(self, kind: str, url: str, key: str) -> None:
        """Checks that a model of this ``kind`` may send requests to ``url`` with the key in the variable ``key``.

        It makes no difference whether the variable is set.

        Raises:
            StudyError: the user did not allow that; the text says how to.
        """
        at, usual = origin(url), SERVICES[kind].key
        granted = [grant for grant in self.grants if grant.covers(at)]
        own = any(key == service.key and at == origin(service.url) for service in SERVICES.values())
        key_is_granted = any((grant.key or usual) == key for grant in granted)
        if not (own or key_is_granted or (at.local and key == usual)):
            raise StudyError(
                f"{named_kind(kind)} may not be asked at {at}"
                f"{'' if key == usual else f' with the key in the variable {key}'}: you have not allowed that; "
                f"if you trust this server with the prompts and with that key, add {OPTION} "
                f"{_write_origin(at)}{'' if key == usual else f'={key}'}, or a line to {config_file()}"
            )
        if at.scheme == "http" and not at.local and not any(grant.plain for grant in granted):
            raise StudyError(
                f"{at} is not encrypted: everyone on the way could read the prompts and the key; use https, or add "
                f"{OPTION} {at}, or a line to {config_file()}"
            )


def origin(url: str) -> URLOrigin:
    """The origin of a base URL.

    >>> origin("https://API.openai.com/v1")
    URLOrigin(scheme='https', host='api.openai.com', port=443)

    Raises:
        StudyError: it is no base URL (:func:`~otherminds.models.hosts.base_url`).
    """
    match = GRANT.match(base_url(url))
    assert match is not None, "a base URL has a host"
    scheme = match["scheme"].lower()
    return URLOrigin(scheme, _host(match["host"]), int(match["port"] or PORTS[scheme]))


def grant(text: str) -> Grant:
    """Reads ``[http://]HOST[:PORT][=VARIABLE]``, as the option and the configuration file have it.

    >>> grant("gateway.example=GATEWAY_KEY")
    Grant(host='gateway.example', port=None, plain=False, key='GATEWAY_KEY')

    Raises:
        StudyError: it is not of this form.
    """
    match = GRANT.fullmatch(text)
    port = int(match["port"]) if match and match["port"] else None
    if match is None or (port is not None and not 0 < port < 2**16):
        raise StudyError(
            f"{OPTION} {shown_url(text.partition('=')[0])!r} names no host; write HOST, HOST:PORT, HOST=VARIABLE to send the key "
            "in another environment variable than usual, or http://HOST to send without encryption"
        )
    plain = (match["scheme"] or "").lower() == "http"
    return Grant(_host(match["host"]), port, plain, match["key"] or "")


def allowed_hosts(hosts: Iterable[str] = (), specs: Iterable[str] = ()) -> Hosts:
    """The hosts of the user's configuration file, ``hosts`` as the option takes them, and those in ``specs``.

    Nothing of this may come from a study.

    Raises:
        StudyError: a text names no host, or the configuration file cannot be read.
    """
    return Hosts(tuple(map(grant, (*_read_configured(), *hosts)))).naming(*specs)


def config_file() -> Path:
    """The user's configuration file; it need not exist."""
    from platformdirs import user_config_path

    return user_config_path("otherminds") / "config.toml"


def destinations(spec: str) -> list[str]:
    """A line for each server that the model ``spec`` is asked at: where, and with which key.

    >>> destinations("openai:m@http://127.0.0.1:8000/v1?key=NO_SUCH_KEY")
    ['openai:m is asked at http://127.0.0.1:8000, without a key (NO_SUCH_KEY is not set)']

    Raises:
        StudyError: ``spec`` has a wrong address or option.
    """
    kind, _, argument = spec.partition(":")
    if kind == "inspect":
        return [f"{spec} is asked by Inspect, at the address and with the key of its provider"]
    if kind not in SERVICES:
        return []
    served = address(argument, kind)
    key = options(served.options, kind).key
    how = f"with the key in {key}" if os.environ.get(key) else f"without a key ({key} is not set)"
    return [f"{kind}:{served.model} is asked at {at}, {how}" for at in map(origin, served.urls)]


def _host(text: str) -> str:
    with suppress(ValueError):
        return f"[{ip_address(text.strip('[]'))}]" if text.startswith("[") else text.lower()
    return text.lower()


def _write_origin(at: URLOrigin) -> str:
    """``at`` as the option takes it."""
    return str(at) if at.scheme == "http" and not at.local else str(at).partition("://")[2]


def _leads_here() -> bool:
    """Whether every address of ``localhost`` is one of the loopback interface."""
    try:
        addresses = socket.getaddrinfo("localhost", None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return all(ip_address(str(entry[4][0]).partition("%")[0]).is_loopback for entry in addresses)


def _read_configured() -> list[str]:
    path = config_file()
    if not is_file(path):
        check_kind(path, StudyError)
        return []
    data = read_toml(path)
    hosts: object = data.get(KEY, [])
    if set(data) - {KEY} or not isinstance(hosts, list):
        raise StudyError(f"{path}: has the key {KEY} only, a list such as {KEY} = ['gateway.example']")
    for host in cast("list[object]", hosts):
        if not isinstance(host, str):
            raise StudyError(f"{path}: {KEY} is a list of texts such as 'gateway.example'")
    return cast("list[str]", hosts)
