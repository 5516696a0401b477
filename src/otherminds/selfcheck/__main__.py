"""The process of one check: ``python -m otherminds.selfcheck NAME FOLDER`` prints its trial as JSON."""

from __future__ import annotations

import sys
from contextlib import redirect_stdout
from pathlib import Path

import msgspec

from otherminds.selfcheck.check import try_here
from otherminds.selfcheck.promises import CHECKS


def main(name: str, folder: str) -> None:
    """Tries the promise ``name``; what it prints goes to standard error."""
    with redirect_stdout(sys.stderr):
        trial = try_here(name, CHECKS[name], Path(folder))
    sys.stdout.buffer.write(msgspec.json.encode(trial))


if __name__ == "__main__":
    main(*sys.argv[1:])
