"""What a server's faults are, and what it says about them: errors, the wait it asks for, its words as one line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec
from msgspec import Struct

from otherminds.core.errors import ProviderError, TransientError

LONGEST = 200
"""Characters kept of what a server says about an error."""


DOWN = (401, 402, 403, 404)
"""Statuses that every other call will meet too: no key, no credit, no such model."""


class RefusedError(ProviderError):
    """A server answered that it will not do what it was asked for, with this HTTP ``status``."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status
        self.down = status in DOWN


class MalformedError(TransientError):
    """A reply came whole, and is not what it should be."""


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


def said(body: bytes) -> str:
    """What a server says about an error: one printable line, shortened."""
    try:
        fault = msgspec.json.decode(body, type=_Fault)
    except (ValueError, RecursionError):
        return line(body[: 4 * LONGEST].decode(errors="replace"))
    if isinstance(fault.error, _Error) and fault.error.message:
        return line(fault.error.message)
    text = fault.error if isinstance(fault.error, str) else fault.message or fault.detail
    return line(text if isinstance(text, str) else body[: 4 * LONGEST].decode(errors="replace"))


def slip(body: bytes) -> int | None:
    """The status of an error that was sent under a status of success, as some routers do."""
    try:
        fault = msgspec.json.decode(body, type=_Fault)
    except (ValueError, RecursionError):
        return None
    if not fault.error:
        return None
    code = fault.error.code if isinstance(fault.error, _Error) else None
    return code if isinstance(code, int) and 400 <= code < 600 else 500


def line(text: str) -> str:
    """``text`` as one printable line, shortened."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
