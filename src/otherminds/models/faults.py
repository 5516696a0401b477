"""Faults of a server: errors, the wait that it asks for, and its message as one line."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

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
