"""The command line in this process: starting one and importing all takes longer than most commands."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from typing import NamedTuple
from unittest.mock import patch

import typer
from typer import testing

from otherminds.cli.main import app, main

commands = cache(typer.main.get_command)
"""Typer makes all commands from their annotations at each call, which takes longer than most of them."""


class Done(NamedTuple):
    """What is left of a command, named as in ``subprocess.CompletedProcess``."""

    returncode: object
    stdout: str
    stderr: str


def otherminds(*words: object) -> Done:
    """``otherminds WORDS``, errors as lines and exit codes included."""
    out, err, code = io.StringIO(), io.StringIO(), None
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        patch.object(sys, "argv", ["otherminds", *map(str, words)]),
        patch.object(typer.main, "get_command", commands),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    return Done(code or 0, out.getvalue(), err.getvalue())


def invoked(*words: object) -> testing.Result:
    """``otherminds WORDS`` with its error as ``exception``, which is not yet a line."""
    with patch.object(testing, "_get_command", commands):
        return testing.CliRunner().invoke(app, [*map(str, words)])
