"""Faults of a server, and parameters that it refuses.

A fault is an error, with the wait that the server asks for and its message as one line.

A parameter that a model refuses is left out, renamed or lowered, once, and named in every reply. OpenAI's reasoning
models refuse ``temperature``, ``top_p`` and ``max_tokens``; others take at most five likeliest tokens, or no ``seed``,
``stop``, JSON schema or tools. A refusal names the parameter."""

from __future__ import annotations

import math
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Struct

from otherminds.core.errors import ProviderError, TransientError
from otherminds.core.model import Usage

LONGEST = 200
"""Characters kept of a server's error message."""
LONG = 4000
"""Bytes of a refusal that are searched for the name of a parameter."""
FILTERED = re.compile(
    r"content[_ -]?filter|content_policy_violation|ResponsibleAIPolicyViolation|content management policy"
    r"|content filtering policy|flagged_input|requires moderation|Content Exists Risk|data_inspection_failed",
    re.IGNORECASE,
)
"""How services say that a content filter refused a request: Azure, OpenAI, Anthropic, OpenRouter, DeepSeek, Alibaba."""
SPENT = re.compile(
    r"insufficient_quota|billing_hard_limit_reached"
    r"|billing_not_active|credit balance is too low|insufficient (?:balance|credits|funds)",
    re.IGNORECASE,
)
"""How services say that the account has no money left: OpenAI (with the status of a busy server), Anthropic, others."""
DOWN = (401, 402, 403, 404)
"""Statuses that all calls have in common: no key, no credit, no such model."""


class RefusedError(ProviderError):
    """A server refused a request, with this HTTP ``status``.

    ``about`` is the server's own message, which may contain the API key: it is read, never shown.
    ``parameter`` is the parameter that it names, if any. ``about_key``: it refuses the API key. ``filtered``: a
    content filter refuses what was asked. ``usage``: what the request is charged.
    """

    def __init__(self, text: str, status: int, body: bytes = b"") -> None:
        super().__init__(text)
        self.status = status
        self.about_key = key_refused(status, body)
        self.filtered = filter_refused(status, body)
        self.down = not self.filtered and (status in DOWN or self.about_key or credit_spent(status, body))
        self.about = _text(body)
        self.usage = Usage()
        self.parameter = _parameter(body)


class MalformedError(TransientError):
    """A complete reply does not have the expected form."""


def key_refused(status: int, body: bytes) -> bool:
    """Whether a refusal is about the API key. Google refuses an invalid one with HTTP 400 and this reason."""
    return status in (401, 403) or (status == 400 and b"API_KEY_INVALID" in body)


def filter_refused(status: int, body: bytes) -> bool:
    """Whether a content filter refused the request: an outcome of the model, and no fault of its service."""
    return status in (400, 403, 422, 451) and FILTERED.search(_text(body)) is not None


def credit_spent(status: int, body: bytes) -> bool:
    """Whether the account has no money left, which no wait mends."""
    return status == 402 or (status in (400, 403, 429) and SPENT.search(_text(body)) is not None)


def wanted_wait(headers: Mapping[str, str], body: bytes = b"") -> float | None:
    """The seconds that a server asks to wait: ``retry-after-ms``, or ``retry-after`` as seconds or a date.

    ``headers`` are case-insensitive, or have names in lower case. Without these, Google's ``retryDelay`` in the
    ``body`` counts (``google.rpc.RetryInfo``).

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
        return _delay(body)


class _Error(Struct):
    message: str | None = None
    code: Any = None
    param: Any = None
    details: Any = None


class _Fault(Struct):
    """Error messages: OpenAI's ``error.message`` and variants."""

    error: _Error | str | None = None
    message: Any = None
    detail: Any = None


def _text(body: bytes) -> str:
    return body[:LONG].decode(errors="replace")


def error_message(body: bytes) -> str:
    """A server's error message; the whole ``body`` if it has none."""
    fault = _fault(body)
    text = fault.error if isinstance(fault.error, str) else fault.message or fault.detail
    if isinstance(fault.error, _Error) and fault.error.message:
        text = fault.error.message
    return text if isinstance(text, str) else body.decode(errors="replace")


def _parameter(body: bytes) -> str:
    error = _fault(body).error
    return error.param if isinstance(error, _Error) and isinstance(error.param, str) else ""


def _delay(body: bytes) -> float | None:
    error = _fault(body).error
    details = error.details if isinstance(error, _Error) else None
    for detail in cast("list[Any]", details) if isinstance(details, list) else ():
        wait = cast("dict[str, Any]", detail).get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(wait, str) and re.fullmatch(r"\d{1,9}(\.\d{1,9})?s", wait):
            return float(wait[:-1])
    return None


def slip(body: bytes) -> int | None:
    """The status of an error in a body that some routers send with a status of success."""
    error = _fault(body).error
    code = error.code if isinstance(error, _Error) else None
    return None if not error else code if isinstance(code, int) and 400 <= code < 600 else 500


def _fault(body: bytes) -> _Fault:
    try:
        return msgspec.json.decode(body, type=_Fault)
    except (ValueError, RecursionError):
        return _Fault()


def line(text: str) -> str:
    """``text`` as one printable line, shortened."""
    printable = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return printable if len(printable) <= LONGEST else printable[: LONGEST - 1] + "…"


LIMIT, NEWER = "max_tokens", "max_completion_tokens"
"""The bound on new tokens, and its name for newer OpenAI models, which refuse the old one."""
LISTED = "top_logprobs"
FEW = 5
"""The likeliest tokens to ask for where a server refuses more and does not say how many it lists."""
TOOLS = "tools"
OPTIONAL = (
    TOOLS,
    "top_p",
    "seed",
    "stop",
    "response_format",
    *("structured_outputs", "regex", "grammar"),
    "reasoning_effort",
    "temperature",
)
"""Parameters without which a request is still of use, in the order in which they are dropped."""
REFUSED = (400, 422)
UNNAMED = re.compile(
    r"(?i)extra (?:fields?|inputs?|parameters?)|(?:unknown|unexpected|unrecognized) (?:fields|parameters)"
)
"""How servers refuse parameters without naming them; then all that are optional are left out."""
NOT_KNOWN = re.compile(
    r"(?i)unknown|unrecogni[sz]ed|unexpected|unsupported|not (?:supported|permitted|allowed)|extra|forbidden"
)
"""How servers refuse the name of a parameter, and not its value."""
WORDS: Mapping[str, str] = MappingProxyType({TOOLS: "tools?|tool[ _](?:choice|calls?|calling|use)"})
"""How refusals name parameters, where they do not name them as they are: patterns, in lower case. vLLM without
a parser of tool calls refuses the choice of tools."""
T = TypeVar("T")


class Parameters:
    """What one model accepts, as learned from refusals.

    ``optional`` parameters may be left out, the first ones first; ``listed`` is the number of likeliest tokens.
    ``words`` are patterns like :data:`WORDS`.
    """

    def __init__(
        self,
        optional: Sequence[str] = OPTIONAL,
        listed: str = LISTED,
        words: Mapping[str, str] = WORDS,
    ) -> None:
        self._optional = optional
        self._listed = listed
        self._words = words
        self._limit = LIMIT
        self._most_listed: int | None = None
        self._dropped: set[str] = set()

    @property
    def dropped(self) -> tuple[str, ...]:
        """The parameters that are left out or lowered, in alphabetical order."""
        lowered = {self._listed} if self._most_listed is not None else set[str]()
        return tuple(sorted(self._dropped | lowered))

    def adapted(self, request: dict[str, Any]) -> dict[str, Any]:
        """``request`` as the model accepts it.

        >>> Parameters().adapted({"temperature": 0.7, "max_tokens": 24})
        {'temperature': 0.7, 'max_tokens': 24}
        """
        accepted = {name: value for name, value in request.items() if name not in self._dropped}
        if LIMIT in accepted:
            accepted[self._limit] = accepted.pop(LIMIT)
        if self._listed in accepted and self._most_listed is not None:
            accepted[self._listed] = min(accepted[self._listed], self._most_listed)
        return accepted

    async def agreed(self, request: dict[str, Any], post: Callable[[dict[str, Any]], Awaitable[T]]) -> T:
        """What ``post`` returns for ``request`` as the model accepts it.

        Raises:
            RefusedError: the request is refused, and not for one of its parameters.
        """
        while True:
            body = self.adapted(request)
            try:
                return await post(body)
            except RefusedError as error:
                if not self.learn(body, error) and self.adapted(body) == body:
                    raise

    def learn(self, sent: dict[str, Any], error: RefusedError) -> bool:
        """Whether the refusal of the request ``sent`` tells what to change; then it is changed from now on."""
        if error.status not in REFUSED:
            return False
        if LIMIT in sent and (NEWER in error.about or (self._names(LIMIT, error) and _unknown(error))):
            self._limit = NEWER
            return True
        if self._listed in sent and self._names(self._listed, error):
            now = sent[self._listed]
            numbers = [int(digits) for digits in re.findall(r"(?<![\d.])\d{1,4}(?![\d.]*\d)", error.about)]
            lower = max((number for number in numbers if 0 < number < now), default=FEW)
            if lower < now:
                self._most_listed = lower
                return True
        refused = [name for name in self._optional if name in sent and self._names(name, error)]
        if not refused and not error.parameter and UNNAMED.search(error.about):
            refused = [name for name in self._optional if name in sent]
            self._dropped.update(refused)
        self._dropped.update(refused[:1])
        return bool(refused)

    def _names(self, parameter: str, error: RefusedError) -> bool:
        """Whether a refusal is about ``parameter``: by its field ``param`` if it has one, else by its text."""
        if error.parameter in (*self._optional, self._listed):
            return error.parameter == parameter
        words = self._words.get(parameter, parameter.lower())
        return re.search(rf"(?<![a-z_])(?:{words})(?![a-z_])", error.about.lower()) is not None


def _unknown(error: RefusedError) -> bool:
    return NOT_KNOWN.search(error.about) is not None
