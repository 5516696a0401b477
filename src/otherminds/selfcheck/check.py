"""One promise is tried: what a check is, what comes of it, the process that it plays in, and the commands that it starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Literal

import msgspec
from msgspec import Struct

from otherminds.core.errors import OtherMindsError

LONGEST_CHECK = 150.0
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


def try_apart(name: str, check: Check, seconds: float = LONGEST_CHECK) -> PromiseTrial:
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


PROGRAM = [sys.executable, "-m", "otherminds"]
"""The command line."""
LONGEST_COMMAND = 120.0
"""Seconds after which a command counts as hanging."""


def call(*words: object, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """``otherminds WORDS``, with the variables in ``env`` beside those of this process."""
    return call_program([*PROGRAM, *map(str, words)], env)


def call_program(
    command: list[str], env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Any program, as :func:`call` does it."""
    return subprocess.run(
        command,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=LONGEST_COMMAND,
        check=False,
    )


def start(*words: object) -> subprocess.Popen[bytes]:
    """``otherminds WORDS``, without output and without waiting for its end."""
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def write_study(
    path: Path, scenarios: Iterable[str], minds: Iterable[str], episodes: int, rounds: int | None = None
) -> Path:
    """A study file of one cell."""
    listed = ([*scenarios], [*minds])
    path.write_text(
        f'name = "selfcheck"\nepisodes = {episodes}\n{f"rounds = {rounds}" if rounds else ""}\n'
        "[[cells]]\nscenarios = {}\nminds = {}\n".format(*(str(names).replace("'", '"') for names in listed)),
        encoding="utf-8",
    )
    return path
