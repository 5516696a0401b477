"""Which servers may be asked, and with which key: those that the user named, and no others.

A study may come from somebody else, and it names models with their servers and the variables of their keys. A request
is therefore sent to a service's own host, to this machine, and to hosts that the user allowed: by an option, by an
address on the command line, or in a file in the user's own configuration folder. Names are compared as they are written,
without DNS: ``127.1``, ``2130706433`` and ``api.openai.com.`` are other hosts than those they may lead to.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import cast

from msgspec import Struct

from otherminds.core.errors import StudyError
from otherminds.core.user_files import check_kind, is_file, read_toml
from otherminds.models.address import HOST, SERVICES, address, base_url, named_kind, options, shown_url

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
        StudyError: it is no base URL (:func:`~otherminds.models.address.base_url`).
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
