"""The command line in this process: starting one and importing all takes longer than most commands."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from typing import Any, NamedTuple, TextIO
from unittest.mock import patch

import typer
from typer import testing

from otherminds.cli.main import app, main

commands = cache(typer.main.get_command)
"""Typer makes all commands from their annotations at each call, which takes longer than most of them."""


def _walk(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _walk(command, (*path, name))
        elif not command.hidden:
            yield (*path, name), command


COMMANDS = dict(_walk(commands(app)))
"""Every command that help texts show, by the words that call it."""


class Done(NamedTuple):
    """What is left of a command, named as in ``subprocess.CompletedProcess``."""

    returncode: object
    stdout: str
    stderr: str


def otherminds(*words: object) -> Done:
    """``otherminds WORDS``, errors as lines and exit codes included."""
    out, err = io.StringIO(), io.StringIO()
    return Done(exit_code(words, out, err), out.getvalue(), err.getvalue())


def exit_code(words: Iterable[object], out: TextIO | None, err: TextIO | None) -> object:
    """The exit code of ``otherminds WORDS`` with these standard streams; ``None`` is a closed one."""
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "argv", ["otherminds", *map(str, words)]),
        patch.object(typer.main, "get_command", commands),
    ):
        try:
            main()
        except SystemExit as end:
            return end.code or 0
    return 0


def invoked(*words: object) -> testing.Result:
    """``otherminds WORDS`` with its error as ``exception``, which is not yet a line."""
    with patch.object(testing, "_get_command", commands):
        return testing.CliRunner().invoke(app, [*map(str, words)])
