"""The command line in this process: starting one and importing all takes longer than most commands."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import NamedTuple
from unittest.mock import patch

from otherminds.cli.main import main


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
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code
    return Done(code or 0, out.getvalue(), err.getvalue())
