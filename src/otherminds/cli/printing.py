"""What a command prints reaches the terminal without control characters, whatever prints it.

Names, titles and replies come from files and servers of others, and appear in tables, in errors of our own and of
the library that reads the arguments. So the standard streams themselves are guarded, and not each place that prints.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from otherminds.core.quoting import plain


class Guarded(io.TextIOBase):
    """A stream that makes every text :func:`~otherminds.core.quoting.plain` on its way to ``rich_proxied_file``.

    Rich's consoles look for an attribute of this name and write to it. Those of Other Minds are
    :class:`~otherminds.studies.terminal.Terminal`, which makes texts plain itself and adds colours.
    """

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.rich_proxied_file.encoding or "utf-8"

    @property
    def errors(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self.rich_proxied_file.errors

    def write(self, text: str, /) -> int:
        self.rich_proxied_file.write(plain(text))
        return len(text)

    def flush(self) -> None:
        self.rich_proxied_file.flush()

    def isatty(self) -> bool:
        return self.rich_proxied_file.isatty()

    def fileno(self) -> int:
        return self.rich_proxied_file.fileno()

    def writable(self) -> bool:
        return True


@contextmanager
def guarded() -> Iterator[None]:
    """Guards standard output and standard error."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Guarded(sys.stdout), Guarded(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def drawn(text: str) -> None:
    """Prints what a :class:`~otherminds.studies.terminal.Terminal` has drawn, with its colours."""
    stream = sys.stdout.rich_proxied_file if isinstance(sys.stdout, Guarded) else sys.stdout
    stream.write(text + "\n")
