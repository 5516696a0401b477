"""Where a command writes: the one way to standard output and standard error.

Names, titles and replies come from files and servers of others, and appear in tables, in errors of our own and of
the library that reads the arguments. The streams themselves may lack characters, be full, be closed, or lose their
reader. So the standard streams are replaced, and not each place that prints is changed.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from otherminds.core.errors import OtherMindsError
from otherminds.core.quoting import escape_missing, plain, shell_command

RULE = str.maketrans("─━", "--")
"""What the lines of a table become where the output has no such characters."""


class OutputError(OtherMindsError):
    """Standard output cannot be written; ``left`` is true where its reader has gone."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"the output cannot be written: {error.strerror}")
        self.left = error.errno == errno.EPIPE


class Stream(io.TextIOBase):
    """A standard stream that holds every character, and whose faults are an :class:`OutputError` or nothing.

    A character that the encoding lacks is written as JSON escapes it, so that JSON stays the same JSON. After a fault
    nothing more is written. Where the output is the result of a command, each later use raises the fault again, since
    a library may catch it once; where it is ``progress``, it is ignored, since a run that is paid for goes on without
    its listener. ``None`` is a stream that was closed before Python started.
    """

    def __init__(self, stream: TextIO | None, *, progress: bool = False) -> None:
        self._stream = stream
        self._progress = progress
        self._fault: OutputError | None = None

    @property
    def encoding(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str | None:  # pyright: ignore[reportIncompatibleVariableOverride]
        return getattr(self._stream, "errors", None)

    def write(self, text: str, /) -> int:
        if text:
            self._use(lambda stream: stream.write(escape_missing(text, self.encoding)))
        return len(text)

    def flush(self) -> None:
        if self._stream is not None or self._fault is not None:
            self._use(lambda stream: stream.flush())

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        return super().fileno() if self._stream is None else self._stream.fileno()

    def writable(self) -> bool:
        return True

    def _use(self, act: Callable[[TextIO], object]) -> None:
        if self._fault is None:
            try:
                if self._stream is None:
                    raise OSError(errno.EBADF, os.strerror(errno.EBADF))
                act(self._stream)
            except OSError as error:
                self._fault = OutputError(error)
                with suppress(OSError):  # what Python still holds would fail again when it exits
                    os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        if self._fault is not None and not self._progress:
            raise self._fault


class Guarded(io.TextIOBase):
    """A stream that makes every text :func:`~otherminds.core.quoting.plain` on its way to ``rich_proxied_file``.

    Rich's consoles look for an attribute of this name and write to it. Those of Other Minds are
    :class:`~otherminds.studies.terminal.Terminal`, which makes texts plain itself and adds colours.
    """

    def __init__(self, stream: TextIO | Stream) -> None:
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
def guard_output() -> Iterator[None]:
    """Guards standard output and standard error."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Guarded(Stream(sys.stdout)), Guarded(Stream(sys.stderr, progress=True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def fill_descriptors() -> None:
    """Opens those of the three standard descriptors that are closed, so that no file of a run becomes one of them.

    What is written to them fails, as it would if they were closed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDONLY if number else os.O_WRONLY), True)


def drawn(text: str) -> None:
    """Prints what a :class:`~otherminds.studies.terminal.Terminal` has drawn, with its colours."""
    stream = sys.stdout.rich_proxied_file if isinstance(sys.stdout, Guarded) else sys.stdout
    ruled = escape_missing("─", stream.encoding or "utf-8") == "─"
    stream.write((text if ruled else text.translate(RULE)) + "\n")


def follow_up(*words: str | Path) -> str:
    """``otherminds WORDS`` as one line for a shell, in characters that both streams have."""
    encodings = {stream.encoding or "utf-8" for stream in (sys.stdout, sys.stderr)}
    return shell_command(*words, encoding=encodings.pop() if len(encodings) == 1 else "ascii")
