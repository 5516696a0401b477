"""The address of a served model: a spec string after its kind, ``MODEL@URL,URL?option=value&...``."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Collection

from msgspec import Struct, convert
from msgspec.structs import replace

from otherminds.core.errors import StudyError

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
