"""The address of a served model: a spec string after ``openai:``, ``MODEL@URL,URL?option=value&...``."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from urllib.parse import urlsplit

from msgspec import Struct, convert

from otherminds.core.errors import StudyError

OPENAI = "https://api.openai.com/v1"
"""The server of a model without an address."""
ALLOWANCE = 8192
"""Tokens for reasoning, unless an option says otherwise."""
NUMBERS = {
    "context": (int, "a whole number"),
    "concurrency": (int, "a whole number"),
    "reasoning": (int, "a whole number"),
    "timeout": (float, "a number of seconds"),
}
"""How the options that are numbers are read."""


class Address(Struct, frozen=True):
    """A model's name, the base URLs of its servers (at least one), and its options, not yet parsed."""

    model: str
    urls: tuple[str, ...]
    options: str = ""

    def each(self) -> tuple[str, ...]:
        """One spec string per server."""
        options = f"?{self.options}" if self.options else ""
        return tuple(f"openai:{self.model}@{url}{options}" for url in self.urls)


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


def address(rest: str) -> Address:
    """Splits a spec string after ``openai:`` at its last ``@`` and first ``?``, without checks.

    >>> address("meta/llama:8b@http://a:1/v1,http://b:1/v1?timeout=5")
    Address(model='meta/llama:8b', urls=('http://a:1/v1', 'http://b:1/v1'), options='timeout=5')
    """
    served, _, options = rest.partition("?")
    model, at, urls = served.rpartition("@")
    if not at:
        return Address(served, (OPENAI,), options)
    return Address(model, tuple(urls.split(",")), options)


def base_url(url: str) -> str:
    """``url`` without a slash at its end.

    Raises:
        StudyError: it is no base URL.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isascii() or not url.isprintable() or re.search(r"[\s#]", url):
        raise StudyError(
            f"{url!r} is no base URL of a server; write openai:MODEL@URL with one such as http://127.0.0.1:8000/v1"
        )
    return url.rstrip("/")


def options(text: str) -> Options:
    """Parses ``name=value&name=value``.

    Raises:
        StudyError: an unknown or repeated option, or an invalid value.
    """
    found = named_values(text, Options.__struct_fields__, "an openai: model")
    return convert({name: _value(name, value) for name, value in found.items()}, Options)


def named_values(text: str, known: Collection[str], whose: str) -> dict[str, str]:
    """Splits ``name=value&name=value``, the options of ``whose`` that are ``known``.

    Raises:
        StudyError: an unknown or repeated option.
    """
    found: dict[str, str] = {}
    for one in filter(None, text.split("&")):
        name, _, value = one.partition("=")
        if name not in known:
            raise StudyError(f"{whose} has no option {name!r}; it takes {', '.join(known)}")
        if name in found:
            raise StudyError(f"{whose} has the option {name!r} twice; write it once")
        found[name] = value
    return found


def _value(name: str, value: str) -> float | str:
    if name in NUMBERS:
        read, what = NUMBERS[name]
        try:
            number = read(value)
        except ValueError:
            number = math.nan
        if not 0 < number < 2**53:
            raise StudyError(f"the option {name!r} of an openai: model is {what} above 0, not {value!r}")
        return number
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):
        # The value is not repeated: it may be the key itself.
        raise StudyError(
            f"the option {name!r} of an openai: model is the name of an environment variable that holds the API "
            "key, such as OPENAI_API_KEY, and never the key; put the key into a variable and name that"
        )
    return value
