"""One promise is tried: what a check is, what comes of it, and the process that it plays in."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Literal

import msgspec
from msgspec import Struct

from otherminds.core.errors import OtherMindsError

LONGEST = 150.0
"""Seconds after which a check counts as hanging."""


@dataclass(frozen=True)
class Check:
    """A ``promise`` in words, how it is ``tried``, and the function that tries it in an empty folder.

    ``attempt`` returns the figure. It raises ``AssertionError``, as :func:`otherminds.testing.compare.promise` does, where
    the promise is broken, and :class:`NotTriedError` where it cannot be tried here. It has no ``assert`` statements, which
    Python drops with ``-O``.
    """

    promise: str
    tried: str
    attempt: Callable[[Path], str]


class NotTriedError(Exception):
    """The promise cannot be tried on this machine; the text says why."""


class PromiseTrial(Struct, frozen=True):
    """What came of a check: the ``promise`` in words, how it was ``tried``, the ``figure`` or the fault, and ``seconds``."""

    name: str
    promise: str
    tried: str
    figure: str
    verdict: Literal["holds", "fails", "not tried"]
    seconds: float


def try_here(name: str, check: Check, folder: Path) -> PromiseTrial:
    """Tries a promise in this process.

    An error of ours breaks it too; any other error is that of a check, and is not caught.
    """
    began = monotonic()
    verdict: Literal["holds", "fails", "not tried"] = "holds"
    try:
        figure = check.attempt(folder)
    except NotTriedError as error:
        verdict, figure = "not tried", str(error)
    except AssertionError as error:
        verdict, figure = "fails", str(error)
    except OtherMindsError as error:
        verdict, figure = "fails", f"{type(error).__name__}: {error}"
    return PromiseTrial(name, check.promise, check.tried, figure, verdict, round(monotonic() - began, 1))


def try_apart(name: str, check: Check, seconds: float = LONGEST) -> PromiseTrial:
    """Tries a promise in a process of its own, which is ended after so many ``seconds`` with all that it started."""
    began = monotonic()
    with TemporaryDirectory(prefix="otherminds_selfcheck_", ignore_cleanup_errors=True) as place:
        command = [sys.executable, "-m", "otherminds.selfcheck", name, place]
        with _group(command) as process:
            try:
                out, err = process.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                out, err = b"", f"it had not ended after {seconds:g} s".encode()
    with suppress(msgspec.DecodeError):
        return msgspec.json.decode(out, type=PromiseTrial)
    last = (err.decode("utf-8", "replace").strip() or f"its process ended with {process.returncode}").split(
        "\n"
    )
    return PromiseTrial(name, check.promise, check.tried, last[-1], "fails", round(monotonic() - began, 1))


def try_all(checks: Mapping[str, Check], before: Callable[[str], object]) -> Iterator[PromiseTrial]:
    """The trials of ``checks``, one after the other; ``before`` is called with the name of each."""
    for name, check in checks.items():
        before(name)
        yield try_apart(name, check)


@contextmanager
def _group(command: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is ended with those that it started."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                if sys.platform == "win32":
                    process.kill()
                else:
                    os.killpg(process.pid, signal.SIGKILL)
