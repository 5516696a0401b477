"""Commands and programs that checks start, as a user would, and the studies that they play."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

PROGRAM = [sys.executable, "-m", "otherminds"]
"""The command line."""
LONGEST = 120.0
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
        timeout=LONGEST,
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
